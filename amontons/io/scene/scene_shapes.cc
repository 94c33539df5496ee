#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <numbers>

namespace amontons::io {
namespace {

/// Returns the keys that name a kind of shape: all keys of a shape but `pose`, `material` and
/// `name`.
std::vector<std::string> shape_kinds() {
  std::vector<std::string> kinds = scene_map("shape").names();
  std::erase(kinds, "pose");
  std::erase(kinds, "material");
  std::erase(kinds, "name");
  return kinds;
}

/// Reads three positive lengths [m].
Eigen::Vector3d read_lengths(const YamlValue& value, const std::string& what) {
  const Eigen::Vector3d lengths = read_vector3(value, what);
  for (const YamlValue& item : value.items) read_positive(item, what);
  return lengths;
}

/// Reads [radius, length] of a capsule or cylinder [m].
std::array<double, 2> read_radius_and_length(const YamlValue& value, const std::string& what) {
  const Eigen::Vector2d numbers = read_vector2(value, what + " [radius, length]");
  for (const YamlValue& item : value.items) read_positive(item, what);
  return {numbers.x(), numbers.y()};
}

/// Reads a half-space, normal . x <= offset [m]. The equation holds as written: the normal is made
/// unit, and the offset is divided by its length.
HalfSpace read_half_space(const YamlValue& value) {
  const MapReader map(value, "half_space", scene_map("half_space"));
  HalfSpace half_space;
  const YamlValue& normal = map.required("normal");
  half_space.normal = read_direction(normal, "normal of half_space");
  const double length = read_vector3(normal, "normal of half_space").stableNorm();
  half_space.offset = map.number("offset", 0.0) / length;
  return half_space;
}

/// Reads the size of a shape that no file describes.
Shape read_primitive(const std::string& kind, const YamlValue& value, const std::string& what) {
  if (kind == "box") return Box{read_lengths(value, what)};
  if (kind == "sphere") return Sphere{read_positive(value, what)};
  if (kind == "ellipsoid") return Ellipsoid{read_lengths(value, what)};
  if (kind == "half_space") return read_half_space(value);
  const std::array<double, 2> numbers = read_radius_and_length(value, what);
  if (kind == "capsule") return Capsule{numbers[0], numbers[1]};
  return Cylinder{numbers[0], numbers[1]};
}

/// Returns the one key of a shape that names its kind.
std::string find_kind(const MapReader& map) {
  std::string kind;
  for (const std::string& candidate : shape_kinds()) {
    if (!map.has(candidate)) continue;
    if (!kind.empty()) {
      fail_at(map.where(), map.what() + " is both a " + kind + " and a " + candidate +
                               "; write one list entry for each");
    }
    kind = candidate;
  }
  if (kind.empty()) {
    fail_at(map.where(), map.what() +
                             " says no shape; give one of box, sphere, capsule, cylinder, "
                             "ellipsoid, half_space, mesh, heightfield");
  }
  return kind;
}

/// Reads a quaternion [w, x, y, z], of any length, as a rotation.
Eigen::Matrix3d read_quaternion(const YamlValue& value, const std::string& what) {
  const std::vector<double> numbers = read_numbers(value, what, 4);
  const Eigen::Vector4d wxyz(numbers[0], numbers[1], numbers[2], numbers[3]);
  const double largest = wxyz.cwiseAbs().maxCoeff();
  // A quaternion that short is a slip of the pen or noise, and its direction means nothing.
  if (largest < 1e-6) fail_at(value.where, what + " has no length: it cannot be normalized");
  // The division keeps the norm within range.
  const Eigen::Vector4d unit = (wxyz / largest).normalized();
  return quaternion_from_wxyz(unit).toRotationMatrix();
}

/// Reads roll, pitch, yaw [degrees] about fixed axes as a rotation.
Eigen::Matrix3d read_rpy_deg(const MapReader& map) {
  const Eigen::Vector3d angles =
      map.vector3("rpy_deg", Eigen::Vector3d::Zero()) * (std::numbers::pi / 180.0);
  return rotation_from_rpy(angles.x(), angles.y(), angles.z());
}

}  // namespace

Pose read_pose(const YamlValue& value, const std::string& what) {
  const MapReader map(value, what, scene_map("pose"));
  Pose pose;
  pose.translation = map.vector3("position", Eigen::Vector3d::Zero());
  const YamlValue* rpy = map.find("rpy_deg");
  const YamlValue* quaternion = map.find("quat_wxyz");
  if (rpy && quaternion) {
    fail_at(quaternion->where, what + " gives rpy_deg and quat_wxyz; give one of them");
  }
  if (rpy) pose.rotation = read_rpy_deg(map);
  if (quaternion) pose.rotation = read_quaternion(*quaternion, map.name_of("quat_wxyz"));
  return pose;
}

ReadShape read_shape(SceneReader& reader, const YamlValue& value, const std::string& what,
                     const MeshChoice& collide) {
  // Exactly one key names the kind, and its value is the size.
  const MapReader map(value, what, scene_map("shape"));
  const std::string kind = find_kind(map);
  ReadShape result;
  result.where = value.where;
  result.scene_shape.filter = filter_of(collide.collision, {});
  const YamlValue& size = map.required(kind);
  const std::string what_size = kind + " of " + what;
  if (kind == "mesh") {
    read_mesh_of_shape(reader, size, what_size, collide, result);
  } else if (kind == "heightfield") {
    result.scene_shape.shape = read_height_field(reader, size, what_size);
  } else {
    // A half-space is unbounded and has no mass, nor has a height field.
    result.scene_shape.shape = read_primitive(kind, size, what_size);
    if (kind != "half_space") result.solid = shape_properties(result.scene_shape.shape);
  }
  // Material and pose in the body are optional.
  if (const YamlValue* material = map.find("material")) {
    result.scene_shape.material =
        read_name(*material, map.name_of("material"), material_names(reader.scene));
  }
  if (const YamlValue* name = map.find("name")) {
    const std::string text = read_text(*name, map.name_of("name"));
    if (text.find_first_of("/*") != std::string::npos) {
      fail_at(name->where, map.name_of("name") + " must not contain '/' or '*'");
    }
    if (text.find_first_not_of("0123456789") == std::string::npos) {
      fail_at(name->where, map.name_of("name") +
                               " must not be a number: shapes without a name are " +
                               "called by theirs");
    }
    result.scene_shape.name = text;
  }
  if (const YamlValue* pose = map.find("pose")) {
    result.scene_shape.X_BG = read_pose(*pose, map.name_of("pose"));
  }
  return result;
}

}  // namespace amontons::io
