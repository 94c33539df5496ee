#pragma once

#include "amontons/math/pose.h"
#include "benchmarks/peers/world.h"

#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace amontons::peers {

/// Pose and velocity of a moving body in the world. The origin of the body frame is the center of
/// mass.
struct BodyState {
  Pose X_WB;
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< velocity of the center of mass [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< [rad/s]
};

/// A simulator with a loaded world. Only its public interface is used. Errors are computed from
/// body states alone, so nothing that it reports about contacts enters them.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Advances by the world's step.
  virtual void step() = 0;

  /// States of the moving bodies, in the order of World::moving. Called outside the timing.
  virtual void read_states(std::vector<BodyState>& states) const = 0;

  /// Contact points of the last step; information only.
  virtual int num_contacts() const = 0;

  /// Failures that the engine itself has reported so far.
  virtual int num_errors() const { return 0; }
};

struct EngineSetting {
  std::string name;  ///< e.g. "quick20"
  std::string description;
};

struct EngineInfo {
  std::string name;  ///< e.g. "ode"
  std::string version;
  std::vector<EngineSetting> settings;  ///< the engine's own default first
};

/// Each adapter defines these two; one program per adapter, so that no two engines share a process
/// (Bullet comes in two precisions, and two of the engines carry a copy of a third's solver).
EngineInfo engine_info();

/// @throws std::invalid_argument for an unknown setting, or a world that this engine cannot
/// represent.
std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting);

}  // namespace amontons::peers
