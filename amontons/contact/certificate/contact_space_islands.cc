#include "amontons/contact/certificate/contact_space_islands.h"

#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/number_limits.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/math/small_product.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns |B| |p| in its largest row: the absolute terms of a contact's velocity by the impulse of
/// another [m/s].
double sum_of_terms(const Eigen::Matrix3d& block, const double* impulse) {
  return (block.cwiseAbs() * Eigen::Map<const Eigen::Vector3d>(impulse).cwiseAbs()).maxCoeff();
}

/// Holds the unit of an island's velocities, so that squares of them neither overflow nor vanish.
struct SpeedUnit {
  double size = 1.0;     ///< a power of two near the largest |q| [m/s]
  double largest = 1.0;  ///< V, the largest |q_i|, in that unit; 1 where nothing moves
};

/// Returns the unit of an island.
SpeedUnit speed_unit(const ContactSpaceProblem& problem, std::span<const int> contacts) {
  double largest = 0.0;
  for (const int i : contacts) {
    largest = std::max(largest, problem.q.segment<3>(3 * i).cwiseAbs().maxCoeff());
  }
  SpeedUnit unit;
  if (!(largest > 0.0)) return unit;
  unit.size = unit_near(largest);
  unit.largest = 0.0;
  for (const int i : contacts) {
    unit.largest = std::max(unit.largest, (problem.q.segment<3>(3 * i) / unit.size).norm());
  }
  return unit;
}

/// Turns counts [n + 1], of which the last is zero, into the first place of each.
void to_starts(std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (std::size_t& count : counts) {
    const std::size_t own = count;
    count = sum;
    sum += own;
  }
}

}  // namespace

void ContactSpaceIslands::find(const ContactSpaceProblem& problem, bool as_one) {
  // Contacts with a block of W between them share an island. Count the blocks of each row.
  const std::size_t n = static_cast<std::size_t>(problem.num_contacts());
  DisjointSets sets(n);
  row_starts_.assign(n + 1, 0);
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    // The transposed block joins no others.
    if (block.row < block.column) sets.join(block.row, block.column);
    ++row_starts_[static_cast<std::size_t>(block.row)];
  }
  for (std::size_t i = 1; as_one && i < n; ++i) sets.join(0, static_cast<int>(i));

  // Number the islands in the order of their first contacts, and the contacts inside each.
  starts_.clear();
  island_.resize(n);
  places_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    // The root of a set is its first contact.
    const std::size_t root = static_cast<std::size_t>(sets.root(static_cast<int>(i)));
    if (root == i) {
      island_[i] = static_cast<int>(starts_.size());
      starts_.push_back(0);
    }
    island_[i] = island_[root];
    places_[i] = static_cast<int>(starts_[static_cast<std::size_t>(island_[i])]++);
  }
  starts_.push_back(0);
  // Turn counts into offsets and sort the contacts by island.
  to_starts(starts_);
  contacts_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = starts_[static_cast<std::size_t>(island_[i])];
    contacts_[first + static_cast<std::size_t>(places_[i])] = static_cast<int>(i);
  }
  // Sort the blocks by row.
  to_starts(row_starts_);
  blocks_.resize(problem.blocks.size());
  next_ = row_starts_;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    blocks_[next_[static_cast<std::size_t>(problem.blocks[b].row)]++] = static_cast<int>(b);
  }
}

ContactSpaceProblem extract(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                            std::size_t island) {
  const std::span<const int> contacts = islands.contacts(island);
  ContactSpaceProblem part;
  part.q.resize(3 * static_cast<Index>(contacts.size()));
  part.friction.resize(static_cast<Index>(contacts.size()));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Index own = static_cast<Index>(k);
    // Renumber each contact and the columns of its blocks.
    part.q.segment<3>(3 * own) = problem.q.segment<3>(3 * contacts[k]);
    part.friction(own) = problem.friction(contacts[k]);
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      part.blocks.push_back({static_cast<int>(k), islands.place(block.column), block.value});
    }
  }
  return part;
}

Certificate certify(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                    std::size_t island, const ContactLaw& law, const Eigen::VectorXd& impulses,
                    double tolerance) {
  const Eigen::Matrix2Xd directions = directions_of(law);
  Certificate result = vacuous_contact_certificate();
  const std::span<const int> contacts = islands.contacts(island);
  // V, the largest speed without impulses; all velocities in a unit near it.
  const SpeedUnit unit = speed_unit(problem, contacts);
  const double V = unit.largest, inverse = 1.0 / unit.size;
  const bool any = std::any_of(contacts.begin(), contacts.end(),
                               [&impulses](int i) { return has_impulse(impulses, i); });
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int i = contacts[k];
    // u_i = q_i + sum_j W_ij p_j; blocks without an impulse add nothing.
    const std::span<const int> row = any ? islands.row(island, k) : std::span<const int>();
    ContactState point;
    point.impulse = impulses.segment<3>(3 * i);
    point.velocity = problem.q.segment<3>(3 * i);
    point.friction = problem.friction(i);
    double terms = 0.0;
    for (const int b : row) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      if (!has_impulse(impulses, block.column)) continue;
      add_product(block.value, impulses.data() + 3 * block.column, point.velocity.data());
      terms += sum_of_terms(block.value, impulses.data() + 3 * block.column);
    }
    point.impulse *= inverse;
    point.velocity *= inverse;
    // Terms that cancel leave a velocity of rounding, which shows nothing.
    result.rounding.update(std::numeric_limits<double>::epsilon() * (terms * inverse), V, i);
    // A contact that opens without an impulse keeps every law, unless a relaxation lifts what
    // slides.
    const bool open = point.impulse.isZero(0.0) && point.velocity.z() >= 0.0;
    if (open && slip_speed(law.kind, directions, point.velocity.head<2>()) == 0.0) continue;
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      if (block.column == i) point.inverse_mass += block.value.trace() / 3.0;
    }
    const LawResidual residual = law_residual(law.kind, directions, point);
    result.normal.update(residual.normal, V, i);
    result.friction.update(residual.friction, V, i);
    result.coulomb.update(de_saxce_residual(point), V, i);
    const double violation = inequality_violation(law.kind, directions, point);
    result.inequality.update(std::max(0.0, violation), V, i);
  }
  result.set_holds_by_laws(tolerance, law.within);
  return result;
}

Residual velocity_difference(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                             std::size_t island, const Eigen::VectorXd& impulses,
                             const Eigen::VectorXd& velocities) {
  const std::span<const int> contacts = islands.contacts(island);
  const SpeedUnit unit = speed_unit(problem, contacts);
  Residual result;
  result.value = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Eigen::Vector3d u = problem.q.segment<3>(3 * contacts[k]);
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      add_product(block.value, impulses.data() + 3 * block.column, u.data());
    }
    const Eigen::Vector3d off = (u - velocities.segment<3>(3 * static_cast<Index>(k))) / unit.size;
    result.update(off.norm(), unit.largest, contacts[k]);
  }
  return result;
}

}  // namespace amontons
