#pragma once

#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_row.h"

#include <Eigen/Core>

#include <string>

// Rows of runs as bytes, for the tests that compare them bit for bit.

namespace amontons::test {

/// Collects every field of run_datasets.h.
struct Bits {
  std::string text;

  template <typename T>
  void operator()(const char*, const T& field) {
    text.append(reinterpret_cast<const char*>(&field), sizeof field);
  }
  void operator()(const char*, const Eigen::Vector3d& field) {
    text.append(reinterpret_cast<const char*>(field.data()), sizeof(double) * 3);
  }
  void operator()(const char*, const Eigen::VectorXd& field, int = 0) {
    text.append(reinterpret_cast<const char*>(field.data()),
                sizeof(double) * static_cast<std::size_t>(field.size()));
  }
};

/// Returns the bytes of a row with its contacts.
inline std::string bits(const io::RunRow& row) {
  Bits result;
  io::visit_row_columns(row, result);
  for (const io::RunContact& contact : row.contacts) io::visit_contact_columns(contact, result);
  return result.text;
}

}  // namespace amontons::test
