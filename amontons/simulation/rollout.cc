#include "amontons/simulation/rollout.h"

#include "amontons/math/thread_pool.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/divergence_error.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// Throws std::invalid_argument unless efforts have one table per start and one column per step.
void check_sizes(const std::vector<State>& starts, const std::vector<Eigen::MatrixXd>& efforts,
                 int num_steps) {
  if (num_steps < 0) throw std::invalid_argument("rollout: num_steps must not be negative");
  if (efforts.empty()) return;
  if (efforts.size() != starts.size()) {
    throw std::invalid_argument("rollout: " + std::to_string(starts.size()) + " starts, but " +
                                std::to_string(efforts.size()) + " tables of efforts");
  }
  for (const Eigen::MatrixXd& table : efforts) {
    if (table.cols() == num_steps) continue;
    throw std::invalid_argument("rollout: efforts for " + std::to_string(table.cols()) +
                                " steps, not " + std::to_string(num_steps));
  }
}

/// Names a start, for messages of errors.
std::string place(int start) { return "rollout, start " + std::to_string(start) + ": "; }

/// Copies one motion column by column into the result.
class Recorder {
 public:
  Recorder(Rollouts& result, std::size_t index, const State& start, int num_steps)
      : q_(result.q[index]),
        v_(result.v[index]),
        time_(result.time[index]),
        holds_(result.holds[index]) {
    q_.resize(start.q.size(), num_steps + 1);
    v_.resize(start.v.size(), num_steps + 1);
    time_.resize(num_steps + 1);
    holds_.resize(num_steps);
    note(start);
  }

  void note(const StepReport& report) {
    holds_(column_ - 1) = report.certificate.holds;
    note(*report.end);
  }

 private:
  void note(const State& state) {
    q_.col(column_) = state.q;
    v_.col(column_) = state.v;
    time_(column_) = state.time;
    ++column_;
  }

  Eigen::MatrixXd &q_, &v_;
  Eigen::VectorXd& time_;
  Eigen::Array<bool, Eigen::Dynamic, 1>& holds_;
  Eigen::Index column_ = 0;
};

}  // namespace

Rollouts rollout(const Scene& scene, const std::vector<State>& starts,
                 const std::vector<Eigen::MatrixXd>& efforts, int num_steps, int num_threads) {
  // Threads write to disjoint entries of the result, so that it needs no lock.
  check_sizes(starts, efforts, num_steps);
  Rollouts result;
  result.q.resize(starts.size());
  result.v.resize(starts.size());
  result.time.resize(starts.size());
  result.holds.resize(starts.size());
  ThreadPool pool(num_threads);
  std::vector<std::unique_ptr<Simulator>> simulators(static_cast<std::size_t>(pool.num_threads()));
  // A simulator is built once per thread and reset for each start. Each is serial inside, because
  // the starts already fill the threads.
  pool.run(static_cast<int>(starts.size()), [&](int i, int thread) {
    std::unique_ptr<Simulator>& own = simulators[static_cast<std::size_t>(thread)];
    if (own == nullptr) own = std::make_unique<Simulator>(scene, 1);
    Simulator& simulator = *own;
    const auto index = static_cast<std::size_t>(i);
    simulator.reset();
    try {
      simulator.set_state(starts[index]);
      Recorder recorder(result, index, starts[index], num_steps);
      for (int step = 0; step < num_steps; ++step) {
        // Commands hold for one step each.
        if (!efforts.empty()) simulator.set_efforts(efforts[index].col(step));
        recorder.note(simulator.step());
      }
      // The message names the start that failed.
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(place(i) + error.what());
    } catch (const DivergenceError& error) {
      throw DivergenceError(place(i) + error.what());
    }
  });
  return result;
}

}  // namespace amontons
