#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/optimization/dense/dense_cholesky.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Names a configuration from which MJCF derives properties that a file leaves out.
enum class MjcfConfiguration {
  Qpos0,   ///< bodies as written
  Springs  ///< joints of one coordinate at their `springref`
};

/// Holds the bodies, joints and tendons of a model in such a configuration.
class MjcfReference {
 public:
  /// @throws std::invalid_argument for a model whose mass matrix has no inverse.
  MjcfReference(const MjcfReader& reader, MjcfConfiguration configuration);

  /// Returns the length of a tendon of the model [m].
  double tendon_length(const std::string& tendon) const;
  /// Returns |M^-1 J'|, the norm of the accelerations that a unit force along a joint or tendon of
  /// the model causes [1/kg, 1/(kg m^2)].
  double acceleration(const std::string& joint_or_tendon) const;
  /// Returns the inertia that a tendon of the model moves: the sum of M_jj/J_j^2 over the degrees
  /// of freedom of MJCF along which its length changes [kg].
  double reflected_inertia(const std::string& tendon) const;

 private:
  const JointCoordinate& coordinate(const std::string& name) const;

  System system_;
  SystemKinematics kinematics_;
  mutable std::optional<BlockDiagonalFactor> factor_;  // of the mass matrix, once it is needed
};

/// Holds the mass matrix of a model at qpos0, and where its joints are in it.
struct MjcfInertiaAtQpos0 {
  Eigen::MatrixXd M;         ///< [nv x nv] [kg m^2 or kg]
  std::vector<int> parents;  ///< the parent of each degree of freedom, -1 at the root of a tree
  std::vector<int> v_index;  ///< first row of each of MjcfReader::joints

  /// Returns the inertia that a joint of one coordinate moves alone: its entry of the diagonal.
  double own(std::size_t joint) const { return M(v_index[joint], v_index[joint]); }
  /// Returns the inertia of a joint while all others move freely: 1/(M^-1)_jj, the mean over the
  /// coordinates of a joint of several; 0 where some motion of its tree moves no mass.
  double free(std::size_t joint, int num_coordinates) const;

 private:
  // Joints of one tree share the factor of its block, which begins at this row.
  mutable DenseCholesky factor_;
  mutable bool has_mass_ = false;  // the block is positive definite
  mutable Eigen::Index first_ = -1;
};

/// Computes the mass matrix, when all masses are known.
/// @throws ParseError for a model of more than 5000 degrees of freedom: the matrix is dense.
MjcfInertiaAtQpos0 compute_mjcf_inertia_at_qpos0(const MjcfReader& reader);

/// Gives the joints with `springdamper` the spring and damper that have the time constant and the
/// damping ratio at qpos0.
void set_mjcf_springdampers(MjcfReader& reader);

}  // namespace amontons::io
