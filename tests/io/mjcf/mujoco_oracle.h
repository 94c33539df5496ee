#pragma once

#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <mujoco/mujoco.h>
#include <random>
#include <string>
#include <vector>

// One MJCF file as MuJoCo reads it, beside the same file as Amontons reads it.

namespace amontons::test {

struct MujocoDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Vector3d vector_at(const mjtNum* numbers, int index) {
  return Eigen::Map<const Eigen::Vector3d>(numbers + 3 * index);
}
inline Eigen::Matrix3d rotation_at(const mjtNum* wxyz, int index) {
  const mjtNum* q = wxyz + 4 * index;
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}
inline Eigen::Matrix3d matrix_at(const mjtNum* numbers, int index) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers + 9 * index);
}

inline Scene load_mjcf(const std::filesystem::path& file, const std::string& more = "") {
  const std::string text =
      "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nmodels: [{name: m, file: " +
      file.filename().string() + more + "}]\n";
  return io::parse_scene(text, (file.parent_path() / "scene.yaml").string(),
                         io::DiskFiles(file.parent_path()));
}

/// Holds both readings and brings them to the same configurations. Joint j of MuJoCo is the j-th
/// moving joint of Amontons. MuJoCo's velocities of a free joint are (v in W, w in B), of a ball w
/// in B. Those of Amontons are (w, v), and w in the joint's frame F, which for free joints is the
/// world.
class MujocoTwin {
 public:
  /// Reads a file. `model` is null, and `error` says why, where MuJoCo does not accept it.
  explicit MujocoTwin(const std::filesystem::path& file) {
    mju_user_warning = [](const char*) {};  // else it writes MUJOCO_LOG.TXT where it runs
    char text[1000] = "";
    model.reset(mj_loadXML(file.c_str(), nullptr, text, sizeof text));
    error = text;
    if (!model) return;
    data.reset(mj_makeData(model.get()));
    read_ours(file);
  }

  /// Reads a file that should say the same to Amontons as the first one to MuJoCo.
  void read_ours(const std::filesystem::path& file) {
    scene = std::make_unique<Scene>(load_mjcf(file));
    system = std::make_unique<System>(*scene);
    joints.clear();
    for (const ModelJoint& joint : ours().joints) {
      if (joint.type != JointType::Fixed) joints.push_back(&joint);
    }
    REQUIRE(static_cast<int>(joints.size()) == model->njnt);
    q = system->initial_state().q;
    v = Eigen::VectorXd::Zero(system->num_velocities());
    update();
  }

  const SceneModel& ours() const { return scene->models.at(0); }

  const JointCoordinate& coordinate(int joint) const {
    const int index = system->find_joint("m/" + joints[static_cast<std::size_t>(joint)]->name);
    REQUIRE(index >= 0);
    return system->joints()[static_cast<std::size_t>(index)];
  }

  /// Draws positions and rates between -1 and 1, and turns of free and ball joints in any
  /// direction.
  void randomize(std::mt19937& engine) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = number(engine);
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = number(engine);
    for (int j = 0; j < model->njnt; ++j) {
      const JointCoordinate& joint = coordinate(j);
      if (joint.num_q >= 4) q.segment<4>(joint.q_offset).normalize();
    }
    update();
  }

  /// Updates everything of MuJoCo's at q and v, and the kinematics of Amontons.
  void update() {
    compute_kinematics(*system, q, v, 0.0, kinematics);
    to_mujoco = Eigen::MatrixXd::Zero(model->nv, system->num_velocities());
    for (int j = 0; j < model->njnt; ++j) set_joint(j);
    Eigen::Map<Eigen::VectorXd>(data->qvel, model->nv) = to_mujoco * v;
    mj_forward(model.get(), data.get());
  }

  /// Returns M, or the bias forces C v - gravity, of Amontons in its own coordinates.
  Eigen::MatrixXd our_mass_matrix() const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(v.size(), v.size());
    for (std::size_t a = 0; a < system->articulations().size(); ++a) {
      const Articulation& tree = system->articulations()[a];
      const int i = system->v_offset(static_cast<int>(a)), n = tree.num_velocities();
      M.block(i, i, n, n) = tree.mass_matrix(kinematics.trees[a]);
    }
    return M;
  }
  Eigen::VectorXd our_bias(const Eigen::Vector3d& gravity) const {
    Eigen::VectorXd bias(v.size());
    for (std::size_t a = 0; a < system->articulations().size(); ++a) {
      const Articulation& tree = system->articulations()[a];
      const int i = system->v_offset(static_cast<int>(a)), n = tree.num_velocities();
      bias.segment(i, n) = tree.bias_forces(kinematics.trees[a], v.segment(i, n)) -
                           tree.gravity_forces(kinematics.trees[a], gravity);
    }
    return bias;
  }
  /// Returns the same of MuJoCo, in the coordinates of Amontons.
  Eigen::MatrixXd their_mass_matrix() const {
    RowMatrix M(model->nv, model->nv);
    mj_fullM(model.get(), M.data(), data->qM);
    return to_mujoco.transpose() * M * to_mujoco;
  }
  Eigen::VectorXd their_bias() const {
    return to_mujoco.transpose() * Eigen::Map<const Eigen::VectorXd>(data->qfrc_bias, model->nv);
  }

  std::unique_ptr<mjModel, MujocoDeleter> model;
  std::unique_ptr<mjData, MujocoDeleter> data;
  std::string error;
  std::unique_ptr<Scene> scene;
  std::unique_ptr<System> system;
  std::vector<const ModelJoint*> joints;  ///< moving joints, in MuJoCo's order
  Eigen::VectorXd q, v;
  Eigen::MatrixXd to_mujoco;  ///< their velocities = to_mujoco * ours
  SystemKinematics kinematics;

 private:
  void set_joint(int j) {
    const JointCoordinate& joint = coordinate(j);
    const int q_theirs = model->jnt_qposadr[j], v_theirs = model->jnt_dofadr[j];
    if (joint.num_v == 1) {
      data->qpos[q_theirs] = q[joint.q_offset];
      to_mujoco(v_theirs, joint.v_offset) = 1.0;
      return;
    }
    const Eigen::Vector4d wxyz = q.segment<4>(joint.q_offset);
    const Eigen::Matrix3d R =
        Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).toRotationMatrix();
    const bool free = joint.num_v == 6;
    Eigen::Map<Eigen::Vector4d>(data->qpos + q_theirs + (free ? 3 : 0)) = wxyz;
    to_mujoco.block<3, 3>(v_theirs + (free ? 3 : 0), joint.v_offset) = R.transpose();
    if (!free) return;
    Eigen::Map<Eigen::Vector3d>(data->qpos + q_theirs) = q.segment<3>(joint.q_offset + 4);
    to_mujoco.block<3, 3>(v_theirs, joint.v_offset + 3).setIdentity();
  }
};

}  // namespace amontons::test
