#pragma once

#include "amontons/io/common/number_range.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/run_header.h"
#include "amontons/simulation/system/system.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Tells of a run's datasets what holds for all of them.
struct RunShapes {
  RunSizes sizes;        ///< extents that the datasets share
  bool is_even = false;  ///< the datasets of rows are equally long, and those of records, too
};

/// Checks every dataset of a run against the table of the format (run_format()): it is there, holds
/// its type of number, has its number of axes, and its extents agree with those of the others. The
/// first axis is the number of rows or records, which a killed writer leaves uneven.
/// @throws ParseError naming the file and the dataset.
RunShapes check_run_shapes(const Hdf5Handle& file, const std::string& path);

/// Returns the numbers that a dataset may hold by the table of the format.
/// @throws std::logic_error if the table has no such dataset.
const NumberRange& range_of(std::string_view dataset);

/// Checks that each joint's entries lie within the vectors of a run.
/// @throws ParseError naming the file and the dataset.
void check_joint_places(const RunHeader& header, const std::string& path);

/// Checks that the datasets of a run have the sizes of a system, which its recorded scene makes.
/// @throws ParseError naming the file and the dataset.
void check_run_of_system(const RunHeader& header, const System& system, const std::string& path);

}  // namespace amontons::io
