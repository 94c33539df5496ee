#include "amontons/contact/certificate/bounded_row_certificate.h"

#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/contact/certificate/motion_residual.h"
#include "amontons/contact/marks.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns |w p - Proj(w p - (u + s + R p))| [the row's unit of velocity]; NaN stays NaN.
double natural_map(const BoundedRow& row, double w, double p, double shifted_velocity) {
  const double point = w * p;
  const double moved = point - shifted_velocity;
  const double projected = std::clamp(moved, w * row.lower, w * row.upper);
  return std::abs(point - (std::isnan(moved) ? moved : projected));
}

}  // namespace

bool needs_no_contact_form(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution) {
  const auto is_impact = [](ContactMode mode) { return mode == ContactMode::Impact; };
  return problem.num_contacts() == 0 && !solution.has_two_phases() &&
         !any_marked(scaling.bounded.may_bounce) &&
         std::none_of(solution.bounded_modes.begin(), solution.bounded_modes.end(), is_impact);
}

Certificate certify_bounded_rows(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, double tolerance,
                                 CertificateWorkspace& work) {
  Certificate result;
  work.change = solution.velocity - problem.free_velocity;
  problem.mass_matrix.times(work.change, work.gained);
  // Contacts are absent, so that their laws hold.
  for (Residual* residual : {&result.normal, &result.friction, &result.dissipation, &result.coulomb,
                             &result.limit, &result.joint_friction, &result.inequality}) {
    residual->value = 0.0;
  }
  // Kinetic energy of the free motion [J], the equations of motion, and the loop joints.
  result.kinetic_energy = 0.5 * problem.free_velocity.dot(scaling.free_momentum);
  const MotionResiduals motion = motion_residuals(problem, scaling, solution, work);
  result.dynamics = motion.dynamics;
  result.rounding = motion.rounding;
  result.joint = joint_residual(problem, scaling, solution);
  // v+'M (v+ - v_free) = KE(v+) - KE(v_free) + |v+ - v_free|^2 / 2 [J], a form that does not
  // cancel.
  result.energy_gained = solution.velocity.dot(work.gained);
  result.change_energy = 0.5 * work.change.dot(work.gained);

  // Each row adds its share of the energy bound and its natural map. Stabilization of a limit may
  // inject p max(0, -s); a servo or spring does the work p u = -p (s + R p).
  Eigen::VectorXd& u = work.contact_velocity;
  problem.bounded_jacobian.times(solution.velocity, u);
  for (Index i = 0; i < u.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    const double p = solution.bounded_impulses(i), w = scaling.bounded.inverse_mass(i);
    const double shift = scaling.bounded.offset(i) + row.compliance * p;
    if (row.kind == BoundedRowKind::Limit) {
      result.stabilization_work += p * std::max(0.0, -scaling.bounded.offset(i));
    } else {
      // At rest a drive's s and R p cancel, and leave their rounding.
      const double terms = std::abs(scaling.bounded.offset(i)) + std::abs(row.compliance * p);
      result.energy_gained += p * shift - kWorkRounding * std::abs(p) * terms;
    }
    // A row that moves nothing has no law to hold.
    if (!(w > 0.0)) continue;
    Residual& residual = row.kind == BoundedRowKind::Limit ? result.limit : result.joint_friction;
    residual.update(natural_map(row, w, p, u(i) + shift), scaling.bounded.speed(i),
                    static_cast<int>(i));
  }
  // Prescribed motions do the work c . joint_bias, and stabilization at most |c . gamma Theta/h|
  // [J].
  if (problem.joint_jacobian.rows() > 0) {
    result.energy_gained += prescribed_work(problem, solution.joint_impulses);
    result.stabilization_work += joint_stabilization_work(problem, solution.joint_impulses);
  }
  // The bound allows for the work of stabilization.
  result.energy_gained -= result.stabilization_work;
  result.set_holds(tolerance);
  return result;
}

}  // namespace amontons
