#include "amontons/models/reactions/contact_rank.h"

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/independent_rows.h"

namespace amontons {
namespace {

/// Returns the number of independent rows of a matrix A, given A.
Eigen::Index rank_of(const Eigen::MatrixXd& gram) {
  return static_cast<Eigen::Index>(independent_rows(gram).indices.size());
}

}  // namespace

ContactRank compute_contact_rank(const ContactProblem& problem) {
  const ContactSpace space(problem);
  ContactRank result{problem.contact_jacobian.rows(), 0};
  for (const Island& island : find_islands(problem)) {
    // Islands do not interact: their ranks add up.
    result.rank += rank_of(space.delassus(island.contacts));
  }
  return result;
}

ContactRank compute_contact_rank(const ContactSpaceProblem& problem) {
  ContactRank result{problem.q.size(), 0};
  const ContactSpaceIslands islands(problem);
  for (std::size_t k = 0; k < islands.size(); ++k) {
    result.rank += rank_of(symmetric_delassus(extract(problem, islands, k)));
  }
  return result;
}

}  // namespace amontons
