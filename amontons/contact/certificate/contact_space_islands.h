#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Finds the islands of a contact-space problem: contacts that act on each other, and the blocks of
/// W between them. Islands are in the order of their first contacts; inside each, contacts ascend.
class ContactSpaceIslands {
 public:
  ContactSpaceIslands() = default;
  explicit ContactSpaceIslands(const ContactSpaceProblem& problem) { find(problem); }

  /// Finds the islands of another problem; memory is kept.
  /// @param as_one  true: all contacts are one island, for a law that couples islands.
  void find(const ContactSpaceProblem& problem, bool as_one = false);

  /// Returns the number of islands.
  std::size_t size() const { return starts_.empty() ? 0 : starts_.size() - 1; }

  /// Returns the contacts of an island, ascending.
  std::span<const int> contacts(std::size_t island) const {
    return std::span(contacts_).subspan(starts_[island], starts_[island + 1] - starts_[island]);
  }

  /// Returns the blocks of W in the row of an island's k-th contact, as indices into
  /// problem.blocks.
  std::span<const int> row(std::size_t island, std::size_t k) const {
    const std::size_t at = static_cast<std::size_t>(contacts_[starts_[island] + k]);
    return std::span(blocks_).subspan(row_starts_[at], row_starts_[at + 1] - row_starts_[at]);
  }

  /// Returns the place of a contact in its island.
  int place(int contact) const { return places_[static_cast<std::size_t>(contact)]; }

 private:
  std::vector<int> contacts_;            // contacts, island after island
  std::vector<std::size_t> starts_;      // island -> first of its contacts_
  std::vector<int> places_;              // contact -> place in its island
  std::vector<int> blocks_;              // indices of blocks, row after row
  std::vector<std::size_t> row_starts_;  // contact -> first of its blocks_
  std::vector<int> island_;              // contact -> its island
  std::vector<std::size_t> next_;
};

/// Returns the problem of an island alone.
ContactSpaceProblem extract(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                            std::size_t island);

/// Returns the certificate of one island, as certify() of contact_space_problem.h does for the
/// whole.
/// @param impulses  p of the whole problem [3 nc] [N s]; those of the island count.
Certificate certify(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                    std::size_t island, const ContactLaw& law, const Eigen::VectorXd& impulses,
                    double tolerance);

/// Returns the largest |W p + q - u| of an island's contacts, in parts of its largest |q_i| [-].
/// @param impulses    p of the whole problem [3 nc] [N s].
/// @param velocities  u of the island [3 n] [m/s].
Residual velocity_difference(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                             std::size_t island, const Eigen::VectorXd& impulses,
                             const Eigen::VectorXd& velocities);

}  // namespace amontons
