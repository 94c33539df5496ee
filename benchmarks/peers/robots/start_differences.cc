#include "benchmarks/peers/robots/start_differences.h"

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/simulation/system/kinematics.h"
#include "benchmarks/peers/engines/mujoco_handles.h"
#include "benchmarks/peers/engines/mujoco_model.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace amontons::peers {
namespace {

using RowMatrix = Eigen::Matrix<mjtNum, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrix3 = Eigen::Matrix<mjtNum, 3, 3, Eigen::RowMajor>;

int body_named(const mjModel& model, const std::string& name) {
  return mj_name2id(&model, mjOBJ_BODY, name.c_str());
}

/// Returns MuJoCo's mass matrix between the joints of the world.
Eigen::MatrixXd mujoco_mass_matrix(const mjModel& model, const mjData& data, const World& world) {
  std::vector<int> dofs;
  for (const WorldJoint& joint : world.joints) {
    const int body = body_named(model, world.moving[static_cast<std::size_t>(joint.child)].name);
    dofs.push_back(model.jnt_dofadr[model.body_jntadr[body]]);
  }
  RowMatrix M(model.nv, model.nv);
  mj_fullM(&model, M.data(), data.qM);
  return M(dofs, dofs);
}

/// Returns the height of the lowest vertex of a body's meshes [m]; infinite if it has none.
double lowest_vertex(const mjModel& model, const mjData& data, int body) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < model.body_geomnum[body]; ++k) {
    const int geom = model.body_geomadr[body] + k;
    if (model.geom_type[geom] != mjGEOM_MESH) continue;
    const int mesh = model.geom_dataid[geom];
    const RowMatrix3 R = Eigen::Map<const RowMatrix3>(data.geom_xmat + 9 * geom);
    const Eigen::Map<const Eigen::Vector3d> p(data.geom_xpos + 3 * geom);
    for (int v = 0; v < model.mesh_vertnum[mesh]; ++v) {
      const Eigen::Map<const Eigen::Vector3f> x(model.mesh_vert +
                                                3 * (model.mesh_vertadr[mesh] + v));
      lowest = std::min(lowest, (R * x.cast<double>() + p).z());
    }
  }
  return lowest;
}

double lowest_vertex(const WorldBody& body) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const WorldShape& shape : body.shapes) {
    if (!std::holds_alternative<std::shared_ptr<const ConvexPolyhedron>>(shape.shape)) continue;
    const Aabb box = bounding_box(shape.shape, body.X_WB * shape.X_BG);
    lowest = std::min(lowest, box.lower.z());
  }
  return lowest;
}

}  // namespace

nlohmann::json to_json(const StartDifferences& differences) {
  return {{"mass", differences.mass},
          {"mass_matrix", differences.mass_matrix},
          {"position_m", differences.position},
          {"vertex_m", differences.vertex}};
}

StartDifferences start_differences(const Robot& robot) {
  const World& world = robot.world;
  const MujocoModel model = load_mujoco_model(mujoco_model(world, {}));
  const MujocoData data(mj_makeData(model.get()));
  mj_forward(model.get(), data.get());
  StartDifferences result;

  // Masses, positions and lowest vertices of each body.
  double mass = 0.0;
  for (const WorldBody& body : world.moving) {
    const int own = body_named(*model, body.name);
    const Eigen::Map<const Eigen::Vector3d> p(data->xipos + 3 * own);
    mass += body.mass;
    result.position = std::max(result.position, (p - body.X_WB.translation).norm());
    const double theirs = lowest_vertex(*model, *data, own), ours = lowest_vertex(body);
    if (theirs != ours) result.vertex = std::max(result.vertex, std::abs(theirs - ours));
  }
  result.mass = std::abs(mj_getTotalmass(model.get()) - mass) / mass;

  // The mass matrix between joints, which no choice of the root's coordinates changes.
  const State start = robot.system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(robot.system, start.q, start.v, 0.0, kinematics);
  const Eigen::MatrixXd whole = compute_mass_matrix(robot.system, kinematics).to_dense();
  const Eigen::MatrixXd M = whole(robot.v_index, robot.v_index);
  result.mass_matrix = (M - mujoco_mass_matrix(*model, *data, world)).lpNorm<Eigen::Infinity>() /
                       M.lpNorm<Eigen::Infinity>();
  return result;
}

void require_equal(const StartDifferences& differences) {
  constexpr double kRounding = 1e-9, kRoundingOfFloats = 1e-6;
  if (differences.mass <= kRounding && differences.mass_matrix <= kRounding &&
      differences.position <= kRounding && differences.vertex <= kRoundingOfFloats) {
    return;
  }
  throw std::runtime_error("MuJoCo reads another robot: " + to_json(differences).dump());
}

}  // namespace amontons::peers
