#include "amontons/simulation/forces/inertial_gain.h"

#include "amontons/math/disjoint_sets.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of the kinetic energy that counts as an error of the finite step [-].
constexpr double kShare = 0.01;
// Share of the energy without impulses that counts as the residual of a solver [-].
constexpr double kResidual = 1e-6;

/// Holds the energies of a tree or an island in a step [J].
struct Energies {
  double kinetic = 0.0;  ///< T(q, v) + T(q+, v+)
  double free = 0.0;     ///< T(q, v_free)
  double rise = 0.0;     ///< T(q+, v+) - T(q, v)
  double fall = 0.0;     ///< V(q) - V(q+), of gravity
  double added = 0.0;    ///< u'I + T(q+, v+) - T(q, v+) + u'P
  double given = 0.0;    ///< what impulses of contacts and bounded rows give
  double rows = 0.0;     ///< work of rows of J, a part of `added`

  Energies& operator+=(const Energies& other) {
    kinetic += other.kinetic;
    free += other.free;
    rise += other.rise;
    fall += other.fall;
    added += other.added;
    given += other.given;
    rows += other.rows;
    return *this;
  }
  double allowance() const { return kShare * kinetic + kResidual * free; }
  double gain() const {
    // Without velocity there are no inertial forces.
    if (!(kinetic > rise)) return 0.0;
    return std::min({rise, rise - fall, added}) - given - std::max(0.0, rows) - allowance();
  }
};

/// Returns true if a tree has no velocity at the start and at the end of a step.
bool rests(std::size_t tree, const ContactProblem& problem, const ContactSolution& solution) {
  const BlockDiagonalMatrix::Block M = problem.mass_matrix.block(tree);
  const Index n = M.matrix.rows();
  return solution.velocity.segment(M.offset, n).isZero(0.0) &&
         problem.velocity.segment(M.offset, n).isZero(0.0);
}

/// Returns the energies of one tree, before what impulses give. M of the problem holds the gains of
/// drives and damping, which are no inertia; P is M (v+ - v_free) with them.
Energies energies_of(const System& system, std::size_t tree, const ContactProblem& problem,
                     const ContactSolution& solution, const FreeMotion& free_motion,
                     const SystemKinematics& start, const SystemKinematics& end) {
  const BlockDiagonalMatrix::Block M = problem.mass_matrix.block(tree);
  const bool is_damped =
      tree < free_motion.inertial_damping.size() && free_motion.inertial_damping[tree].size() > 0;
  double at_start = 0.0, at_end = 0.0;  // twice T(q, v) and T(q, v+)
  double work = 0.0, free = 0.0;        // u'(I + P), and twice T(q, v_free)
  for (Index j = 0; j < M.matrix.cols(); ++j) {
    const Index own = M.offset + j;
    const double v = problem.velocity[own], v_end = solution.velocity[own];
    double of_start = 0.0, of_end = 0.0, of_free = 0.0, impulse = free_motion.inertial_impulse[own];
    for (Index i = 0; i < M.matrix.rows(); ++i) {
      const Index other = M.offset + i;
      const double entry = M.matrix(i, j);
      const double damping = is_damped ? free_motion.inertial_damping[tree](i, j) : 0.0;
      of_start += (entry - damping) * problem.velocity[other];
      of_end += (entry - damping) * solution.velocity[other];
      of_free += entry * problem.free_velocity[other];
      impulse += entry * (solution.velocity[other] - problem.free_velocity[other]) -
                 damping * solution.velocity[other];
    }
    const double gain =
        free_motion.servo_gain[own] + free_motion.spring_gain[own] + free_motion.damper_gain[own];
    at_start += v * (of_start - gain * v);
    at_end += v_end * (of_end - gain * v_end);
    work += 0.5 * (v + v_end) * impulse;
    free += of_free * problem.free_velocity[own];
  }
  const Articulation& articulation = system.articulations()[tree];
  const double after = articulation.kinetic_energy(end.trees[tree]);
  Energies result;
  result.kinetic = 0.5 * at_start + after;
  result.free = 0.5 * free;
  result.rise = after - 0.5 * at_start;
  result.fall = articulation.potential_energy(start.trees[tree], system.gravity()) -
                articulation.potential_energy(end.trees[tree], system.gravity());
  result.added = work + after - 0.5 * at_end;
  return result;
}

/// Returns the energy that the impulses of a contact give [J].
double given_by_contact(const ContactProblem& problem, const ContactSolution& solution,
                        std::size_t contact) {
  const Index row = ContactProblem::row(contact);
  const Eigen::Vector3d p = solution.impulses.segment<3>(row);
  const double wall = -p.dot(problem.contact_bias.segment<3>(row));
  return p.z() * std::max(0.0, -problem.stabilized_gap(contact)) + std::max(0.0, wall);
}

/// Returns the energy that the impulse of a bounded row gives [J]; u is its mean velocity.
double given_by_bounded_row(const ContactProblem& problem, const ContactSolution& solution,
                            std::size_t row, double u) {
  const double f = solution.bounded_impulses[static_cast<Index>(row)];
  switch (problem.bounded_rows[row].kind) {
    case BoundedRowKind::Friction:
    case BoundedRowKind::Damper:
      return 0.0;
    case BoundedRowKind::Servo:
    case BoundedRowKind::Spring:
      return std::max(0.0, f * u);
    case BoundedRowKind::Limit:
      return f * std::max(0.0, -problem.bounded_offset(row));
  }
  return 0.0;
}

/// Returns false if no tree rises in kinetic energy, or none does beyond its fall: then no island
/// gains. This takes a fraction of the work of energies_of().
bool may_gain(const System& system, const ContactProblem& problem, const ContactSolution& solution,
              const SystemKinematics& start, const SystemKinematics& end) {
  bool rises = false, rises_beyond_fall = false;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    if (tree.has_central_inertia() || rests(a, problem, solution)) continue;
    const double before = tree.kinetic_energy(start.trees[a]);
    const double after = tree.kinetic_energy(end.trees[a]);
    const double rise = after - before - kShare * (before + after);
    rises = rises || rise > 0.0;
    const double fall = tree.potential_energy(start.trees[a], system.gravity()) -
                        tree.potential_energy(end.trees[a], system.gravity());
    rises_beyond_fall = rises_beyond_fall || rise > fall;
    if (rises && rises_beyond_fall) return true;
  }
  return false;
}

/// Collects the trees that impulses connect, and the energies of these islands.
class Islands {
 public:
  Islands(const System& system, std::vector<Energies> trees)
      : system_(system), energies_(std::move(trees)), sets_(energies_.size()) {}

  /// Joins the trees of a block row, and takes off what its impulse gives [J].
  void add(const BlockSparseMatrix& jacobian, std::size_t row, double given) {
    const int tree = join(jacobian, row);
    if (tree >= 0) energies_[static_cast<std::size_t>(tree)].given += given;
  }
  /// Joins the trees of a block row of J, whose impulses do some work [J].
  void add_rows(const BlockSparseMatrix& jacobian, std::size_t row, double work) {
    const int tree = join(jacobian, row);
    if (tree >= 0) energies_[static_cast<std::size_t>(tree)].rows += work;
  }

  /// Returns the gain of the islands.
  InertialGain gain() {
    std::vector<Energies> islands(energies_.size());
    for (std::size_t a = 0; a < energies_.size(); ++a) islands[root(a)] += energies_[a];
    InertialGain result;
    for (std::size_t a = 0; a < energies_.size(); ++a) {
      const double gain = islands[root(a)].gain();
      // A ball has no inertial forces.
      if (!(gain > 0.0) || system_.articulations()[a].has_central_inertia()) continue;
      result.largest = std::max(result.largest, gain);
      result.gaining.resize(energies_.size(), 0);
      result.gaining[a] = 1;
    }
    return result;
  }

 private:
  /// Joins the trees of a block row; returns the first of them, -1 if it has none.
  int join(const BlockSparseMatrix& jacobian, std::size_t row) {
    int first = -1;
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(row)) {
      const int tree = system_.articulation_of(static_cast<int>(block.col));
      if (first < 0) first = tree;
      sets_.join(first, tree);
    }
    return first;
  }
  std::size_t root(std::size_t a) {
    return static_cast<std::size_t>(sets_.root(static_cast<int>(a)));
  }

  const System& system_;
  std::vector<Energies> energies_;
  DisjointSets sets_;
};

/// Joins the trees that impulses connect, and takes off what these give.
void add_impulses(const ContactProblem& problem, const ContactSolution& solution,
                  Islands& islands) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (solution.impulses.segment<3>(ContactProblem::row(i)).isZero(0.0)) continue;
    islands.add(problem.contact_jacobian, i, given_by_contact(problem, solution, i));
  }
  const VectorXd mean = 0.5 * (problem.velocity + solution.velocity);
  if (!problem.bounded_rows.empty()) {
    const VectorXd u = problem.bounded_jacobian * mean;
    for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
      islands.add(problem.bounded_jacobian, i,
                  given_by_bounded_row(problem, solution, i, u[static_cast<Index>(i)]));
    }
  }
  if (solution.joint_impulses.size() == 0) return;
  const VectorXd work = solution.joint_impulses.cwiseProduct(problem.joint_jacobian * mean);
  for (std::size_t row = 0; row < problem.joint_jacobian.num_block_rows(); ++row) {
    const Index first = problem.joint_jacobian.first_row(row);
    islands.add_rows(problem.joint_jacobian, row,
                     work.segment(first, problem.joint_jacobian.num_rows(row)).sum());
  }
}

}  // namespace

InertialGain inertial_gain(const System& system, const ContactProblem& problem,
                           const ContactSolution& solution, const FreeMotion& free_motion,
                           const SystemKinematics& start, const SystemKinematics& end) {
  // Joints with prescribed rates do work.
  if (!system.prescribed().empty() || !problem.joint_bias.isZero(0.0)) return {};
  if (!may_gain(system, problem, solution, start, end)) return {};
  // An island gains only where one of its trees rises and one adds energy.
  bool rises = false, adds = false;
  for (std::size_t a = 0; a < system.articulations().size() && !(rises && adds); ++a) {
    if (system.articulations()[a].has_central_inertia() || rests(a, problem, solution)) continue;
    const Energies own = energies_of(system, a, problem, solution, free_motion, start, end);
    rises = rises || own.rise > own.allowance();
    adds = adds || own.added > own.allowance();
  }
  if (!(rises && adds)) return {};
  std::vector<Energies> trees;
  trees.reserve(system.articulations().size());
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    trees.push_back(energies_of(system, a, problem, solution, free_motion, start, end));
  }
  Islands islands(system, std::move(trees));
  add_impulses(problem, solution, islands);
  return islands.gain();
}

}  // namespace amontons
