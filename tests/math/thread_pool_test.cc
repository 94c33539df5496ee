#include "amontons/math/thread_pool.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {

TEST_CASE("Every task of a loop runs once, on a thread of the pool, whatever their number") {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    CHECK(pool.num_threads() == threads);
    for (const int n : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(static_cast<std::size_t>(n), 0);
      std::atomic<bool> outside = false;
      pool.run(n, [&](int i, int thread) {
        ++runs[static_cast<std::size_t>(i)];
        if (thread < 0 || thread >= threads) outside = true;
      });
      CHECK(std::count(runs.begin(), runs.end(), 1) == n);
      CHECK_FALSE(outside);
    }
  }
}

TEST_CASE("The first of several failed tasks is reported, and the pool runs further tasks") {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::string message;
    try {
      pool.run(50, [](int i, int) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "7");
    std::atomic<int> sum = 0;
    pool.run(10, [&](int i, int) { sum += i; });
    CHECK(sum == 45);
  }
}

}  // namespace amontons
