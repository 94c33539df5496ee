#include "amontons/contact/certificate/contact_certificate.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/certificate/dissipation_residual.h"
#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/contact/certificate/held_overlaps.h"
#include "amontons/contact/certificate/impact_residual.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/certificate/motion_residual.h"
#include "amontons/contact/certificate/sticking_law.h"
#include "amontons/contact/certificate/unmoved_contact.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/viscous_drag.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// Evaluates all residuals of one solution.
class CertificateEvaluator {
 public:
  CertificateEvaluator(const ContactProblem& problem, const ProblemScaling& scaling,
                       const ContactSolution& solution, double tolerance,
                       CertificateWorkspace& work)
      : problem_(problem),
        scaling_(scaling),
        scales_(scaling.scales),
        solution_(solution),
        tolerance_(tolerance),
        work_(work),
        velocity_(work.contact_velocity),
        num_touching_(std::count_if(problem.contacts.begin(), problem.contacts.end(),
                                    [](const Contact& c) { return !c.is_joint_row; })) {
    problem.contact_velocities(solution.velocity, work.contact_velocity);
    work.change = solution.velocity - problem.free_velocity;
    problem.mass_matrix.times(work.change, work.gained);
    directions_ = directions_of(solution.law);
    if (dissipates_most()) free_ = free_contact_motion(problem, scaling);
    if (dissipates_most() || has_two_phases()) response_.emplace(problem, scaling);
  }

  /// Returns the certificate of the solution.
  Certificate evaluate() {
    // Residuals over contacts are zero, not unknown, where no contact raises them.
    for (Residual* residual :
         {&result_.normal, &result_.friction, &result_.dissipation, &result_.coulomb,
          &result_.limit, &result_.joint_friction, &result_.inequality}) {
      residual->value = 0.0;
    }
    // The equations of motion and the loop joints hold under every law alike.
    result_.kinetic_energy = 0.5 * problem_.free_velocity.dot(scaling_.free_momentum);
    const MotionResiduals motion = motion_residuals(problem_, scaling_, solution_, work_);
    result_.dynamics = motion.dynamics;
    result_.rounding = motion.rounding;
    result_.joint = joint_residual(problem_, scaling_, solution_);
    measure_dissipation();
    check_modes_and_activation();
    measure_unmoved_contacts();
    // An impact is certified as a sequence of collisions; every other law in one phase or two.
    if (is_impact()) {
      measure_impact();
    } else {
      measure_phases();
    }
    result_.change_energy = 0.5 * work_.change.dot(work_.gained);
    result_.set_holds(tolerance_, solution_.law.within);
    return result_;
  }

 private:
  Index num_contacts() const { return static_cast<Index>(problem_.num_contacts()); }
  const Contact& contact(Index i) const { return problem_.contacts[static_cast<std::size_t>(i)]; }

  /// Returns true if a law asks something of a contact: it moves a body, and the law is active
  /// there.
  bool is_certified(Index i) const {
    return scales_.inverse_mass(i) > 0.0 && is_active(solution_.law, contact(i));
  }

  /// Returns the normal residual that a contact raises: `limit` for a joint row in the form of a
  /// contact. The two functions below do the same for friction and index.
  Residual& normal_residual_of(Index i) {
    return contact(i).is_joint_row ? result_.limit : result_.normal;
  }
  Residual& friction_residual_of(Index i) {
    return contact(i).is_joint_row ? result_.joint_friction : result_.friction;
  }
  int number_of(Index i) const {
    return static_cast<int>(contact(i).is_joint_row ? i - num_touching_ : i);
  }

  /// Finds the contacts [nc] that the law of the solution holds in a phase: none but under
  /// `NoSlip`.
  const std::vector<char>& find_sticking(const CertifiedPhase& phase) {
    const LawTraits& law = law_traits(solution_.law.kind);
    if (law.residual == LawResidualKind::StickingList) {
      work_.sticks = contacts_that_stick(
          problem_, scaling_,
          {phase.impulses, phase.given_load, phase.contact_velocity, phase.gap_speeds},
          phase.is_first, tolerance_);
    } else {
      work_.sticks.assign(problem_.num_contacts(), 0);
    }
    return work_.sticks;
  }

  bool has_two_phases() const { return solution_.compression_impulses.size() > 0; }
  bool is_impact() const { return is_collision_law(solution_.law.kind); }
  bool dissipates_most() const { return amontons::dissipates_most(solution_.law.kind); }

  /// Measures the dissipation left out, mu p_n |u_t| + p_t . u_t [J]; it is information only.
  void measure_dissipation() {
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!is_certified(i) || contact(i).is_joint_row) continue;
      const Eigen::Vector3d p = solution_.impulses.segment<3>(3 * i);
      const Eigen::Vector2d u_t = velocity_.segment<2>(3 * i);
      const double gap = contact(i).friction * p.z() * u_t.norm() + p.head<2>().dot(u_t);
      result_.dissipation.update(gap, 1.0 + result_.kinetic_energy, static_cast<int>(i));
    }
  }

  /// Raises the normal residual where a mode or an impulse is impossible under the claimed law.
  void check_modes_and_activation() {
    for (Index i = 0; i < num_contacts(); ++i) {
      const std::size_t index = static_cast<std::size_t>(i);
      // A bounce where none may happen violates the law by definition.
      if (solution_.modes[index] == ContactMode::Impact && !scaling_.may_bounce[index] &&
          !is_impact()) {
        normal_residual_of(i).update(1.0, 1.0, number_of(i));
      }
      // A contact beyond the activation gap must carry no impulse.
      if (!is_active(solution_.law, contact(i))) {
        result_.normal.update(scales_.inverse_mass(i) * solution_.impulses.segment<3>(3 * i).norm(),
                              scales_.speed(i), static_cast<int>(i));
      }
    }
  }

  /// Raises the normal residual where a contact approaches at a speed that no velocity changes.
  void measure_unmoved_contacts() {
    for (Index i = 0; i < num_contacts(); ++i) {
      const double approach =
          unmoved_approach(problem_, scaling_, solution_.law, static_cast<std::size_t>(i));
      if (!(approach > 0.0)) continue;
      result_.normal.update(approach, scales_.speed(i), static_cast<int>(i));
      result_.inequality.update(approach, scales_.speed(i), static_cast<int>(i));
    }
  }

  /// Measures the law `Impact`, its energy, and its distance to Coulomb's law.
  void measure_impact() {
    const ImpactResidual residual = impact_residual(problem_, scaling_, solution_);
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!is_certified(i)) continue;
      normal_residual_of(i).update(residual.normal(i), scales_.speed(i), number_of(i));
      friction_residual_of(i).update(residual.friction(i), scales_.speed(i), number_of(i));
      if (contact(i).is_joint_row) continue;
      // Coulomb's law with the speed at which the contact parts as its rebound, s = -u_n.
      const Eigen::Vector3d u = velocity_.segment<3>(3 * i);
      const ContactState left{solution_.impulses.segment<3>(3 * i),
                              u,
                              -std::max(0.0, u.z()),
                              contact(i).friction,
                              scales_.inverse_mass(i),
                              0.0,
                              0.0};
      result_.coulomb.update(de_saxce_residual(left), scales_.speed(i), static_cast<int>(i));
    }
    // No law of collisions adds energy; stabilization of joints may.
    result_.energy_gained = residual.energy;
    result_.stabilization_work = residual.stabilization_work;
  }

  /// Measures the law in the whole step, or in both phases of Poisson's restitution, and the
  /// energy.
  void measure_phases() {
    auto& [first, second] = work_.phases;
    if (has_two_phases()) {
      first = compression_phase(problem_, scaling_, solution_, *response_, tolerance_);
      second = restitution_phase(scaling_, solution_, first, velocity_, tolerance_);
    } else {
      whole_step(problem_, scaling_, solution_, velocity_, tolerance_, first);
    }
    const std::span<const CertifiedPhase> phases(work_.phases.data(), has_two_phases() ? 2 : 1);
    // Drag acts in the step as a whole, with the same share in both phases.
    find_contact_drag(problem_, scaling_, solution_, phases, tolerance_, work_.drag);
    for (const CertifiedPhase& phase : phases) measure_laws(phase, work_.drag.shares);
    const EnergyBound bound =
        energy_bound(problem_, scaling_, solution_, phases, free_.correction, tolerance_, work_);
    result_.energy_gained = bound.gained;
    result_.stabilization_work = bound.stabilization_work;
    result_.restitution_work = bound.restitution_work;
  }

  /// Measures the normal and friction laws of one phase.
  /// @param shares  of the viscous friction of each contact that acts [nc] [-].
  void measure_laws(const CertifiedPhase& phase, const Eigen::VectorXd& shares) {
    if (dissipates_most()) measure_most_dissipation(phase);
    const std::vector<char>& sticks = find_sticking(phase);
    const Eigen::VectorXd& gap_speeds = judged_gap_speeds(phase, sticks);
    const Eigen::VectorXd& u = phase.contact_velocity;
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!is_certified(i)) continue;
      // Remove the viscous drag: the law holds for p_t + theta h mu_v u_t.
      Eigen::Vector3d dry = phase.impulses.segment<3>(3 * i);
      const std::size_t index = static_cast<std::size_t>(i);
      dry.head<2>() += shares(i) * viscous_drag(problem_, index) *
                       (u - phase.velocity_before_drag).segment<2>(3 * i);
      const ContactState point{dry,
                               u.segment<3>(3 * i),
                               gap_speeds(i),
                               contact(i).friction,
                               scales_.inverse_mass(i),
                               phase.given_load(i),
                               phase.is_first ? contact(i).friction_offset : 0.0,
                               sticks[index] != 0};
      const double scale = scales_.speed(i);
      // Relations at one contact; maximum dissipation is measured as a whole.
      if (!dissipates_most()) {
        const LawResidual residual = law_residual(solution_.law.kind, directions_, point);
        normal_residual_of(i).update(residual.normal, scale, number_of(i));
        friction_residual_of(i).update(residual.friction, scale, number_of(i));
        const double violation = inequality_violation(solution_.law.kind, directions_, point);
        result_.inequality.update(std::max(0.0, violation), scale,
                                  contact(i).is_joint_row ? -1 : static_cast<int>(i));
      }
      // The distance to Coulomb's law is information only.
      if (phase.is_first && !contact(i).is_joint_row) {
        result_.coulomb.update(de_saxce_residual(point), scale, static_cast<int>(i));
      }
    }
  }

  /// Returns s [nc] [m/s] by which the law judges the normals of a phase, and notes the overlaps
  /// that sticking contacts hold.
  const Eigen::VectorXd& judged_gap_speeds(const CertifiedPhase& phase,
                                           const std::vector<char>& sticks) {
    const bool lists = law_traits(solution_.law.kind).residual == LawResidualKind::StickingList;
    if (!lists || has_two_phases()) return phase.gap_speeds;
    overlaps_ = find_held_overlaps(problem_, scaling_, sticks, solution_.velocity, phase.gap_speeds,
                                   tolerance_);
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!overlaps_.held[static_cast<std::size_t>(i)]) continue;
      result_.held_overlap.update(-contact(i).gap, 1.0, static_cast<int>(i));
    }
    return overlaps_.gap_speeds;
  }

  /// Measures the optimality conditions of maximum dissipation in one phase.
  void measure_most_dissipation(const CertifiedPhase& phase) {
    DissipationPhase own{
        phase.impulses_before, phase.impulses, {}, phase.gap_speeds, phase.witness};
    own.offset = dissipation_offsets(
        problem_, free_.velocity - free_.correction, phase.given_load, phase.is_first,
        loaded_by_phase_one(problem_, scaling_, own.witness,
                            phase_one_slack(problem_, *response_, own), tolerance_));
    const DissipationResidual residual =
        dissipation_residual(problem_, scaling_, *response_, free_, own, tolerance_);
    const bool literal =
        phase.is_first && law_traits(solution_.law.kind).viscous == ViscousFriction::LiteralBound;
    for (Index i = 0; i < num_contacts(); ++i) {
      if (!is_certified(i)) continue;
      // The printed viscous bound is claimed besides: its excess is a friction residual.
      if (literal) {
        const double excess =
            excess_over_literal_bound(contact(i), own.offset(i), phase.impulses.segment<3>(3 * i));
        friction_residual_of(i).update(scales_.inverse_mass(i) * excess, scales_.speed(i),
                                       number_of(i));
      }
      normal_residual_of(i).update(residual.normal(i), scales_.speed(i), number_of(i));
      friction_residual_of(i).update(residual.friction(i), scales_.speed(i), number_of(i));
      const double violation =
          contact(i).is_joint_row
              ? std::max(residual.normal(i), residual.friction(i))
              : violation_in_disc(i, phase.impulses.segment<3>(3 * i), own.offset(i),
                                  phase.contact_velocity(3 * i + 2) + phase.gap_speeds(i));
      result_.inequality.update(std::max(0.0, violation), scales_.speed(i),
                                contact(i).is_joint_row ? -1 : static_cast<int>(i));
    }
    result_.normal.update(residual.cap, 1.0, -1);
  }

  /// Returns the largest of pull, overlap, and friction outside of its disc, as velocities [m/s].
  /// @param offset  radius of the disc without a normal impulse [N s].
  double violation_in_disc(Index i, const Eigen::Vector3d& impulse, double offset,
                           double slack) const {
    const double w = scales_.inverse_mass(i);
    const double radius = contact(i).friction * std::max(0.0, impulse.z()) + offset;
    return std::max({-w * impulse.z(), -slack, w * (impulse.head<2>().norm() - radius)});
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactScales& scales_;
  const ContactSolution& solution_;
  const double tolerance_;
  CertificateWorkspace& work_;
  const Eigen::VectorXd& velocity_;  // u at the end of the step [3 nc]
  const Index num_touching_;         // contacts that are not joints' rows
  Eigen::Matrix2Xd directions_;
  FreeContactMotion free_;                   // maximum dissipation only
  HeldOverlaps overlaps_;                    // no slip only
  std::optional<ImpulseResponse> response_;  // maximum dissipation, or two phases
  Certificate result_;
};

}  // namespace

Certificate certify_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                             const ContactSolution& solution, double tolerance,
                             CertificateWorkspace& work) {
  return CertificateEvaluator(problem, scaling, solution, tolerance, work).evaluate();
}

}  // namespace amontons
