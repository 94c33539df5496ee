#include "amontons/simulation/system/warm_start.h"

#include <catch2/catch.hpp>

namespace amontons::test {
namespace {

TEST_CASE("A step of another length starts from the forces of the last one") {
  ContactProblem problem;
  Contact contact;
  contact.key = {0, 1, 0};
  contact.normal_W = Eigen::Vector3d::UnitZ();
  problem.contacts.push_back(contact);
  State last, end;
  problem.step = 0.01;
  ContactSolution solution;
  solution.impulses = Eigen::Vector3d(0.1, -0.2, 0.7);
  keep_impulses(problem, solution, last, end);
  CHECK(end.warm_start_step == 0.01);
  // The same length keeps every bit.
  CHECK(transported_warm_start(end, problem) == solution.impulses);
  problem.step = 0.0025;
  CHECK(transported_warm_start(end, problem).isApprox(0.25 * solution.impulses, 1e-15));
  // An impact takes no time: its impulses are no forces.
  problem.step = 0.0;
  CHECK(transported_warm_start(end, problem) == solution.impulses);
}

}  // namespace
}  // namespace amontons::test
