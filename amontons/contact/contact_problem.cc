#include "amontons/contact/contact_problem.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// Throws std::invalid_argument with the message.
[[noreturn]] void fail(const std::string& message) {
  throw std::invalid_argument("contact problem: " + message);
}

/// Throws unless a vector has the expected size and is finite.
void check_vector(const Eigen::VectorXd& values, Index size, const char* name) {
  if (values.size() != size) {
    fail(std::string(name) + " has " + std::to_string(values.size()) + " entries, expected " +
         std::to_string(size));
  }
  if (!values.allFinite()) fail(std::string(name) + " is not finite");
}

/// Returns true if all columns of a block belong to one articulation.
bool inside_one_block(const BlockSparseMatrix::Block& block,
                      const std::vector<Index>& articulation_ends) {
  // The first articulation that ends behind the block's first column must hold its last one too.
  const auto own = std::upper_bound(articulation_ends.begin(), articulation_ends.end(), block.col);
  return own != articulation_ends.end() && block.col + block.num_cols <= *own;
}

/// Each block of a Jacobian must lie inside the columns of one block of M: an articulation.
void check_jacobian(const BlockSparseMatrix& jacobian, const BlockDiagonalMatrix& mass_matrix,
                    const char* name) {
  if (jacobian.rows() > 0 && jacobian.cols() != mass_matrix.size()) {
    fail(std::string(name) + " has " + std::to_string(jacobian.cols()) + " columns, expected " +
         std::to_string(mass_matrix.size()));
  }
  // Articulations follow each other in the columns: their ends locate each block of the Jacobian.
  std::vector<Index> articulation_ends;
  for (const BlockDiagonalMatrix::Block& block : mass_matrix.blocks()) {
    articulation_ends.push_back(block.offset + block.matrix.rows());
  }
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      // A block across two articulations would couple them outside of M, and islands would be
      // wrong.
      if (!jacobian.values(block).allFinite()) {
        fail(std::string(name) + ", block row " + std::to_string(r) + " is not finite");
      }
      if (!inside_one_block(block, articulation_ends)) {
        fail(std::string(name) + ", block row " + std::to_string(r) +
             " has a block that lies in no block of the mass matrix");
      }
    }
  }
}

/// Returns the shortest text of a number.
std::string text_of(double value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Throws unless a value is within [lower, upper]; NaN is outside.
void check_range(double value, double lower, double upper, const std::string& name) {
  if (value >= lower && value <= upper) return;
  constexpr double kLargest = std::numeric_limits<double>::max();
  std::string ends = lower > -kLargest ? " and at least " + text_of(lower) : "";
  if (upper < kLargest) ends += " and at most " + text_of(upper);
  fail(name + " is " + text_of(value) + ", must be finite" + ends);
}

/// Checks the coefficients and the geometry of one contact.
void check_contact(const Contact& contact, const std::string& name) {
  const double largest = std::numeric_limits<double>::max();
  check_range(contact.gap, -largest, largest, name + ".gap");
  check_range(contact.reach, 0.0, largest, name + ".reach");
  check_range(contact.friction, 0.0, largest, name + ".friction");
  check_range(contact.viscous_friction, 0.0, largest, name + ".viscous_friction");
  check_range(contact.restitution, 0.0, 1.0, name + ".restitution");
  check_range(contact.friction_offset, 0.0, largest, name + ".cohesion");
  if (!(contact.opening_speed >= 0.0)) fail(name + ".opening_speed must not be negative");
  if (!contact.position_W.allFinite()) fail(name + ".position_W is not finite");
  if (!(std::abs(contact.normal_W.norm() - 1.0) < 1e-6)) fail(name + ".normal_W is not a unit");
}

/// Returns true if an overlap that no motion opens is deeper than one step removes at a share of
/// overlap_speed.
bool is_blocked_gap(const ContactProblem& problem, double gap, double opening_speed) {
  return opening_speed == 0.0 && problem.step > 0.0 &&
         problem.gamma * gap / problem.step < -kBlockedShare * problem.overlap_speed;
}

/// Returns s of a gap [m/s]: gap/h outside, gamma gap/h inside, but not below -overlap_speed and,
/// unless it is blocked, -opening_speed. An overlap counts less `rounding` [m].
double stabilized(const ContactProblem& problem, double gap, double rounding,
                  double opening_speed) {
  if (problem.step == 0.0) return 0.0;
  const bool is_blocked = is_blocked_gap(problem, gap, opening_speed);
  if (gap < 0.0) gap = std::min(gap + rounding, 0.0);
  // An overlap is removed by the share gamma; a gap may close in one step.
  const bool reduced = gap < 0.0 || problem.literal_gamma;
  const double speed = reduced ? problem.gamma * gap / problem.step : gap / problem.step;
  const double most =
      is_blocked ? problem.overlap_speed : std::min(problem.overlap_speed, opening_speed);
  return std::max(speed, -most);
}

/// Returns true if an overlap is deeper than one step removes at overlap_speed.
bool is_deferred_overlap(const ContactProblem& problem, double gap) {
  return problem.step > 0.0 && problem.gamma * gap / problem.step < -problem.overlap_speed;
}

/// Checks the bounds and coefficients of a bounded row by its kind.
void check_bounded_row(const BoundedRow& row, const std::string& name) {
  const double largest = std::numeric_limits<double>::max();
  check_range(row.gap, -largest, largest, name + ".gap");
  check_range(row.offset, -largest, largest, name + ".offset");
  check_range(row.compliance, 0.0, largest, name + ".compliance");
  check_range(row.restitution, 0.0, 1.0, name + ".restitution");
  if (!(row.opening_speed >= 0.0)) fail(name + ".opening_speed must not be negative");
  if (row.kind == BoundedRowKind::Limit) {
    // A limit is Signorini's law: rigid, and without an upper bound.
    const bool pushes = row.lower == 0.0 && row.upper == std::numeric_limits<double>::infinity();
    if (!pushes || row.compliance > 0.0) fail(name + ": a limit is rigid and pushes without bound");
    return;
  }
  // Without bounds and without a compliance the row would be a rigid constraint, a row of J.
  if (row.is_unbounded()) {
    if (!(row.compliance > 0.0)) fail(name + ": a row without bounds needs a compliance");
  } else {
    check_range(row.upper, 0.0, largest, name + ".upper");
  }
  if (row.lower != -row.upper) fail(name + ": bounds must be symmetric");
  if (row.restitution > 0.0) fail(name + ".restitution: only limits bounce");
}

/// Checks the bounded rows, their Jacobian and their order.
void check_bounded_rows(const ContactProblem& problem) {
  const std::size_t nb = problem.bounded_rows.size();
  if (problem.bounded_jacobian.num_block_rows() != nb ||
      problem.bounded_jacobian.rows() != static_cast<Index>(nb)) {
    fail("bounded_jacobian must have one row for each of " + std::to_string(nb) + " bounded rows");
  }
  check_jacobian(problem.bounded_jacobian, problem.mass_matrix, "bounded_jacobian");
  for (std::size_t i = 0; i < nb; ++i) {
    check_bounded_row(problem.bounded_rows[i], "bounded_rows[" + std::to_string(i) + "]");
    if (i > 0 && key_of(problem.bounded_rows[i]) < key_of(problem.bounded_rows[i - 1])) {
      fail("bounded_rows are not sorted by key at " + std::to_string(i));
    }
  }
}

/// Returns true if the errors of one joint do not exceed the rounding of the poses they are
/// computed from: kGapRounding times the largest sum of absolute entries among its rows.
/// @tparam Levers  holds such a sum for each row.
template <typename Levers>
bool is_rounding(const Eigen::VectorXd& errors, const BlockSparseMatrix& jacobian,
                 std::size_t joint) {
  const Index n = jacobian.num_rows(joint);
  Levers levers;
  levers.setZero(n);
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(joint)) {
    levers += jacobian.values(block).cwiseAbs().rowwise().sum();
  }
  const double largest = errors.segment(jacobian.first_row(joint), n).lpNorm<Eigen::Infinity>();
  return !(largest > kGapRounding * levers.maxCoeff());
}

/// Returns true if the errors of all joints are rounding.
bool is_rounding(const Eigen::VectorXd& errors, const BlockSparseMatrix& jacobian) {
  // Joints of two bodies have at most six rows, which need no memory.
  using FewRows = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;
  for (std::size_t joint = 0; joint < jacobian.num_block_rows(); ++joint) {
    const Index n = jacobian.num_rows(joint);
    if (n == 0) continue;
    const bool is_own = n <= FewRows::MaxRowsAtCompileTime
                            ? is_rounding<FewRows>(errors, jacobian, joint)
                            : is_rounding<Eigen::VectorXd>(errors, jacobian, joint);
    if (!is_own) return false;
  }
  return true;
}

}  // namespace

Eigen::VectorXd ContactProblem::contact_velocities(
    const Eigen::Ref<const Eigen::VectorXd>& v) const {
  Eigen::VectorXd u;
  contact_velocities(v, u);
  return u;
}

void ContactProblem::contact_velocities(const Eigen::Ref<const Eigen::VectorXd>& v,
                                        Eigen::VectorXd& u) const {
  contact_jacobian.times(v, u);
  u += contact_bias;
}

double ContactProblem::stabilized_gap(std::size_t contact) const {
  const Contact& own = contacts[contact];
  const double speed = stabilized(*this, own.gap, gap_rounding(contact), own.opening_speed);
  if (!(speed < 0.0) || !(own.restitution > 0.0) || own.is_joint_row) return speed;
  // A contact that bounces leaves at its rebound, and after that at the speed it has. A higher
  // speed would be energy that the impact did not have. Only what rests is pushed out.
  const Index normal = row(contact) + 2;
  double leaving = contact_bias(normal);
  for (const BlockSparseMatrix::Block& block : contact_jacobian.block_row(contact)) {
    leaving +=
        contact_jacobian.values(block).row(2).dot(velocity.segment(block.col, block.num_cols));
  }
  return leaving == 0.0 ? speed : std::max(speed, -std::max(leaving, rest_speed));
}

double ContactProblem::gap_rounding(std::size_t contact) const {
  const Contact& own = contacts[contact];
  return kGapRounding * std::max(own.position_W.lpNorm<Eigen::Infinity>(), own.reach);
}

double ContactProblem::bounded_offset(std::size_t row) const {
  const BoundedRow& own = bounded_rows[row];
  return own.kind == BoundedRowKind::Limit ? stabilized(*this, own.gap, 0.0, own.opening_speed)
                                           : own.offset;
}

Eigen::VectorXd ContactProblem::stabilized_gaps() const {
  Eigen::VectorXd gaps;
  stabilized_gaps(gaps);
  return gaps;
}

void ContactProblem::stabilized_gaps(Eigen::VectorXd& gaps) const {
  gaps.resize(static_cast<Index>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    gaps(static_cast<Index>(i)) = stabilized_gap(i);
  }
}

std::size_t ContactProblem::num_deferred_overlaps() const {
  const auto of_contacts = std::count_if(
      contacts.begin(), contacts.end(),
      [this](const Contact& contact) { return is_deferred_overlap(*this, contact.gap); });
  const auto of_limits =
      std::count_if(bounded_rows.begin(), bounded_rows.end(), [this](const BoundedRow& row) {
        return row.kind == BoundedRowKind::Limit && is_deferred_overlap(*this, row.gap);
      });
  return static_cast<std::size_t>(of_contacts + of_limits);
}

bool ContactProblem::is_blocked(const Contact& contact) const {
  return is_blocked_gap(*this, contact.gap, contact.opening_speed);
}

bool ContactProblem::is_blocked(const BoundedRow& row) const {
  return row.kind == BoundedRowKind::Limit && is_blocked_gap(*this, row.gap, row.opening_speed);
}

bool ContactProblem::has_blocked_overlaps() const {
  const auto is_own = [this](const auto& row) { return is_blocked(row); };
  return std::any_of(contacts.begin(), contacts.end(), is_own) ||
         std::any_of(bounded_rows.begin(), bounded_rows.end(), is_own);
}

bool ContactProblem::opens_overlaps() const {
  if (step == 0.0) return false;
  const double fast = kSmallOpening * overlap_speed;
  for (std::size_t i = 0; i < num_contacts(); ++i) {
    if (contacts[i].gap < 0.0 && stabilized_gap(i) < -fast) return true;
  }
  for (std::size_t i = 0; i < bounded_rows.size(); ++i) {
    if (bounded_rows[i].kind == BoundedRowKind::Limit && bounded_offset(i) < -fast) return true;
  }
  return false;
}

Eigen::VectorXd ContactProblem::joint_target() const {
  // An impact takes no time and corrects no error.
  if (step == 0.0) return -joint_bias;
  if (joint_correction.size() > 0) return joint_correction - joint_bias;
  // The rounding of poses is no error: divided by a short step it would be a speed that rows which
  // repeat others, and contacts that the joints fix, cannot agree with.
  if (is_rounding(joint_error, joint_jacobian)) return -joint_bias;
  return -(gamma / step) * joint_error - joint_bias;
}

void validate(const ContactProblem& problem) {
  const double largest = std::numeric_limits<double>::max();
  // Parameters of the step.
  check_range(problem.step, 0.0, largest, "step");
  check_range(problem.gamma, 0.0, 1.0, "gamma");
  check_range(problem.rest_speed, 0.0, largest, "rest_speed");
  if (!(problem.overlap_speed >= 0.0)) fail("overlap_speed must not be negative");
  // Inertia and velocities of the bodies.
  const Index nv = problem.mass_matrix.size();
  for (const BlockDiagonalMatrix::Block& block : problem.mass_matrix.blocks()) {
    if (!block.matrix.allFinite()) fail("mass_matrix is not finite");
  }
  // Where only the free velocity is given, the other one is a copy of it.
  check_vector(problem.free_velocity, nv, "free_velocity");
  check_vector(problem.velocity, nv, "velocity");

  // Contacts: three rows each, coefficients in range, sorted by key.
  const Index nc = static_cast<Index>(problem.num_contacts());
  if (problem.contact_jacobian.num_block_rows() != problem.num_contacts() ||
      problem.contact_jacobian.rows() != 3 * nc) {
    fail("contact_jacobian must have one block row of 3 rows for each of " + std::to_string(nc) +
         " contacts");
  }
  check_jacobian(problem.contact_jacobian, problem.mass_matrix, "contact_jacobian");
  check_vector(problem.contact_bias, 3 * nc, "contact_bias");
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.contact_jacobian.num_rows(i) != 3) {
      fail("contact_jacobian, block row " + std::to_string(i) + " must have 3 rows");
    }
    check_contact(problem.contacts[i], "contacts[" + std::to_string(i) + "]");
    if (i > 0 && problem.contacts[i].key < problem.contacts[i - 1].key) {
      fail("contacts are not sorted by key at " + std::to_string(i));
    }
  }

  // Loop joints and bounded rows.
  const Index nj = problem.joint_jacobian.rows();
  check_jacobian(problem.joint_jacobian, problem.mass_matrix, "joint_jacobian");
  check_vector(problem.joint_error, nj, "joint_error");
  check_vector(problem.joint_bias, nj, "joint_bias");
  if (problem.joint_correction.size() > 0) {
    check_vector(problem.joint_correction, nj, "joint_correction");
  }
  check_bounded_rows(problem);
}

}  // namespace amontons
