#pragma once

#include "amontons/io/mjcf/actuators/mjcf_transmission.h"
#include "amontons/io/mjcf/mjcf_reader.h"

#include <map>
#include <string>

namespace amontons::io {

/// Counts the actuators on joints and tendons, whose limits `actuatorfrcrange` are those of the sum
/// of their forces.
class MjcfSharedLimits {
 public:
  /// Counts an actuator on a joint or tendon, and on the joints that a tendon moves.
  void count(const MjcfReader& reader, const MjcfLine& line);
  /// Returns the number of actuators on a joint or tendon itself.
  int num_along(const std::string& line) const;
  /// Notes the limits of several actuators, which bound each of them alone here: findings.
  void note(const MjcfReader& reader) const;

 private:
  /// Hold the numbers of actuators by the names of joints and tendons.
  std::map<std::string, int> along_, through_tendons_;
};

}  // namespace amontons::io
