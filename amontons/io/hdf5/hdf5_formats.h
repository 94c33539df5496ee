#pragma once

#include "amontons/io/common/format_map.h"

#include <vector>

namespace amontons::io {

/// Returns every attribute and dataset of a run file (run_datasets.h, run_header_file.h), group by
/// group. `name` is its path, `value` its type and shape, `choices` the meaning of its codes. The
/// reference is made from this table, and a test compares it with runs.
///
/// Shapes use T rows, nq positions, nv velocities, nB bodies, nJ joints, nr rows of J. E, B and K
/// are the numbers of all contacts, bounded rows and commands, C is that of the contacts that do
/// not repeat those of the row before.
const std::vector<FormatMap>& run_format();

/// Returns every attribute and dataset of the group /amontons in the file of a contact problem
/// (contact_problem_file.h).
const std::vector<FormatMap>& contact_problem_format();

}  // namespace amontons::io
