#include "amontons/contact/certificate.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/bounded_row_certificate.h"
#include "amontons/contact/dissipation_residual.h"
#include "amontons/contact/impact_residual.h"
#include "amontons/contact/impulse_response.h"
#include "amontons/contact/law_residual.h"
#include "amontons/contact/motion_residual.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;

void check_size(Index size, Index expected, const char* name) {
  if (size == expected) return;
  throw std::invalid_argument(std::string("contact solution: ") + name + " has " +
                              std::to_string(size) + " entries, expected " +
                              std::to_string(expected));
}

void check_sizes(const ContactProblem& problem, const ContactSolution& solution) {
  const Index nc = static_cast<Index>(problem.num_contacts());
  check_size(solution.impulses.size(), 3 * nc, "impulses");
  check_size(solution.joint_impulses.size(), problem.joint_jacobian.rows(), "joint_impulses");
  check_size(solution.velocity.size(), problem.mass_matrix.size(), "velocity");
  check_size(static_cast<Index>(solution.modes.size()), nc, "modes");
  const Index nb = static_cast<Index>(problem.bounded_rows.size());
  check_size(solution.bounded_impulses.size(), nb, "bounded_impulses");
  check_size(static_cast<Index>(solution.bounded_modes.size()), nb, "bounded_modes");
  if (solution.has_two_phases()) {
    check_size(solution.compression_impulses.size(), 3 * nc, "compression_impulses");
    check_size(solution.bounded_compression.size(), nb, "bounded_compression");
  }
  if (!dissipates_most(solution.law.kind)) return;
  const std::size_t phases = solution.has_two_phases() ? 2 : 1;
  check_size(static_cast<Index>(solution.witnesses.size()), static_cast<Index>(phases),
             "witnesses");
  for (const std::vector<DissipationWitness>& witness : solution.witnesses) {
    check_size(static_cast<Index>(witness.size()), nc + nb, "witness");
  }
}

/// One problem of contact laws: the whole step, or one of Poisson's two phases.
struct Phase {
  Eigen::VectorXd impulses;         // of this phase [3 nc]
  Eigen::VectorXd given_load;       // normal impulse besides p_n that bears friction [nc]
  bool has_cohesion = true;         // not in the second of two phases
  Eigen::VectorXd velocity_before;  // v [nv]
  Eigen::VectorXd velocity;         // v at its end [nv]
  Eigen::VectorXd joint_impulses;   // of this phase [nj]
  Eigen::VectorXd gap_speeds;       // s [nc]
  Eigen::VectorXd dragged;          // u to which viscous friction has answered before [3 nc]
  Eigen::VectorXd impulses_before;  // of earlier phases and the given load [3 nc]
  std::span<const DissipationWitness> witness = {};  // of this phase, maximum dissipation only
};

class Judge {
 public:
  Judge(const ContactProblem& problem, const ProblemMetric& metric, const ContactSolution& solution,
        double tolerance)
      : problem_(problem),
        metric_(metric),
        scales_(metric.scales),
        solution_(solution),
        tolerance_(tolerance),
        velocity_(problem.contact_velocities(solution.velocity)),
        num_touching_(std::count_if(problem.contacts.begin(), problem.contacts.end(),
                                    [](const Contact& c) { return !c.is_joint_row; })) {
    directions_ = directions_of(solution.law);
    if (dissipates_most()) free_ = free_contact_motion(problem, metric);
    const bool two_phases = solution.compression_impulses.size() > 0;
    if (dissipates_most() || two_phases) response_.emplace(problem, metric);
  }

  Certificate measure() {
    for (Figure* figure : {&result_.normal, &result_.friction, &result_.dissipation,
                           &result_.coulomb, &result_.limit, &result_.joint_friction}) {
      figure->value = 0.0;
    }
    result_.kinetic_energy = 0.5 * problem_.free_velocity.dot(metric_.free_momentum);
    result_.energy_gained = 0.0;
    result_.dynamics = dynamics_residual(problem_, metric_, solution_);
    result_.joint = joint_residual(problem_, metric_, solution_);
    measure_dissipation();
    check_modes_and_activation();
    if (is_impact()) {
      measure_impact();
    } else if (solution_.compression_impulses.size() > 0) {
      measure_two_phases();
    } else {
      measure_one_phase();
    }
    result_.judge(tolerance_);
    return result_;
  }

 private:
  Index num_contacts() const { return static_cast<Index>(problem_.num_contacts()); }
  const Contact& contact(Index i) const { return problem_.contacts[static_cast<std::size_t>(i)]; }

  bool judged(Index i) const {
    return scales_.inverse_mass(i) > 0.0 && is_active(solution_.law, contact(i));
  }

  /// Joints' rows in the form of contacts have figures and numbers of their own.
  Figure& normal_figure(Index i) {
    return contact(i).is_joint_row ? result_.limit : result_.normal;
  }
  Figure& friction_figure(Index i) {
    return contact(i).is_joint_row ? result_.joint_friction : result_.friction;
  }
  int number_of(Index i) const {
    return static_cast<int>(contact(i).is_joint_row ? i - num_touching_ : i);
  }

  /// Whether the claim is that the contact does not slip (contact_solution.h).
  bool sticks(Index i) const {
    const ContactMode mode = solution_.modes[static_cast<std::size_t>(i)];
    return may_stick(contact(i)) && (mode == ContactMode::Stick || mode == ContactMode::Impact);
  }

  bool bounces(Index i, const Eigen::VectorXd& impulses) const {
    return metric_.may_bounce[static_cast<std::size_t>(i)] &&
           scales_.inverse_mass(i) * impulses(3 * i + 2) > tolerance_ * scales_.speed(i);
  }

  bool is_impact() const { return solution_.law.kind == LawKind::Impact; }
  bool dissipates_most() const { return amontons::dissipates_most(solution_.law.kind); }

  std::span<const DissipationWitness> witness_of(std::size_t phase) const {
    if (!dissipates_most()) return {};
    return solution_.witnesses[phase];
  }

  /// Share of the rebound that the answer claims to give back.
  double rebound_share(Index i) const {
    if (!dissipates_most()) return 1.0;
    const double share = solution_.witnesses.front()[static_cast<std::size_t>(i)].restitution_share;
    return std::clamp(share, 0.0, 1.0);
  }

  void measure_dissipation() {
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!judged(i) || contact(i).is_joint_row) continue;
      const Eigen::Vector3d p = solution_.impulses.segment<3>(3 * i);
      const Eigen::Vector2d u_t = velocity_.segment<2>(3 * i);
      const double gap = contact(i).friction * p.z() * u_t.norm() + p.head<2>().dot(u_t);
      result_.dissipation.raise(gap, 1.0 + result_.kinetic_energy, static_cast<int>(i));
    }
  }

  void check_modes_and_activation() {
    for (Index i = 0; i < num_contacts(); ++i) {
      const std::size_t index = static_cast<std::size_t>(i);
      if (solution_.modes[index] == ContactMode::Impact && !metric_.may_bounce[index] &&
          !is_impact()) {
        normal_figure(i).raise(1.0, 1.0, number_of(i));
      }
      if (!is_active(solution_.law, contact(i))) {
        result_.normal.raise(scales_.inverse_mass(i) * solution_.impulses.segment<3>(3 * i).norm(),
                             scales_.speed(i), static_cast<int>(i));
      }
    }
  }

  void measure_impact() {
    const ImpactResidual residual = impact_residual(problem_, metric_, solution_);
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!judged(i)) continue;
      normal_figure(i).raise(residual.normal(i), scales_.speed(i), number_of(i));
      friction_figure(i).raise(residual.friction(i), scales_.speed(i), number_of(i));
      if (contact(i).is_joint_row) continue;
      const Eigen::Vector3d u = velocity_.segment<3>(3 * i);
      const ContactState left{solution_.impulses.segment<3>(3 * i),
                              u,
                              -std::max(0.0, u.z()),
                              contact(i).friction,
                              scales_.inverse_mass(i),
                              0.0,
                              0.0};
      result_.coulomb.raise(de_saxce_residual(left), scales_.speed(i), static_cast<int>(i));
    }
    result_.energy_gained = residual.energy;
    if (solution_.law.restitution != RestitutionLaw::Stronge) {
      result_.restitution_work = std::max(0.0, residual.energy);
      result_.energy_gained -= result_.restitution_work;
    }
  }

  void measure_one_phase() {
    Phase phase{solution_.impulses,
                Eigen::VectorXd::Zero(num_contacts()),
                true,
                problem_.free_velocity,
                solution_.velocity,
                solution_.joint_impulses,
                metric_.gap_speeds,
                Eigen::VectorXd::Zero(3 * num_contacts()),
                Eigen::VectorXd::Zero(3 * num_contacts()),
                witness_of(0)};
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!bounces(i, phase.impulses)) continue;
      const double rebound = rebound_share(i) * metric_.rebound.speed(i);
      if (rebound > -phase.gap_speeds(i)) {
        phase.gap_speeds(i) = -rebound;
        result_.restitution_work += phase.impulses(3 * i + 2) * rebound;
      }
    }
    measure_laws(phase, velocity_, true);
    add_energy(phase);
    close_energy();
  }

  /// Poisson: compression, then e times its normal impulses and what else is needed.
  void measure_two_phases() {
    Phase compression{solution_.compression_impulses,
                      Eigen::VectorXd::Zero(num_contacts()),
                      true,
                      problem_.free_velocity,
                      {},
                      {},
                      metric_.gap_speeds,
                      Eigen::VectorXd::Zero(3 * num_contacts()),
                      Eigen::VectorXd::Zero(3 * num_contacts()),
                      witness_of(0)};
    for (Index i = 0; i < num_contacts(); ++i) {
      if (bounces(i, compression.impulses)) {
        compression.gap_speeds(i) = std::min(compression.gap_speeds(i), 0.0);
      }
    }
    response_->apply(compression.impulses, compression.velocity, compression.joint_impulses);
    const Eigen::VectorXd compressed = problem_.contact_velocities(compression.velocity);

    Phase restitution{solution_.impulses - compression.impulses,
                      compression.given_load,
                      false,
                      compression.velocity,
                      solution_.velocity,
                      solution_.joint_impulses - compression.joint_impulses,
                      compression.gap_speeds,
                      compressed,
                      compression.impulses,
                      witness_of(1)};
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!bounces(i, compression.impulses)) continue;
      restitution.given_load(i) =
          rebound_share(i) * metric_.rebound.impulse_share(i) * compression.impulses(3 * i + 2);
      restitution.impulses(3 * i + 2) -= restitution.given_load(i);
      restitution.impulses_before(3 * i + 2) += restitution.given_load(i);
      result_.restitution_work += restitution.given_load(i) * std::max(0.0, velocity_(3 * i + 2));
    }
    measure_laws(compression, compressed, true);
    measure_laws(restitution, velocity_, false);
    add_energy(compression);
    add_energy(restitution);
    close_energy();
  }

  /// Takes off what the law allows. Maximum dissipation bounds the kinetic energy itself, by that
  /// of phase I's answer, and nothing is allowed for restitution.
  void close_energy() {
    if (dissipates_most()) {
      result_.restitution_work = 0.0;
      result_.stabilization_work += std::abs(solution_.impulses.dot(free_.correction));
      for (const std::vector<DissipationWitness>& witness : solution_.witnesses) {
        for (Index i = 0; i < num_contacts(); ++i) {
          result_.stabilization_work +=
              std::max(0.0, witness[static_cast<std::size_t>(i)].phase_one) *
              std::abs(free_.correction(3 * i + 2));
        }
      }
    }
    result_.energy_gained -= result_.restitution_work + result_.stabilization_work;
  }

  /// @param u  contact velocities at the end of the phase [3 nc].
  void measure_laws(const Phase& phase, const Eigen::VectorXd& u, bool whole_law) {
    if (dissipates_most()) measure_most_dissipation(phase, whole_law);
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!judged(i)) continue;
      Eigen::Vector3d dry = phase.impulses.segment<3>(3 * i);
      dry.head<2>() += viscous_drag(problem_, static_cast<std::size_t>(i)) *
                       (u - phase.dragged).segment<2>(3 * i);
      const ContactState point{dry,
                               u.segment<3>(3 * i),
                               phase.gap_speeds(i),
                               contact(i).friction,
                               scales_.inverse_mass(i),
                               phase.given_load(i),
                               phase.has_cohesion ? contact(i).cohesion : 0.0,
                               sticks(i)};
      const double scale = scales_.speed(i);
      if (!dissipates_most()) {
        const LawResidual residual = law_residual(solution_.law.kind, directions_, point);
        normal_figure(i).raise(residual.normal, scale, number_of(i));
        friction_figure(i).raise(residual.friction, scale, number_of(i));
      }
      if (whole_law && !contact(i).is_joint_row) {
        result_.coulomb.raise(de_saxce_residual(point), scale, static_cast<int>(i));
      }
    }
  }

  void measure_most_dissipation(const Phase& phase, bool first) {
    const DissipationResidual residual = dissipation_residual(
        problem_, metric_, *response_, free_,
        {phase.impulses_before, phase.impulses,
         dissipation_offsets(problem_, free_.velocity - free_.correction, phase.given_load, first),
         phase.gap_speeds, phase.witness},
        tolerance_);
    const bool literal = first && solution_.law.kind == LawKind::LiteralDissipation;
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!judged(i)) continue;
      if (literal) {
        const double excess = excess_over_literal_bound(
            problem_, i, phase.impulses.segment<3>(3 * i), free_.velocity - free_.correction);
        friction_figure(i).raise(scales_.inverse_mass(i) * excess, scales_.speed(i), number_of(i));
      }
      normal_figure(i).raise(residual.normal(i), scales_.speed(i), number_of(i));
      friction_figure(i).raise(residual.friction(i), scales_.speed(i), number_of(i));
    }
    result_.normal.raise(residual.cap, 1.0, -1);
  }

  /// The phase's share of kinetic energy above the free motion, in the form that does not cancel,
  /// and of what stabilization and prescribed motions account for.
  void add_energy(const Phase& phase) {
    const Eigen::VectorXd change = phase.velocity - phase.velocity_before;
    const Eigen::VectorXd momentum = problem_.mass_matrix * change;
    result_.energy_gained += phase.velocity.dot(momentum);
    if (dissipates_most()) result_.energy_gained -= 0.5 * change.dot(momentum);
    for (Index i = 0; i < num_contacts(); ++i) {
      Eigen::Vector3d p = phase.impulses.segment<3>(3 * i);
      p.z() += phase.given_load(i);
      result_.energy_gained += p.dot(problem_.contact_bias.segment<3>(3 * i));
      const bool overlap =
          phase.gap_speeds(i) < 0.0 && metric_.gap_speeds(i) == phase.gap_speeds(i);
      if (overlap) {
        const double load = dissipates_most() ? phase.witness[static_cast<std::size_t>(i)].phase_one
                                              : phase.impulses(3 * i + 2);
        result_.stabilization_work -= std::max(0.0, load) * phase.gap_speeds(i);
      }
    }
    if (problem_.joint_jacobian.rows() == 0) return;
    result_.energy_gained += phase.joint_impulses.dot(problem_.joint_bias);
    const Eigen::VectorXd correction = problem_.joint_target() + problem_.joint_bias;
    result_.stabilization_work += std::abs(phase.joint_impulses.dot(correction));
  }

  const ContactProblem& problem_;
  const ProblemMetric& metric_;
  const ContactScales& scales_;
  const ContactSolution& solution_;
  const double tolerance_;
  const Eigen::VectorXd velocity_;  // u at the end of the step [3 nc]
  const Index num_touching_;        // contacts that are not joints' rows
  Eigen::Matrix2Xd directions_;
  FreeContactMotion free_;                   // maximum dissipation only
  std::optional<ImpulseResponse> response_;  // maximum dissipation, or two phases
  Certificate result_;
};

}  // namespace

void Certificate::judge(double tolerance) {
  claimed = normal.value <= tolerance && friction.value <= tolerance && limit.value <= tolerance &&
            joint_friction.value <= tolerance && joint.value <= tolerance &&
            dynamics.value <= tolerance && energy_gained <= 1e-10 * (1.0 + kinetic_energy) &&
            missed_contacts == 0;
}

void Certificate::merge(const Certificate& other) {
  normal.widen(other.normal);
  friction.widen(other.friction);
  limit.widen(other.limit);
  joint_friction.widen(other.joint_friction);
  joint.widen(other.joint);
  dynamics.widen(other.dynamics);
  dissipation.widen(other.dissipation);
  coulomb.widen(other.coulomb);
  energy_gained = std::isnan(energy_gained) ? other.energy_gained
                                            : std::max(energy_gained, other.energy_gained);
  stabilization_work = std::max(stabilization_work, other.stabilization_work);
  restitution_work = std::max(restitution_work, other.restitution_work);
  kinetic_energy = std::max(kinetic_energy, other.kinetic_energy);
  infeasibility = std::max(infeasibility, other.infeasibility);
  missed_contacts = std::max(missed_contacts, other.missed_contacts);
  claimed = claimed && other.claimed;
}

Certificate certify(const ContactProblem& problem, const ContactSolution& solution,
                    double tolerance) {
  check_sizes(problem, solution);
  return certify(problem, ProblemMetric(problem), solution, tolerance);
}

Certificate certify(const ContactProblem& problem, const ProblemMetric& metric,
                    const ContactSolution& solution, double tolerance) {
  check_sizes(problem, solution);
  if (problem.bounded_rows.empty()) return Judge(problem, metric, solution, tolerance).measure();
  if (stand_alone(problem, metric, solution)) {
    return certify_bounded_rows(problem, metric, solution, tolerance);
  }
  const ContactProblem contacts = rows_as_contacts(problem);
  const ContactSolution answer = rows_as_contacts(problem, solution);
  Certificate result = Judge(contacts, ProblemMetric(contacts), answer, tolerance).measure();
  const std::vector<std::size_t> bounded = rows_with_bounds(problem);
  for (Figure* figure : {&result.limit, &result.joint_friction}) {
    if (figure->where < 0) continue;
    figure->where = static_cast<int>(bounded[static_cast<std::size_t>(figure->where)]);
  }
  return result;
}

}  // namespace amontons
