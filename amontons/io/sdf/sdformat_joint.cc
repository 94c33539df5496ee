#include "amontons/io/sdf/sdformat_joint.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdf_joint_values.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <sdf/JointAxis.hh>

namespace amontons::io {
namespace {

/// Reads an axis of a joint with everything along it.
SdfAxis resolve_axis(const SdformatContext& context, const sdf::JointAxis& axis,
                     const SdformatScope& scope) {
  SdfAxis result;
  ignition::math::Vector3d xyz;
  context.check(axis.ResolveXyz(xyz));
  result.xyz = to_vector(xyz).normalized();
  const sdf::ElementPtr limit = find_child(axis.Element(), "limit");
  set_limits(axis.Lower(), axis.Upper(), number_in(limit, "effort"), number_in(limit, "velocity"),
             result);
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
  set_default_axes(result);
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
  result.pitch = screw_pitch(number_in(joint.Element(), "thread_pitch"),
                             number_in(joint.Element(), "amontons:screw_thread_pitch"), result);
  result.gear_ratio = number_in(joint.Element(), "gearbox_ratio").value_or(1.0);
  if (const sdf::ElementPtr body = find_child(joint.Element(), "gearbox_reference_body")) {
    result.gear_reference = scope.prefix + body->Get<std::string>();
  }
  return result;
}

}  // namespace amontons::io
