#pragma once

#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace amontons::live {

/// Lists the joints that a page shows: those of one coordinate, at most kMaxJoints of them.
class LiveJoints {
 public:
  static constexpr std::size_t kMaxJoints = 200;

  struct Joint {
    std::string name;
    CoordinatePlace place;
    bool turns = true;             ///< its unit is rad, else m
    double low = 0.0, high = 0.0;  ///< ends of its slider [rad or m]
    int servo = -1;                ///< servo whose target a page may set; -1: none
    bool is_led = false;           ///< a coupling or a prescribed motion gives its position

    /// Returns true if a page may place it: it is a coordinate of a tree that nothing leads.
    bool can_be_placed() const { return servo < 0 && !is_led && place.v_index >= 0; }
  };

  explicit LiveJoints(const System& system);

  const std::vector<Joint>& list() const { return joints_; }
  /// Returns the number of joints of one coordinate, listed or not.
  std::size_t num_all() const { return num_all_; }

  /// Reads the positions [rad or m] at q and `time` [s], and the targets of servos, NaN for a joint
  /// without one.
  void read(const System& system, const Eigen::VectorXd& q, double time,
            std::vector<double>& positions, std::vector<double>& targets) const;

  /// Returns names, units, ends, and which ones have a servo or can be placed, for the page.
  nlohmann::json json() const;

 private:
  std::vector<Joint> joints_;
  std::size_t num_all_ = 0;
};

/// Places joints of trees, and those that couplings lead by them; all of these stop.
/// @param positions  by their index in the list [rad or m].
void place_joints(Simulator& sim, const LiveJoints& joints,
                  const std::map<std::size_t, double>& positions);

/// Returns the joint whose servo has that index; empty if none is listed.
std::string joint_of_servo(const System& system, int servo);

}  // namespace amontons::live
