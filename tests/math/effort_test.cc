#include "amontons/math/effort.h"

#include "amontons/math/thread_pool.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <vector>

namespace amontons::test {

TEST_CASE("A budget counts work, and the outer one learns of it only if it is added") {
  CHECK(has_effort());
  count_pivot();  // no budget: nothing counts
  const EffortBudget outer(10.0);
  count_factorization();
  {
    const EffortBudget inner(2.0);
    for (int k = 0; k < 2; ++k) count_factorization();
    CHECK_FALSE(has_effort());
    CHECK(inner.spent().factorizations == 2);
  }
  CHECK(outer.spent().factorizations == 1);
  CHECK(effort_left() == 9.0);
  count_sweeps(16);
  CHECK(effort_left() == 8.0);
}

TEST_CASE("A reserve leaves effort to what must have an answer, and counts it") {
  const EffortBudget budget(1.0);
  count_factorization();
  REQUIRE_FALSE(has_effort());
  {
    const EffortReserve reserve(3.0);
    CHECK(effort_left() == 3.0);
    count_factorization();
  }
  CHECK_FALSE(has_effort());
  CHECK(budget.spent().factorizations == 2);
}

TEST_CASE("A stop ends computations of the thread and of the loops that it shares") {
  std::atomic<bool> stop = false;
  const StopScope scope(&stop);
  ThreadPool pool(4);
  std::atomic<int> begun = 0;
  const auto loop = [&] {
    pool.run(1000, [&](int i, int) {
      ++begun;
      if (i == 10) stop.store(true);
      check_stop();
    });
  };
  CHECK_THROWS_AS(loop(), Stopped);
  {
    // An inner scope without a flag hides the outer one.
    const StopScope none(nullptr);
    CHECK_NOTHROW(check_stop());
  }
  stop.store(false);
  begun = 0;
  CHECK_NOTHROW(pool.run(20, [&](int, int) {
    ++begun;
    check_stop();
  }));
  CHECK(begun == 20);
}

}  // namespace amontons::test
