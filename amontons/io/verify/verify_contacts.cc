#include "amontons/io/verify/verify_contacts.h"

#include <algorithm>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

/// Compares geometry and coefficients of one contact; differences are relative to the size.
void check_contact(const RebuiltStep& step, const RunContact& recorded, std::size_t index,
                   VerificationChecks& checks) {
  const Contact& found = step.problem().contacts[index];
  const std::string where = step.contact_name(static_cast<int>(index));
  checks.record(Check::ContactPoint, deviation(recorded.position_W, found.position_W), where);
  checks.record(Check::ContactPoint, deviation(recorded.normal_W, found.normal_W), where);
  checks.record(Check::Gap, deviation(recorded.gap, found.gap), where);
  checks.record(Check::Friction, deviation(recorded.friction, found.friction), where);
  checks.record(Check::Friction, deviation(recorded.viscous_friction, found.viscous_friction),
                where);
  checks.record(Check::Restitution, deviation(recorded.restitution, found.restitution), where);
}

}  // namespace

bool check_contacts(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks) {
  // Both lists are sorted by key, so that one pass finds the first contact that only one of them
  // has.
  const std::vector<Contact>& found = step.problem().contacts;
  for (std::size_t i = 0; i < std::max(found.size(), row.contacts.size()); ++i) {
    if (i >= row.contacts.size() || (i < found.size() && found[i].key < row.contacts[i].key)) {
      checks.record(Check::ContactSet, 1.0,
                    step.contact_name(static_cast<int>(i)) + " is not recorded");
      return false;
    }
    // A recorded contact that is not found, or between other bodies.
    const RunContact& recorded = row.contacts[i];
    if (i >= found.size() || found[i].key != recorded.key || found[i].body_a != recorded.body_a ||
        found[i].body_b != recorded.body_b) {
      const auto name = [&step](int body) {
        return step.system().bodies()[static_cast<std::size_t>(body)].name;
      };
      checks.record(Check::ContactSet, 1.0,
                    name(recorded.body_a) + " and " + name(recorded.body_b) + ", contact " +
                        std::to_string(i) + " is not there");
      return false;
    }
    check_contact(step, recorded, i, checks);
  }
  return true;
}

bool check_bounded_rows(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks) {
  // Rows of the problem follow the recorded selection; a different number has no matching rows.
  const std::vector<BoundedRow>& found = step.problem().bounded_rows;
  if (found.size() != row.bounded_rows.size()) {
    checks.record(Check::BoundedRows, 1.0,
                  std::to_string(row.bounded_rows.size()) + " rows are recorded, there are " +
                      std::to_string(found.size()));
    return false;
  }
  // u = L v with the recorded velocity.
  const Eigen::VectorXd velocity = step.problem().bounded_jacobian * row.v;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RunBoundedRow& recorded = row.bounded_rows[i];
    const std::string where = step.bounded_name(static_cast<int>(i));
    // Rows with equal keys must have equal numbers: gap, offset s, compliance R, restitution,
    // bounds.
    if (key_of(found[i]) != key_of(recorded.row)) {
      checks.record(Check::BoundedRows, 1.0, where + " is not recorded");
      return false;
    }
    const auto numbers = [](const BoundedRow& r) {
      Eigen::VectorXd v(4);
      v << r.gap, r.offset, r.compliance, r.restitution;
      return v;
    };
    checks.record(Check::BoundedRows, deviation(numbers(recorded.row), numbers(found[i])), where);
    for (double BoundedRow::*bound : {&BoundedRow::lower, &BoundedRow::upper}) {
      const double given = recorded.row.*bound, own = found[i].*bound;  // may be infinite
      checks.record(Check::BoundedRows, given == own ? 0.0 : deviation(given, own), where);
    }
    checks.record(Check::BoundedRows,
                  deviation(recorded.velocity, velocity(static_cast<Eigen::Index>(i))), where);
  }
  // The selection is the run's own choice; it must cover every limit that the velocity passes.
  if (!step.has_all_rows(row)) {
    checks.record(Check::BoundedRows, 1.0, "a limit or an effort bound was passed without a row");
  }
  return true;
}

void check_contact_velocities(const RebuiltStep& step, const RunRow& row,
                              VerificationChecks& checks) {
  // u = J_C v + bias for the recorded velocity, and for the free velocity.
  const Eigen::VectorXd velocity = step.problem().contact_velocities(row.v);
  const Eigen::VectorXd velocity_free =
      step.problem().contact_velocities(step.problem().free_velocity);
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    const Eigen::Index first = ContactProblem::row(i);
    const std::string where = step.contact_name(static_cast<int>(i));
    checks.record(Check::ContactVelocity,
                  deviation(row.contacts[i].velocity, velocity.segment<3>(first)), where);
    checks.record(Check::ContactVelocity,
                  deviation(row.contacts[i].velocity_free, velocity_free.segment<3>(first)), where);
  }
}

}  // namespace amontons::io
