#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Refuses a body's name that is reserved, contains '/' or '*', or is taken.
void check_name(const SceneReader& reader, const std::string& name, const SourceLocation& where) {
  if (name == "world") fail_at(where, "no body may be called 'world': joints use that name");
  if (name.find('/') != std::string::npos) {
    fail_at(where, "the name '" + name +
                       "' must not contain '/': it separates models from links and copies");
  }
  if (name.find('*') != std::string::npos) {
    fail_at(where, "the name '" + name + "' must not contain '*': it is any text in filters");
  }
  for (const SceneBody& other : reader.scene.bodies) {
    if (other.name == name) {
      fail_at(where, "there is already a body '" + name + "', in line " +
                         std::to_string(other.where.line));
    }
  }
}

/// Refuses a shape that is called as an earlier one of its body.
void check_name_of_last(const std::vector<ReadShape>& shapes) {
  const std::string& name = shapes.back().scene_shape.name;
  if (name.empty()) return;
  for (const ReadShape& other : shapes) {
    if (&other != &shapes.back() && other.scene_shape.name == name) {
      fail_at(shapes.back().where, "there is already a shape '" + name +
                                       "' of this body, in line " +
                                       std::to_string(other.where.line));
    }
  }
}

/// Reads the base of a body from `fixed` and `base`, of which at most one may constrain it.
BaseType read_base(const MapReader& body) {
  const bool fixed = body.has("fixed") && read_bool(body.required("fixed"), body.name_of("fixed"));
  if (!body.has("base")) return fixed ? BaseType::Fixed : BaseType::Free;
  const YamlValue& value = body.required("base");
  if (fixed) fail_at(value.where, body.what() + " is fixed: remove base, or fixed: true");
  return body.choice("base") == "planar" ? BaseType::Planar : BaseType::Free;
}

/// Refuses half-spaces and height fields on a moving body. They are unbounded and have no mass, so
/// that only the world can be made of them.
void check_shapes_of_moving_body(const MapReader& body, const std::vector<ReadShape>& shapes) {
  for (const ReadShape& shape : shapes) {
    const bool is_mesh =
        std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape.scene_shape.shape);
    if (!shape.solid && !is_mesh) {
      fail_at(shape.where, "a " + shape_type_name(shape.scene_shape.shape) +
                               " has no mass: " + body.what() + " must be fixed: true to have one");
    }
  }
}

/// Notes the keys of mass that a fixed body ignores.
void note_unused_mass(SceneReader& reader, const MapReader& body) {
  for (const char* key : {"mass", "density", "inertia", "center_of_mass"}) {
    if (body.has(key)) {
      reader.note(ImportFate::Ignored, body.name_of(key), "a fixed body needs none",
                  body.where(key));
    }
  }
}

/// Reads the initial velocity of a body, linear [m/s] and angular [rad/s].
void read_velocity(const MapReader& body, SceneBody& result) {
  const YamlValue* value = body.find("velocity");
  if (value == nullptr) return;
  const MapReader map(*value, body.name_of("velocity"), scene_map("velocity"));
  result.linear_velocity = map.vector3("linear", Eigen::Vector3d::Zero());
  result.angular_velocity = map.vector3("angular", Eigen::Vector3d::Zero());
  // A velocity of zero on a fixed body is harmless, any other contradicts it.
  const bool moves = !result.linear_velocity.isZero(0.0) || !result.angular_velocity.isZero(0.0);
  if (result.base == BaseType::Fixed && moves) {
    fail_at(value->where, body.what() +
                              " is fixed and cannot have a velocity; an actuator of type "
                              "motion can move it");
  }
}

/// Refuses an initial velocity that a planar base cannot have. A planar body stays in the x-z plane
/// through its start and turns about y, whatever its pose.
void check_planar_velocity(const MapReader& body, const SceneBody& result) {
  if (result.linear_velocity.y() != 0.0) {
    fail_at(body.where("velocity"), body.what() +
                                        " is planar: it moves in the x-z plane, so that its "
                                        "velocity has no y part");
  }
  if (result.angular_velocity.x() != 0.0 || result.angular_velocity.z() != 0.0) {
    fail_at(body.where("velocity"), body.what() + " is planar: it can only turn about the y axis");
  }
}

/// Reads one item of `bodies`.
void read_body(SceneReader& reader, const YamlValue& value) {
  // The name comes first, so that every later error can say which body it is about.
  const YamlValue* name = value.find("name");
  const std::string what = name ? "body '" + read_text(*name, "name of a body") + "'" : "a body";
  const MapReader body(value, what, scene_map("body"));
  SceneBody result;
  result.where = value.where;
  result.name = read_text(body.required("name"), "name of a body");
  check_name(reader, result.name, body.where("name"));
  result.base = read_base(body);

  // How its meshes collide: its own word, else that of the scene.
  reader.bodies_read.push_back(result.name);
  const MeshChoice collide = read_mesh_choice(body, reader.collide.of(result.name, {}));
  if (collide.collision == MeshCollision::None) {
    reader.note(ImportFate::Ignored, "shapes of " + what, "none of them collides, as asked",
                value.where);
  }
  // A mesh given as parts becomes one shape per part, all with the same pose and material.
  std::vector<ReadShape> shapes;
  if (const YamlValue* list = body.find("shapes")) {
    for (const YamlValue& item : read_list(*list, body.name_of("shapes"))) {
      shapes.push_back(read_shape(reader, item, "a shape of " + what, collide));
      check_name_of_last(shapes);
      SceneShape shape = shapes.back().scene_shape;
      result.shapes.push_back(shape);
      for (const Shape& part : shapes.back().more_parts) {
        shape.shape = part;
        result.shapes.push_back(shape);
      }
    }
  }
  // Initial pose and velocity, in world axes.
  if (const YamlValue* pose = body.find("pose")) {
    result.pose = read_pose(*pose, body.name_of("pose"));
  }
  read_velocity(body, result);
  if (result.base == BaseType::Planar) check_planar_velocity(body, result);
  // Only bodies that move have a mass; the keys of mass of a fixed body are noted as unused.
  if (result.base == BaseType::Fixed) {
    note_unused_mass(reader, body);
  } else {
    check_shapes_of_moving_body(body, shapes);
    result.inertia = read_inertia(reader, body, shapes);
  }
  reader.note(ImportFate::Applied, what, "", value.where);
  reader.scene.bodies.push_back(std::move(result));
}

}  // namespace

std::vector<std::string> body_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const SceneBody& body : scene.bodies) names.push_back(body.name);
  for (const SceneModel& model : scene.models) {
    for (const ModelLink& link : model.links) names.push_back(model.name + "/" + link.name);
  }
  return names;
}

std::string read_name(const YamlValue& value, const std::string& what,
                      std::vector<std::string> names, const std::string& also) {
  std::string name = read_text(value, what);
  if (!also.empty()) names.push_back(also);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    fail_at(value.where, what + ": there is no '" + name + "'" + did_you_mean(name, names));
  }
  return name;
}

void read_bodies(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "bodies")) {
    check_stop();  // a scene may have many thousands
    read_body(reader, item);
  }
}

}  // namespace amontons::io
