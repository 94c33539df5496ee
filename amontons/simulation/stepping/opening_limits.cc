#include "amontons/simulation/stepping/opening_limits.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/contact/operators/whitened_jacobian.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/optimization/qp/box_qp.h"
#include "amontons/simulation/stepping/point_speeds.h"
#include "amontons/simulation/system/articulation_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Opening, as a share of the speed asked, from which it is all of it, and share of the motion's
// opening that is asked otherwise [-]. Less than all leaves room for the rounding of solvers.
constexpr double kFullOpening = 1.0 - 1e-6, kAskedShare = 0.99;

// Length of a row that loops leave, relative to its own, below which it is rounding [-].
constexpr double kMinPart = 1e-9;

// Sweeps of Gauss-Seidel at most, and change relative to overlap_speed that ends it [-].
constexpr int kSweeps = 100;
constexpr double kSettled = 1e-10;

// Number of rows up to which pivoting finds what Gauss-Seidel does not, its residual [-] and the
// number of its factorizations. It needs ten; more show that nothing satisfies all rows.
constexpr std::size_t kFewRows = 80;
constexpr double kPivotingTolerance = 1e-13;
constexpr int kMaxFactorizations = 40;

// Closing of what must not close, relative to overlap_speed, above which joints contradict it [-].
constexpr double kPressed = 1e-7;

/// Holds a contact or limit: a row of velocities in coordinates in which M is the identity.
struct OpeningRow {
  struct Part {
    Index offset;
    VectorXd values;
  };
  std::vector<Part> parts;  // without what would move loops
  bool is_limit = false;
  std::size_t index = 0;   // of the contact or bounded row
  int group = -1;          // articulations that it is connected to
  double wanted = 0.0;     // opening asked [m/s, rad/s]
  double least = 0.0;      // opening below which it would be pressed [m/s, rad/s], <= 0
  double by_loops = 0.0;   // opening by the correction of loops [m/s, rad/s]
  double square = 0.0;     // n M^-1 n'
  double most_push = 0.0;  // impulse that alone moves a point at overlap_speed [N s, N m s]
  double impulse = 0.0;

  double times(const VectorXd& z) const {
    double sum = 0.0;
    for (const Part& part : parts) {
      sum += part.values.dot(z.segment(part.offset, part.values.size()));
    }
    return sum;
  }
  void add(double change, VectorXd& z) const {
    for (const Part& part : parts) {
      z.segment(part.offset, part.values.size()) += change * part.values;
    }
  }
};

/// Finds the motion of one group that opens its overlaps.
class OpeningMotion {
 public:
  /// @param size   of the velocities, nv.
  /// @param limit  overlap_speed [m/s].
  OpeningMotion(std::vector<OpeningRow>& rows, Index size, double limit)
      : rows_(rows), limit_(limit), whitened_(VectorXd::Zero(size)) {}

  /// Finds it by projected Gauss-Seidel, and by pivoting where that does not settle. The result is
  /// that of pushes within their bounds at any time.
  void find() {
    whitened_.setZero();
    for (OpeningRow& row : rows_) row.impulse = 0.0;
    bool settled = false;
    for (int sweep = 0; sweep < kSweeps && !settled; ++sweep) settled = relax();
    if (!settled && rows_.size() <= kFewRows) pivot();
  }

  /// Returns the opening of a row [m/s, rad/s].
  double opening(const OpeningRow& row) const { return row.by_loops + row.times(whitened_); }

  /// Returns true if the motion presses what must not close.
  bool presses() const {
    return std::any_of(rows_.begin(), rows_.end(), [this](const OpeningRow& row) {
      return opening(row) < row.least - kPressed * limit_;
    });
  }

  const VectorXd& whitened() const { return whitened_; }  ///< L v without the correction of loops

 private:
  /// Runs one sweep; returns whether nothing has changed.
  bool relax() {
    double largest = 0.0;
    for (OpeningRow& row : rows_) {
      if (!(row.square > 0.0)) continue;
      const double own = opening(row);
      // It pushes to the speed asked, and beyond its largest push only against being pressed.
      double impulse = row.impulse + (row.wanted - own) / row.square;
      if (impulse > row.most_push) {
        impulse = std::max(row.most_push, row.impulse + (row.least - own) / row.square);
      }
      impulse = std::max(impulse, 0.0);
      const double change = impulse - row.impulse;
      if (change == 0.0) continue;
      row.impulse = impulse;
      row.add(change, whitened_);
      largest = std::max(largest, std::abs(change) * row.square);
    }
    return largest <= kSettled * limit_;
  }

  /// Solves the dual problem: impulses that push within bounds, and impulses that hold.
  void pivot() {
    const auto n = static_cast<Index>(rows_.size());
    BoxQuadraticProgram dual{Eigen::MatrixXd::Zero(2 * n, 2 * n), VectorXd::Zero(2 * n),
                             VectorXd::Zero(2 * n), VectorXd::Zero(2 * n)};
    VectorXd start = VectorXd::Zero(2 * n), row_of_A = whitened_;
    for (Index i = 0; i < n; ++i) {
      const OpeningRow& own = rows_[static_cast<std::size_t>(i)];
      row_of_A.setZero();
      own.add(1.0, row_of_A);
      for (Index j = 0; j < n; ++j) {
        const double a = rows_[static_cast<std::size_t>(j)].times(row_of_A);
        dual.H(i, j) = dual.H(n + i, j) = dual.H(i, n + j) = dual.H(n + i, n + j) = a;
      }
      if (!(own.square > 0.0)) continue;
      if (own.most_push > 0.0) dual.g(i) = own.by_loops - own.wanted;
      dual.g(n + i) = own.by_loops - own.least;
      dual.upper(i) = own.most_push;
      dual.upper(n + i) = std::numeric_limits<double>::infinity();
      start(i) = std::min(own.impulse, own.most_push);
      start(n + i) = own.impulse - start(i);
    }
    dual.H = 0.5 * (dual.H + dual.H.transpose()).eval();
    BoxQpSettings settings;
    settings.tolerance = kPivotingTolerance;
    settings.max_factorizations = kMaxFactorizations;
    const VectorXd x = solve_block_pivoting(dual, settings, start).x;
    whitened_.setZero();
    for (Index i = 0; i < n; ++i) {
      OpeningRow& own = rows_[static_cast<std::size_t>(i)];
      own.impulse = x(i) + x(n + i);
      own.add(own.impulse, whitened_);
    }
  }

  std::vector<OpeningRow>& rows_;
  const double limit_;
  VectorXd whitened_;
};

/// Limits the openings of a problem, group by group.
class OpeningLimits {
 public:
  OpeningLimits(const System& system, const SystemKinematics& start, const VectorXd& loop_velocity,
                ContactProblem& problem)
      : system_(system),
        problem_(problem),
        limit_(problem.overlap_speed),
        factor_(problem.mass_matrix),
        joints_(independent_joint_rows(problem.joint_jacobian, problem.joint_error, factor_)),
        loop_velocity_(loop_velocity),
        speeds_(system, start),
        groups_(system),
        push_velocity_(VectorXd::Zero(factor_.size())) {}

  void apply() {
    find_rows();
    const std::vector<char> is_fast = fast_groups();
    for (std::size_t g = 0; g < is_fast.size(); ++g) {
      if (is_fast[g]) limit_group(static_cast<int>(g));
    }
  }

 private:
  /// Collects overlaps, and gaps that a motion at overlap_speed might close.
  void find_rows() {
    whiten_jacobian(problem_.contact_jacobian, factor_, contacts_);
    whiten_jacobian(problem_.bounded_jacobian, factor_, limits_);
    for (std::size_t i = 0; i < problem_.num_contacts(); ++i) {
      add_row(false, i, problem_.stabilized_gap(i), problem_.contacts[i].gap);
    }
    for (std::size_t i = 0; i < problem_.bounded_rows.size(); ++i) {
      const BoundedRow& row = problem_.bounded_rows[i];
      if (row.kind == BoundedRowKind::Limit) {
        add_row(true, i, problem_.bounded_offset(i), row.gap);
      }
    }
    for (std::size_t r = 0; r < problem_.joint_jacobian.num_block_rows(); ++r) {
      groups_.join(problem_.joint_jacobian, r);
    }
    for (OpeningRow& row : rows_) {
      row.group = groups_.of_row(jacobian(row), row.index);
      if (row.wanted > 0.0) set_push(row);
    }
  }

  const BlockSparseMatrix& jacobian(const OpeningRow& row) const {
    return row.is_limit ? problem_.bounded_jacobian : problem_.contact_jacobian;
  }

  /// Adds a row with the stabilized gap s [m/s, rad/s].
  void add_row(bool is_limit, std::size_t i, double s, double gap) {
    OpeningRow row;
    row.is_limit = is_limit;
    row.index = i;
    row.wanted = std::max(0.0, -s);
    row.least = std::min(0.0, -gap / problem_.step);
    // Both bodies of a contact move at overlap_speed at most; a joint may turn at any rate.
    if (!is_limit && row.wanted == 0.0 && !(row.least > -2.0 * limit_)) return;
    const Index k = is_limit ? 0 : 2;
    groups_.join(jacobian(row), i);
    for (const BlockSparseMatrix::Block& block : jacobian(row).block_row(i)) {
      row.by_loops +=
          jacobian(row).values(block).row(k).dot(loop_velocity_.segment(block.col, block.num_cols));
    }
    copy_parts(is_limit ? limits_ : contacts_, i, k, row);
    rows_.push_back(std::move(row));
  }

  /// Copies a whitened row, without what would move loops.
  void copy_parts(const BlockSparseMatrix& whitened, std::size_t i, Index k, OpeningRow& row) {
    for (const BlockSparseMatrix::Block& block : whitened.block_row(i)) {
      row.parts.push_back({block.col, whitened.values(block).row(k).transpose()});
      row.square += row.parts.back().values.squaredNorm();
    }
    if (joints_.indices.empty()) return;
    VectorXd whole = VectorXd::Zero(factor_.size());
    row.add(1.0, whole);
    joints_.factor.project_out(whole);
    const double before = row.square;
    row.square = whole.squaredNorm();
    if (row.square <= kMinPart * kMinPart * before) row.square = 0.0;
    row.parts = {{0, std::move(whole)}};
  }

  /// Sets the largest push of a row: the impulse that alone moves a point at overlap_speed.
  void set_push(OpeningRow& row) {
    if (!(row.square > 0.0)) return;
    row.add(1.0, push_velocity_);
    double fastest = 0.0;
    for (const OpeningRow::Part& part : row.parts) {
      const Index end = part.offset + part.values.size();
      for (std::size_t b = factor_.block_of_row(part.offset);
           b < factor_.num_blocks() && factor_.block(b).offset < end; ++b) {
        const Index offset = factor_.block(b).offset;
        auto own = push_velocity_.segment(offset, factor_.block(b).matrix.rows());
        factor_.unwhiten_block_in_place(b, own);
        const int articulation = system_.articulation_of(static_cast<int>(offset));
        fastest = std::max(fastest, speeds_.fastest_of(articulation, push_velocity_));
        own.setZero();
      }
    }
    if (fastest > 0.0) row.most_push = limit_ / fastest;
    // A lever too short to open it would only spoil the scale of the others.
    if (row.most_push * row.square < kBlockedShare * row.wanted) row.most_push = 0.0;
  }

  /// Marks the groups with an overlap that one step cannot remove, or whose opening alone moves a
  /// point faster than overlap_speed.
  std::vector<char> fast_groups() const {
    std::vector<char> is_fast(system_.articulations().size(), 0);
    for (const OpeningRow& row : rows_) {
      if (row.group < 0 || !(row.wanted > kSmallOpening * limit_)) continue;
      const bool is_deep = row.wanted >= limit_;
      if (is_deep || row.wanted > row.most_push * row.square) {
        is_fast[static_cast<std::size_t>(row.group)] = 1;
      }
    }
    return is_fast;
  }

  /// Limits the openings of one group by its motion.
  void limit_group(int group) {
    std::vector<OpeningRow> rows;
    for (const OpeningRow& row : rows_) {
      if (row.group == group) rows.push_back(row);
    }
    OpeningMotion motion(rows, factor_.size(), limit_);
    motion.find();
    // Loops stay open where closing them would press contacts or limits.
    const bool leaves_loops = motion.presses() && !loop_velocity_.isZero(0.0);
    if (leaves_loops) {
      for (OpeningRow& row : rows) row.by_loops = 0.0;
      motion.find();
    }
    VectorXd velocity = motion.whitened();
    factor_.unwhiten_in_place(velocity);
    if (!leaves_loops) velocity += loop_velocity_;
    double fastest = 0.0;
    for (int a = 0; a < static_cast<int>(system_.articulations().size()); ++a) {
      if (groups_.of(a) == group) fastest = std::max(fastest, speeds_.fastest_of(a, velocity));
    }
    const double share = fastest > limit_ ? limit_ / fastest : 1.0;
    bool is_blocked = false;
    for (const OpeningRow& row : rows) {
      if (row.wanted > 0.0) is_blocked |= limit_opening(row, motion.opening(row), share);
    }
    scale_loops(group, leaves_loops && is_blocked ? 0.0 : share);
  }

  /// Limits a row by its opening in the motion; returns whether it is blocked.
  bool limit_opening(const OpeningRow& row, double opening, double share) {
    if (share * opening >= kFullOpening * row.wanted) return false;
    const bool is_blocked = opening < kBlockedShare * row.wanted;
    const double asked = is_blocked ? 0.0 : kAskedShare * share * opening;
    if (row.is_limit) {
      BoundedRow& limit = problem_.bounded_rows[row.index];
      limit.opening_speed = asked;
      return problem_.is_blocked(limit);
    }
    Contact& contact = problem_.contacts[row.index];
    contact.opening_speed = asked;
    return problem_.is_blocked(contact);
  }

  /// Slows the correction of the loops of a group by a share.
  void scale_loops(int group, double share) {
    if (problem_.joint_correction.size() == 0 || share == 1.0) return;
    const BlockSparseMatrix& J = problem_.joint_jacobian;
    for (std::size_t r = 0; r < J.num_block_rows(); ++r) {
      if (groups_.of_row(J, r) != group) continue;
      problem_.joint_correction.segment(J.first_row(r), J.num_rows(r)) *= share;
    }
  }

  const System& system_;
  ContactProblem& problem_;
  const double limit_;  // overlap_speed [m/s]
  BlockDiagonalFactor factor_;
  IndependentJointRows joints_;
  const VectorXd& loop_velocity_;
  PointSpeeds speeds_;
  ArticulationGroups groups_;
  BlockSparseMatrix contacts_, limits_;  // whitened
  std::vector<OpeningRow> rows_;
  VectorXd push_velocity_;  // zero between uses
};

/// Returns true if the normal of a contact passes nearly through the origins of its bodies, which
/// are single free bodies or fixed: such an overlap opens at the speed of its normal.
bool has_no_lever(const System& system, const ContactProblem& problem, std::size_t contact) {
  constexpr double kNoLever = 1e-3;  // share of the size of a shape
  const ContactKey& key = problem.contacts[contact].key;
  double size = std::numeric_limits<double>::infinity();
  for (const int shape : {key.shape_a, key.shape_b}) {
    if (shape < 0 || shape >= static_cast<int>(system.shapes().size())) return false;
    size = std::min(size, bounding_radius(system.shapes()[static_cast<std::size_t>(shape)].shape));
  }
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    const Articulation& tree = system.articulations()[static_cast<std::size_t>(
        system.articulation_of(static_cast<int>(block.col)))];
    const bool is_single = tree.num_links() == 1 && tree.links()[0].joint == JointType::Free;
    if (!is_single || !tree.links()[0].inertia.center_of_mass.isZero(0.0)) return false;
    const auto normal = problem.contact_jacobian.values(block).row(2);
    if (!(normal.head<3>().norm() <= kNoLever * size)) return false;
  }
  return true;
}

/// Returns true if an opening may move a point of a body faster than overlap_speed.
bool needs_limits(const System& system, const ContactProblem& problem) {
  const double limit = problem.overlap_speed;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const double speed = -problem.stabilized_gap(i);
    if (!(speed > kSmallOpening * limit)) continue;
    if (speed >= limit || !has_no_lever(system, problem, i)) return true;
  }
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const bool is_limit = problem.bounded_rows[i].kind == BoundedRowKind::Limit;
    if (is_limit && -problem.bounded_offset(i) > kSmallOpening * limit) return true;
  }
  return false;
}

}  // namespace

void limit_openings(const System& system, const SystemKinematics& start,
                    const VectorXd& loop_velocity, ContactProblem& problem) {
  if (problem.step == 0.0 || !std::isfinite(problem.overlap_speed)) return;
  if (!needs_limits(system, problem)) return;
  const VectorXd still = VectorXd::Zero(problem.mass_matrix.size());
  OpeningLimits(system, start, loop_velocity.size() > 0 ? loop_velocity : still, problem).apply();
}

}  // namespace amontons
