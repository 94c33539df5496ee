#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Knows how fast the points of bodies are, which a contact problem does not say.
class BodySpeeds {
 public:
  virtual ~BodySpeeds() = default;

  /// Returns the speed of the fastest point of some articulations [m/s].
  /// @param blocks      their blocks of M in the whole problem.
  /// @param velocities  their entries of v, block after block.
  virtual double fastest(const std::vector<int>& blocks,
                         const Eigen::Ref<const Eigen::VectorXd>& velocities) const = 0;
};

}  // namespace amontons
