#include "amontons/math/nearest_name.h"

#include <catch2/catch.hpp>

using amontons::nearest_name;

TEST_CASE("The nearest name is the one with the fewest typing errors") {
  const std::vector<std::string> names{"mass", "material", "pose", "position"};
  CHECK(nearest_name("mas", names) == "mass");
  CHECK(nearest_name("materiel", names) == "material");
  CHECK(nearest_name("psoe", names) == "pose");
  CHECK(nearest_name("positions", names) == "position");
  CHECK(nearest_name("MASS", names) == "mass");
}

TEST_CASE("Ties go to the first candidate, and what is mostly wrong is near nothing") {
  CHECK(nearest_name("ax", {"a", "x"}) == "a");
  CHECK(nearest_name("", {"abc", "ab"}).empty());
  CHECK(nearest_name("rk4", {"time-stepping", "hybrid"}).empty());
  CHECK(nearest_name("rpy", {"position", "rpy_deg"}) == "rpy_deg");
  CHECK(nearest_name("anything", {}).empty());
}

TEST_CASE("A name without the model before its slash is near that of the model") {
  const std::vector<std::string> names{"panda/joint1", "panda/joint4", "hinge"};
  CHECK(nearest_name("joint4", names) == "panda/joint4");
  CHECK(nearest_name("jiont4", names) == "panda/joint4");
  CHECK(nearest_name("arm/joint4", names) == "panda/joint4");
  CHECK(nearest_name("hinges", names) == "hinge");
  CHECK(nearest_name("panda", names) == "panda/joint1");
}

TEST_CASE("A suggestion is the end of a sentence, or nothing") {
  CHECK(amontons::did_you_mean("mas", {"mass", "pose"}) == "; did you mean 'mass'?");
  CHECK(amontons::did_you_mean("zzzz", {"mass", "pose"}).empty());
}
