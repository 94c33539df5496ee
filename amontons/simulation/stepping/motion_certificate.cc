#include "amontons/simulation/stepping/motion_certificate.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/dynamics/coordinate_units.h"
#include "amontons/dynamics/loop_joint.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/step_times.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace amontons {
namespace {

using Eigen::Index;

// Growth of an error below this share is rounding [-].
constexpr double kGrowthRounding = 1e-9;

// Share of overlap_speed below which an error does not close [-].
constexpr double kStuckShare = 1e-5;

// Overlaps of one body whose speeds may add up [-].
constexpr double kOverlapsOfABody = 3.0;

// Share of the energy that moves below which unexplained energy is the residual of a solver [-].
constexpr double kUnexplainedShare = 1e-6;

/// Returns the largest distance of a joint's frame to the center of mass of its body, or the body's
/// radius of gyration if that is more [m]; 0 for a fixed body.
double lever(const System& system, int body, const Eigen::Vector3d& p_B) {
  if (body < 0) return 0.0;
  const Body& own = system.bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) return 0.0;
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(own.articulation)];
  const SpatialInertia& inertia = tree.links()[static_cast<std::size_t>(own.link)].inertia;
  const double arm = (own.X_LB * p_B - inertia.center_of_mass).norm();
  const double gyration =
      inertia.mass > 0.0 ? std::sqrt(inertia.inertia.trace() / (2.0 * inertia.mass)) : 0.0;
  return std::max(arm, gyration);
}

/// Returns true if a row of a loop joint measures a length, not an angle (loop_joint.h).
bool measures_length(JointType type, Index row) {
  switch (type) {
    case JointType::Spherical:
    case JointType::Revolute:
    case JointType::Continuous:
    case JointType::Fixed:
    case JointType::Universal:
      return row < 3;
    case JointType::Prismatic:
      return row < 2;
    case JointType::Screw:
      return row < 2 || row == 4;
    case JointType::Planar:
      return row < 1;
    case JointType::Free:
    case JointType::Distance:
      break;
  }
  return true;
}

/// Returns the lever of the lengths of a loop joint [m].
double lever(const System& system, const LoopJoint& joint) {
  return std::max({lever(system, joint.body_a, joint.X_AF.translation),
                   lever(system, joint.body_b, joint.X_BM.translation), joint.geometry.length});
}

/// Returns the lever of a coordinate [rad, m]: that of a tendon is its change while its coordinates
/// move by theirs, or its length.
double lever(const System& system, const SystemKinematics& at, const CoordinatePlace& place) {
  if (place.loop < 0) {
    const auto tree = static_cast<std::size_t>(system.articulation_of(place.v_index));
    const int first = system.v_offset(static_cast<int>(tree));
    return coordinate_unit(system.articulations()[tree], place.v_index - first);
  }
  const LoopCoordinateSite& site = system.loop_coordinates()[static_cast<std::size_t>(place.loop)];
  if (site.loop_joint >= 0) {
    if (site.q_index >= 0) return 1.0;
    return lever(system, system.loop_joints()[static_cast<std::size_t>(site.loop_joint)]);
  }
  double change = 0.0;
  for (const WeighedCoordinate& term : site.terms) {
    change += std::abs(term.coefficient) * lever(system, at, term.place);
  }
  return change > 0.0 ? change : std::abs(coordinate_position(place, at));
}

/// Returns the lever of every row of J [m, rad]; infinite where it has none.
Eigen::VectorXd levers(const System& system, const SystemKinematics& at) {
  Eigen::VectorXd result =
      Eigen::VectorXd::Constant(system.num_joint_rows(), std::numeric_limits<double>::infinity());
  Index row = 0;
  for (const LoopJoint& joint : system.loop_joints()) {
    const double length = lever(system, joint);
    const int n = num_loop_rows(joint.geometry.type);
    for (Index k = 0; k < n; ++k) {
      const double own = measures_length(joint.geometry.type, k) ? length : 1.0;
      if (own > 0.0) result[row + k] = own;
    }
    row += n;
  }
  // Couplings and prescribed motions have errors of one coordinate.
  const auto set = [&](const CoordinatePlace& place) {
    const double own = lever(system, at, place);
    if (own > 0.0) result[row] = own;
    ++row;
  };
  for (const CoordinateCoupling& coupling : system.couplings()) set(coupling.a);
  for (const PrescribedCoordinate& own : system.prescribed()) set(own.place);
  return result;
}

/// Measures the errors of rows of J that the step has widened, or could not close: those left
/// with stabilization, which removes what was there before, and their growth without.
Residual widened_loops(const System& system, const ContactProblem& problem,
                       const SystemKinematics& start, const SystemKinematics& end) {
  Residual result{0.0, -1};
  if (system.num_joint_rows() == 0) return result;
  BlockSparseMatrix jacobian;
  Eigen::VectorXd before, after;
  assemble_joints(system, start, jacobian, before);
  assemble_joints(system, end, jacobian, after);
  const Eigen::VectorXd scales = levers(system, end);
  const bool is_corrected =
      problem.joint_correction.size() > 0 && std::isfinite(problem.overlap_speed);
  const double least_closing = kStuckShare * problem.overlap_speed * problem.step;
  for (Index j = 0; j < after.size(); ++j) {
    const double grown = std::abs(after[j]) - std::abs(before[j]);
    const bool grows = grown > kGrowthRounding * std::abs(before[j]);
    const bool is_stuck = is_corrected && grown > -least_closing;
    if (!(grows || is_stuck) || !std::isfinite(scales[j])) continue;
    const double counted = problem.gamma > 0.0 ? 0.0 : std::abs(before[j]);
    result.update(std::abs(after[j]) - counted, scales[j], static_cast<int>(j));
  }
  return result;
}

/// Measures the overlaps that the step has deepened, at pairs with active contacts alone: those
/// left with stabilization, and their growth without. Both lists of contacts are sorted by key.
/// `where`: the first contact of the pair in the problem.
Residual deepened_overlaps(const System& system, const ContactProblem& problem,
                           const ContactLaw& law, const std::vector<Contact>& end) {
  Residual result{0.0, -1};
  const auto size = [&system](int shape) {
    return bounding_radius(system.shapes()[static_cast<std::size_t>(shape)].shape);
  };
  for (const Contact& contact : end) {
    if (!(contact.gap < 0.0)) continue;
    // The deepest contact of the pair at the start.
    const auto first =
        std::lower_bound(problem.contacts.begin(), problem.contacts.end(), contact,
                         [](const Contact& x, const Contact& y) {
                           return x.key.shape_a < y.key.shape_a ||
                                  (x.key.shape_a == y.key.shape_a && x.key.shape_b < y.key.shape_b);
                         });
    double deepest = 0.0;
    bool has_contact = false, all_active = true;
    for (auto it = first; it != problem.contacts.end() && it->key.shape_a == contact.key.shape_a &&
                          it->key.shape_b == contact.key.shape_b;
         ++it) {
      has_contact = true;
      all_active = all_active && is_active(law, *it);
      deepest = std::max(deepest, -it->gap);
    }
    // Where the law leaves a contact out, that one may close by all of its speed.
    if (!has_contact || !all_active || -contact.gap <= (1.0 + kGrowthRounding) * deepest) continue;
    const double smaller = std::min(size(contact.key.shape_a), size(contact.key.shape_b));
    if (!std::isfinite(smaller)) continue;
    const double counted = problem.gamma > 0.0 ? 0.0 : deepest;
    result.update(-contact.gap - counted, smaller,
                  static_cast<int>(first - problem.contacts.begin()));
  }
  return result;
}

/// Returns the kinetic energy of a single free body whose energy does not depend on its pose: it
/// has three equal moments, or does not turn [J]. It returns nothing for any other tree.
std::optional<double> energy_in_any_pose(const Articulation& tree,
                                         const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  if (tree.num_links() != 1 || tree.links()[0].joint != JointType::Free) return std::nullopt;
  const SpatialInertia& own = tree.links()[0].inertia;
  const double moment = own.inertia(0, 0), turning = velocity.head<3>().squaredNorm();
  const bool is_isotropic = own.inertia == Eigen::Matrix3d(moment * Eigen::Matrix3d::Identity());
  if (!own.center_of_mass.isZero(0.0) || !(is_isotropic || turning == 0.0)) return std::nullopt;
  return 0.5 * (own.mass * velocity.tail<3>().squaredNorm() + moment * turning);
}

/// Returns the energy that the motion of inertia alone adds in the step, beyond rounding [J].
double energy_of_inertia(const System& system, const SystemKinematics& start,
                         const ContactProblem& problem, const FreeMotion& free_motion,
                         const StoredEnergy& before, MotionCertificateWorkspace& work) {
  constexpr double kShare = 1e-9;  // share of the energy that counts as rounding [-]
  // Joints with prescribed rates do work.
  if (!system.prescribed().empty() || !problem.joint_bias.isZero(0.0)) return 0.0;
  const Eigen::VectorXd& x = free_motion.inertial_velocity;
  bool has_q = false;  // positions at the end, where they matter
  double after = 0.0;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const int place = static_cast<int>(a);
    const auto own = x.segment(system.v_offset(place), tree.num_velocities());
    if (own.isZero(0.0)) continue;
    // Inertial forces of a coupled tree belong to its whole motion (inertial_gain()).
    if (!free_motion.coupled_velocity.segment(system.v_offset(place), tree.num_velocities())
             .isZero(0.0)) {
      after += tree.kinetic_energy(start.trees[a]);
      continue;
    }
    if (const std::optional<double> energy = energy_in_any_pose(tree, own)) {
      after += *energy;
      continue;
    }
    if (!has_q) integrate_positions(system, start.q, x, problem.step, {}, work.q);
    has_q = true;
    tree.compute_motion(work.q.segment(system.q_offset(place), tree.num_positions()), own, work.at);
    after += tree.kinetic_energy(work.at);
  }
  return after - (1.0 + kShare) * before.kinetic;
}

/// Returns an upper bound of the kinetic energy of all bodies and rotors at a speed of each point
/// [m/s] and each joint [m/s, rad/s] [J].
double energy_at_speed(const System& system, double speed) {
  double mass = 0.0, armature = 0.0;
  for (const Articulation& tree : system.articulations()) {
    for (const Link& link : tree.links()) {
      mass += link.inertia.mass;
      armature += link.armature + link.armature2;
    }
  }
  return 0.5 * (mass + armature) * speed * speed;
}

/// Returns the rounding of the potential energies [J]: each body's is m g times a coordinate in the
/// world, and a sum of them loses as many digits as it has terms.
double potential_rounding(const System& system, const SystemKinematics& at,
                          const StoredEnergy& before) {
  double sum = before.springs;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const std::vector<Link>& links = system.articulations()[a].links();
    for (std::size_t link = 0; link < links.size(); ++link) {
      sum += links[link].inertia.mass * system.gravity().norm() *
             at.trees[a].X_WB[link].translation.norm();
    }
  }
  const auto terms = static_cast<double>(system.bodies().size() + 1);
  return kGapRounding * std::sqrt(terms) * sum;
}

/// Returns the kinetic energy of the speeds that the rounding of coordinates gives in a step [J].
double kinetic_rounding(const System& system, const SystemKinematics& at, double step) {
  if (!(step > 0.0)) return 0.0;
  double moments = 0.0;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const std::vector<Link>& links = system.articulations()[a].links();
    for (std::size_t link = 0; link < links.size(); ++link) {
      const SpatialInertia& inertia = links[link].inertia;
      moments += inertia.mass * at.trees[a].X_WB[link].translation.squaredNorm() +
                 inertia.inertia_about_origin().trace();
    }
  }
  const double rate = kGapRounding / step;
  return 0.5 * rate * rate * moments;
}

/// Returns the energy of the step without a cause, beyond its allowance [J].
double created_energy(const System& system, const SystemKinematics& start,
                      const ContactProblem& problem, const StepEnergies& energies,
                      const EnergyLedger& energy) {
  const StoredEnergy& before = energies.start;
  // What moved: the energy at the start, and the work of every cause. A correction of positions is
  // no motion in which springs act.
  const double of_springs = before.springs - energies.moved.springs;
  // Friction takes energy, unless the surface itself is driven.
  const double rubbed =
      problem.contact_bias.isZero(0.0) ? std::max(0.0, energy.contact_friction) : 0.0;
  const double moved = before.kinetic + std::abs(energy.gravity) + std::abs(of_springs) +
                       std::abs(energy.actuators) + std::abs(energy.contact_normal) +
                       std::abs(energy.contact_friction) - rubbed +
                       std::abs(energy.joint_friction) + std::abs(energy.impacts);
  const double added = energy.stabilization + energy.integration + energy.unexplained + rubbed;
  // Most steps show by these sums alone that nothing is without a cause; the bounds below pass over
  // all bodies.
  double created = 0.0;
  if (added > moved) {
    const double speed = kOverlapsOfABody * problem.overlap_speed;
    const double closing = std::isfinite(speed) ? energy_at_speed(system, speed)
                                                : std::numeric_limits<double>::infinity();
    created = std::max(created, added - moved - closing);
  }
  const double of_solver = kUnexplainedShare * (moved + energy.kinetic);
  if (!(std::abs(energy.unexplained) <= of_solver)) {
    const double free =
        0.5 * problem.free_velocity.dot(problem.mass_matrix * problem.free_velocity);
    const double known = of_solver + kUnexplainedShare * free +
                         potential_rounding(system, start, before) +
                         kinetic_rounding(system, start, problem.step);
    created = std::max(created, std::abs(energy.unexplained) - known);
  }
  return created;
}

}  // namespace

void certify_motion(const System& system, const SystemKinematics& start,
                    const StepEnergies& energies, const ContactProblem& problem,
                    const ContactSolution& solution, const FreeMotion& free_motion,
                    bool is_by_velocities, const EnergyLedger& energy, const StepEvaluation& end,
                    Certificate& certificate) {
  InertialGain gain;
  if (is_by_velocities) {
    gain = inertial_gain(system, problem, solution, free_motion, start, end.kinematics);
  }
  MotionCertificateWorkspace work;
  certify_motion(system, start, energies, problem, solution, free_motion,
                 is_by_velocities ? &gain : nullptr, energy, end, work, certificate);
}

void certify_motion(const System& system, const SystemKinematics& start,
                    const StepEnergies& energies, const ContactProblem& problem,
                    const ContactSolution& solution, const FreeMotion& free_motion,
                    const InertialGain* gain, const EnergyLedger& energy, const StepEvaluation& end,
                    MotionCertificateWorkspace& work, Certificate& certificate) {
  const TimedPart part(StepPart::Certificate);
  certificate.loop = widened_loops(system, problem, start, end.kinematics);
  certificate.overlap = deepened_overlaps(system, problem, solution.law, end.contacts);
  certificate.energy_created = created_energy(system, start, problem, energies, energy);
  if (gain != nullptr) {
    certificate.energy_created = std::max<double>(
        {certificate.energy_created,
         energy_of_inertia(system, start, problem, free_motion, energies.start, work),
         gain->largest});
  }
  certificate.require(certificate.loop.value <= kGrowthTolerance &&
                      certificate.overlap.value <= kGrowthTolerance &&
                      certificate.energy_created == 0.0 &&
                      free_motion.inertial_status() == SolveStatus::Converged &&
                      free_motion.integration_status == SolveStatus::Converged);
}

void note_free_motion(const FreeMotion& free_motion, ContactSolution& solution) {
  if (free_motion.inertial_status() != SolveStatus::Converged) {
    solution.attempts.push_back({"inertial forces", free_motion.inertial_status(), 0, 0.0,
                                 "their equation has no solution; they are left out"});
  }
  if (free_motion.integration_status != SolveStatus::Converged) {
    solution.attempts.push_back({"integrator", free_motion.integration_status, 0, 0.0,
                                 "a tree moves too fast for it; it moves as in time stepping"});
  }
}

}  // namespace amontons
