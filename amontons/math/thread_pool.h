#pragma once

#include <functional>
#include <memory>

namespace amontons {

/// Threads that share the tasks of a loop; they start with the first one. Which thread runs a task
/// must not matter for what it computes: then results are the same bits for any number of threads.
class ThreadPool {
 public:
  /// @param num_threads  >= 1, the caller's own included; 0: one per processor.
  /// @throws std::invalid_argument  if negative.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();

  int num_threads() const { return num_threads_; }

  /// Runs task(i, thread) for i = 0 ... n - 1, begun in this order, thread in [0, num_threads()),
  /// and returns when all are done. Rethrows what the task of least i has thrown.
  void run(int n, const std::function<void(int i, int thread)>& task);

 private:
  class Crew;
  int num_threads_;
  std::unique_ptr<Crew> crew_;  // null before the first shared loop
};

}  // namespace amontons
