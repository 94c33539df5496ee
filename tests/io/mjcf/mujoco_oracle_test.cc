#include "tests/io/mjcf/mujoco_oracle.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/common/read_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>

// MJCF files as MuJoCo 2.2 reads them: the same bodies, joints, forces and contacts.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";
const fs::path kExamples = fs::path(AMONTONS_SOURCE_DIR) / "examples";
const fs::path kShared = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data/robots/mujoco";

std::vector<fs::path> xml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) {
    WARN("SKIPPED: there are no MJCF files at " << folder.string());
    return files;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns the tolerance: MuJoCo keeps the corners of meshes in single precision.
double tolerance_of(const mjModel& model) { return model.nmesh > 0 ? 2e-6 : 1e-9; }

template <typename A, typename B>
double relative_error(const A& ours, const B& theirs) {
  return (ours - theirs).norm() / std::max(1e-12, theirs.norm());
}

std::string name_or(const mjModel& model, int type, int index, const std::string& otherwise) {
  const char* name = mj_id2name(&model, type, index);
  return name && *name ? name : otherwise;
}

std::string body_name(const mjModel& model, int body) {
  return name_or(model, mjOBJ_BODY, body, "body_" + std::to_string(body));
}

const ModelLink& link_named(const SceneModel& model, const std::string& name) {
  const auto found = std::find_if(model.links.begin(), model.links.end(),
                                  [&](const ModelLink& link) { return link.name == name; });
  REQUIRE(found != model.links.end());
  return *found;
}

void check_masses(const MujocoTwin& twin) {
  const mjModel& m = *twin.model;
  double total = 0.0;
  for (int b = 1; b < m.nbody; ++b) {
    CAPTURE(body_name(m, b));
    const Pose X_BI{rotation_at(m.body_iquat, b), vector_at(m.body_ipos, b)};
    const Eigen::Matrix3d principal = vector_at(m.body_inertia, b).asDiagonal();
    const SpatialInertia theirs =
        transform(X_BI, {m.body_mass[b], Eigen::Vector3d::Zero(), principal});
    const SpatialInertia& ours = link_named(twin.ours(), body_name(m, b)).inertia;
    CHECK(relative_error(ours.matrix(), theirs.matrix()) < tolerance_of(m));
    // MuJoCo finds principal axes by iteration, to about 1e-8.
    CHECK(relative_error(ours.inertia, theirs.inertia) < 10.0 * tolerance_of(m));
    total += ours.mass;
  }
  CHECK(total == Approx(m.body_subtreemass[0]).epsilon(tolerance_of(m)));
}

Pose our_pose(const MujocoTwin& twin, const std::string& link) {
  const int body = twin.system->find_body("m/" + link);
  REQUIRE(body >= 0);
  return twin.kinematics.X_WB[static_cast<std::size_t>(body)];
}

/// Lists the geoms that can touch something, in the order of both readers.
std::vector<int> touching_geoms(const mjModel& m, const System& system) {
  std::vector<int> result;
  for (int g = 0; g < m.ngeom; ++g) {
    bool paired = false;
    for (int p = 0; p < m.npair; ++p) {
      paired = paired || m.pair_geom1[p] == g || m.pair_geom2[p] == g;
    }
    if (m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0 || paired) result.push_back(g);
  }
  REQUIRE(result.size() == system.shapes().size());
  return result;
}

/// Compares corners, because MuJoCo moves a mesh to its principal axes.
void check_mesh(const MujocoTwin& twin, int geom, const Shape& shape, const Pose& X_WG) {
  const auto* hull = std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&shape);
  REQUIRE(hull != nullptr);
  const mjModel& m = *twin.model;
  const int mesh = m.geom_dataid[geom];
  const Pose X{matrix_at(twin.data->geom_xmat, geom), vector_at(twin.data->geom_xpos, geom)};
  for (const Eigen::Vector3d& vertex : (*hull)->vertices()) {
    double nearest = 1e9;
    for (int i = 0; i < m.mesh_vertnum[mesh]; ++i) {
      const float* p = m.mesh_vert + 3 * (m.mesh_vertadr[mesh] + i);
      const Eigen::Vector3d corner(static_cast<double>(p[0]), static_cast<double>(p[1]),
                                   static_cast<double>(p[2]));
      nearest = std::min(nearest, (X * corner - X_WG * vertex).norm());
    }
    CHECK(nearest < 1e-6);
  }
}

void check_poses(const MujocoTwin& twin) {
  const mjModel& m = *twin.model;
  for (int b = 1; b < m.nbody; ++b) {
    CAPTURE(body_name(m, b));
    const Pose ours = our_pose(twin, body_name(m, b));
    CHECK((ours.translation - vector_at(twin.data->xpos, b)).norm() < 1e-9);
    CHECK((ours.rotation - matrix_at(twin.data->xmat, b)).norm() < 1e-9);
  }
  const std::vector<int> geoms = touching_geoms(m, *twin.system);
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    const int g = geoms[i];
    CAPTURE(name_or(m, mjOBJ_GEOM, g, "geom " + std::to_string(g)));
    const CollisionShape& shape = twin.system->shapes()[i];
    const Pose X_WG = twin.kinematics.X_WB[static_cast<std::size_t>(shape.body)] * shape.X_BG;
    if (m.geom_type[g] == mjGEOM_MESH) {
      check_mesh(twin, g, shape.shape, X_WG);
      continue;
    }
    CHECK((X_WG.translation - vector_at(twin.data->geom_xpos, g)).norm() < 1e-9);
    CHECK((X_WG.rotation - matrix_at(twin.data->geom_xmat, g)).norm() < 1e-9);
    const double volume = std::holds_alternative<HalfSpace>(shape.shape)
                              ? 0.0
                              : bounding_radius(shape.shape) - m.geom_rbound[g];
    CHECK(std::abs(volume) < 1e-9);
  }
}

void check_joints(const MujocoTwin& twin) {
  const mjModel& m = *twin.model;
  for (int j = 0; j < m.njnt; ++j) {
    const ModelJoint& joint = *twin.joints[static_cast<std::size_t>(j)];
    CAPTURE(joint.name);
    const int dof = m.jnt_dofadr[j];
    CHECK(joint.dynamics.armature == Approx(m.dof_armature[dof]));
    CHECK(joint.dynamics.viscous_friction == Approx(m.dof_damping[dof]));
    CHECK(joint.dynamics.coulomb_friction == Approx(m.dof_frictionloss[dof]));
    if (num_velocities(joint.type) != 1) continue;
    CHECK(joint.dynamics.stiffness == Approx(m.jnt_stiffness[j]));
    if (m.jnt_stiffness[j] > 0.0) {
      CHECK(joint.dynamics.rest_position == Approx(m.qpos_spring[m.jnt_qposadr[j]]));
    }
    CHECK(joint.dynamics.limits.has_value() == (m.jnt_limited[j] != 0));
    if (joint.dynamics.limits) {
      CHECK((*joint.dynamics.limits)[0] == Approx(m.jnt_range[2 * j]));
      CHECK((*joint.dynamics.limits)[1] == Approx(m.jnt_range[2 * j + 1]));
    }
    const Pose X_WF =
        our_pose(twin, twin.ours().links[static_cast<std::size_t>(joint.parent)].name) * joint.X_PJ;
    CHECK((X_WF.rotation * joint.axis - vector_at(twin.data->xaxis, j)).norm() < 1e-9);
    if (joint.type == JointType::Prismatic) continue;
    CHECK((X_WF.translation - vector_at(twin.data->xanchor, j)).norm() < 1e-9);
  }
}

void check_dynamics(const MujocoTwin& twin) {
  if (twin.model->nv == 0) return;
  const double tolerance = tolerance_of(*twin.model);
  const Eigen::MatrixXd M = twin.their_mass_matrix();
  CHECK(relative_error(twin.our_mass_matrix(), M) < tolerance);
  // Forces may cancel: they are measured by what gravity and such velocities do to such masses.
  const Eigen::Vector3d gravity = vector_at(twin.model->opt.gravity, 0);
  const double scale = M.norm() * (gravity.norm() + twin.v.squaredNorm());
  CHECK((twin.our_bias(gravity) - twin.their_bias()).norm() < tolerance * scale);
}

void check_all(MujocoTwin& twin) {
  std::mt19937 engine(7);
  check_masses(twin);
  check_joints(twin);
  // qpos0 first.
  for (int j = 0; j < twin.model->njnt; ++j) {
    const JointCoordinate& joint = twin.coordinate(j);
    const mjtNum* q0 = twin.model->qpos0 + twin.model->jnt_qposadr[j];
    if (joint.num_q == 1) twin.q[joint.q_offset] = q0[0];
    if (joint.num_q == 4) twin.q.segment<4>(joint.q_offset) << 1.0, 0.0, 0.0, 0.0;
    if (joint.num_q == 7) {
      twin.q.segment<7>(joint.q_offset) << q0[3], q0[4], q0[5], q0[6], q0[0], q0[1], q0[2];
    }
  }
  twin.update();
  check_poses(twin);
  check_joints(twin);
  check_dynamics(twin);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    check_poses(twin);
    check_joints(twin);
    check_dynamics(twin);
  }
}

/// Returns true if an equality welds two bodies, which then never collide here.
bool are_welded(const mjModel& m, int b1, int b2) {
  const auto pair = std::minmax(m.body_weldid[b1], m.body_weldid[b2]);
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] != mjEQ_WELD || m.eq_active[e] == 0) continue;
    const int w1 = m.body_weldid[m.eq_obj1id[e]], w2 = m.body_weldid[m.eq_obj2id[e]];
    if (std::minmax(w1, w2) == pair) return true;
  }
  return false;
}

/// Applies MuJoCo's documented rules of selection to its arrays.
bool they_may_collide(const mjModel& m, int g1, int g2) {
  if (are_welded(m, m.geom_bodyid[g1], m.geom_bodyid[g2])) return false;
  for (int p = 0; p < m.npair; ++p) {
    if (std::minmax(m.pair_geom1[p], m.pair_geom2[p]) == std::minmax(g1, g2)) return true;
  }
  const int b1 = m.geom_bodyid[g1], b2 = m.geom_bodyid[g2];
  const int w1 = m.body_weldid[b1], w2 = m.body_weldid[b2];
  if (w1 == w2) return false;
  const int p1 = m.body_weldid[m.body_parentid[w1]], p2 = m.body_weldid[m.body_parentid[w2]];
  if (w1 != 0 && w2 != 0 && (p1 == w2 || p2 == w1)) return false;
  for (int e = 0; e < m.nexclude; ++e) {
    const int low = std::min(b1, b2), high = std::max(b1, b2);
    if (m.exclude_signature[e] == ((low + 1) << 16) + high + 1 ||
        m.exclude_signature[e] == ((high + 1) << 16) + low + 1) {
      return false;
    }
  }
  return (m.geom_contype[g1] & m.geom_conaffinity[g2]) != 0 ||
         (m.geom_contype[g2] & m.geom_conaffinity[g1]) != 0;
}

double their_friction(const mjModel& m, int g1, int g2) {
  for (int p = 0; p < m.npair; ++p) {
    if (std::minmax(m.pair_geom1[p], m.pair_geom2[p]) == std::minmax(g1, g2)) {
      return m.pair_dim[p] == 1 ? 0.0 : m.pair_friction[5 * p];
    }
  }
  int condim = std::max(m.geom_condim[g1], m.geom_condim[g2]);
  double friction = std::max(m.geom_friction[3 * g1], m.geom_friction[3 * g2]);
  if (m.geom_priority[g1] != m.geom_priority[g2]) {
    const int g = m.geom_priority[g1] > m.geom_priority[g2] ? g1 : g2;
    condim = m.geom_condim[g];
    friction = m.geom_friction[3 * g];
  }
  return condim == 1 ? 0.0 : friction;
}

void check_contacts(const MujocoTwin& twin) {
  const mjModel& m = *twin.model;
  const std::vector<int> geoms = touching_geoms(m, *twin.system);
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    for (std::size_t j = i + 1; j < geoms.size(); ++j) {
      CAPTURE(name_or(m, mjOBJ_GEOM, geoms[i], ""), name_or(m, mjOBJ_GEOM, geoms[j], ""));
      const int a = static_cast<int>(i), b = static_cast<int>(j);
      const bool theirs = they_may_collide(m, geoms[i], geoms[j]);
      CHECK(twin.system->may_collide(a, b) == theirs);
      if (!theirs) continue;
      CHECK(twin.system->pair_properties(a, b).friction ==
            Approx(their_friction(m, geoms[i], geoms[j])));
    }
  }
}

/// Returns efforts that actuators exert on joints of one coordinate, by their law at q and v.
Eigen::VectorXd our_efforts(const MujocoTwin& twin) {
  Eigen::VectorXd efforts = Eigen::VectorXd::Zero(twin.v.size());
  const auto offset = [&](const std::string& joint) {
    return twin.system->joints()[static_cast<std::size_t>(twin.system->find_joint("m/" + joint))];
  };
  for (const JointServo& servo : twin.ours().servos) {
    const JointCoordinate joint = offset(servo.joint);
    const double effort = servo.kp * (servo.target - twin.q[joint.q_offset]) +
                          servo.kd * (servo.target_rate - twin.v[joint.v_offset]);
    efforts[joint.v_offset] += servo.effort.clamp(effort);
  }
  for (const JointEffort& effort : twin.ours().efforts) {
    efforts[offset(effort.joint).v_offset] += effort.effort;
  }
  return efforts;
}

/// Returns a text without elements and attributes that MuJoCo 2.2 refuses, and without pictures.
std::string without_news(std::string text) {
  for (const char* news : {" actuatorfrcrange=\"[^\"]*\"", " integrator=\"implicitfast\"",
                           "<size memory[^>]*/>", "<jointactuatorfrc[^>]*/>", "<texture[^>]*/>",
                           "<material[^>]*/>", " material=\"[^\"]*\""}) {
    text = std::regex_replace(text, std::regex(news), "");
  }
  // Without this, MuJoCo gives a tetrahedron 1.39 times its mass.
  return std::regex_replace(text, std::regex("<compiler "), "<compiler exactmeshinertia=\"true\" ");
}

}  // namespace

TEST_CASE("MuJoCo reads MJCF files as we do: masses, poses, axes, mass matrix, bias, contacts") {
  for (const fs::path& file : xml_files(kOwn)) {
    CAPTURE(file.filename());
    MujocoTwin twin(file);
    INFO(twin.error);
    REQUIRE(twin.model);
    check_all(twin);
    check_contacts(twin);
  }
}

TEST_CASE("MuJoCo reads published robots and those of the examples as we do, without what is new") {
  const fs::path folder = fs::temp_directory_path() / "amontons-mjcf-copies";
  fs::create_directories(folder);
  std::vector<fs::path> files = xml_files(kShared);
  files.push_back(kExamples / "quadruped/quadruped.xml");
  files.push_back(kExamples / "arm/arm.xml");
  for (const fs::path& file : files) {
    CAPTURE(file.filename());
    const fs::path copy = folder / file.filename();
    std::ofstream(copy) << without_news(io::read_file(file));
    MujocoTwin twin(copy);
    INFO(twin.error);
    REQUIRE(twin.model);
    check_all(twin);
    check_contacts(twin);
  }
}

TEST_CASE("At the keyframe `home` actuators exert what they exert in MuJoCo") {
  MujocoTwin twin(kOwn / "drives.xml");
  REQUIRE(twin.model);
  const int home = mj_name2id(twin.model.get(), mjOBJ_KEY, "home");
  REQUIRE(home >= 0);
  Eigen::Map<Eigen::VectorXd>(twin.data->ctrl, twin.model->nu) = Eigen::Map<const Eigen::VectorXd>(
      twin.model->key_ctrl + home * twin.model->nu, twin.model->nu);
  twin.update();
  for (int j = 0; j < twin.model->nq; ++j) {
    CHECK(twin.data->qpos[j] == Approx(twin.model->key_qpos[home * twin.model->nq + j]));
  }
  std::mt19937 engine(3);
  for (int k = 0; k < 5; ++k) {
    const Eigen::VectorXd theirs =
        twin.to_mujoco.transpose() *
        Eigen::Map<const Eigen::VectorXd>(twin.data->qfrc_actuator, twin.model->nv);
    CHECK((our_efforts(twin) - theirs).norm() < 1e-12 * (1.0 + theirs.norm()));
    twin.randomize(engine);
  }
}

TEST_CASE("Connect, weld and joint constraints of MJCF hold where MuJoCo's do") {
  MujocoTwin twin(kOwn / "drives.xml");
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  const SceneModel& ours = twin.ours();
  REQUIRE(ours.loops.size() == 2);
  REQUIRE(ours.couplings.size() == 1);
  const auto pose_of = [&](int link) {
    return our_pose(twin, ours.links[static_cast<std::size_t>(link)].name);
  };
  std::mt19937 engine(5);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    // MuJoCo's residuals: position of body 1's point from body 2's, then the gear.
    const ModelLoop& connect = ours.loops[0];
    const Eigen::Vector3d gap = (pose_of(connect.link_a) * connect.X_AF).translation -
                                (pose_of(connect.link_b) * connect.X_BM).translation;
    REQUIRE(m.eq_type[0] == mjEQ_CONNECT);
    CHECK((gap - vector_at(twin.data->efc_pos, 0)).norm() < 1e-9);
    const ModelLoop& weld = ours.loops[1];
    const Pose X_WF = pose_of(weld.link_a) * weld.X_AF, X_WM = pose_of(weld.link_b) * weld.X_BM;
    const Eigen::Vector3d weld_gap = X_WF.translation - X_WM.translation;
    CHECK(weld_gap.norm() == Approx(vector_at(twin.data->efc_pos, 1).norm()).margin(1e-9));
    const JointCoupling& gear = ours.couplings[0];
    const auto position = [&](const std::string& name) {
      const int index = twin.system->find_joint("m/" + name);
      return twin.q[twin.system->joints()[static_cast<std::size_t>(index)].q_offset];
    };
    const double residual = position(gear.joint) - gear.curve.value(position(gear.reference));
    CHECK(residual == Approx(twin.data->efc_pos[9]).margin(1e-9));
  }
}

}  // namespace amontons::test
