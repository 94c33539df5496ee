#pragma once

#include "amontons/io/common/format_map.h"

#include <vector>

namespace amontons::io {

/// Returns every attribute and dataset of a run file (run_datasets.h, run_header_file.h), group by
/// group. `name` is its path, `value` its type and shape, `choices` the meaning of its codes. The
/// reference is made from this table, and a test compares it with runs.
///
/// Shapes use T rows, nq positions, nv velocities, nB bodies, nJ joints, nr rows of J. C, B and K
/// are the rows of all contacts, bounded rows and commands together.
const std::vector<FormatMap>& run_format();

/// Returns every attribute and dataset of the group /amontons in the file of a contact problem
/// (contact_problem_file.h).
const std::vector<FormatMap>& contact_problem_format();

}  // namespace amontons::io
