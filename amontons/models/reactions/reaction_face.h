#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/models/reactions/island_reactions.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// All reactions of an island that give the velocity of a certified answer and that the law which
/// it claims allows there:  { r in K : X r = X r_0 }, a convex set. r = sqrt(w) p.
struct ReactionFace {
  std::vector<GeneratedCone> cones;  ///< K [k] (allowed_reactions.h)
  Eigen::VectorXd r_0;               ///< [3k] the answer, moved into K
  /// How far the answer had to be moved, max w |dp| / V: within a few tolerances if it satisfies
  /// the law.
  double distance = 0.0;

  /// Whether the answer satisfies the law, so that the set is what it says.
  bool holds(double tolerance) const { return distance <= 10.0 * tolerance; }
};

/// @throws std::invalid_argument for the laws that are not relations at one contact.
ReactionFace compute_reaction_face(const IslandReactions& reactions, const ContactLaw& law,
                                   double tolerance);

}  // namespace amontons
