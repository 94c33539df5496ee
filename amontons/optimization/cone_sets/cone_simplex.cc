#include "amontons/optimization/cone_sets/cone_simplex.h"

#include "amontons/optimization/cone_sets/updated_basis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int kMaxUpdates = 60;         // pivots between two factorizations: updates cost more then
constexpr double kPivot = 1e-9;         // smaller entries [-] do not block; the data are near 1
constexpr double kOptimal = 1e-10;      // reduced costs above its negative are zero
constexpr double kNoiseOfTies = 1e-10;  // shift that separates ties, share of the right-hand side
constexpr double kHarris = 1e-13;       // excess over zero allowed for a larger pivot
constexpr double kMaxVertexError = 1e-7;  // largest error of a vertex, share of the data's size
constexpr double kRay = 1e-9;             // largest X r along a ray, share of the ray's size

/// Names a generator of a block, or the artificial variable of a row.
struct Variable {
  int block = -1;  // block of the generator; -1: artificial
  int index = 0;   // number of the generator, or of the row
  bool is_artificial() const { return block < 0; }
};

}  // namespace

/// Walks from vertex to vertex by pivots of the revised simplex method.
class ConeSimplex::Path {
 public:
  Path(const Eigen::SparseMatrix<double>& X, std::vector<GeneratedCone> cones, const VectorXd& r_0)
      : X_(X), cones_(std::move(cones)), r_0_(r_0), basis_(X.rows()) {
    const std::size_t n = cones_.size();
    if (X.cols() != 3 * static_cast<Index>(n) || r_0.size() != X.cols()) {
      throw std::invalid_argument("cone simplex: " + std::to_string(n) + " cones, " +
                                  std::to_string(X.cols()) + " columns and a point of " +
                                  std::to_string(r_0.size()) + " entries");
    }
    vanished_.assign(n, 0);
    has_ray_.assign(n, 0);
    // Values are relative to the larger of X r_0 and r_0.
    b_ = X * r_0;
    for (const double size : {b_.lpNorm<Eigen::Infinity>(), r_0.lpNorm<Eigen::Infinity>()}) {
      size_ = std::max(size_, size);
    }
    if (size_ == 0.0) size_ = 1.0;
    start(kNoiseOfTies);
  }

  /// Optimizes sign * n of a block, from the present vertex.
  End optimize(int block, double sign) {
    if (cone(block).is_apex()) return {SolveStatus::Converged, 0.0};
    const End end = follow(block, sign);
    if (end.status == SolveStatus::Converged || shift_.isZero(0.0)) return end;
    // Where the shift itself spoils the vertex: from r_0 again, without the shift.
    start(0.0);
    return follow(block, sign);
  }

  bool vanished(int block) const { return vanished_[static_cast<std::size_t>(block)] != 0; }
  bool has_ray(int block) const { return has_ray_[static_cast<std::size_t>(block)] != 0; }
  int pivots() const { return pivots_; }

 private:
  /// Pivots until no generator improves the objective, or none blocks it.
  End follow(int block, double sign) {
    const Index limit = 100 * (X_.rows() + X_.cols()) + 1000;
    for (Index step = 0; step < limit; ++step) {
      if (!is_sound_) return {.status = SolveStatus::NumericalFailure};
      // Pricing: y = B^-T c_B, then the most negative reduced cost.
      const VectorXd multipliers = multipliers_of(block, sign);
      const std::optional<Variable> entering = find_entering(block, sign, multipliers);
      std::optional<End> end;
      if (!entering) {
        end = optimum(sign, multipliers);
      } else {
        // Ratio test along B^-1 a: the blocking variable leaves the basis.
        const VectorXd direction = basis_.solve(column_of(*entering));
        const std::optional<Index> row = blocking_row(direction);
        if (row) {
          const double length = distance_to_zero(*row) / direction(*row);
          values_ -= length * direction;
          values_(*row) = length;
          exchange(*row, *entering, direction);
        } else {
          end = unbounded(sign, *entering, direction);
        }
      }
      if (end) return *end;
    }
    return {.status = SolveStatus::IterationLimit};
  }

  const GeneratedCone& cone(int block) const { return cones_[static_cast<std::size_t>(block)]; }
  const Variable& variable(Index row) const { return variables_[static_cast<std::size_t>(row)]; }

  /// Returns the column of a variable: X times the generator, or a unit vector.
  VectorXd column_of(const Variable& variable) const {
    VectorXd column = VectorXd::Zero(X_.rows());
    if (variable.is_artificial()) {
      column(variable.index) = 1.0;
    } else {
      add_column(variable, 1.0, column);
    }
    return column;
  }

  /// Adds a multiple of a generator's column.
  void add_column(const Variable& variable, double factor, VectorXd& column) const {
    const Vector3d generator = factor * cone(variable.block).generator(variable.index);
    for (int k = 0; k < 3; ++k) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(X_, 3 * variable.block + k); it; ++it) {
        column(it.row()) += generator(k) * it.value();
      }
    }
  }

  /// Returns the objective's coefficient of a generator.
  double normal_part(const Variable& variable) const {
    return cone(variable.block).generator(variable.index).z();
  }

  /// Returns the multipliers y = B^-T c_B for the objective sign * n of a block.
  VectorXd multipliers_of(int block, double sign) const {
    VectorXd costs = VectorXd::Zero(X_.rows());
    for (Index row = 0; row < costs.size(); ++row) {
      if (variable(row).block == block) costs(row) = sign * normal_part(variable(row));
    }
    return basis_.solve_transposed(costs);
  }

  /// Returns the generator with the most negative reduced cost, or none at an optimum.
  std::optional<Variable> find_entering(int block, double sign, const VectorXd& multipliers) const {
    // Reduced costs of the generators are -g . generator with g = X'y - sign * unit normal.
    VectorXd g = X_.transpose() * multipliers;
    g(3 * block + 2) -= sign;
    double best = kOptimal * normal_part({block, 0});
    std::optional<Variable> result;
    for (int i = 0; i < static_cast<int>(cones_.size()); ++i) {
      if (cone(i).is_apex()) continue;
      const Vector3d own = g.segment<3>(3 * i);
      const int k = cone(i).steepest(own);
      const double gain = own.dot(cone(i).generator(k));
      if (gain <= best) continue;
      best = gain;
      result = Variable{i, k};
    }
    return result;
  }

  // Artificial variables stay at zero: they block at once, in either direction. Returns the
  // distance that a basic value may fall.
  double distance_to_zero(Index row) const {
    return variable(row).is_artificial() ? 0.0 : std::max(values_(row), 0.0);
  }
  // Returns how fast the basic value of a row falls per unit of the entering variable.
  double blocking_rate(Index row, double direction) const {
    return variable(row).is_artificial() ? std::abs(direction) : direction;
  }

  /// Returns the row with the largest entry among those that block first, up to kHarris.
  std::optional<Index> blocking_row(const VectorXd& direction) const {
    // Two passes: the longest step with all bounds relaxed by kHarris, then the largest pivot
    // within.
    double shortest = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < direction.size(); ++i) {
      const double entry = blocking_rate(i, direction(i));
      if (entry > kPivot)
        shortest = std::min(shortest, (distance_to_zero(i) + kHarris * size_) / entry);
    }
    std::optional<Index> best;
    for (Index i = 0; i < direction.size(); ++i) {
      const double entry = blocking_rate(i, direction(i));
      if (!(entry > kPivot) || distance_to_zero(i) > shortest * entry) continue;
      if (!best || entry > blocking_rate(*best, direction(*best))) best = i;
    }
    return best;
  }

  /// Replaces the basic variable of a row, and factors the basis again after kMaxUpdates updates.
  void exchange(Index row, const Variable& entering, const VectorXd& direction) {
    // A block without a basic generator has r_i = 0 at this vertex.
    ++num_basic_[static_cast<std::size_t>(entering.block)];
    if (!variable(row).is_artificial()) {
      const std::size_t left = static_cast<std::size_t>(variable(row).block);
      if (--num_basic_[left] == 0) vanished_[left] = 1;
    }
    variables_[static_cast<std::size_t>(row)] = entering;
    basis_.exchange(row, direction);
    ++pivots_;
    if (basis_.num_updates() < kMaxUpdates) return;
    is_sound_ = factor();
    if (is_sound_ && is_at_vertex_) values_ = basis_.solve(b_ + shift_);
  }

  /// Factors the present basis.
  bool factor() {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index j = 0; j < X_.rows(); ++j) {
      const VectorXd column = column_of(variable(j));
      for (Index i = 0; i < column.size(); ++i) {
        if (column(i) != 0.0) entries.emplace_back(i, j, column(i));
      }
    }
    return basis_.factor(entries);
  }

  /// Moves from r_0, whose generators are all out of the basis, to a vertex. Each generator is
  /// moved towards zero until a basic variable blocks it and leaves in its place.
  void start(double noise) {
    basis_ = UpdatedBasis(X_.rows());
    values_ = VectorXd::Zero(X_.rows());
    shift_ = VectorXd::Zero(X_.rows());
    // The first basis is the identity of the artificial variables, which are zero at r_0.
    variables_.clear();
    for (Index row = 0; row < X_.rows(); ++row) variables_.push_back({-1, static_cast<int>(row)});
    num_basic_.assign(cones_.size(), 0);
    is_sound_ = true;
    is_at_vertex_ = false;
    // Each generator of r_0 enters the basis or ends at zero; X r = X r_0 holds throughout.
    for (int i = 0; i < static_cast<int>(cones_.size()); ++i) {
      for (const ConeCoordinate& part : coordinates(cone(i), r_0_.segment<3>(3 * i))) {
        if (is_sound_) push({i, part.generator}, part.value);
      }
    }
    is_sound_ = is_sound_ && factor();
    if (!is_sound_) return;
    is_at_vertex_ = true;
    values_ = basis_.solve(b_);
    if (noise > 0.0) separate_ties(noise);
    // Blocks without a generator in the basis are zero at the first vertex.
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      if (num_basic_[i] == 0) vanished_[i] = 1;
    }
  }

  /// Moves one generator from its value towards zero, or into the basis.
  void push(const Variable& pushed, double value) {
    const VectorXd direction = basis_.solve(column_of(pushed));
    // Artificial variables have no length: the one with the largest entry leaves at once.
    std::optional<Index> row;
    for (Index i = 0; i < direction.size(); ++i) {
      const double entry = variable(i).is_artificial() ? std::abs(direction(i)) : 0.0;
      if (entry > kPivot && (!row || entry > std::abs(direction(*row)))) row = i;
    }
    double length = row ? 0.0 : value;
    // Else the first basic value that falls to zero blocks.
    for (Index i = 0; i < direction.size() && length > 0.0; ++i) {
      if (variable(i).is_artificial() || direction(i) >= -kPivot) continue;
      const double reach = distance_to_zero(i) / -direction(i);
      if (reach >= length) continue;
      length = reach;
      row = i;
    }
    values_ += length * direction;
    if (!row) return;
    values_(*row) = value - length;
    exchange(*row, pushed, direction);
  }

  /// Moves the right-hand side so that every basic value is positive by an amount of its own.
  void separate_ties(double noise) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> share(1.0, 2.0);
    for (Index row = 0; row < X_.rows(); ++row) {
      if (variable(row).is_artificial()) continue;
      const double shift = noise * size_ * share(random) + std::max(0.0, -values_(row));
      values_(row) += shift;
      add_column(variable(row), shift, shift_);
    }
  }

  /// Returns the end that the multipliers prove, if the basis fits the data without the shift.
  std::optional<End> optimum(double sign, const VectorXd& multipliers) {
    // Basic values of the data as given: their signs and X r = X r_0 decide.
    const VectorXd values = basis_.solve(b_);
    VectorXd missed = -b_;
    double lowest = 0.0;
    for (Index row = 0; row < values.size(); ++row) {
      if (variable(row).is_artificial()) continue;
      add_column(variable(row), values(row), missed);
      lowest = std::min(lowest, values(row));
    }
    const double error = std::max(missed.size() > 0 ? missed.cwiseAbs().maxCoeff() : 0.0, -lowest);
    // Strong duality: the optimum is y'b, exact even where the vertex has rounding errors.
    if (error <= kMaxVertexError * size_) {
      return End{SolveStatus::Converged, std::max(0.0, sign * multipliers.dot(b_))};
    }
    return refactor_or_stall();
  }

  /// Returns the end at an infinite value, if the ray satisfies X r = 0.
  std::optional<End> unbounded(double sign, const Variable& entering, const VectorXd& direction) {
    // The ray: the entering generator, and the basic ones that grow with it.
    VectorXd moved = column_of(entering);
    double largest = 1.0;
    for (Index row = 0; row < direction.size(); ++row) {
      const double share = variable(row).is_artificial() ? 0.0 : std::max(0.0, -direction(row));
      if (share > 0.0) add_column(variable(row), share, moved);
      largest = std::max(largest, share);
    }
    // Without rows of X every reaction satisfies X r = 0.
    const double violation = moved.size() > 0 ? moved.cwiseAbs().maxCoeff() : 0.0;
    if (sign > 0.0 || violation > kRay * largest) return refactor_or_stall();
    // Every block on the ray is unbounded, so that its program needs no pivots.
    has_ray_[static_cast<std::size_t>(entering.block)] = 1;
    for (Index row = 0; row < direction.size(); ++row) {
      if (variable(row).is_artificial() || direction(row) >= -kPivot) continue;
      has_ray_[static_cast<std::size_t>(variable(row).block)] = 1;
    }
    return End{SolveStatus::Converged, std::numeric_limits<double>::infinity()};
  }

  /// Returns nothing after a new factorization of the same basis; an end if it was new already.
  std::optional<End> refactor_or_stall() {
    if (basis_.num_updates() == 0) return End{.status = SolveStatus::Stalled};
    is_sound_ = factor();
    if (is_sound_) values_ = basis_.solve(b_ + shift_);
    return std::nullopt;
  }

  const Eigen::SparseMatrix<double> X_;
  const std::vector<GeneratedCone> cones_;
  const VectorXd r_0_;
  // Basis and basic values of the present vertex.
  UpdatedBasis basis_;
  std::vector<Variable> variables_;  // [m]
  VectorXd b_, shift_, values_;      // [m]
  double size_ = 0.0;
  // The present basis is regular; it describes a vertex, not r_0 itself.
  bool is_sound_ = true, is_at_vertex_ = false;
  std::vector<int> num_basic_;            // [n] generators in the basis
  std::vector<char> vanished_, has_ray_;  // [n]
  int pivots_ = 0;
};

ConeSimplex::ConeSimplex(const Eigen::SparseMatrix<double>& X, std::vector<GeneratedCone> cones,
                         const VectorXd& r_0)
    : path_(std::make_unique<Path>(X, std::move(cones), r_0)) {}

ConeSimplex::~ConeSimplex() = default;
ConeSimplex::ConeSimplex(ConeSimplex&&) noexcept = default;

ConeSimplex::End ConeSimplex::least(int block) { return path_->optimize(block, 1.0); }
ConeSimplex::End ConeSimplex::largest(int block) { return path_->optimize(block, -1.0); }
bool ConeSimplex::has_vanished(int block) const { return path_->vanished(block); }
bool ConeSimplex::has_ray(int block) const { return path_->has_ray(block); }
int ConeSimplex::pivots() const { return path_->pivots(); }

}  // namespace amontons
