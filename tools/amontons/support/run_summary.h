#pragma once

#include "amontons/io/common/integration_tally.h"
#include "amontons/models/reactions/self_loading.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/law_tally.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"
#include "tools/amontons/support/step_failures.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace amontons::cli {

/// Holds the worst value of one residual over a run, with its time and place.
struct WorstResidual {
  const char* name = "";
  const char* unit = "";
  double value = 0.0;
  double time = 0.0;  ///< [s]
  std::string where;  ///< bodies or joint; may be empty
};

/// Sums the work of one solver over a run.
struct SolverStatistics {
  std::int64_t attempts = 0, iterations = 0;
  int most_iterations = 0;
  double time_s = 0.0;
  std::map<std::string, std::int64_t> endings;  ///< status -> how often
};

/// Gathers the data of the closing summary over a run.
class RunSummary : public Observer {
 public:
  /// @param settings  give the tolerance, and the answers that are accepted.
  RunSummary(const System& system, const SimulationSettings& settings);

  void observe(const StepReport& report) override;

  std::int64_t num_steps() const { return num_steps_; }
  /// Returns the work of each solver, by name.
  const std::map<std::string, SolverStatistics>& solvers() const { return solvers_; }
  /// Returns the answers to the law asked.
  const LawTally& tally() const { return tally_; }
  /// Returns true if every step met its certificate, with an answer that the scene accepts.
  bool is_accepted() const { return tally_.is_accepted(accept_); }

  /// Returns the sentences of the summary, without a line end at the last. The first one says how
  /// the law asked was answered.
  std::string text() const;
  nlohmann::ordered_json json() const;

 private:
  std::string certificate_text() const;
  std::string events_text() const;
  void observe_events(const StepEvents& events);
  void observe_certificate(const StepReport& report);
  void observe_self_loading(const StepReport& report);
  std::string self_loading_text() const;
  void observe_energy(const EnergyLedger& energy);
  bool is_worst(std::size_t residual, double value) const;
  void note(std::size_t residual, double value, double time, const std::string& where);
  std::string joint_name(int row) const;

  const System* system_;
  JointRank joint_rank_;
  LawTally tally_;
  AcceptedAnswers accept_;
  std::int64_t num_steps_ = 0, first_missed_ = 0;
  /// Counts steps whose reactions exceed their load a hundredfold (models/reactions/jam.h).
  struct SelfLoaded {
    std::int64_t steps = 0;
    double ratio = 0.0, impulse = 0.0, time = 0.0;  // the worst: [-], [N s], [s]
    std::string where;                              // its bodies
  } self_loaded_;
  SelfLoading loading_;           // of the last step
  std::int64_t num_relaxed_ = 0;  // with overlaps that last beyond the step
  double last_relaxed_time_ = 0.0, overlap_speed_ = 0.0;
  double first_missed_time_ = 0.0, end_time_ = 0.0, step_time_s_ = 0.0, solve_time_s_ = 0.0;
  std::int64_t num_contacts_ = 0, most_contacts_ = 0;
  struct Events {
    std::int64_t impacts = 0, zeno = 0, sliding = 0, became_steady = 0, became_bouncing = 0;
    std::int64_t by_forces = 0;  // steps
    double force_error = 0.0;    // largest estimate in a step
  } events_;
  StepFailures failures_;
  std::vector<WorstResidual> residuals_;
  EnergyLedger first_energy_, energy_;          // energy_: work summed, energies as they are
  double exchanged_ = 0.0, unexplained_ = 0.0;  // magnitudes of works, of all steps [J]
  io::IntegrationTally integration_;
  std::map<std::string, std::int64_t> statuses_;
  std::map<std::string, SolverStatistics> solvers_;
  std::int64_t last_solution_number_ = 0;
  std::int64_t num_reused_ = 0;  // attempts whose answers were kept from earlier steps
};

}  // namespace amontons::cli
