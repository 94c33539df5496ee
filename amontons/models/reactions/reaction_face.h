#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/models/reactions/island_reactions.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds all reactions of an island that give the velocity of a certified solution and that its
/// claimed law allows there. They are the convex set  { r in K : X r = X r_0 }, r = sqrt(w) p.
struct ReactionFace {
  std::vector<GeneratedCone> cones;  ///< K [k] (allowed_reactions.h)
  Eigen::VectorXd r_0;               ///< [3k] the solution's reactions, moved into K
  /// How far the reactions had to be moved, max w |dp| / V [-]: within a few tolerances if the
  /// solution satisfies the law.
  double distance = 0.0;

  /// Returns true if the solution satisfies the law, so that the set is exact.
  bool holds(double tolerance) const { return distance <= 10.0 * tolerance; }
};

/// Computes the set from an island's reactions.
/// @throws std::invalid_argument for the laws that are not relations at one contact.
ReactionFace compute_reaction_face(const IslandReactions& reactions, const ContactLaw& law,
                                   double tolerance);

}  // namespace amontons
