#include "amontons/io/sdf/sdformat_value.h"

#include "amontons/io/common/parse_number.h"

#include <Eigen/Geometry>

namespace amontons::io {

using ignition::math::Pose3d;
using ignition::math::Vector3d;

Eigen::Vector3d to_vector(const Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

Pose to_pose(const Pose3d& pose) {
  const auto& r = pose.Rot();
  return {Eigen::Quaterniond(r.W(), r.X(), r.Y(), r.Z()).normalized().toRotationMatrix(),
          to_vector(pose.Pos())};
}

SpatialInertia to_inertia(const ignition::math::Inertiald& inertial) {
  // The inertia is given in the frame of <inertial>: I_L = R I R' with R the rotation of that
  // frame.
  const Pose X_LI = to_pose(inertial.Pose());
  const auto& m = inertial.MassMatrix();
  const Vector3d d = m.DiagonalMoments(), o = m.OffDiagonalMoments();
  Eigen::Matrix3d I;
  I << d.X(), o.X(), o.Y(),  //
      o.X(), d.Y(), o.Z(),   //
      o.Y(), o.Z(), d.Z();
  return {m.Mass(), X_LI.translation, X_LI.rotation * I * X_LI.rotation.transpose()};
}

sdf::ElementPtr find_child(const sdf::ElementPtr& element, const std::string& name) {
  if (element == nullptr) return nullptr;
  for (sdf::ElementPtr e = element->GetFirstElement(); e != nullptr; e = e->GetNextElement()) {
    if (e->GetName() == name) return e;
  }
  return nullptr;
}

std::optional<double> number_in(const sdf::ElementPtr& element, const std::string& child) {
  const sdf::ElementPtr found = find_child(element, child);
  double number = 0.0;
  // Unknown elements keep their values as text.
  if (found == nullptr || found->GetValue() == nullptr) return std::nullopt;
  const std::string text = found->GetValue()->GetAsString();
  return parse_number(text, number).empty() ? std::optional(number) : std::nullopt;
}

bool flag_in(const sdf::ElementPtr& element, const std::string& child, bool otherwise) {
  const sdf::ElementPtr found = find_child(element, child);
  return found ? found->Get<bool>() : otherwise;
}

int line_of(const sdf::ElementPtr& element) {
  return element ? element->LineNumber().value_or(0) : 0;
}

}  // namespace amontons::io
