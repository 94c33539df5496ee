#include "amontons/models/reactions/reaction_face.h"

#include "amontons/models/reactions/allowed_reactions.h"

#include <algorithm>

namespace amontons {

using Eigen::Index;

ReactionFace compute_reaction_face(const IslandReactions& reactions, const ContactLaw& law,
                                   double tolerance) {
  const Eigen::Matrix2Xd directions = directions_of(law);
  ReactionFace face;
  face.r_0.resize(3 * static_cast<Index>(reactions.points.size()));
  for (std::size_t k = 0; k < reactions.points.size(); ++k) {
    const Index i = static_cast<Index>(k);
    const ContactState& point = reactions.points[k];
    const double V = reactions.speeds(i);
    // The law's cone at this velocity, and the solution moved into it.
    const GeneratedCone cone = allowed_reactions(law.kind, directions, point, tolerance * V);
    const Eigen::Vector3d p = cone.project(point.impulse).r;
    face.distance = std::max(face.distance, point.inverse_mass * (p - point.impulse).norm() / V);
    face.r_0.segment<3>(3 * i) = reactions.roots(i) * p;
    face.cones.push_back(cone);
  }
  return face;
}

}  // namespace amontons
