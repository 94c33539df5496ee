#pragma once

#include "amontons/io/run/run_row.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons::io {

struct RunHeader;

/// Holds the numbers that one row, contact, bounded row or command has in a dataset. Truth values
/// and codes are numbers, too.
struct RunField {
  const char* name = "";   ///< name of the dataset, e.g. "/bodies/position"
  Eigen::VectorXd values;  ///< one row of the dataset [n]
  int inner = 0;           ///< numbers per body, where the dataset has a third dimension
};

/// Returns the fields of a row, in the order in which they are written (run_datasets.h).
std::vector<RunField> row_fields(const RunRow& row);
/// Returns the fields of a contact, in the same order.
std::vector<RunField> contact_fields(const RunContact& contact);
/// Returns the fields of a bounded row, in the same order.
std::vector<RunField> bounded_fields(const RunBoundedRow& bounded);
/// Returns the fields of a command, in the same order.
std::vector<RunField> command_fields(const RunCommand& command);

/// Names the body or joint that a number of a row belongs to.
///
/// The text is "crate", or "crate[2]" where the body or joint has several numbers. It is empty for
/// a number that is alone in its dataset.
std::string place_in(const RunHeader& header, const RunField& field, Eigen::Index index);

}  // namespace amontons::io
