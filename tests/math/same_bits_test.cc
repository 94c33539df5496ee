#include <Eigen/Core>
#include <catch2/catch.hpp>

TEST_CASE("Eigen's blocks have one size, whatever caches the processor has") {
  CHECK(Eigen::l1CacheSize() == 32 * 1024);
  CHECK(Eigen::l2CacheSize() == 256 * 1024);
}
