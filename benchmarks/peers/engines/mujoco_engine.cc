// MuJoCo: soft contacts by design.

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/engines/mujoco_handles.h"
#include "benchmarks/peers/engines/mujoco_model.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <stdexcept>

namespace amontons::peers {
namespace {

// MuJoCo's own handlers print and write a log file; the warnings are counted in its data.
void ignore_warning(const char*) {}
void throw_error(const char* message) { throw std::runtime_error(message); }

class MujocoEngine : public Engine {
 public:
  MujocoEngine(const World& world, const std::string& setting) : world_(world) {
    mju_user_warning = ignore_warning;
    mju_user_error = throw_error;
    model_ = load_mujoco_model(mujoco_model(world, mujoco_options(setting)));
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw std::runtime_error("MuJoCo: no memory for the data of this model");
    for (const WorldBody& body : world.moving) {
      bodies_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, body.name.c_str()));
    }
    for (std::size_t i = 0; i < world.moving.size(); ++i) set_velocity(i);
  }

  void step() override {
    set_controls();
    mj_step(model_.get(), data_.get());
  }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(world_.moving.size());
    if (!world_.joints.empty()) {
      // A step leaves these as they are at its start; the next one recomputes them.
      mj_kinematics(model_.get(), data_.get());
      mj_comPos(model_.get(), data_.get());
      mj_comVel(model_.get(), data_.get());
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      states[i] = world_.moving[i].planar         ? planar_state(i)
                  : world_.joint_of(i) != nullptr ? carried_state(i)
                                                  : free_state(i);
    }
  }

  int num_contacts() const override { return data_->ncon; }

  /// Returns the number of warnings: contacts or rows dropped for lack of memory, bad states.
  int num_errors() const override {
    int count = 0;
    for (const mjWarningStat& warning : data_->warning) count += warning.number;
    return count;
  }

 private:
  int first_joint(std::size_t i) const { return model_->body_jntadr[bodies_[i]]; }
  const mjtNum* position(std::size_t i) const {
    return data_->qpos + model_->jnt_qposadr[first_joint(i)];
  }
  mjtNum* velocity(std::size_t i) const { return data_->qvel + model_->jnt_dofadr[first_joint(i)]; }

  // Target positions of the joints at the end of the step. A damper also opposes the rate, so the
  // target is ahead by as much.
  void set_controls() {
    mjtNum* control = data_->ctrl;
    for (const WorldJoint& joint : world_.joints) {
      if (!joint.is_driven()) continue;
      const double end = joint.target(data_->time + world_.step);
      const double rate = (end - joint.target(data_->time)) / world_.step;
      const double lead =
          joint.motion ? kMotionDamping / kMotionStiffness : joint.servo->kd / joint.servo->kp;
      *control++ = end + lead * rate;
    }
  }

  // A free joint's linear velocity is in the world, its angular velocity in the body.
  void set_velocity(std::size_t i) {
    const WorldBody& body = world_.moving[i];
    mjtNum* v = velocity(i);
    if (const WorldJoint* carrier = world_.joint_of(i)) {
      v[0] = carrier->rate;
      return;
    }
    if (body.planar) {
      v[0] = body.linear.x();
      v[1] = body.linear.z();
      v[2] = body.angular.y();
      return;
    }
    Eigen::Map<Eigen::Vector3d> linear(v), angular(v + 3);
    linear = body.linear;
    angular = body.X_WB.rotation.transpose() * body.angular;
  }

  BodyState free_state(std::size_t i) const {
    const mjtNum* q = position(i);
    const mjtNum* v = velocity(i);
    BodyState state;
    state.X_WB.translation = Eigen::Map<const Eigen::Vector3d>(q);
    state.X_WB.rotation =
        Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized().toRotationMatrix();
    state.linear = Eigen::Map<const Eigen::Vector3d>(v);
    state.angular = state.X_WB.rotation * Eigen::Map<const Eigen::Vector3d>(v + 3);
    return state;
  }

  BodyState carried_state(std::size_t i) const {
    BodyState state;
    const mjtNum* R = data_->xmat + 9 * bodies_[i];
    state.X_WB.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R);
    state.X_WB.translation = Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * bodies_[i]);
    Eigen::Matrix<mjtNum, 6, 1> V;
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_BODY, bodies_[i], V.data(), 0);
    state.angular = V.head<3>();
    state.linear = V.tail<3>();
    return state;
  }

  BodyState planar_state(std::size_t i) const {
    const mjtNum* q = position(i);
    const mjtNum* v = velocity(i);
    const Pose& start = world_.moving[i].X_WB;
    BodyState state;
    state.X_WB.translation = start.translation + Eigen::Vector3d(q[0], 0.0, q[1]);
    state.X_WB.rotation =
        Eigen::AngleAxisd(q[2], Eigen::Vector3d::UnitY()).toRotationMatrix() * start.rotation;
    state.linear = Eigen::Vector3d(v[0], 0.0, v[1]);
    state.angular = Eigen::Vector3d(0.0, v[2], 0.0);
    return state;
  }

  World world_;
  MujocoModel model_;
  MujocoData data_;
  std::vector<int> bodies_;  // MuJoCo's number of each moving body
};

}  // namespace

EngineInfo engine_info() {
  return {"mujoco",
          mj_versionString(),
          {{"newton", "Newton, pyramidal cone, solref 0.02 1, Euler"},
           {"elliptic", "Newton, elliptic cone"},
           {"pgs", "PGS, pyramidal cone"},
           {"cg", "CG, pyramidal cone"},
           {"tuned", "elliptic, impratio 10, noslip 50, solref 2h, solimp 0.99 0.9999"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  return std::make_unique<MujocoEngine>(world, setting);
}

}  // namespace amontons::peers
