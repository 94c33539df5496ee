#include "amontons/simulation/supported_efforts.h"

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/rotation.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/system/tree_base.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kTolerance = 1e-10;  // of the cone program [-]

/// Holds the coordinates of a tree's base that has no actuator.
struct Base {
  Index first = 0, size = 0;  // in v
  Index column = 0;           // in the problem of the bases
};

/// Returns the base of each tree; of size 0 where it is fixed.
std::vector<Base> bases_of(const System& system) {
  std::vector<Base> bases;
  Index column = 0;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const JointType root = system.articulations()[a].links()[0].joint;
    const Index size = has_moving_base(system, static_cast<int>(a)) ? num_velocities(root) : 0;
    bases.push_back({system.v_offset(static_cast<int>(a)), size, column});
    column += size;
  }
  return bases;
}

/// Returns the Jacobian of a contact's velocity along one tree [3 x nv of the tree].
Eigen::MatrixXd rows_of(const System& system, const SystemKinematics& kinematics,
                        const Contact& contact, int tree) {
  const Eigen::Matrix3d R_CW = contact_frame(contact.normal_W).transpose();
  const Index n = system.articulations()[static_cast<std::size_t>(tree)].num_velocities();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, n);
  for (const auto& [body, sign] :
       {std::pair{contact.body_b, 1.0}, std::pair{contact.body_a, -1.0}}) {
    if (system.bodies()[static_cast<std::size_t>(body)].articulation != tree) continue;
    rows +=
        sign * R_CW * body_jacobian(system, kinematics, body, contact.position_W).bottomRows<3>();
  }
  return rows;
}

/// Returns the trees of the bodies of a contact, each once, in order.
std::vector<int> trees_of(const System& system, const Contact& contact) {
  std::vector<int> trees;
  for (const int body : {contact.body_a, contact.body_b}) {
    const int tree = system.bodies()[static_cast<std::size_t>(body)].articulation;
    if (tree >= 0 && (trees.empty() || trees.front() != tree)) trees.push_back(tree);
  }
  if (trees.size() == 2 && trees[0] > trees[1]) std::swap(trees[0], trees[1]);
  return trees;
}

/// Makes the problem of the bases alone: impulses of a unit of time in place of forces.
ContactProblem problem_of_bases(const System& system, const SystemKinematics& kinematics,
                                const std::vector<Base>& bases,
                                const Eigen::Ref<const Eigen::VectorXd>& tau,
                                const std::vector<Contact>& contacts) {
  ContactProblem problem;
  problem.step = 1.0;
  problem.gamma = 0.0;
  Eigen::VectorXd needed(bases.back().column + bases.back().size);
  for (std::size_t a = 0; a < bases.size(); ++a) {
    const Base& base = bases[a];
    if (base.size == 0) continue;
    const Eigen::MatrixXd M = system.articulations()[a].mass_matrix(kinematics.trees[a]);
    problem.mass_matrix.add_block(M.topLeftCorner(base.size, base.size));
    needed.segment(base.column, base.size) = tau.segment(base.first, base.size);
  }
  problem.free_velocity = -BlockDiagonalFactor(problem.mass_matrix).solve(needed);
  problem.velocity = problem.free_velocity;
  problem.contacts = contacts;
  problem.contact_jacobian.reset(needed.size());
  for (Contact& contact : problem.contacts) {
    contact.gap = 0.0;
    contact.restitution = contact.viscous_friction = 0.0;
    problem.contact_jacobian.add_block_row(3);
    for (const int tree : trees_of(system, contact)) {
      const Base& base = bases[static_cast<std::size_t>(tree)];
      if (base.size == 0) continue;
      problem.contact_jacobian.add_block(
          base.column, rows_of(system, kinematics, contact, tree).leftCols(base.size));
    }
  }
  problem.contact_bias.setZero(3 * static_cast<Index>(contacts.size()));
  problem.joint_jacobian.reset(needed.size());
  problem.bounded_jacobian.reset(needed.size());
  return problem;
}

/// Returns the contacts within a gap, with forces that may act.
std::vector<Contact> touching_contacts(const System& system, const SystemKinematics& kinematics,
                                       double touching) {
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(system.num_velocities());
  std::vector<Contact> contacts;
  // A step of one second at that speed: the horizon is the gap.
  ContactDetector(system).find_contacts(kinematics, still, still, 1.0, {touching}, contacts);
  std::erase_if(contacts, [&](const Contact& contact) { return contact.gap > touching; });
  return contacts;
}

}  // namespace

SupportedEfforts supported_efforts(const System& system, const SystemKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& tau, double touching) {
  if (tau.size() != system.num_velocities()) {
    throw std::invalid_argument("supported efforts: tau must have " +
                                std::to_string(system.num_velocities()) + " entries");
  }
  if (!(touching >= 0.0)) throw std::invalid_argument("supported efforts: touching is negative");
  SupportedEfforts result;
  result.efforts = tau;
  result.missing = Eigen::VectorXd::Zero(tau.size());
  result.contacts = touching_contacts(system, kinematics, touching);
  result.forces = Eigen::VectorXd::Zero(3 * static_cast<Index>(result.contacts.size()));
  const std::vector<Base> bases = bases_of(system);
  const bool any_base = !bases.empty() && bases.back().column + bases.back().size > 0;
  // The least error of acceleration is a cone program: that of the convex relaxation at s = 0.
  if (any_base && !result.contacts.empty()) {
    ModelSettings settings;
    settings.tolerance = kTolerance;
    settings.minimum_norm = true;
    result.forces = make_model("convex-relaxation", settings)
                        ->solve(problem_of_bases(system, kinematics, bases, tau, result.contacts),
                                Eigen::VectorXd())
                        .impulses;
  }
  for (std::size_t i = 0; i < result.contacts.size(); ++i) {
    for (const int tree : trees_of(system, result.contacts[i])) {
      const Eigen::MatrixXd J = rows_of(system, kinematics, result.contacts[i], tree);
      result.efforts.segment(system.v_offset(tree), J.cols()) -=
          J.transpose() * result.forces.segment<3>(ContactProblem::row(i));
    }
  }
  // What is left along the bases is missing.
  for (const Base& base : bases) {
    result.missing.segment(base.first, base.size) = result.efforts.segment(base.first, base.size);
    result.efforts.segment(base.first, base.size).setZero();
  }
  return result;
}

}  // namespace amontons
