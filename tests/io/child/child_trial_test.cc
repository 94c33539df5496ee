#include "amontons/io/child/child_trial.h"

#include "amontons/io/child/child_process.h"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <vector>

using namespace amontons;

TEST_CASE("A copy of the process has a gibibyte of memory of its own") {
  const auto takes = [](std::size_t bytes) {
    return io::succeeds_in_child([bytes] {
      std::vector<char> memory(bytes);
      const volatile char* const first = memory.data();
      return *first == 0;
    });
  };
  CHECK(takes(std::size_t{1} << 29));
  if (!io::kSanitized) CHECK_FALSE(takes(std::size_t{3} << 30));
}

TEST_CASE("What breaks down in a copy of the process is known before it is done here") {
  int* volatile nowhere = nullptr;
  int here = 1;
  CHECK(io::succeeds_in_child([&] {
    here = 2;
    return true;
  }));
  CHECK(here == 1);  // the copy has memory of its own
  CHECK_FALSE(io::succeeds_in_child([] { return false; }));
  CHECK_FALSE(io::succeeds_in_child([&] {
    *nowhere = 1;
    return true;
  }));
  CHECK_FALSE(io::succeeds_in_child([]() -> bool { std::abort(); }));
  CHECK_FALSE(io::succeeds_in_child([]() -> bool { throw std::runtime_error("in the copy"); }));
}
