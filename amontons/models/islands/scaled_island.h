#pragma once

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/contact_space_operator.h"

#include <Eigen/Core>

#include <cstddef>

namespace amontons {

/// Holds one island of a problem in contact space as a cone problem, scaled as in cone_assembly.h;
/// memory is kept.
class ScaledIsland {
 public:
  /// Assembles another island.
  void reset(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
             std::size_t island, ConeLaw law, double tolerance);

  const ConeProblem& cones() const { return cones_; }  ///< valid until the next reset()

  /// Returns p of a contact [N s] from the reactions r = sqrt(w) p [3 n].
  Eigen::Vector3d impulse(const Eigen::VectorXd& reactions, Eigen::Index k) const {
    return reactions.segment<3>(3 * k) / root_(k);
  }

 private:
  void set_roots(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                 std::size_t island);

  Eigen::VectorXd root_;  // sqrt(w) of each contact
  ContactSpaceOperator W_;
  ConeProblem cones_;
};

}  // namespace amontons
