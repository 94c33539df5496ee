#include "amontons/contact/certificate/contact_drag.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/viscous_drag.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;

/// Returns the normal velocity that a tangential impulse of a contact gives it [m/s], the joints
/// left out.
double normal_velocity_of(const ProblemScaling& scaling, std::size_t contact, const Vector2d& p_t) {
  double result = 0.0;
  const BlockSparseMatrix& G = scaling.contact_rows;
  for (const BlockSparseMatrix::Block& block : G.block_row(contact)) {
    const auto rows = G.values(block);
    result += rows.row(2).dot(rows.topRows(2).transpose() * p_t);
  }
  return result;
}

}  // namespace

std::vector<DragState> drag_states(const ContactProblem& problem, const ProblemScaling& scaling,
                                   const ContactLaw& law, const VectorXd& impulses,
                                   const VectorXd& u, double tolerance) {
  const std::size_t nc = problem.num_contacts();
  std::vector<DragState> result(nc, DragState::Off);
  NormalFace face{impulses, VectorXd(static_cast<Index>(nc)), std::vector<char>(nc, 0)};
  std::vector<char> candidates(nc, 0);
  const Eigen::Matrix2Xd directions = directions_of(law);
  for (std::size_t c = 0; c < nc; ++c) {
    const Index i = static_cast<Index>(c);
    const Contact& contact = problem.contacts[c];
    const Vector2d u_t = u.segment<2>(3 * i);
    // u_n + s - mu sigma; contacts that the law leaves out take no part.
    face.slack(i) = u(3 * i + 2) + scaling.gap_speeds(i) -
                    contact.friction * slip_speed(law.kind, directions, u_t);
    if (!is_active(law, contact)) face.slack(i) = std::numeric_limits<double>::infinity();
    const double drag = viscous_drag(problem, c);
    if (!(drag > 0.0) || !is_active(law, contact)) continue;
    // The impulse says it where there is one; no load and no drag to speak of leave the choice.
    const double w = scaling.scales.inverse_mass(i), least = tolerance * scaling.scales.speed(i);
    if (bears_load(scaling, i, impulses, tolerance)) {
      result[c] = DragState::On;
    } else if (w * drag * u_t.norm() <= least) {
      result[c] = DragState::Either;
    } else {
      candidates[c] = 1;
    }
  }
  if (std::find(candidates.begin(), candidates.end(), 1) == candidates.end()) return result;
  // Of closed contacts without an impulse, those that another solution loads.
  const std::vector<char> loaded =
      loaded_contacts(problem, scaling, face, candidates, SelfStress::IsNoLoad, tolerance);
  for (std::size_t c = 0; c < nc; ++c) {
    if (!candidates[c]) continue;
    const Index i = static_cast<Index>(c);
    if (loaded[c]) {
      result[c] = DragState::On;
      continue;
    }
    // Without its friction the contact would approach: the drag itself takes its load.
    const Vector2d p_t = impulses.segment<2>(3 * i);
    const double without =
        u(3 * i + 2) + scaling.gap_speeds(i) - normal_velocity_of(scaling, c, p_t);
    if (without < -tolerance * scaling.scales.speed(i)) result[c] = DragState::Either;
  }
  return result;
}

std::vector<char> contacts_with_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                                     const ContactLaw& law, const VectorXd& impulses,
                                     const VectorXd& u, double tolerance) {
  const bool any = std::any_of(problem.contacts.begin(), problem.contacts.end(),
                               [](const Contact& c) { return c.viscous_friction > 0.0; });
  std::vector<char> result(problem.num_contacts(), 0);
  if (!any) return result;
  const std::vector<DragState> states = drag_states(problem, scaling, law, impulses, u, tolerance);
  for (std::size_t c = 0; c < result.size(); ++c) {
    const Index row = ContactProblem::row(c);
    // Either: nearer to the whole drag than to none.
    const Vector2d drag = -viscous_drag(problem, c) * u.segment<2>(row);
    const bool has_drag = impulses.segment<2>(row).dot(drag) > 0.5 * drag.squaredNorm();
    result[c] = states[c] == DragState::On || (states[c] == DragState::Either && has_drag);
  }
  return result;
}

}  // namespace amontons
