#include "benchmarks/peers/world.h"

#include "amontons/io/scene_file.h"

#include <algorithm>
#include <stdexcept>

namespace amontons::peers {
namespace {

[[noreturn]] void refuse(const Scene& scene, const std::string& reason) {
  throw std::invalid_argument(scene.file + ": " + reason +
                              ", which not every engine of the comparison can be told");
}

WorldBody reduce(const Scene& scene, const SceneBody& source) {
  WorldBody body;
  body.name = source.name;
  body.planar = source.base == BaseType::Planar;
  body.X_WB = source.pose;
  body.linear = source.linear_velocity;
  body.angular = source.angular_velocity;
  for (const SceneShape& shape : source.shapes) body.shapes.push_back({shape.shape, shape.X_BG});
  if (source.base == BaseType::Fixed) return body;

  const SpatialInertia& inertia = source.inertia;
  body.mass = inertia.mass;
  body.inertia = inertia.inertia.diagonal();
  const Eigen::Matrix3d off_diagonal = inertia.inertia - Eigen::Matrix3d(body.inertia.asDiagonal());
  if (inertia.center_of_mass.norm() > 1e-12 ||
      off_diagonal.norm() > 1e-12 * inertia.inertia.norm()) {
    refuse(scene, "the frame of " + body.name + " is not a principal frame");
  }
  return body;
}

void read_material(const Scene& scene, World& world) {
  std::string name;
  for (const SceneBody& body : scene.bodies) {
    for (const SceneShape& shape : body.shapes) {
      if (name.empty()) name = shape.material;
      if (shape.material != name) refuse(scene, "there is more than one material");
    }
  }
  const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                     [&name](const Material& m) { return m.name == name; });
  if (material == scene.materials.end()) refuse(scene, "no material is stated");
  if (!scene.material_pairs.empty() || material->viscous_friction != 0.0) {
    refuse(scene, "there is more than friction and restitution");
  }
  world.friction = material->friction;
  world.restitution = material->restitution;
}

}  // namespace

World load_world(const std::filesystem::path& file,
                 const std::vector<std::pair<std::string, std::string>>& overrides) {
  io::LoadOptions options;
  options.overrides = overrides;
  World world;
  world.scene = io::load_scene(file, options);
  const Scene& scene = world.scene;
  if (!scene.joints.empty() || !scene.models.empty() || !scene.motions.empty() ||
      !scene.wrenches.empty() || scene.simulation.steps.size() != 1) {
    refuse(scene, "there are joints, actuators or several steps");
  }
  world.gravity = scene.gravity;
  world.step = scene.simulation.steps.front();
  world.duration = scene.simulation.duration;
  read_material(scene, world);
  for (const SceneBody& body : scene.bodies) {
    (body.base == BaseType::Fixed ? world.fixed_bodies : world.moving)
        .push_back(reduce(scene, body));
  }
  return world;
}

HalfSpace half_space_in_world(const WorldBody& body, const WorldShape& shape) {
  const HalfSpace& local = std::get<HalfSpace>(shape.shape);
  const Pose X_WG = body.X_WB * shape.X_BG;
  HalfSpace half_space;
  half_space.normal = X_WG.rotation * local.normal;
  half_space.offset = local.offset + half_space.normal.dot(X_WG.translation);
  return half_space;
}

}  // namespace amontons::peers
