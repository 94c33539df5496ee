#pragma once

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/world.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::peers {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// A physical error of a run, computed from body states alone.
struct Figure {
  std::string name;  ///< name with its unit, e.g. "drift mm"
  double value = kNotMeasured;
};

inline constexpr double kWallFactor = 2.0;

/// Stands between an engine's setting and the tolerance that it is asked for: "default at 1e-3".
inline constexpr std::string_view kAtTolerance = " at ";

/// Watches the states of a run.
class Measure {
 public:
  virtual ~Measure() = default;

  /// Called with the initial states (time 0) and after each step.
  virtual void observe(double time, const std::vector<BodyState>& states) = 0;

  /// Returns the errors, the main one first. One that the run was too short for is kNotMeasured.
  virtual std::vector<Figure> figures() const = 0;
};

/// One workload in one variant: the scene, the step, and the measured errors.
struct Case {
  std::string id;                     ///< e.g. "W1 slide yaw30"
  std::string scene;                  ///< file in scenes/, or the name of what make_scene makes
  std::function<Scene()> make_scene;  ///< makes the scene, where no file has it
  std::vector<std::pair<std::string, std::string>> overrides;
  /// Limit of CPU time in steps, per engine and setting [s]; that of wall time is kWallFactor times
  /// it.
  double limit_s = 10.0;
  bool quick = false;  ///< part of --quick
  /// Entrants, as "engine/setting" or "engine"; empty: all. Amontons always runs it.
  std::vector<std::string> entrants;
  /// Tolerances at which Amontons runs the case, as a scene names them; empty: the scene's own.
  std::vector<std::string> tolerances;
  std::function<std::unique_ptr<Measure>(const World&)> make_measure;
};

// One file each in workloads/.
std::vector<Case> ramp_cases();            ///< W1
std::vector<Case> public_cases();          ///< public scenes, of experiments/public
std::vector<Case> granular_cases();        ///< W2
std::vector<Case> stack_cases();           ///< W3
std::vector<Case> pyramid_cases();         ///< W4
std::vector<Case> rolling_cases();         ///< W5
std::vector<Case> bouncing_cases();        ///< W6
std::vector<Case> joint_friction_cases();  ///< W7
std::vector<Case> quadruped_cases();       ///< W8
std::vector<Case> resting_cases();         ///< W9
std::vector<Case> sliding_cases();         ///< W9, in motion
std::vector<Case> gripper_cases();
std::vector<Case> heap_cases();  ///< heaps while they settle, by accuracy
std::vector<Case> pile_cases();  ///< pyramids of boxes that settle, by accuracy

std::vector<Case> all_cases();

/// Returns true if the case admits this engine and setting.
bool admits(const Case& c, const std::string& engine, const std::string& setting);

}  // namespace amontons::peers
