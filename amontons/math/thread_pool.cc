#include "amontons/math/thread_pool.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace amontons {

/// Holds the other threads, which sleep between loops.
class ThreadPool::Crew {
 public:
  explicit Crew(int others) {
    for (int k = 0; k < others; ++k) {
      threads_.emplace_back([this, k](const std::stop_token& stop) { serve(stop, k + 1); });
    }
  }

  /// Runs a loop: publishes it, works along, and waits for the last thread.
  void run(int n, const std::function<void(int, int)>& task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      stop_ = StopScope::current();
      next_ = 0;
      end_ = n;
      failed_ = std::numeric_limits<int>::max();
      error_ = nullptr;
    }
    wake_.notify_all();
    // The caller works as thread 0.
    work(0);
    // No thread may still hold the task when it goes out of scope.
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    task_ = nullptr;
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Waits for loops and works on them until the pool is destroyed.
  void serve(const std::stop_token& stop, int thread) {
    // Bound: ends with the pool; the wait hears its stop.
    while (true) {
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return task_ != nullptr && next_ < end_; })) return;
      }
      work(thread);
    }
  }

  /// Takes tasks until none remains.
  void work(int thread) {
    std::unique_lock lock(mutex_);
    ++busy_;
    while (next_ < end_) {
      const int i = next_++;
      const std::function<void(int, int)>& task = *task_;
      const StopScope stop(stop_);
      // The task runs unlocked; its exception is kept for the caller.
      lock.unlock();
      std::exception_ptr error;
      try {
        task(i, thread);
      } catch (...) {
        error = std::current_exception();
      }
      // The exception of least index wins, so that the result does not depend on timing.
      lock.lock();
      if (error && i < failed_) {
        failed_ = i;
        error_ = error;
      }
    }
    --busy_;
    if (busy_ == 0) done_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any wake_, done_;
  const std::function<void(int, int)>* task_ = nullptr;
  const std::atomic<bool>* stop_ = nullptr;  // the caller's, heard by all tasks
  int next_ = 0, end_ = 0, busy_ = 0;
  int failed_ = 0;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // last member: destroyed first, while the rest exists
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads > 0
                       ? num_threads
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  if (num_threads >= 0) return;
  throw std::invalid_argument("threads must not be negative (0: one per processor), not " +
                              std::to_string(num_threads));
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int n, const std::function<void(int, int)>& task) {
  if (num_threads_ > 1 && n > 1) {
    // Threads start with the first loop that has more than one task.
    if (!crew_) crew_ = std::make_unique<Crew>(num_threads_ - 1);
    return crew_->run(n, task);
  }
  // One thread runs the loop in order.
  for (int i = 0; i < n; ++i) task(i, 0);
}

}  // namespace amontons
