#include "tools/amontons/contest/contest_departures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace amontons::cli {
namespace {

// A contact is under load if its impulse is more than rounding beside the largest of the step.
constexpr double kLoaded = 1e-9;
// Below this share of the free motion's speed, or of mu p_n, a departure is rounding.
constexpr double kNoticed = 1e-6;
// A contact slides beyond this share of that speed. The angle [rad] or share of friction noticed
// there: a velocity solved to 1e-8 has a direction to 1e-5.
constexpr double kSliding = 1e-3, kNoticedSliding = 1e-4;
constexpr double kDegrees = 180.0 / 3.14159265358979323846;

// Returns the largest speed at a contact before any impulse acts [m/s].
double free_speed(const ContactProblem& problem) {
  const Eigen::VectorXd u = problem.contact_velocities(problem.free_velocity);
  double largest = 0.0;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    largest = std::max(largest, u.segment<3>(ContactProblem::row(i)).norm());
  }
  return largest;
}

double angle_between(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return std::abs(std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b)));
}

std::string sentence(const LawDepartures::Bias& bias) {
  std::string cause = "its law has no polygon that would explain it";
  if (bias.directions > 0) {
    cause = fmt::format("the nearest of the {} directions of its polygon is {:.3g} degrees off",
                        bias.directions, kDegrees * bias.to_direction);
  } else if (dissipates_most(bias.law)) {
    cause = "maximum dissipation opposes the slip less what nonpenetration makes of it";
  }
  return fmt::format("Bias: at {:.4g} s friction acts {:.3g} degrees off the line of slip; {}.",
                     bias.time, kDegrees * bias.angle, cause);
}

std::string stepping(const LawDepartures::Stepping& s) {
  return fmt::format("{}, gamma {:.3g}, mass matrix and gaps of {} position",
                     std::isfinite(s.activation_gap)
                         ? fmt::format("contacts within {:.3g} m", s.activation_gap)
                         : "every contact in reach",
                     s.gamma, s.ahead ? "the predicted" : "the present");
}

// Returns true if a measured value is the predicted one, to a hundredth.
bool agrees(double measured, double predicted) {
  return std::abs(measured - predicted) <= 0.01 * std::max(measured, predicted);
}

}  // namespace

void DepartureObserver::observe(const StepReport& report) {
  const ContactProblem& problem = report.problem;
  if (report.start == nullptr || problem.num_contacts() == 0) return;
  ++found_.steps;
  ++found_.laws[report.solution.law.kind];
  found_.stepping = {report.solution.law.activation_gap, problem.gamma,
                     !report.evaluation_velocity.isZero(0.0)};
  const Eigen::VectorXd u_start = problem.contact_velocities(problem.velocity);
  const Eigen::VectorXd u = problem.contact_velocities(report.solution.velocity);
  const double scale = free_speed(problem);
  double largest = 0.0;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    largest = std::max(largest, report.solution.impulses.segment<3>(ContactProblem::row(i)).norm());
  }
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    if (report.solution.impulses.segment<3>(row).norm() <= kLoaded * largest) continue;
    observe_contact(report, i, scale, u_start.segment<3>(row), u.segment<3>(row));
  }
  double price = 0.0;
  for (const std::vector<DissipationWitness>& phase : report.solution.witnesses) {
    for (const DissipationWitness& witness : phase) price = std::max(price, witness.price);
  }
  // A resting contact is always at its bound: only a solution that is not Coulomb's shows an
  // effect.
  if (price > kNoticed * scale && !(report.certificate.coulomb.value <= kNoticed)) {
    ++found_.cap.steps;
    if (price > found_.cap.price) {
      found_.cap.price = price;
      found_.cap.time = report.end->time;
    }
  }
}

void DepartureObserver::observe_contact(const StepReport& report, std::size_t contact, double scale,
                                        const Eigen::Vector3d& u_start, const Eigen::Vector3d& u) {
  // Quantities of the contact after the step.
  const ContactProblem& problem = report.problem;
  const Contact& at = problem.contacts[contact];
  const Eigen::Vector3d p = report.solution.impulses.segment<3>(ContactProblem::row(contact));
  const double time = report.end->time, bound = at.friction * p.z();
  const double slip = u.head<2>().norm();
  const double opening = u.z() + problem.stabilized_gap(contact);
  const bool bounces = at.restitution > 0.0 && -u_start.z() > problem.rest_speed;

  // Lift: a contact under load that opens without a bounce.
  if (p.z() > 0.0 && !bounces && opening > kNoticed * scale &&
      report.step * opening > found_.lift.gap) {
    found_.lift = {report.step * opening, report.step * at.friction * slip, time};
  }

  // Viscous drag is no part of Coulomb's friction.
  Eigen::Vector2d friction = p.head<2>();
  if (at.viscous_friction > 0.0 && p.z() > 0.0) {
    const Eigen::Vector2d drag = report.step * at.viscous_friction * u.head<2>();
    found_.drag = std::max(found_.drag, drag.norm());
    friction += drag;
  }

  // Excess: friction beyond the cone.
  const double size = friction.norm();
  if (size - bound > kNoticed * p.norm() &&
      size - bound > found_.excess.friction - found_.excess.bound)
    found_.excess = {size, bound, time};

  // Deficit: less friction than mu p_n at a contact that slides.
  if (slip <= kSliding * scale || bound <= 0.0) return;
  const double missing = 1.0 - size / bound;
  if (missing > kNoticedSliding) found_.deficit.energy += bound * slip + friction.dot(u.head<2>());
  if (missing > std::max(kNoticedSliding, found_.deficit.share)) {
    found_.deficit.share = missing;
    found_.deficit.time = time;
  }

  // Bias: friction that is not opposite to the slip.
  if (size <= kNoticedSliding * bound) return;
  const double angle = angle_between(friction, -u.head<2>());
  if (angle <= std::max(kNoticedSliding, found_.bias.angle)) return;
  const Eigen::Matrix2Xd directions = directions_of(report.solution.law);
  double nearest = 0.0;
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    const double away = angle_between(directions.col(k), -u.head<2>());
    nearest = k == 0 ? away : std::min(nearest, away);
  }
  found_.bias = {angle, nearest, time, static_cast<int>(directions.cols()),
                 report.solution.law.kind};
}

std::vector<std::string> explain(const LawDepartures& found, const LawDepartures& reference,
                                 double coulomb) {
  std::vector<std::string> result;
  const auto say = [&result](std::string sentence) { result.push_back(std::move(sentence)); };

  // One sentence for each departure that was found.
  if (const auto& lift = found.lift; lift.gap > 0.0) {
    say(fmt::format(
        "Lift: at {:.4g} s a contact under load opens a gap of {:.3g} m in a step; h mu "
        "|u_t| there, which the convex relaxation opens, is {:.3g} m{}. It leaves at a speed that "
        "a shorter step does not reduce.",
        lift.time, lift.gap, lift.predicted,
        agrees(lift.gap, lift.predicted) ? "" : " and does not explain it"));
  }
  if (found.bias.angle > 0.0) say(sentence(found.bias));
  if (const auto& cap = found.cap; cap.steps > 0) {
    say(
        fmt::format("Cap: in {} of {} steps the sum of normal impulses is at its bound kappa and "
                    "the solution is not Coulomb's: the bound reduces friction that would raise "
                    "the load. At {:.4g} s the multiplier of the bound is {:.3g} J for 1 N s more.",
                    cap.steps, found.steps, cap.time, cap.price));
  }
  if (const auto& deficit = found.deficit; deficit.share > 0.0) {
    say(fmt::format(
        "Deficit: at {:.4g} s a contact that slides has {:.1f} % of the friction mu p_n; "
        "over the run {:.3g} J less than mu p_n |u_t| are dissipated.",
        deficit.time, 100.0 * (1.0 - deficit.share), deficit.energy));
  }
  if (const auto& excess = found.excess; excess.friction > 0.0) {
    say(fmt::format(
        "Beyond the cone: at {:.4g} s a contact has friction of {:.3g} N s, where mu p_n "
        "is {:.3g} N s.",
        excess.time, excess.friction, excess.bound));
  }

  // Without any, the distance to Coulomb's law decides.
  if (result.empty() && coulomb <= kNoticed) {
    say(fmt::format("Satisfies Coulomb's law: largest distance {:.1e}.", coulomb));
  } else if (result.empty()) {
    say(fmt::format("Differs from Coulomb's law by {:.1e}, for none of the causes above.",
                    coulomb));
  }

  // Drag and stepping are no departures, but explain differences.
  if (found.drag > 0.0) {
    say(fmt::format("Drag: viscous friction, -h mu_v u_t, is up to {:.3g} N s.", found.drag));
  }
  const std::string steps = stepping(found.stepping);
  if (steps != stepping(reference.stepping))
    say("Steps other than those of the reference: " + steps + ".");
  return result;
}

}  // namespace amontons::cli
