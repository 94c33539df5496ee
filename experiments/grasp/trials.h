#pragma once

#include "amontons/simulation/system/law_tally.h"
#include "experiments/context.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace amontons::experiments {

constexpr int kTrials = 10;      // of the paper's Table I, as the ten steps that it times
constexpr int kMostSteps = 100;  // that the paper's no-slip model holds

/// Holds the trials of one model with noise.
struct Trials {
  std::vector<double> ten_steps_s;  ///< processor time of ten steps, one of each trial [s]
  std::vector<double> held;         ///< steps until a box has sagged by 1 mm, one of each trial
  int dropped = 0;                  ///< trials in which a box has sagged by 1 mm
  double sag = 0.0;                 ///< largest of all trials [m]
  LawTally tally;

  int fewest() const;
  int most() const;
};

/// Returns the scene of the trials with overrides of its model and friction.
using SceneOf = std::function<Scene(const Overrides&)>;

/// Runs ten trials of each model at one coefficient of friction, and adds their rows, with times
/// beside those of Stewart-Trinkle.
/// @param with_routine  also by the paper's Lemke (`lemke-plain`).
std::map<std::string, Trials> compare_models(const Context& context, const std::string& name,
                                             double friction, bool with_routine,
                                             const SceneOf& scene_of, Table& table,
                                             Findings& findings);

/// Returns a table without rows for compare_models().
Table table_of_trials(const std::string& title);

/// Compares how long the models hold the boxes where no step repeats the last one: a random force
/// of 0.01 N acts on each box. Friction is the paper's and that of the published scene, 1e20.
/// @param pairs_at_most  pairs of boxes between the grippers.
void check_trials(const Context& context, int pairs_at_most, Findings& findings);

/// Returns the scene of `pairs` pairs of cubes between the grippers, pressed by 100 N for each
/// cube.
Scene grasp(const Context& context, int pairs, Overrides overrides);

}  // namespace amontons::experiments
