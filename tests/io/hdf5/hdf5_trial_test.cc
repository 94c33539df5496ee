#include "amontons/io/hdf5/hdf5_trial.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace amontons;

TEST_CASE("What breaks down in a copy of the process is known before it is done here") {
  int* volatile nowhere = nullptr;
  int here = 1;
  CHECK(io::survives_in_child([&] { here = 2; }));
  CHECK(here == 1);  // the copy has memory of its own
  CHECK_FALSE(io::survives_in_child([&] { *nowhere = 1; }));
  CHECK_FALSE(io::survives_in_child([] { std::abort(); }));
}
