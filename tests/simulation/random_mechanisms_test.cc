#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/random_mechanism.h"
#include "tests/support/test_size.h"

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// Random mechanisms in reduced and in maximal coordinates, under every model: one physics, two
// forms. Steps from rest have no velocity terms, so that the two forms agree to rounding.

namespace amontons::test {
namespace {

using Eigen::Index;

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
std::string row_name(const FirstStep& step, const BoundedRow& row) {
  const System& system = step.simulator.system();
  const std::size_t index = static_cast<std::size_t>(row.index);
  const std::string owner = row.kind == BoundedRowKind::Servo
                                ? "servo " + std::to_string(row.index)
                                : system.coordinate_dynamics()[index].joint;
  return std::string(to_string(row.kind)) + " " + owner + (row.is_upper ? " upper" : "");
}

/// Returns for each bounded row of the reduced form its index in the maximal form, or nothing where
/// a row is missing there.
std::optional<std::vector<std::size_t>> matching_rows(const FirstStep& reduced,
                                                      const FirstStep& maximal) {
  std::map<std::string, std::size_t> places;
  const std::vector<BoundedRow>& others = maximal.report->problem.bounded_rows;
  for (std::size_t i = 0; i < others.size(); ++i) places[row_name(maximal, others[i])] = i;
  std::vector<std::size_t> result;
  for (const BoundedRow& row : reduced.report->problem.bounded_rows) {
    const auto found = places.find(row_name(reduced, row));
    if (found == places.end()) return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

/// Returns the maximal form's solution as the reduced form counts contacts and rows; velocity and
/// impulses of loops are left as they are.
ContactSolution with_matching_rows(const ContactSolution& solution, std::size_t contacts,
                                   const std::vector<std::size_t>& rows) {
  ContactSolution result = solution;
  const Index nb = static_cast<Index>(rows.size());
  result.bounded_impulses.resize(nb);
  result.bounded_modes.resize(rows.size());
  if (solution.bounded_compression.size() > 0) result.bounded_compression.resize(nb);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index to = static_cast<Index>(i), from = static_cast<Index>(rows[i]);
    result.bounded_impulses[to] = solution.bounded_impulses[from];
    result.bounded_modes[i] = solution.bounded_modes[rows[i]];
    if (solution.bounded_compression.size() > 0) {
      result.bounded_compression[to] = solution.bounded_compression[from];
    }
  }
  for (std::size_t phase = 0; phase < solution.witnesses.size(); ++phase) {
    std::vector<DissipationWitness>& witness = result.witnesses[phase];
    witness.resize(contacts + rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      witness[contacts + i] = solution.witnesses[phase][contacts + rows[i]];
    }
  }
  return result;
}

/// Returns true if the maximal form's impulses solve the reduced form's problem by the same law:
/// then both are solutions, and their difference is the law's own freedom. Impulses of loops follow
/// from the others.
bool solves_the_reduced_form(const FirstStep& reduced, const FirstStep& maximal, double tolerance) {
  const ContactProblem& problem = reduced.report->problem;
  if (problem.contacts.size() != maximal.report->problem.contacts.size()) return false;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (problem.contacts[i].key != maximal.report->problem.contacts[i].key) return false;
  }
  const auto rows = matching_rows(reduced, maximal);
  if (!rows) return false;

  ContactSolution solution =
      with_matching_rows(maximal.report->solution, problem.num_contacts(), *rows);
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

/// Returns the largest difference of body velocities, relative to the speeds of the step.
double velocity_difference(const Scene& scene, const FirstStep& a, const FirstStep& b) {
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

TEST_CASE("Both forms of joints move random mechanisms alike, under every model") {
  // Each model has cases of its own.
  const int cases = num_cases(10000) / static_cast<int>(model_names().size()) + 1;
  for (const std::string& model : model_names()) {
    int law_missed = 0, differ = 0, other_solution = 0;
    std::ostringstream found;
    for (int i = 0; i < cases; ++i) {
      const std::uint64_t seed = 7919u * static_cast<std::uint64_t>(i) + model.size();
      MechanismGenerator generator(seed);
      Scene scene = generator.draw({});
      scene.simulation.model = model;
      const FirstStep reduced(with_coordinates(scene, Coordinates::Reduced));
      const FirstStep maximal(with_coordinates(scene, Coordinates::Maximal));
      if (!reduced.has_law_asked() || !maximal.has_law_asked()) {
        ++law_missed;
        found << "seed " << seed << ": reduced form " << reduced.answer() << ", maximal form "
              << maximal.answer() << "\n";
        continue;
      }
      const double difference = velocity_difference(scene, reduced, maximal);
      if (difference <= 1e-6) continue;
      if (solves_the_reduced_form(reduced, maximal, 1e-6)) {
        ++other_solution;
        continue;
      }
      ++differ;
      found << "seed " << seed << ": velocities differ by " << difference << "\n";
    }
    INFO(model << ": " << cases << " mechanisms, " << other_solution
               << " with another solution of the law\n"
               << found.str());
    CHECK(differ == 0);
    // Such a step says so. Phases with rows that change sides are hard for maximum dissipation.
    CHECK(law_missed <= cases / (model == "maximum-dissipation" ? 10 : 100) + 1);
  }
}

TEST_CASE("No certified run of a passive mechanism gains energy") {
  const int cases = num_cases(2000);
  int gained = 0, missed_steps = 0, steps = 0;
  std::ostringstream found;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = 104729u * static_cast<std::uint64_t>(i) + 5;
    MechanismGenerator generator(seed);
    Scene scene = generator.draw({.at_rest = false, .driven = false});
    scene.simulation.model = model_names()[static_cast<std::size_t>(i) % model_names().size()];
    const Coordinates form = i % 2 == 0 ? Coordinates::Reduced : Coordinates::Maximal;
    Simulator simulator(with_coordinates(scene, form), 1);
    SystemKinematics at;
    compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, at);
    const double start =
        kinetic_energy(simulator.system(), at) + gravity_energy(simulator.system(), at);
    // The fall of the mechanism through its own size, and the motion that it has.
    double scale = kinetic_energy(simulator.system(), at);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].base == BaseType::Fixed) continue;
      scale += scene.bodies[b].inertia.mass * scene.gravity.norm() *
               bounding_radius(scene.bodies[b].shapes.front().shape);
    }
    bool holds = true;
    double injected = 0.0, end = start;
    for (int k = 0; k < 40; ++k) {
      const StepReport& report = simulator.step();
      ++steps;
      if (!report.certificate.holds) ++missed_steps;
      holds = holds && report.certificate.holds;
      injected += std::max(0.0, report.energy.stabilization);
      end = report.energy.kinetic + report.energy.potential;
    }
    // Finite steps leave an error of first order in h.
    if (holds && end - start - injected > 0.02 * scale) {
      ++gained;
      found << scene.simulation.model << " seed " << seed << " form " << i % 2 << ": "
            << (end - start - injected) / scale << " of the scene's energy from nothing\n";
    }
  }
  INFO(missed_steps << " of " << steps << " steps missed\n" << found.str());
  CHECK(gained == 0);
}

}  // namespace
}  // namespace amontons::test
