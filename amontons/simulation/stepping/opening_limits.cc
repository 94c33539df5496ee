#include "amontons/simulation/stepping/opening_limits.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/contact/operators/whitened_jacobian.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/stop.h"
#include "amontons/simulation/stepping/opening_motion.h"
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

// Overlaps of a group that the motion does not open for which another one is sought, at most.
constexpr int kMostSought = 32;

// Length of a row that loops leave, relative to its own, below which it is rounding [-].
constexpr double kMinPart = 1e-9;

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
    check_stop();
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
    check_stop();
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
  /// point faster than overlap_speed. In a mechanism other contacts and limits may make an opening
  /// faster than it is alone.
  std::vector<char> fast_groups() const {
    std::vector<char> is_fast(system_.articulations().size(), 0);
    for (const OpeningRow& row : rows_) {
      if (row.group < 0 || !(row.wanted > kSmallOpening * limit_)) continue;
      const bool is_deep = row.wanted >= limit_;
      if (is_deep || row.wanted > row.most_push * row.square || is_of_mechanism(row)) {
        is_fast[static_cast<std::size_t>(row.group)] = 1;
      }
    }
    return is_fast;
  }

  /// Returns true if a row moves an articulation with several links.
  bool is_of_mechanism(const OpeningRow& row) const {
    for (const BlockSparseMatrix::Block& block : jacobian(row).block_row(row.index)) {
      const int tree = system_.articulation_of(static_cast<int>(block.col));
      if (system_.articulations()[static_cast<std::size_t>(tree)].num_links() > 1) return true;
    }
    return false;
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
    loosen(rows, motion);
    VectorXd velocity = motion.whitened();
    factor_.unwhiten_in_place(velocity);
    if (!leaves_loops) velocity += loop_velocity_;
    const double fastest = fastest_of(group, velocity);
    const double share = fastest > limit_ ? limit_ / fastest : 1.0;
    bool is_blocked = false;
    for (const OpeningRow& row : rows) {
      if (row.wanted > 0.0) is_blocked |= limit_opening(row, motion.opening(row), share);
    }
    scale_loops(group, leaves_loops && is_blocked ? 0.0 : share);
  }

  /// Returns the speed of the fastest point of a group [m/s].
  double fastest_of(int group, const VectorXd& velocity) {
    double fastest = 0.0;
    for (int a = 0; a < static_cast<int>(system_.articulations().size()); ++a) {
      if (groups_.of(a) == group) fastest = std::max(fastest, speeds_.fastest_of(a, velocity));
    }
    return fastest;
  }

  /// Opens the rows that the motion does not open, because pushes elsewhere hold them, by adding to
  /// it.
  void loosen(std::vector<OpeningRow>& rows, OpeningMotion& motion) {
    int num_sought = 0;
    for (OpeningRow& row : rows) {
      if (!(row.wanted > 0.0) || motion.opening(row) >= kBlockedShare * row.wanted) continue;
      // A shallow one is only left as it is (ContactProblem::is_blocked()).
      row.is_held = true;
      const bool is_shallow = row.wanted <= kBlockedShare * limit_;
      if (!is_shallow && num_sought++ < kMostSought) open_slowly(row, motion);
    }
  }

  /// Adds a velocity that opens a held row and presses nothing, at a small share of overlap_speed,
  /// if there is one.
  void open_slowly(OpeningRow& row, OpeningMotion& motion) {
    // What the velocity may close, at both bodies, has room for it.
    const VectorXd direction = motion.free_direction(row, 2.0 * kBlockedShare * limit_);
    VectorXd velocity = direction;
    factor_.unwhiten_in_place(velocity);
    const double fastest = fastest_of(row.group, velocity);
    if (!(fastest > 0.0)) return;
    // A lever too short to open it counts as none.
    const double at_limit = limit_ / fastest * row.times(direction);
    if (at_limit < kBlockedShare * row.wanted) return;
    motion.add(kBlockedShare * limit_ / fastest * direction);
    row.is_held = false;
    row.least_opening = kBlockedShare * at_limit;
  }

  /// Limits a row by its opening in the motion; returns whether it is blocked.
  bool limit_opening(const OpeningRow& row, double opening, double share) {
    check_stop();
    // A prescribed motion opens an overlap whatever holds its bodies.
    const double given =
        row.is_limit ? 0.0
                     : std::max(0.0, problem_.contact_bias(ContactProblem::row(row.index) + 2));
    opening = row.is_held ? 0.0 : std::max(opening, row.least_opening);
    if (share * opening + given >= kFullOpening * row.wanted) return false;
    const double asked = kAskedShare * share * opening + kAskedShare * given;
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
    check_stop();
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
