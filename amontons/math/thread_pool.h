#pragma once

#include <functional>
#include <memory>

namespace amontons {

/// Shares the tasks of a loop among threads, which start with the first loop. The thread that runs
/// a task must not matter for its result: then any number of threads gives the same bits.
class ThreadPool {
 public:
  /// @param num_threads  >= 1, the caller's own included; 0: one per processor.
  /// @throws std::invalid_argument  if negative.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();

  int num_threads() const { return num_threads_; }

  /// Runs task(i, thread) for i = 0 ... n - 1, begun in this order, thread in [0, num_threads()),
  /// and returns when all are done. Rethrows the exception of the task of least i that has thrown.
  void run(int n, const std::function<void(int i, int thread)>& task);

 private:
  class Crew;
  int num_threads_;
  std::unique_ptr<Crew> crew_;  // null before the first shared loop
};

}  // namespace amontons
