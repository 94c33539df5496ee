#include "amontons/simulation/stepping/linked_inertia.h"

#include "amontons/dynamics/coupled_inertia.h"
#include "amontons/dynamics/divided_step.h"
#include "amontons/dynamics/energy_factor.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/swing_rotation.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Inertial forces below this share of the momentum are rounding.
constexpr double kRounding = 1e-13;

/// Returns the velocities of a linkage, tree after tree.
VectorXd gather(const System& system, const Linkage& linkage, const LinkageEquation& equation,
                const Eigen::Ref<const VectorXd>& v) {
  VectorXd result(equation.size());
  for (std::size_t i = 0; i < linkage.trees.size(); ++i) {
    const int a = linkage.trees[i];
    const Index n = system.articulations()[static_cast<std::size_t>(a)].num_velocities();
    result.segment(equation.offset(i), n) = v.segment(system.v_offset(a), n);
  }
  return result;
}

/// Returns true if the rows of a block row follow a motion in time.
bool is_prescribed(const System& system, std::size_t block_row) {
  const std::size_t num_loops = system.loop_joints().size();
  if (block_row >= num_loops) return block_row >= num_loops + system.couplings().size();
  const LoopJoint& joint = system.loop_joints()[block_row];
  const auto moves = [&system](int body) {
    return body >= 0 && system.bodies()[static_cast<std::size_t>(body)].motion >= 0;
  };
  return moves(joint.body_a) || moves(joint.body_b);
}

/// Returns the velocities that move the whole linkage along x, y and z of W [n x 3], or no columns
/// if its rows or roots hold it.
MatrixXd translations(const System& system, const Linkage& linkage,
                      const LinkageEquation& equation) {
  MatrixXd result = MatrixXd::Zero(equation.size(), 3);
  for (std::size_t i = 0; i < linkage.trees.size(); ++i) {
    const Articulation& tree = system.articulations()[static_cast<std::size_t>(linkage.trees[i])];
    for (std::size_t k = 0; k < tree.links().size(); ++k) {
      const Link& link = tree.links()[k];
      if (link.parent >= 0) continue;
      if (link.joint != JointType::Free) return MatrixXd(equation.size(), 0);
      const Index v0 = equation.offset(i) + tree.v_offset(static_cast<int>(k));
      result.middleRows<3>(v0 + 3) = link.X_PF.rotation.transpose();
    }
  }
  // Rows to the world see the translation.
  constexpr double kInternal = 1e-9;
  for (Index k = 0; k < 3; ++k) {
    const VectorXd own = result.col(k);
    if (equation.norm_of_rates(equation.rates(own)) > kInternal * equation.norm(own))
      return MatrixXd(equation.size(), 0);
  }
  return result;
}

/// Evaluates the energy of a linkage at the end of a step, relative to its center of mass.
class EndEnergy {
 public:
  EndEnergy(const System& system, const SystemKinematics& kinematics,
            std::span<const Vector3d> axes, const Linkage& linkage, const LinkageEquation& equation,
            bool is_floating)
      : system_(system),
        kinematics_(kinematics),
        axes_(axes),
        linkage_(linkage),
        equation_(equation),
        is_floating_(is_floating) {}

  /// Returns T(q (+) h factor x, x) less the energy of the center; keeps the linear momentum there.
  double operator()(const VectorXd& x, double h) {
    double energy = 0.0, mass = 0.0;
    momentum_.setZero();
    for (std::size_t i = 0; i < linkage_.trees.size(); ++i) {
      const int a = linkage_.trees[i];
      const auto place = static_cast<std::size_t>(a);
      const Articulation& tree = system_.articulations()[place];
      const VectorXd v = x.segment(equation_.offset(i), tree.num_velocities());
      q_end_.resize(tree.num_positions());
      integrate_swinging(tree, axes_[place],
                         kinematics_.q.segment(system_.q_offset(a), tree.num_positions()), v, h,
                         q_end_);
      tree.compute_motion(q_end_, v, at_end_);
      energy += tree.kinetic_energy(at_end_);
      if (!is_floating_) continue;
      for (std::size_t k = 0; k < tree.links().size(); ++k) {
        const SpatialInertia& body = tree.links()[k].inertia;
        const Vector3d w = at_end_.V_WB[k].head<3>(), v_B = at_end_.V_WB[k].tail<3>();
        momentum_ += body.mass * (v_B + w.cross(at_end_.X_WB[k].rotation * body.center_of_mass));
        mass += body.mass;
      }
    }
    return is_floating_ ? energy - 0.5 * momentum_.squaredNorm() / mass : energy;
  }
  const Vector3d& momentum() const { return momentum_; }

 private:
  const System& system_;
  const SystemKinematics& kinematics_;
  std::span<const Vector3d> axes_;
  const Linkage& linkage_;
  const LinkageEquation& equation_;
  bool is_floating_;
  Vector3d momentum_ = Vector3d::Zero();
  VectorXd q_end_;
  ArticulationKinematics at_end_;
};

}  // namespace

void LinkedInertiaStep::find_linkages(const System& system) {
  linkages_.clear();
  const std::size_t n = system.articulations().size();
  DisjointSets sets(n);
  std::vector<int> tree_of_row(jacobian_.num_block_rows(), -1);
  for (std::size_t r = 0; r < jacobian_.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : jacobian_.block_row(r)) {
      const int a = system.articulation_of(static_cast<int>(block.col));
      if (tree_of_row[r] < 0) tree_of_row[r] = a;
      sets.join(tree_of_row[r], a);
    }
  }
  // Linkages by their first tree; trees without rows belong to none.
  std::vector<int> linkage_of(n, -1);
  for (std::size_t r = 0; r < tree_of_row.size(); ++r) {
    if (tree_of_row[r] < 0) continue;
    int& own = linkage_of[static_cast<std::size_t>(sets.root(tree_of_row[r]))];
    if (own < 0) {
      own = static_cast<int>(linkages_.size());
      linkages_.emplace_back();
    }
    linkages_[static_cast<std::size_t>(own)].block_rows.push_back(r);
  }
  for (std::size_t a = 0; a < n; ++a) {
    const int own = linkage_of[static_cast<std::size_t>(sets.root(static_cast<int>(a)))];
    if (own >= 0) linkages_[static_cast<std::size_t>(own)].trees.push_back(static_cast<int>(a));
  }
}

const LinkedInertia& LinkedInertiaStep::compute(const System& system,
                                                const SystemKinematics& kinematics,
                                                const Eigen::Ref<const VectorXd>& v, double h,
                                                const CoupledInertia* coupled) {
  result_.trees.assign(system.articulations().size(), 0);
  result_.impulse.setZero(v.size());
  result_.velocity = v;
  result_.status = SolveStatus::Converged;
  if (system.num_joint_rows() == 0 || h == 0.0) return result_;
  assemble_joints(system, kinematics, jacobian_, error_);
  axes_ = spin_axes(system, kinematics.q, v);
  find_linkages(system);
  equations_.resize(linkages_.size());
  for (std::size_t i = 0; i < linkages_.size(); ++i) {
    equations_[i].reset(system, kinematics, jacobian_, axes_, linkages_[i]);
    if (i > 0) std::swap(equations_[0], equations_[i]);
    move(system, kinematics, v, h, linkages_[i], coupled);
    if (i > 0) std::swap(equations_[0], equations_[i]);
    for (const int a : linkages_[i].trees) result_.trees[static_cast<std::size_t>(a)] = 1;
  }
  return result_;
}

bool LinkedInertiaStep::project_start(const System& system, const Linkage& linkage,
                                      const VectorXd& v_t, VectorXd& v_p) {
  LinkageEquation& equation = equations_[0];
  // Rows of prescribed motions keep their rates.
  bool is_driven = false;
  VectorXd target = equation.rates(v_t);
  Index row = 0;
  for (const std::size_t r : linkage.block_rows) {
    const Index n = jacobian_.num_rows(r);
    if (is_prescribed(system, r)) {
      is_driven = true;
    } else {
      target.segment(row, n).setZero();
    }
    row += n;
  }
  v_p = v_t;
  equation.project(target, v_p);
  return is_driven;
}

void LinkedInertiaStep::keep_energy(const System& system, const SystemKinematics& kinematics,
                                    const Linkage& linkage, const VectorXd& v, double energy,
                                    double h, VectorXd& x) {
  const LinkageEquation& equation = equations_[0];
  const BlockDiagonalMatrix& M = equation.mass_matrix();
  // Where nothing holds the linkage, s acts relative to the center of mass.
  const MatrixXd shift = translations(system, linkage, equation);
  const bool is_floating = shift.cols() > 0;
  VectorXd center = VectorXd::Zero(x.size());
  double mass = 0.0;
  if (is_floating) {
    mass = shift.col(0).dot(M * shift.col(0));
    const Vector3d momentum = shift.transpose() * (M * v);
    center = shift * (momentum / mass);
    energy -= 0.5 * momentum.squaredNorm() / mass;
    x -= shift * (shift.transpose() * (M * x) / mass);
  }
  if (energy > 0.0) {
    EndEnergy at_end(system, kinematics, axes_, linkage, equation, is_floating);
    const double s = energy_factor(energy, [&](double factor) { return at_end(x, h * factor); });
    if (is_floating) x -= shift * (at_end.momentum() / mass);
    x *= s;
  }
  x += center;
}

VectorXd LinkedInertiaStep::coupled_impulse(const System& system,
                                            const SystemKinematics& kinematics,
                                            const Linkage& linkage, const VectorXd& v,
                                            const VectorXd& v_t, const VectorXd& w, double h) {
  LinkageEquation& equation = equations_[0];
  const BlockDiagonalMatrix& M = equation.mass_matrix();
  const MatrixXd shift = translations(system, linkage, equation);
  const bool is_floating = shift.cols() > 0;
  // What the motion h w changes of energy and momentum.
  EndEnergy at_end(system, kinematics, axes_, linkage, equation, is_floating);
  const double energy = at_end(w, h);
  const VectorXd momentum = M * w;
  InertiaChange change;
  change.energy = energy - 0.5 * w.dot(momentum);
  if (is_floating) {
    change.energy += 0.5 * at_end.momentum().squaredNorm() / shift.col(0).dot(M * shift.col(0));
    change.momentum = at_end.momentum() - shift.transpose() * momentum;
  }
  VectorXd impulse = M * (v_t - v) - h * equation.bias(0.5 * (v_t + w));
  VectorXd relative, direction;
  balance_inertia(M, shift, 0.5 * (v + w), change, relative, direction, impulse);
  return impulse;
}

void LinkedInertiaStep::move(const System& system, const SystemKinematics& kinematics,
                             const Eigen::Ref<const VectorXd>& v_system, double h,
                             const Linkage& linkage, const CoupledInertia* coupled) {
  LinkageEquation& equation = equations_[0];
  const VectorXd v = gather(system, linkage, equation, v_system);
  const VectorXd swung = equation.swung(v, h);
  // Nothing acts on single bodies in plane motion, where the contact problem finds x by itself.
  const double size = equation.norm(v);
  const bool is_swung = equation.norm(swung - v) > kRounding * size;
  const bool are_bodies = std::all_of(linkage.trees.begin(), linkage.trees.end(), [&](int a) {
    return system.articulations()[static_cast<std::size_t>(a)].num_links() == 1;
  });
  if (are_bodies && !is_swung &&
      h * equation.norm(equation.response(equation.bias(v))) <= kRounding * size)
    return;
  if (!equation.factor_rows()) {
    result_.status = SolveStatus::Safe;
    return;
  }
  // Velocities that obey the rows already have not moved with a step.
  constexpr double kObeys = 1e-3;
  const bool obeys = equation.norm_of_rates(equation.rates(v)) <
                     kObeys * equation.norm_of_rates(equation.rates(swung));
  const VectorXd& v_t = obeys ? v : swung;
  VectorXd v_p, x;
  const bool is_driven = project_start(system, linkage, v_t, v_p);
  if (solve_in_parts(equation, v_p, h, x) != SolveStatus::Converged)
    result_.status = SolveStatus::Safe;
  // Reaction of the rows to all that the inertial forces do not explain.
  VectorXd unexplained = x - v_t + h * equation.response(equation.bias(0.5 * (v_p + x)));
  const VectorXd still = VectorXd::Zero(equation.rates(x).size());
  const VectorXd multiplier = -equation.project(still, unexplained);
  // Energy at the start, less that of the speed that the projection removes.
  if (!is_driven) {
    const double before = equation.norm(v_t), left = equation.norm(v_p);
    const double energy = 0.5 * (size * size - before * before + left * left);
    keep_energy(system, kinematics, linkage, v, energy, h, x);
  }
  VectorXd impulse = equation.mass_matrix() * (x - v) - equation.impulses(multiplier);
  if (coupled != nullptr && coupled->velocity.size() > 0) {
    const VectorXd w = gather(system, linkage, equation, coupled->velocity);
    if (!w.isZero(0.0)) impulse = coupled_impulse(system, kinematics, linkage, v, v_t, w, h);
  }
  for (std::size_t i = 0; i < linkage.trees.size(); ++i) {
    const int a = linkage.trees[i];
    const Index n = system.articulations()[static_cast<std::size_t>(a)].num_velocities();
    const Index own = equation.offset(i), v0 = system.v_offset(a);
    result_.impulse.segment(v0, n) = impulse.segment(own, n);
    result_.velocity.segment(v0, n) = x.segment(own, n);
  }
}

}  // namespace amontons
