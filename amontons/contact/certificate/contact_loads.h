#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Describes the solutions of a normal problem that have one velocity: all p_n >= 0 at the closed
/// contacts that, with any impulses of the joints and of the held tangents, change no velocity. One
/// of them is known; tangential impulses of contacts that are not held are given.
struct NormalFace {
  Eigen::VectorXd impulses;  ///< p of the known solution [3 nc] [N s]
  /// u_n + s after the step [nc] [m/s], less the lift of a relaxation; infinite at contacts that
  /// take no part.
  Eigen::VectorXd slack;
  std::vector<char> held;  ///< contacts whose tangents are held [nc]
};

/// Says what a contact bears that only a self-stress loads: normal impulses without a cause, such
/// as those of a box between two walls that touch it but are not pressed to it.
enum class SelfStress {
  IsNoLoad,  ///< nothing: no velocity asks for these impulses
  IsLoad     ///< any impulse: the solutions have no largest one
};

/// Returns the contacts [nc], of some candidates, that some solution of the face loads.
///
/// First counts what the solution of least sum w_i p_n,i^2 loads, which is unique. Of the others, a
/// linear program gives the largest sum of their impulses. It proves in one go that none bears a
/// load, or names some that do; these leave the sum, and it is taken again. Where the sum has no
/// bound and self-stress is no load, a contact bears what its own largest impulse is. Where that
/// has no bound either, it bears the largest impulse among the solutions of least sum_i sqrt(w_i)
/// p_n,i, which contain no self-stress. An impulse w p_n up to `tolerance` V is none, and a program
/// that ends without a proof loads nothing under IsNoLoad, everything under IsLoad. The effort is
/// at most 3 n + 2 programs for n candidates of an island (docs/theory/no-slip.md).
std::vector<char> loaded_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                  const NormalFace& face, const std::vector<char>& candidates,
                                  SelfStress self_stress, double tolerance);

/// Returns true if the normal impulse of a contact counts as a load, w p_n > tolerance V.
inline bool bears_load(const ProblemScaling& scaling, Eigen::Index contact,
                       const Eigen::VectorXd& impulses, double tolerance) {
  return scaling.scales.inverse_mass(contact) * impulses(3 * contact + 2) >
         tolerance * scaling.scales.speed(contact);
}

/// Returns true if a contact is closed after the step, u_n + s <= tolerance V.
inline bool is_closed(const ProblemScaling& scaling, Eigen::Index contact, double slack,
                      double tolerance) {
  return scaling.scales.inverse_mass(contact) > 0.0 &&
         slack <= tolerance * scaling.scales.speed(contact);
}

}  // namespace amontons
