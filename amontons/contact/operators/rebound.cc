#include "amontons/contact/operators/rebound.h"

#include "amontons/contact/operators/arrival_velocity.h"

#include <algorithm>
#include <cmath>

namespace amontons {

double rebound_speed(double restitution, double approach, double gain, double gap_speed) {
  if (!(approach > 0.0) || !(restitution > 0.0)) return 0.0;
  const double e2 = restitution * restitution;
  // The root u+ of u+^2 - gain u+ = c, with gain = h a and phi = h gap_speed.
  const double c = e2 * approach * (approach - gain) + 2.0 * (1.0 - e2) * gain * gap_speed;
  const double root = 0.25 * gain * gain + c;
  // Where no speed keeps that energy, the contact does not leave.
  if (!(root > 0.0)) return 0.0;
  return std::clamp(0.5 * gain + std::sqrt(root), 0.0, restitution * approach);
}

double restituted_gap_speed(double gap_speed, double rebound, bool bounces, bool is_elastic,
                            double share) {
  const double whole = bounces ? std::min(gap_speed, -rebound) : gap_speed;
  return is_elastic && whole < 0.0 ? share * whole : whole;
}

Rebound find_rebound(const ContactProblem& problem, const Eigen::VectorXd& free_velocity) {
  Rebound result;
  find_rebound(problem, free_velocity, result);
  return result;
}

void find_rebound(const ContactProblem& problem, const Eigen::VectorXd& free_velocity,
                  Rebound& result) {
  const auto nc = static_cast<Eigen::Index>(problem.num_contacts());
  result.approach.setZero(nc);
  result.speed.setZero(nc);
  result.impulse_share.setZero(nc);
  const auto is_elastic = [](const Contact& contact) { return contact.restitution > 0.0; };
  if (std::none_of(problem.contacts.begin(), problem.contacts.end(), is_elastic)) return;
  const Eigen::VectorXd u = problem.contact_velocities(problem.velocity);
  const Eigen::VectorXd arrival = arrival_velocity(problem, u);
  for (Eigen::Index i = 0; i < nc; ++i) {
    const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
    if (!is_elastic(contact)) continue;
    // The approach, and with the gain of the free motion.
    const Eigen::Index normal = ContactProblem::row(static_cast<std::size_t>(i)) + 2;
    const double approach = -arrival(normal), gain = free_velocity(normal) - u(normal);
    const double closing = (u(normal) - arrival(normal)) - free_velocity(normal);
    result.approach(i) = approach;
    const double gap_speed = problem.step > 0.0 ? contact.gap / problem.step : 0.0;  // 0: an impact
    result.speed(i) = rebound_speed(contact.restitution, approach, gain, gap_speed);
    // Compression removes `closing`; giving back speed / closing of it leaves the rebound.
    if (closing > 0.0) {
      result.impulse_share(i) = std::min(result.speed(i) / closing, contact.restitution);
    }
  }
}

}  // namespace amontons
