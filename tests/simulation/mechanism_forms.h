#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/random_mechanism.h"

#include <Eigen/QR>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The first step of a mechanism in reduced and in maximal coordinates, and how the two compare.

namespace amontons::test {

/// Holds one step of one form of a mechanism.
struct FirstStep {
  explicit FirstStep(const Scene& scene) : simulator(scene, 1) {
    before = simulator.state();
    simulator.step();
    report = simulator.last_report();
  }

  /// Returns (w, v) of the center of a body after the step, in W.
  Vector6d body_velocity_after(int body) const {
    SystemKinematics at;
    compute_kinematics(simulator.system(), before.q, before.v, 0.0, at);
    const Eigen::Vector3d center = at.X_WB[static_cast<std::size_t>(body)].translation;
    return body_velocity(simulator.system(), at, body, center, report->solution.velocity);
  }

  bool has_law_asked() const {
    return report->solution.status == SolveStatus::Converged && report->certificate.holds;
  }

  /// Returns how the step was answered, for messages.
  std::string answer() const {
    return std::string(to_string(report->solution.status)) +
           (report->certificate.holds ? "" : ", certificate missed");
  }

  Simulator simulator;
  State before;
  std::shared_ptr<const StepReport> report;
};

/// Names a bounded row alike in both forms: its kind, its joint, and which of two limits it is.
inline std::string row_name(const FirstStep& step, const BoundedRow& row) {
  const System& system = step.simulator.system();
  const std::size_t index = static_cast<std::size_t>(row.index);
  const std::string owner = row.kind == BoundedRowKind::Servo
                                ? "servo " + std::to_string(row.index)
                                : system.coordinate_dynamics()[index].joint;
  return std::string(to_string(row.kind)) + " " + owner + (row.is_upper ? " upper" : "");
}

/// Says where the contacts and bounded rows of one form are in another; -1 where they are missing.
/// A form leaves out what its free motion cannot reach within the step.
struct Matching {
  std::vector<int> contacts, rows;
};

/// Returns where those of the reduced form are in the maximal form, or nothing where the maximal
/// form loads a contact or limit that the reduced form lacks. Springs, dampers and servos that only
/// the maximal form counts are part of the reduced form's inertia.
inline std::optional<Matching> match(const FirstStep& reduced, const FirstStep& maximal) {
  const ContactProblem &from = maximal.report->problem, &to = reduced.report->problem;
  const ContactSolution& solution = maximal.report->solution;
  std::map<ContactKey, int> contacts;
  std::map<std::string, int> rows;
  for (std::size_t i = 0; i < from.num_contacts(); ++i) {
    contacts[from.contacts[i].key] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < from.bounded_rows.size(); ++i) {
    rows[row_name(maximal, from.bounded_rows[i])] = static_cast<int>(i);
  }
  const auto take = [](auto& places, const auto& key) {
    const auto found = places.find(key);
    if (found == places.end()) return -1;
    const int place = found->second;
    places.erase(found);
    return place;
  };
  Matching matching;
  for (const Contact& contact : to.contacts) {
    matching.contacts.push_back(take(contacts, contact.key));
  }
  for (const BoundedRow& row : to.bounded_rows) {
    matching.rows.push_back(take(rows, row_name(reduced, row)));
  }
  for (const auto& [key, place] : contacts) {
    const Eigen::Index first = ContactProblem::row(static_cast<std::size_t>(place));
    if (!solution.impulses.segment<3>(first).isZero(0.0)) return std::nullopt;
  }
  for (const auto& [name, place] : rows) {
    const BoundedRow& row = from.bounded_rows[static_cast<std::size_t>(place)];
    const bool is_limit = row.kind == BoundedRowKind::Limit;
    if (is_limit && solution.bounded_impulses(place) != 0.0) return std::nullopt;
  }
  return matching;
}

/// Returns entries of blocks of `size` by their places, zeros for -1.
inline Eigen::VectorXd gathered(const Eigen::VectorXd& values, const std::vector<int>& places,
                                Eigen::Index size) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(size * static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    result.segment(size * static_cast<Eigen::Index>(i), size) =
        values.segment(size * places[i], size);
  }
  return result;
}

/// Returns modes by their places, Open for -1.
inline std::vector<ContactMode> gathered(const std::vector<ContactMode>& modes,
                                         const std::vector<int>& places) {
  std::vector<ContactMode> result(places.size(), ContactMode::Open);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) result[i] = modes[static_cast<std::size_t>(places[i])];
  }
  return result;
}

/// Returns the maximal form's solution as the reduced form counts contacts and rows; velocity and
/// impulses of loops are left as they are. What was missing carries nothing.
inline ContactSolution as_matched(const ContactSolution& solution, std::size_t contacts,
                                  const Matching& matching) {
  ContactSolution result = solution;
  result.impulses = gathered(solution.impulses, matching.contacts, 3);
  result.bounded_impulses = gathered(solution.bounded_impulses, matching.rows, 1);
  result.modes = gathered(solution.modes, matching.contacts);
  result.bounded_modes = gathered(solution.bounded_modes, matching.rows);
  if (solution.compression_impulses.size() > 0) {
    result.compression_impulses = gathered(solution.compression_impulses, matching.contacts, 3);
  }
  if (solution.bounded_compression.size() > 0) {
    result.bounded_compression = gathered(solution.bounded_compression, matching.rows, 1);
  }
  for (std::vector<DissipationWitness>& witness : result.witnesses) {
    const std::vector<DissipationWitness> own = witness;
    DissipationWitness missing = own.empty() ? DissipationWitness{} : own.front();
    missing.phase_one = missing.multiplier = 0.0;
    witness.clear();
    for (const int place : matching.contacts) {
      witness.push_back(place < 0 ? missing : own[static_cast<std::size_t>(place)]);
    }
    for (const int place : matching.rows) {
      witness.push_back(place < 0 ? missing : own[contacts + static_cast<std::size_t>(place)]);
    }
  }
  return result;
}

/// Returns true if the maximal form's impulses solve the reduced form's problem by the same law:
/// then both are solutions, and their difference is the law's own freedom. Impulses of loops follow
/// from the others.
inline bool solves_the_reduced_form(const FirstStep& reduced, const FirstStep& maximal,
                                    double tolerance) {
  const ContactProblem& problem = reduced.report->problem;
  const std::optional<Matching> matching = match(reduced, maximal);
  if (!matching) return false;

  ContactSolution solution =
      as_matched(maximal.report->solution, maximal.report->problem.num_contacts(), *matching);
  solution.joint_impulses = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
  const Eigen::MatrixXd mass = problem.mass_matrix.to_dense();
  const Eigen::LLT<Eigen::MatrixXd> factor(mass);
  const Eigen::VectorXd impulse =
      problem.contact_jacobian.transpose_times(solution.impulses) +
      problem.bounded_jacobian.transpose_times(solution.bounded_impulses);
  solution.velocity = problem.free_velocity + factor.solve(impulse);
  if (problem.joint_jacobian.rows() > 0) {
    const Eigen::MatrixXd jacobian = problem.joint_jacobian.to_dense();
    const Eigen::MatrixXd response = factor.solve(jacobian.transpose());
    solution.joint_impulses = (jacobian * response)
                                  .completeOrthogonalDecomposition()
                                  .solve(problem.joint_target() - jacobian * solution.velocity);
    solution.velocity += response * solution.joint_impulses;
  }
  return certify(problem, solution, tolerance).holds;
}

/// Returns the velocity of the maximal form that gives its bodies the motion of the reduced form.
inline Eigen::VectorXd maximal_velocity(const Scene& scene, const FirstStep& reduced,
                                        const FirstStep& maximal) {
  SystemKinematics at;
  compute_kinematics(maximal.simulator.system(), maximal.before.q, maximal.before.v, 0.0, at);
  const Eigen::Index nv = maximal.report->problem.mass_matrix.size();
  Eigen::MatrixXd motions(6 * static_cast<Eigen::Index>(scene.bodies.size()), nv);
  Eigen::VectorXd wanted(motions.rows());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const int body = static_cast<int>(i);
    const Eigen::Index first = 6 * body;
    wanted.segment<6>(first) = reduced.body_velocity_after(body);
    const Eigen::Vector3d center = at.X_WB[i].translation;
    for (Eigen::Index k = 0; k < nv; ++k) {
      motions.col(k).segment<6>(first) =
          body_velocity(maximal.simulator.system(), at, body, center, Eigen::VectorXd::Unit(nv, k));
    }
  }
  return motions.colPivHouseholderQr().solve(wanted);
}

/// Returns true if the reduced form's motion solves the maximal form's problem by the same law.
/// That form has rows for all servos, also for those that the reduced form counts only where they
/// reach their effort. Laws of two phases have witnesses, which this does not translate.
inline bool solves_the_maximal_form(const Scene& scene, const FirstStep& reduced,
                                    const FirstStep& maximal, double tolerance) {
  const ContactSolution& own = reduced.report->solution;
  const std::optional<Matching> matching = match(maximal, reduced);
  if (!matching || !own.witnesses.empty() || own.has_two_phases()) return false;
  const ContactProblem& problem = maximal.report->problem;
  ContactSolution solution = as_matched(own, reduced.report->problem.num_contacts(), *matching);
  solution.velocity = maximal_velocity(scene, reduced, maximal);
  // Rows with a compliance follow their own law.
  const Eigen::VectorXd u = problem.bounded_jacobian * solution.velocity;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[i];
    const Eigen::Index k = static_cast<Eigen::Index>(i);
    if (!(row.compliance > 0.0)) continue;
    solution.bounded_impulses(k) =
        std::clamp(-(u(k) + problem.bounded_offset(i)) / row.compliance, row.lower, row.upper);
  }
  // Impulses of joints are what the equations of motion lack.
  solution.joint_impulses = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
  if (solution.joint_impulses.size() > 0) {
    Eigen::VectorXd lacking = problem.mass_matrix * (solution.velocity - problem.free_velocity);
    lacking -= problem.contact_jacobian.transpose_times(solution.impulses) +
               problem.bounded_jacobian.transpose_times(solution.bounded_impulses);
    solution.joint_impulses =
        problem.joint_jacobian.to_dense().transpose().completeOrthogonalDecomposition().solve(
            lacking);
  }
  return certify(problem, solution, tolerance).holds;
}

/// Returns the largest difference of body velocities, relative to the speeds of the step.
inline double velocity_difference(const Scene& scene, const FirstStep& a, const FirstStep& b) {
  double difference = 0.0, scale = scene.gravity.norm() * scene.simulation.steps.front();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].base == BaseType::Fixed) continue;
    const int body = static_cast<int>(i);
    const Vector6d va = a.body_velocity_after(body), vb = b.body_velocity_after(body);
    const double lever = bounding_radius(scene.bodies[i].shapes.front().shape);
    scale = std::max(scale, va.tail<3>().norm() + lever * va.head<3>().norm());
    difference =
        std::max(difference, (va - vb).tail<3>().norm() + lever * (va - vb).head<3>().norm());
  }
  return difference / scale;
}

}  // namespace amontons::test
