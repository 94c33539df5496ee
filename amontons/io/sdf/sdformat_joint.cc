#include "amontons/io/sdf/sdformat_joint.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <cmath>
#include <numbers>
#include <sdf/JointAxis.hh>

namespace amontons::io {
namespace {

// Magnitude from which a limit means none [m or rad]: libsdformat writes 1e16 where there is none.
constexpr double kNoLimit = 1e15;

/// Reads an axis of a joint with everything along it.
SdfAxis resolve_axis(const SdformatContext& context, const sdf::JointAxis& axis,
                     const SdformatScope& scope) {
  SdfAxis result;
  ignition::math::Vector3d xyz;
  context.check(axis.ResolveXyz(xyz));
  result.xyz = to_vector(xyz).normalized();
  if (std::abs(axis.Lower()) < kNoLimit) result.lower = axis.Lower();
  if (std::abs(axis.Upper()) < kNoLimit) result.upper = axis.Upper();
  // A negative bound means none (-1 by default).
  const sdf::ElementPtr limit = find_child(axis.Element(), "limit");
  result.effort = number_in(limit, "effort");
  result.velocity = number_in(limit, "velocity");
  if (result.effort.value_or(-1.0) < 0.0) result.effort.reset();
  if (result.velocity.value_or(-1.0) < 0.0) result.velocity.reset();
  // Dampers and springs along the axis.
  result.damping = axis.Damping();
  result.friction = axis.Friction();
  result.stiffness = axis.SpringStiffness();
  result.rest_position = axis.SpringReference();
  result.initial_position = number_in(axis.Element(), "initial_position");
  // Mimics are newer than the library; the document has renamed them (sdf_document.cc).
  const sdf::ElementPtr mimic = find_child(axis.Element(), "amontons:mimic");
  if (mimic != nullptr) {
    const sdf::ParamPtr joint = mimic->GetAttribute("joint");
    result.mimic = SdfMimic{scope.prefix + (joint ? joint->GetAsString() : ""),
                            number_in(mimic, "multiplier").value_or(1.0),
                            number_in(mimic, "offset").value_or(0.0),
                            number_in(mimic, "reference").value_or(0.0)};
  }
  return result;
}

}  // namespace

SdfJoint resolve_joint(const SdformatContext& context, const sdf::Joint& joint,
                       const SdformatScope& scope, const std::vector<SdfLink>& links) {
  SdfJoint result;
  result.name = scope.prefix + joint.Name();
  result.type = joint.Element()->Get<std::string>("type");
  result.where = context.place_of(joint.Element());
  // Ends of a joint may be frames, which resolve to the links that they are attached to.
  std::string parent, child;
  context.check(joint.ResolveParentLink(parent));
  context.check(joint.ResolveChildLink(child));
  const auto index_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].name == scope.prefix + name) return static_cast<int>(i);
    }
    fail_at(result.where, "joint '" + result.name + "': there is no link '" + name + "'");
  };
  result.parent = parent == "world" ? -1 : index_of(parent);
  result.child = index_of(child);
  // Frame and axes of the joint.
  result.X_MJ = scope.X_MN * context.resolve(joint.SemanticPose(), "__model__");
  if (joint.Axis(0) != nullptr) result.axis = resolve_axis(context, *joint.Axis(0), scope);
  if (joint.Axis(1) != nullptr) result.axis2 = resolve_axis(context, *joint.Axis(1), scope);
  // thread_pitch is in rad/m and left-handed, screw_thread_pitch in m per turn and right-handed.
  const double old_pitch = number_in(joint.Element(), "thread_pitch").value_or(1.0);
  const std::optional<double> pitch = number_in(joint.Element(), "amontons:screw_thread_pitch");
  if (result.type == "screw" && !pitch && old_pitch == 0.0) {
    fail_at(result.where, "joint '" + result.name + "': thread_pitch must not be zero");
  }
  result.pitch = pitch ? *pitch / (2.0 * std::numbers::pi) : -1.0 / old_pitch;
  result.gear_ratio = number_in(joint.Element(), "gearbox_ratio").value_or(1.0);
  if (const sdf::ElementPtr body = find_child(joint.Element(), "gearbox_reference_body")) {
    result.gear_reference = scope.prefix + body->Get<std::string>();
  }
  return result;
}

}  // namespace amontons::io
