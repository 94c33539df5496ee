#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <array>
#include <cctype>

// Positions and the five ways to write an orientation.

namespace amontons::io {
namespace {

// The five ways, any one of which an element or its default may use.
constexpr std::array<const char*, 5> kOrientations{"quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// Returns the way in which the element itself gives its orientation, or the nearest default does;
/// null if there is none. A quaternion counts where no other way is given, be it by a default: the
/// format keeps the two apart, and the other way replaces it.
const char* find_orientation(const MjcfElement& element) {
  const char* found = nullptr;
  // The nearest source counts; two ways in the same place contradict each other.
  for (const char* name : kOrientations) {
    const int distance = element.distance(name);
    if (distance < 0) continue;
    const int nearest = found == nullptr ? -1 : element.distance(found);
    if (distance == nearest) {
      element.fail(name, std::string("and ") + found + " both give the orientation; give one");
    }
    const bool is_quaternion = found == kOrientations.front();
    if (is_quaternion && nearest == 0) {
      element.note(found, ImportFate::Ignored,
                   std::string(name) + " of a default counts before a quaternion");
    }
    if (found == nullptr || is_quaternion || distance < nearest) found = name;
  }
  return found;
}

/// Returns the rotation of a quaternion w x y z, which need not have unit length.
Eigen::Matrix3d from_quaternion(const MjcfElement& element) {
  const std::vector<double> wxyz = element.numbers("quat", 4, 4);
  const Eigen::Vector4d written(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  const double length = written.stableNorm();
  if (!(length > 1e-14)) {
    element.note("quat", ImportFate::Refused,
                 "a quaternion without length gives no orientation: nothing is turned");
    return Eigen::Matrix3d::Identity();
  }
  return quaternion_from_wxyz(written / length).toRotationMatrix();
}

/// Returns the rotation by an angle about an axis, which need not have unit length.
Eigen::Matrix3d from_axis_angle(const MjcfElement& element, const MjcfCompiler& compiler) {
  const std::vector<double> numbers = element.numbers("axisangle", 4, 4);
  const Eigen::Vector3d axis(numbers[0], numbers[1], numbers[2]);
  const double length = axis.stableNorm();
  if (!(length > 1e-14)) element.fail("axisangle", "has an axis without length");
  return rotation_from_vector(compiler.angle(numbers[3]) * axis / length);
}

/// Returns the rotation with the given x axis and the y axis made normal to it.
Eigen::Matrix3d from_xy_axes(const MjcfElement& element) {
  const std::vector<double> numbers = element.numbers("xyaxes", 6, 6);
  const Eigen::Vector3d x = Eigen::Vector3d(numbers[0], numbers[1], numbers[2]).stableNormalized();
  Eigen::Vector3d y(numbers[3], numbers[4], numbers[5]);
  y -= x.dot(y) * x;
  if (!(x.norm() > 0.5) || !(y.norm() > 1e-14)) {
    element.fail("xyaxes", "must be two directions that are not parallel");
  }
  Eigen::Matrix3d R;
  R << x, y.normalized(), x.cross(y.normalized());
  return R;
}

}  // namespace

// Lower-case letters turn about the axes that move, upper-case ones about those that stay.
Eigen::Matrix3d mjcf_rotation_from_euler(const MjcfCompiler& compiler,
                                         const Eigen::Vector3d& angles) {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler.eulerseq[static_cast<std::size_t>(i)];
    const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
    const Eigen::Matrix3d turn =
        rotation_from_vector(compiler.angle(angles[i]) * Eigen::Vector3d::Unit(axis));
    // A turn about a moving axis multiplies from the right, one about a fixed axis from the left.
    R = letter >= 'x' ? Eigen::Matrix3d(R * turn) : Eigen::Matrix3d(turn * R);
  }
  return R;
}

Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& direction) {
  const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ().cross(direction);
  const double sine = axis.norm();
  const double angle = elementary::atan2(sine, direction.z());
  // Opposite directions leave the axis open; x is chosen.
  if (sine < 1e-10 * direction.norm()) return rotation_from_vector({angle, 0.0, 0.0});
  return rotation_from_vector(angle / sine * axis);
}

Eigen::Matrix3d read_mjcf_orientation(const MjcfReader& reader, const MjcfElement& element) {
  const char* found = find_orientation(element);
  if (found == nullptr) return Eigen::Matrix3d::Identity();
  // The reader of the way chosen applies its attribute; the others stay unread.
  const std::string name = found;
  if (name == "quat") return from_quaternion(element);
  if (name == "axisangle") return from_axis_angle(element, reader.compiler_of(element));
  if (name == "xyaxes") return from_xy_axes(element);
  if (name == "euler") {
    return mjcf_rotation_from_euler(reader.compiler_of(element),
                                    element.vector3("euler", Eigen::Vector3d::Zero()));
  }
  return rotation_from_z(element.direction("zaxis", Eigen::Vector3d::UnitZ()));
}

Pose read_mjcf_pose(const MjcfReader& reader, const MjcfElement& element) {
  return {read_mjcf_orientation(reader, element), element.vector3("pos", Eigen::Vector3d::Zero())};
}

MjcfSegment read_mjcf_segment(const MjcfElement& element) {
  const std::vector<double> ends = element.numbers("fromto", 6, 6);
  const Eigen::Vector3d from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
  if (!element.vector3("pos", Eigen::Vector3d::Zero()).isZero(0.0)) {
    element.fail("fromto", "and pos both say where it lies; give one");
  }
  const double length = (from - to).norm();
  if (!(length > 1e-14)) element.fail("fromto", "gives two ends that are one");
  return {{rotation_from_z(from - to), 0.5 * (from + to)}, 0.5 * length};
}

}  // namespace amontons::io
