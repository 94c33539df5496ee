#pragma once

#include "amontons/simulation/system/system.h"
#include "tools/amontons/live/live_joints.h"

#include <Eigen/Core>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace amontons::live {

/// Holds a pull of a body's point towards a point of the world.
struct LivePull {
  int body = -1;
  Eigen::Vector3d at_B = Eigen::Vector3d::Zero();      ///< pulled point of the body [m]
  Eigen::Vector3d target_W = Eigen::Vector3d::Zero();  ///< where the pointer is, in the world [m]
  double rate = 10.0;  ///< natural frequency of spring and pulled point [rad/s]
};

/// Holds what pages ask of a simulation, until its loop takes it.
///
/// A request is a JSON object with any of these keys:
///   {"pause": true or false, "steps": N, "speed": X, "restart": true,
///    "pull": {"body": I, "at": [x, y, z], "target": [x, y, z], "rate": X} or null,
///    "target": {"joint": I, "value": X}, "position": {"joint": I, "value": X}}
/// Speed is simulated time by wall time; 0 stands for as fast as possible. Bodies and joints are
/// numbers of the page. A pull ends where no request repeats it for a second: its page has gone.
/// A joint without a servo takes positions in a pause, where the simulation may return to its
/// start.
class LiveRequests {
 public:
  using Clock = std::chrono::steady_clock;

  /// Holds what is in force until a page asks for something else, and what pages may ask.
  struct Start {
    double speed = 1.0;      ///< 0: as fast as possible
    bool is_paused = false;  ///< begins in a pause
    bool may_place = false;  ///< joints take positions
  };
  LiveRequests(const System& system, const LiveJoints& joints, const Start& start);

  /// Takes a request, from any thread. @returns why it is refused; empty: it is not.
  std::string add(const std::string& text);

  struct Asked {
    bool is_paused = false, restarts = false, stops = false;
    int steps = 0;       ///< steps to take although paused
    double speed = 1.0;  ///< 0: as fast as possible
    std::optional<LivePull> pull;
    std::map<std::size_t, double> targets;    ///< by joint [rad or m]
    std::map<std::size_t, double> positions;  ///< by joint [rad or m]
  };
  /// Returns what is asked at present. Restarts, targets and positions are given once.
  Asked take();
  /// Stops the simulation, from any thread.
  void stop();
  /// Counts one of the steps that are asked for although paused.
  void count_step();
  /// Ends pause and pull: no page is there any more.
  void release();
  /// Waits for a request, but not beyond a time.
  void wait_until(Clock::time_point end);

 private:
  std::vector<bool> can_move_;  // by body
  std::vector<LiveJoints::Joint> joints_;
  bool may_place_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_new_ = false;
  Asked asked_;
  Clock::time_point pulled_;  // time of the last request with a pull
};

}  // namespace amontons::live
