#pragma once

#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Functions that the parts of a contact problem's file share (contact_problem_file.h).

namespace amontons::io {

/// Writes a vector [n] as a dataset.
inline void write(const Hdf5Handle& group, const char* name, const Eigen::VectorXd& values) {
  write_vector(group, name,
               std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
}

/// Reads a dataset [n] as a vector. Throws ParseError if it is missing.
inline Eigen::VectorXd read(const Hdf5Handle& group, const char* name) {
  const std::vector<double> values = read_doubles(group, name);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Throws a ParseError that names the file and the group `/amontons`.
[[noreturn]] inline void fail_in_problem(const Hdf5Handle& group, const std::string& message) {
  throw ParseError(file_name(group), 0, 0, "/amontons: " + message);
}

/// Returns an integer of a file in a smaller type. Throws a ParseError that names the dataset, if
/// the type cannot hold it.
template <typename Integer>
Integer narrowed(const Hdf5Handle& group, const char* name, std::int64_t value) {
  if (!std::in_range<Integer>(value)) {
    fail_in_problem(group, std::string(name) + " holds the number " + std::to_string(value));
  }
  return static_cast<Integer>(value);
}

}  // namespace amontons::io
