#include "amontons/io/sdf/sdf_joint_values.h"

#include "amontons/io/common/fail_at.h"

#include <cmath>
#include <numbers>

namespace amontons::io {
namespace {

// Magnitude from which a limit means none [m or rad]: libsdformat writes 1e16 where there is none.
constexpr double kNoLimit = 1e15;

}  // namespace

void set_limits(double lower, double upper, std::optional<double> effort,
                std::optional<double> velocity, SdfAxis& axis) {
  if (std::abs(lower) < kNoLimit) axis.lower = lower;
  if (std::abs(upper) < kNoLimit) axis.upper = upper;
  // A negative bound means none (-1 by default).
  if (effort.value_or(-1.0) >= 0.0) axis.effort = effort;
  if (velocity.value_or(-1.0) >= 0.0) axis.velocity = velocity;
}

void set_default_axes(SdfJoint& joint) {
  if (joint.type != "universal" && joint.type != "revolute2") return;
  joint.axis.xyz = Eigen::Vector3d::UnitX();
  joint.axis2.xyz = Eigen::Vector3d::UnitY();
}

double screw_pitch(std::optional<double> thread_pitch, std::optional<double> screw_thread_pitch,
                   const SdfJoint& joint) {
  const double old_pitch = thread_pitch.value_or(1.0);
  if (joint.type == "screw" && !screw_thread_pitch && old_pitch == 0.0) {
    fail_at(joint.where, "joint '" + joint.name + "': thread_pitch must not be zero");
  }
  return screw_thread_pitch ? *screw_thread_pitch / (2.0 * std::numbers::pi) : -1.0 / old_pitch;
}

}  // namespace amontons::io
