#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <string>

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

 private:
  const JointCoordinate& coordinate(const std::string& name) const;

  System system_;
  SystemKinematics kinematics_;
};

}  // namespace amontons::io
