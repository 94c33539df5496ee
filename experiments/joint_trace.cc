#include "experiments/joint_trace.h"

#include <cmath>

namespace amontons::experiments {

void JointTrace::add(double time, double position, double velocity) {
  // A step that ends within an interval of the last mark joins it.
  constexpr double kRounding = 1e-9;  // share of an interval
  const double begun = time_.empty() ? -1.0 : std::ceil(time_.back() / interval_ - kRounding);
  if (begun < 0.0 || std::ceil(time / interval_ - kRounding) > begun) {
    time_.push_back(time);
    position_.push_back(position);
    velocity_.push_back(velocity);
    return;
  }
  time_.back() = time;
  if (std::abs(position) > std::abs(position_.back())) position_.back() = position;
  if (std::abs(velocity) > std::abs(velocity_.back())) velocity_.back() = velocity;
}

void draw_traces(const std::string& joint, const std::string& figure,
                 const std::vector<std::pair<std::string, JointTrace>>& runs, Findings& findings) {
  Figure velocity{
      "Velocity of the " + joint + ", " + figure + " above", "t [s]", "rad/s", false, {}};
  Figure position{"Position of the " + joint + ", " + figure + " below", "t [s]", "rad", false, {}};
  for (const auto& [name, trace] : runs) {
    velocity.curves.push_back(trace.velocities(name));
    position.curves.push_back(trace.positions(name));
  }
  findings.figures.push_back(std::move(velocity));
  findings.figures.push_back(std::move(position));
}

}  // namespace amontons::experiments
