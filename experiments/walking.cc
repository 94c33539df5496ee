#include "experiments/walking.h"

#include "amontons/contact/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace amontons::experiments {
namespace {

constexpr double kSettled = 0.5;        // time until the robot is at rest on its feet [s]
constexpr double kInAir = 0.05 - 1e-9;  // that counts as having left the ground [s]

}  // namespace

const std::vector<std::string>& quadruped_feet() {
  static const std::vector<std::string> names = {"robot/front_left_foot", "robot/front_right_foot",
                                                 "robot/rear_left_foot", "robot/rear_right_foot"};
  return names;
}

Walk::Walk(const Simulator& start, const std::vector<std::string>& feet)
    : start_(start.state().q.segment<3>(4)) {
  for (const std::string& name : feet) {
    const int body = start.system().find_body(name);
    if (body < 0) throw std::invalid_argument("walk: there is no body '" + name + "'");
    feet_.push_back({body});
  }
  fewest_ = std::numeric_limits<int>::max();
}

void Walk::observe(const Simulator& simulator, const StepReport& report) {
  step_time_ += clock_.seconds();
  const Eigen::VectorXd& q = simulator.state().q;
  distance_ = q[4] - start_.x();
  // The base's z axis in the world has the third component 1 - 2 (x^2 + y^2) of its quaternion.
  const double up = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
  tilt_ = std::max(tilt_, std::acos(std::clamp(up, -1.0, 1.0)));
  solve_time_ += report.solve_time_s;
  missed_ += !report.certificate.holds;
  ++steps_;

  const double touching_gap = amontons::touching_gap(report.problem);
  int touching = 0, loaded = 0;
  std::vector<char> stands(feet_.size(), 0);
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    const bool is_loaded = report.solution.impulses[ContactProblem::row(i) + 2] > 0.0;
    loaded += is_loaded;
    touching += is_loaded || contact.gap <= touching_gap;
    for (std::size_t f = 0; is_loaded && f < feet_.size(); ++f) {
      if (contact.body_a == feet_[f].body || contact.body_b == feet_[f].body) stands[f] = 1;
    }
  }
  if (simulator.time() < kSettled) return;
  fewest_ = std::min(fewest_, loaded);
  most_ = std::max(most_, touching);
  contacts_ += touching;
  squares_ += touching * touching;
  ++counted_;
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    if (!stands[f]) {
      feet_[f].time_in_air += report.step;
      continue;
    }
    if (feet_[f].time_in_air >= kInAir) ++feet_[f].strides;
    feet_[f].time_in_air = 0.0;
  }
}

int Walk::fewest_strides() const {
  int fewest = std::numeric_limits<int>::max();
  for (const Foot& foot : feet_) fewest = std::min(fewest, foot.strides);
  return fewest;
}

double Walk::mean_contacts() const { return contacts_ / std::max(1, counted_); }

double Walk::deviation_of_contacts() const {
  const double mean = mean_contacts();
  return std::sqrt(std::max(0.0, squares_ / std::max(1, counted_) - mean * mean));
}

}  // namespace amontons::experiments
