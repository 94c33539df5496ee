#include "amontons/simulation/stepping/step_certificate.h"

#include "amontons/math/step_times.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/detection/passages.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/infeasibility.h"
#include "amontons/simulation/system/pair_of_shapes.h"

#include <algorithm>

namespace amontons {
namespace {

// Overlaps without a contact count above this depth [m], and above this share of the coordinates
// that they come from [-]; less is rounding.
constexpr double kMissedOverlap = 1e-9, kMissedShare = 1e-11;

/// Returns the speed of a shape from where the problem was evaluated to where the step ends [m/s].
double speed_after_evaluation(const System& system, const SystemKinematics& start, int shape,
                              const StepReport& report) {
  const CollisionShape& s = system.shapes()[static_cast<std::size_t>(shape)];
  const Body& body = system.bodies()[static_cast<std::size_t>(s.body)];
  if (body.articulation < 0) {
    return prescribed_velocity(system, body, start.time, report.step).norm();
  }
  return shape_speed(system, start, shape, start.X_WB[static_cast<std::size_t>(s.body)] * s.X_BG,
                     report.solution.velocity - report.evaluation_velocity);
}

/// Returns true if a contact at the end overlaps, and the problem had no contact of its pair.
bool is_missed(const Contact& contact, const std::vector<Contact>& announced) {
  const double coordinate = std::max(contact.position_W.lpNorm<Eigen::Infinity>(), contact.reach);
  return contact.gap < -std::max(kMissedOverlap, kMissedShare * coordinate) &&
         !has_pair(announced, contact.key);
}

}  // namespace

std::vector<std::size_t> missed_contacts(const std::vector<Contact>& end,
                                         const std::vector<Contact>& announced,
                                         const std::vector<Contact>& touched) {
  std::vector<std::size_t> missed;
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (is_missed(end[i], announced) && !has_pair(touched, end[i].key)) missed.push_back(i);
  }
  return missed;
}

void finish_certificate(const System& system, const JointRows& joint_rows,
                        const StepEvaluation& end, const std::vector<Contact>& touched,
                        StepReport& report) {
  const TimedPart part(StepPart::Certificate);
  Certificate& certificate = report.certificate;
  // Overlaps that no contact announced, and the bodies of the deepest.
  const std::vector<std::size_t> missed =
      missed_contacts(end.contacts, report.problem.contacts, touched);
  certificate.missed_contacts = static_cast<int>(missed.size());
  certificate.missed_overlap = 0.0;
  certificate.missed_body_a = certificate.missed_body_b = -1;
  for (const std::size_t i : missed) {
    const Contact& contact = end.contacts[i];
    if (-contact.gap <= certificate.missed_overlap) continue;
    certificate.missed_overlap = -contact.gap;
    certificate.missed_body_a = contact.body_a;
    certificate.missed_body_b = contact.body_b;
  }
  certificate.infeasibility = measure_infeasibility(system, joint_rows, end).largest;
  // A law that holds at the known contacts says nothing about a missed one.
  certificate.require(certificate.missed_contacts == 0);
}

void certify_passages(const System& system, const State& state, const SystemKinematics& start,
                      const std::vector<PairOfShapes>& left_out, const StepEvaluation& end,
                      StepReport& report) {
  const TimedPart part(StepPart::Certificate);
  const std::vector<PairOfShapes> passed =
      passed_pairs(system, start, state.q, report.solution.velocity, report.step, end.kinematics,
                   report.problem.contacts, left_out);
  if (passed.empty()) return;
  Certificate& certificate = report.certificate;
  if (certificate.missed_contacts == 0) {
    const auto body = [&](std::int32_t shape) {
      return system.shapes()[static_cast<std::size_t>(shape)].body;
    };
    certificate.missed_body_a = body(passed.front().first);
    certificate.missed_body_b = body(passed.front().second);
  }
  certificate.missed_contacts += static_cast<int>(passed.size());
  certificate.require(false);
}

double closing_speed_of_missed_contacts(const System& system, const SystemKinematics& start,
                                        const std::vector<PairOfShapes>& left_out,
                                        const StepEvaluation& end, const StepReport& report) {
  double largest = 0.0;
  const auto cover = [&](const PairOfShapes& pair) {
    largest = std::max(largest, speed_after_evaluation(system, start, pair.first, report) +
                                    speed_after_evaluation(system, start, pair.second, report));
  };
  for (const Contact& contact : end.contacts) {
    if (is_missed(contact, report.problem.contacts)) cover(pair_of(contact.key));
  }
  for (const PairOfShapes& pair : left_out) cover(pair);
  return largest;
}

void report_state(const System& system, const JointRows& joint_rows, const StepEvaluation& at,
                  const State& state, StepReport& report) {
  report.problem.free_velocity = state.v;
  report.solution.velocity = state.v;
  report.evaluation_velocity = Eigen::VectorXd::Zero(state.v.size());
  // A report without a step has the state's velocity, no impulses and a certificate without laws.
  assemble_joints(system, at.kinematics, report.problem.joint_jacobian, report.problem.joint_error);
  report.solution.joint_impulses = Eigen::VectorXd::Zero(report.problem.joint_error.size());
  report.certificate = vacuous_certificate();
  report.certificate.infeasibility = measure_infeasibility(system, joint_rows, at).largest;
  const StoredEnergy energy = stored_energy(system, at.kinematics);
  report.energy.kinetic = energy.kinetic;
  report.energy.potential = energy.potential();
}

}  // namespace amontons
