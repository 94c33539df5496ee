#pragma once

#include "amontons/io/run/run_row.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons::io {

struct RunHeader;

/// A dataset of the run file and what one row, contact, bounded row or command has in it, as
/// numbers: truth values and codes too.
struct RunField {
  const char* name = "";  ///< of the dataset, e.g. "/bodies/position"
  Eigen::VectorXd values;
  int inner = 0;  ///< numbers per body, where the dataset has a third dimension
};

/// In the order in which they are written (run_datasets.h).
std::vector<RunField> row_fields(const RunRow& row);
std::vector<RunField> contact_fields(const RunContact& contact);
std::vector<RunField> bounded_fields(const RunBoundedRow& bounded);
std::vector<RunField> command_fields(const RunCommand& command);

/// What a number of a row belongs to: "crate" or "crate[2]" (body or joint, with the number's place
/// in it where there are several), or "" for a number that stands alone.
std::string place_in(const RunHeader& header, const RunField& field, Eigen::Index index);

}  // namespace amontons::io
