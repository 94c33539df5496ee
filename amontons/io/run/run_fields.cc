#include "amontons/io/run/run_fields.h"

#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

/// Visitor of run_datasets.h that collects every field as numbers.
class FieldCollector {
 public:
  template <typename T>
  void operator()(const char* name, const T& field) {
    fields_.push_back({name, Eigen::VectorXd::Constant(1, static_cast<double>(field)), 0});
  }
  void operator()(const char* name, const Eigen::Vector3d& field) {
    fields_.push_back({name, field, 0});
  }
  void operator()(const char* name, const Eigen::VectorXd& field, int inner = 0) {
    fields_.push_back({name, field, inner});
  }

  std::vector<RunField> release() { return std::move(fields_); }

 private:
  std::vector<RunField> fields_;
};

/// Returns the fields of a record, by the visitor function of its kind.
template <typename Record, typename Visit>
std::vector<RunField> collect(const Record& record, const Visit& visit) {
  FieldCollector collector;
  visit(record, collector);
  return collector.release();
}

/// Returns the joint that an entry of a vector belongs to, with the entry's place in it.
///
/// The joint is the one whose entries begin last at or before `index`. Offsets are negative for
/// joints without entries in this vector.
std::string joint_place(const RunHeader& header, const std::vector<std::int32_t>& offsets,
                        Eigen::Index index, Eigen::Index size) {
  // One pass finds the joint and `end`, where the entries of the next joint begin.
  std::size_t joint = offsets.size();
  Eigen::Index end = size;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0) continue;
    if (offsets[i] <= index && (joint == offsets.size() || offsets[i] > offsets[joint])) joint = i;
    if (offsets[i] > index) end = std::min<Eigen::Index>(end, offsets[i]);
  }
  if (joint == offsets.size()) return fmt::format("[{}]", index);
  const Eigen::Index first = offsets[joint];
  return end - first == 1 ? header.joint_names[joint]
                          : fmt::format("{}[{}]", header.joint_names[joint], index - first);
}

}  // namespace

std::vector<RunField> row_fields(const RunRow& row) {
  return collect(row, [](auto&&... all) { visit_row_columns(all...); });
}

std::vector<RunField> contact_fields(const RunContact& contact) {
  return collect(contact, [](auto&&... all) { visit_contact_columns(all...); });
}

std::vector<RunField> bounded_fields(const RunBoundedRow& bounded) {
  return collect(bounded, [](auto&&... all) { visit_bounded_columns(all...); });
}

std::vector<RunField> command_fields(const RunCommand& command) {
  return collect(command, [](auto&&... all) { visit_command_columns(all...); });
}

std::string place_in(const RunHeader& header, const RunField& field, Eigen::Index index) {
  const Eigen::Index size = field.values.size();
  const std::string_view name = field.name;
  // Datasets with a third dimension hold `inner` numbers for each body.
  if (field.inner > 0) {
    return fmt::format("{}[{}]", header.body_names[static_cast<std::size_t>(index / field.inner)],
                       index % field.inner);
  }
  // The vectors of joints: positions, velocities, impulses of the rows of J.
  if (name == "/q" || name == "/q_start") {
    return joint_place(header, header.joint_q_offset, index, size);
  }
  if (name.starts_with("/v")) return joint_place(header, header.joint_v_offset, index, size);
  if (name == "/joints/impulse") return joint_place(header, header.joint_first_row, index, size);
  return size == 1 ? "" : fmt::format("[{}]", index);
}

}  // namespace amontons::io
