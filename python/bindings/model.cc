#include "python/bindings/model.h"

#include "amontons/dynamics/jacobian_rate.h"
#include "amontons/simulation/system/orientations.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace amontons::python {
namespace {

/// Throws std::invalid_argument unless all bodies have finite places.
const SystemKinematics& with_finite_places(const SystemKinematics& at) {
  // Zero times what is infinite or no number is no number.
  Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  for (const Pose& X_WB : at.X_WB) zero += 0.0 * X_WB.translation;
  evaluated(zero);
  return at;
}

/// Returns the names of all items.
template <typename Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

const SystemKinematics& Model::now() {
  if (const SystemKinematics* end = known().end) {
    return with_finite_places(*end);
  }
  const State& x = state();
  // Changes of masses change the inertias.
  if (!known_ || x.time != kinematics_.time || x.q != kinematics_.q || x.v != v_ ||
      x.changes != changes_) {
    known_ = false;
    compute_kinematics(system(), x.q, x.v, x.time, kinematics_);
    with_finite_places(kinematics_);
    v_ = x.v;
    changes_ = x.changes;
    known_ = true;
  }
  return kinematics_;
}

const SystemKinematics& Model::at(const std::optional<Eigen::VectorXd>& q,
                                  const std::optional<Eigen::VectorXd>& v) {
  if (!q && !v) return now();
  const Eigen::VectorXd& positions = q ? *q : state().q;
  const Eigen::VectorXd& velocities = v ? *v : state().v;
  if (positions.size() != system().num_positions() ||
      velocities.size() != system().num_velocities()) {
    throw std::invalid_argument("q must have " + std::to_string(system().num_positions()) +
                                " entries and v " + std::to_string(system().num_velocities()) +
                                ", not " + std::to_string(positions.size()) + " and " +
                                std::to_string(velocities.size()));
  }
  if (!positions.allFinite() || !velocities.allFinite()) {
    throw std::invalid_argument("q and v must be finite");
  }
  require_orientations(system(), positions);
  compute_kinematics(system(), positions, velocities, state().time, other_);
  return with_finite_places(other_);
}

const SystemKinematics& Model::at_start(const StepReport& report) {
  const StepKinematics own = known();
  return start_kinematics(system(), report, &own, start_);
}

int Model::body(const std::string& name) const {
  const int index = system().find_body(name);
  if (index < 0) throw UnknownNameError("body", name, body_names());
  return index;
}

int Model::joint(const std::string& name) const {
  const int index = system().find_joint(name);
  if (index < 0) throw UnknownNameError("joint", name, joint_names());
  return index;
}

FramePlace Model::frame(const std::string& name) const {
  if (const int body = system().find_body(name); body >= 0) return {body};
  const int index = system().find_frame(name);
  if (index < 0) {
    std::vector<std::string> known = body_names();
    for (const std::string& own : frame_names()) known.push_back(own);
    throw UnknownNameError("body or frame", name, known);
  }
  const SystemFrame& own = system().frames()[static_cast<std::size_t>(index)];
  return {own.body, own.X_BF};
}

std::vector<std::string> Model::frame_names() const { return names_of(system().frames()); }
std::vector<std::string> Model::sensor_names() const { return names_of(system().sensors()); }
std::vector<std::string> Model::body_names() const { return names_of(system().bodies()); }
std::vector<std::string> Model::joint_names() const { return names_of(system().joints()); }

Matrix6Xd Model::jacobian(const SystemKinematics& at, int body, const Eigen::Vector3d& p_B) const {
  Matrix6Xd J = Matrix6Xd::Zero(6, system().num_velocities());
  const Body& own = system().bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) return J;
  const auto a = static_cast<std::size_t>(own.articulation);
  const Articulation& tree = system().articulations()[a];
  tree.frame_jacobian(at.trees[a], own.link, at.X_WB[static_cast<std::size_t>(body)] * p_B,
                      J.middleCols(system().v_offset(own.articulation), tree.num_velocities()));
  return evaluated(std::move(J));
}

Matrix6Xd Model::jacobian_rate(const SystemKinematics& at, int body,
                               const Eigen::Vector3d& p_B) const {
  const Body& own = system().bodies()[static_cast<std::size_t>(body)];
  Matrix6Xd rate = Matrix6Xd::Zero(6, system().num_velocities());
  if (own.articulation < 0) return rate;
  const auto a = static_cast<std::size_t>(own.articulation);
  const Articulation& tree = system().articulations()[a];
  Eigen::MatrixXd of_tree(6, tree.num_velocities());
  frame_jacobian_rate(tree, at.trees[a], own.link, at.X_WB[static_cast<std::size_t>(body)] * p_B,
                      of_tree);
  rate.middleCols(system().v_offset(own.articulation), of_tree.cols()) = of_tree;
  return evaluated(std::move(rate));
}

Vector6d Model::twist(int body, const Eigen::Vector3d& p_B) {
  const SystemKinematics& at = now();
  return evaluated(
      body_velocity(system(), at, body, at.X_WB[static_cast<std::size_t>(body)] * p_B, state().v));
}

Eigen::MatrixXd Model::mass_matrix(const SystemKinematics& at) const {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(system().num_velocities(), system().num_velocities());
  for (std::size_t a = 0; a < system().articulations().size(); ++a) {
    const Articulation& tree = system().articulations()[a];
    const Eigen::Index v0 = system().v_offset(static_cast<int>(a)), n = tree.num_velocities();
    tree.mass_matrix(at.trees[a], M.block(v0, v0, n, n));
  }
  return evaluated(std::move(M));
}

Eigen::VectorXd Model::bias(const SystemKinematics& at, const Eigen::VectorXd& v) {
  Eigen::VectorXd result(system().num_velocities());
  for (std::size_t a = 0; a < system().articulations().size(); ++a) {
    const Articulation& tree = system().articulations()[a];
    const Eigen::Index v0 = system().v_offset(static_cast<int>(a)), n = tree.num_velocities();
    tree.bias_forces(at.trees[a], v.segment(v0, n), system().gravity(), newton_euler_,
                     result.segment(v0, n));
  }
  return evaluated(std::move(result));
}

const StepReport& Model::report() const {
  const StepReport* last = last_report();
  if (last == nullptr) throw NoStepError();
  return *last;
}

const System& Model::system_of(const StepReport& report) {
  const auto is_as = [&report](const System& own) {
    const Commands &now = own.commands(), &then = report.commands;
    const auto same = [](const TargetCommand& a, const TargetCommand& b) {
      return a.servo == b.servo && a.target == b.target && a.target_rate == b.target_rate;
    };
    return now.changes == then.changes && std::ranges::equal(now.targets, then.targets, same);
  };
  if (is_as(system())) {
    of_step_.reset();
    return system();
  }
  if (!of_step_ || !is_as(*of_step_)) {
    of_step_ = std::make_unique<System>(system());
    of_step_->set_commands(report.commands);
  }
  return *of_step_;
}

}  // namespace amontons::python
