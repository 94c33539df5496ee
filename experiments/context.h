#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/law_tally.h"
#include "experiments/experiment.h"
#include "experiments/mutation.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons::experiments {

using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Gives a check its folder's scenes, a place for runs, and simulations in one line.
class Context {
 public:
  Context(std::filesystem::path folder, std::filesystem::path output, std::string name,
          std::function<void(const std::string&)> progress, bool full,
          std::optional<Mutation> mutation = std::nullopt);

  /// Loads a scene of the experiment's folder, with `path=value` overrides.
  Scene load(const std::string& file, const Overrides& overrides = {}) const;

  /// Returns the answers to the law asked in all steps that step() and simulate() have taken.
  const LawTally& tally() const { return tally_; }

  /// Returns a simulator of a scene, with the context's deliberate error if it has one.
  Simulator simulator(const Scene& scene) const;

  /// Returns a shape, or an answer of a solver, that the check uses itself; with the context's
  /// deliberate error if it has one of that kind.
  Shape shape(Shape right) const;
  Eigen::VectorXd answer(Eigen::VectorXd right) const;

  /// Takes a step of a simulator, and counts its answer to the law asked.
  const StepReport& step(Simulator& simulator) const;

  /// Simulates to the scene's end, with the context's deliberate error if it has one, and calls
  /// `each` after every step (may be empty). With a non-empty `run_name` the run is also written to
  /// OUTPUT/NAME/run_name.h5 and listed in findings, with its scene beside it (run_name.yaml).
  /// `stop`, where given, is called after every step and may end the motion early.
  /// @returns the number of steps whose certificate was missed.
  int simulate(const Scene& scene,
               const std::function<void(const Simulator&, const StepReport&)>& each,
               Findings* findings = nullptr, const std::string& run_name = "",
               const std::function<bool()>& stop = {}) const;

  /// Returns true if the experiment is to run at its full size. A check that takes minutes
  /// otherwise runs a smaller form of it and says so in its notes.
  bool full() const { return full_; }

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& output() const { return output_; }
  void progress(const std::string& line) const;

 private:
  Scene mutated(const Scene& scene) const;

  std::filesystem::path folder_, output_;
  std::string name_;
  std::function<void(const std::string&)> progress_;
  mutable LawTally tally_;
  bool full_;
  std::optional<Mutation> mutation_;
};

}  // namespace amontons::experiments
