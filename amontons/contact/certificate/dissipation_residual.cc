#include "amontons/contact/certificate/dissipation_residual.h"

#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Share of the impulses of earlier phases [-] below which an impulse is their rounding.
constexpr double kEarlierImpulseShare = 1e-6;

/// Returns |min(eta / V, (kappa - 1'x_N) / kappa)| [-], the complementarity of the cap and its
/// price.
double cap_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                    const DissipationPhase& phase) {
  double cap = 0.0, spent = 0.0, before = 0.0, price = 0.0;
  double speed = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < phase.witness.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (!(scaling.scales.inverse_mass(i) > 0.0) || problem.contacts[c].is_joint_row) continue;
    // kappa = 1'y; rows of joints lie outside the cap.
    cap += phase.witness[c].phase_one;
    spent += phase.impulses(3 * i + 2);
    before += std::abs(phase.before(3 * i + 2));
    price = phase.witness[c].price;
    speed = std::min(speed, scaling.scales.speed(i));
  }
  // Islands that share a cap have speeds of their own; the price must vanish beside the least.
  price /= speed;
  // A cap that is spent exactly allows any price >= 0.
  const double left = cap - spent;
  if (left == 0.0) return std::max(0.0, -price);
  const double scale = std::max(cap, kEarlierImpulseShare * before);
  if (!(scale > 0.0)) return std::numeric_limits<double>::infinity();
  return std::abs(std::min(price, left / scale));
}

/// Returns the entry of a contact's normal, or of the joint's row that it represents, in impulses
/// and velocities [3 nc].
Index slot_of(const ContactProblem& problem, Index contact) {
  const std::size_t c = static_cast<std::size_t>(contact);
  return 3 * contact + (problem.contacts[c].is_joint_row ? component_of_joint_row(problem, c) : 2);
}

/// Holds the velocities [3 nc] [m/s] by which a joint's row is measured.
struct RowVelocities {
  const VectorXd &first, &second;  // at the end of phases I and II
  const VectorXd& dual;            // with the multipliers and the rows' answers to them removed
};

/// Returns how far a joint's row is from its law in both phases, and its answer to the multipliers
/// from being that of the row [m/s].
double row_residual(const DissipationPhase& phase, Index contact, Index slot, double w,
                    const RowVelocities& u) {
  const DissipationWitness& witness = phase.witness[static_cast<std::size_t>(contact)];
  const bool is_limit = slot % 3 == 2;
  const double shift = is_limit ? phase.gap_speeds(contact) : 0.0;
  const double lower = is_limit ? 0.0 : -w * phase.offset(contact);
  const double upper =
      is_limit ? std::numeric_limits<double>::infinity() : w * phase.offset(contact);
  // The natural maps of both phases.
  const double f_first = w * witness.phase_one, f = w * phase.impulses(slot);
  const double slip = u.second(slot) + shift;
  const double missed_first =
      std::abs(f_first - std::clamp(f_first - u.first(slot) - shift, lower, upper));
  const double missed = std::abs(f - std::clamp(f - slip, lower, upper));
  // phi where the row does not hold, psi where it is inside its bounds, and their signs.
  const double phi = w * witness.multiplier, psi = u.second(slot) - u.dual(slot);
  const double inside = std::min(f - lower, upper - f);
  const double same_sign = phi * psi > 0.0 ? std::min(std::abs(phi), std::abs(psi)) : 0.0;
  return std::max({missed_first, missed, std::min(std::abs(slip), std::abs(phi)),
                   std::min(inside, std::abs(psi)), same_sign});
}

/// Returns h mu_v |b0_t| of a contact [N s].
double viscous_bound(const ContactProblem& problem, Index contact,
                     const VectorXd& free_contact_velocity) {
  return viscous_drag(problem, static_cast<std::size_t>(contact)) *
         free_contact_velocity.segment<2>(3 * contact).norm();
}

}  // namespace

std::vector<char> loaded_by_phase_one(const ContactProblem& problem, const ProblemScaling& scaling,
                                      std::span<const DissipationWitness> witness,
                                      const VectorXd& slack, double tolerance) {
  const std::size_t nc = problem.num_contacts();
  std::vector<char> loaded(nc, 0), candidates(nc, 0);
  NormalFace face{VectorXd::Zero(3 * slack.size()), slack, std::vector<char>(nc, 0)};
  for (std::size_t c = 0; c < nc; ++c) {
    const Index i = static_cast<Index>(c);
    face.impulses(slot_of(problem, i)) = witness[c].phase_one;
    if (!(viscous_drag(problem, c) > 0.0)) continue;
    loaded[c] = bears_load(scaling, i, face.impulses, tolerance);
    candidates[c] = !loaded[c];
  }
  const std::vector<char> others =
      loaded_contacts(problem, scaling, face, candidates, SelfStress::IsNoLoad, tolerance);
  for (std::size_t c = 0; c < nc; ++c) loaded[c] = loaded[c] || others[c];
  return loaded;
}

VectorXd phase_one_slack(const ContactProblem& problem, const ImpulseResponse& response,
                         const DissipationPhase& phase) {
  VectorXd first = phase.before;
  for (std::size_t c = 0; c < phase.witness.size(); ++c) {
    first(slot_of(problem, static_cast<Index>(c))) += phase.witness[c].phase_one;
  }
  const VectorXd u = response.contact_velocities(first);
  VectorXd slack = phase.gap_speeds;
  for (Index i = 0; i < slack.size(); ++i) slack(i) += u(3 * i + 2);
  return slack;
}

VectorXd dissipation_offsets(const ContactProblem& problem, const VectorXd& free_contact_velocity,
                             const VectorXd& given_load, bool first_phase,
                             const std::vector<char>& loaded) {
  VectorXd offset(given_load.size());
  for (Index i = 0; i < offset.size(); ++i) {
    const std::size_t index = static_cast<std::size_t>(i);
    const Contact& contact = problem.contacts[index];
    offset(i) = contact.friction * given_load(i);
    if (!first_phase) continue;
    offset(i) += contact.friction_offset;
    if (loaded[index]) offset(i) += viscous_bound(problem, i, free_contact_velocity);
  }
  return offset;
}

double excess_over_literal_bound(const Contact& contact, double offset, const Vector3d& impulse) {
  const double coulomb = contact.friction * impulse.z(),
               viscous = std::max(0.0, offset - contact.friction_offset);
  return std::max(0.0, impulse.head<2>().norm() - elementary::hypot(coulomb, viscous) -
                           contact.friction_offset);
}

FreeContactMotion free_contact_motion(const ContactProblem& problem,
                                      const ProblemScaling& scaling) {
  FreeContactMotion motion{scaling.free_contact_velocity,
                           VectorXd::Zero(scaling.free_contact_velocity.size())};
  if (problem.joint_jacobian.rows() == 0) return motion;
  motion.velocity = ContactSpace(problem, scaling).free_contact_velocity();
  if (problem.joint_error.isZero(0.0)) return motion;
  ContactProblem uncorrected = problem;
  uncorrected.joint_correction.resize(0);
  uncorrected.gamma = 0.0;  // the errors stay: the choice of independent rows of J needs them
  motion.correction = motion.velocity - ContactSpace(uncorrected, scaling).free_contact_velocity();
  return motion;
}

bool stays_open(const ProblemScaling& scaling, std::size_t contact, double slack,
                double tolerance) {
  const Index i = static_cast<Index>(contact);
  const double least = tolerance * scaling.scales.speed(i);
  return scaling.gap_speeds(i) > least && slack > least;
}

DissipationResidual dissipation_residual(const ContactProblem& problem,
                                         const ProblemScaling& scaling,
                                         const ImpulseResponse& response,
                                         const FreeContactMotion& free,
                                         const DissipationPhase& phase, double tolerance) {
  // Impulses whose velocities the conditions need: phase I's y, phase II's x, and x - lambda n,
  // each with the impulses of the rows that belong to it.
  const Index nc = phase.offset.size();
  VectorXd first = phase.before, second = phase.before + phase.impulses, dual = second;
  for (Index i = 0; i < nc; ++i) {
    const DissipationWitness& witness = phase.witness[static_cast<std::size_t>(i)];
    const Index slot = slot_of(problem, i);
    first(slot) += witness.phase_one;
    dual(slot) -= witness.multiplier;
  }
  // u(y) and u(x) with the joints' correction; gamma = A x + b0 - A_(:,N) lambda without it.
  const VectorXd u_first = response.contact_velocities(first),
                 u = response.contact_velocities(second);
  const VectorXd u_dual = response.contact_velocities(dual), gamma = u_dual - free.correction;

  DissipationResidual result{VectorXd::Zero(nc), VectorXd::Zero(nc),
                             cap_residual(problem, scaling, phase)};
  std::optional<double> price;
  for (Index i = 0; i < nc; ++i) {
    const double w = scaling.scales.inverse_mass(i), s = phase.gap_speeds(i);
    if (!(w > 0.0)) continue;
    const DissipationWitness& witness = phase.witness[static_cast<std::size_t>(i)];
    // The cap has one price for all contacts.
    if (!price) price = witness.price;
    // A witness that is not finite proves nothing.
    if (!std::isfinite(witness.phase_one + witness.multiplier + witness.price)) {
      result.normal(i) = std::numeric_limits<double>::infinity();
      continue;
    }
    if (problem.contacts[static_cast<std::size_t>(i)].is_joint_row) {
      const Index slot = slot_of(problem, i);
      const double residual = row_residual(phase, i, slot, w, {u_first, u, u_dual});
      (slot % 3 == 2 ? result.normal : result.friction)(i) = residual;
      continue;
    }
    // Phase I, nonpenetration in phase II, and the common price.
    const Vector3d x = w * phase.impulses.segment<3>(3 * i);
    double& normal = result.normal(i);
    normal = std::max({std::abs(std::min(w * witness.phase_one, u_first(3 * i + 2) + s)),
                       std::abs(std::min(w * witness.multiplier, u(3 * i + 2) + s)),
                       std::abs(witness.price - *price)});
    // A contact that phase I leaves open carries nothing.
    if (stays_open(scaling, static_cast<std::size_t>(i), u_first(3 * i + 2) + s, tolerance)) {
      normal = std::max(normal, x.norm());
      continue;
    }
    // Stationarity: x = P_K(x - (gamma + eta n)).
    Vector3d at_price = gamma.segment<3>(3 * i);
    at_price.z() += witness.price;
    const double mu = problem.contacts[static_cast<std::size_t>(i)].friction;
    result.friction(i) = (x - project_on_cone(x - at_price, mu, w * phase.offset(i))).norm();
  }
  return result;
}

}  // namespace amontons
