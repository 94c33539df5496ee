#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

#include <Eigen/Core>

namespace amontons::io {

/// Holds the mass matrix of a model at qpos0, and where its joints are in it.
struct MjcfInertiaAtQpos0 {
  Eigen::MatrixXd M;         ///< [nv x nv] [kg m^2 or kg]
  std::vector<int> parents;  ///< the parent of each degree of freedom, -1 at the root of a tree
  std::vector<int> v_index;  ///< first row of each of MjcfReader::joints

  /// Returns the inertia that a joint of one coordinate moves alone: its entry of the diagonal.
  double own(std::size_t joint) const { return M(v_index[joint], v_index[joint]); }
  /// Returns the inertia of a joint while all others move freely: 1/(M^-1)_jj, the mean over the
  /// coordinates of a joint of several.
  double free(std::size_t joint, int num_coordinates) const;
};

/// Computes the mass matrix, when all masses are known.
MjcfInertiaAtQpos0 compute_mjcf_inertia_at_qpos0(const MjcfReader& reader);

/// Gives the joints with `springdamper` the spring and damper that have the time constant and the
/// damping ratio at qpos0.
void set_mjcf_springdampers(MjcfReader& reader);

}  // namespace amontons::io
