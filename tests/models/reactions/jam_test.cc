#include "amontons/models/reactions/jam.h"

#include "amontons/models/common/contact_model.h"
#include "amontons/models/reactions/self_loading.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

constexpr double kStep = 0.005;

/// Returns a ball between two jaws that are open upwards, each tilted by `tilt` [rad].
ContactProblem ball_in_jaws(double tilt, double friction, double radius) {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(0.7, radius, {0.3, 0.0, 1.0});
  for (const double side : {-1.0, 1.0}) {
    const Eigen::Vector3d normal(-side * std::cos(tilt), 0.0, std::sin(tilt));
    scene.add_contact(kWorld, ball, Eigen::Vector3d(0.3, 0.0, 1.0) - radius * normal, normal, 0.0,
                      friction);
  }
  return scene.build();
}

/// Returns the largest entry of N'c_n + D'beta that a jam leaves [N s].
double resultant(const ContactProblem& problem, const Jam& jam) {
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  for (std::size_t i = 0; i < jam.contacts.size(); ++i) {
    impulses.segment<3>(3 * jam.contacts[i]) = jam.reactions.col(static_cast<Eigen::Index>(i));
  }
  return problem.contact_jacobian.transpose_times(impulses).lpNorm<Eigen::Infinity>();
}

TEST_CASE("The friction cone of a box on a plane is pointed") {
  const JamSearch search = find_jams(box_on_plane(0.9, {0.0, 0.0, 0.0}, kStep));
  CHECK(search.num_examined == 1);
  CHECK(search.num_skipped == 0);
  CHECK(search.jams.empty());
}

TEST_CASE("A block in a guide without clearance jams, with friction or without") {
  const double friction = GENERATE(0.0, 0.05, 0.8), size = GENERATE(0.004, 0.2, 30.0);
  SceneBuilder scene(kStep);
  const int block = scene.add_box(2.0, {size, size, size}, {0.0, 0.0, 0.0});
  const int other = scene.add_ball(1.0, 0.1, {9.0, 0.0, 0.0});
  scene.add_contact(kWorld, other, {9.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  for (const double side : {-1.0, 1.0}) {
    for (const double z : {-0.5, 0.5}) {
      scene.add_contact(kWorld, block, size * Eigen::Vector3d(0.5 * side, 0.0, z),
                        {-side, 0.0, 0.0}, 0.0, friction);
    }
  }
  const ContactProblem problem = scene.build();
  const JamSearch search = find_jams(problem);
  CHECK(search.num_examined == 2);
  REQUIRE(search.jams.size() == 1);
  const Jam& jam = search.jams.front();
  CHECK(jam.contacts.size() >= 2);
  CHECK(std::find(jam.contacts.begin(), jam.contacts.end(), 0) == jam.contacts.end());
  CHECK(jam.reactions.row(2).sum() == Approx(1.0));
  for (Eigen::Index i = 0; i < jam.reactions.cols(); ++i) {
    CHECK(jam.reactions.col(i).head<2>().norm() <= friction * jam.reactions(2, i) + 1e-12);
  }
  CHECK(resultant(problem, jam) < 1e-9 * (1.0 + size));
}

TEST_CASE("Jaws hold a ball without a load where their friction exceeds their tilt") {
  const double tilt = GENERATE(0.1, 0.4), radius = GENERATE(0.02, 3.0);
  // With 64 corners the polygon is within 0.2 % of the disc.
  JamSettings settings;
  settings.directions = 64;
  const double limit = std::tan(tilt);
  CHECK(find_jams(ball_in_jaws(tilt, 0.99 * limit, radius), settings).jams.empty());
  const ContactProblem problem = ball_in_jaws(tilt, 1.01 * limit, radius);
  const JamSearch search = find_jams(problem, settings);
  REQUIRE(search.jams.size() == 1);
  CHECK(resultant(problem, search.jams.front()) < 1e-9 * (1.0 + radius));
}

TEST_CASE("Contacts that do not touch in the step jam nothing") {
  ContactProblem problem = ball_in_jaws(0.1, 0.5, 0.1);
  problem.contacts[0].gap = 0.01;
  CHECK(find_jams(problem).jams.empty());
}

TEST_CASE("Reactions of a tall stack, light or heavy below, are of the order of their load") {
  const double ratio = GENERATE(1e-3, 1.0, 1e3);
  SceneBuilder scene(kStep);
  int below = kWorld;
  for (int k = 0; k < 30; ++k) {
    const int box = scene.add_box(k == 0 ? ratio : 1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.1 + 0.2 * k});
    for (const double x : {-0.1, 0.1}) {
      for (const double y : {-0.1, 0.1}) {
        scene.add_contact(below, box, {x, y, 0.2 * k}, {0.0, 0.0, 1.0}, 0.0, 0.5);
      }
    }
    below = box;
  }
  const ContactProblem problem = scene.build();
  const ContactSolution solution =
      make_model("frictionless", {})->solve(problem, Eigen::VectorXd());
  const SelfLoading loading = self_loading(problem, solution);
  CAPTURE(loading.ratio);
  CHECK(loading.ratio > 0.0);
  CHECK(loading.ratio < 2.0);
}

TEST_CASE("Reactions that load each other stand out, whatever the size and mass") {
  const double radius = GENERATE(0.01, 2.0);
  const ContactProblem problem = ball_in_jaws(0.1, 0.5, radius);
  ContactSolution solution = make_model("coulomb", {})->solve(problem, Eigen::VectorXd());
  CHECK(self_loading(problem, solution).ratio < kSelfLoaded);
  // A thousand times the weight, along the line between the two contacts.
  solution.impulses = Eigen::VectorXd::Zero(6);
  solution.impulses(2) = solution.impulses(5) = 1e3 * 0.7 * 9.81 * kStep;
  const SelfLoading loading = self_loading(problem, solution);
  CHECK(loading.ratio > kSelfLoaded);
  CHECK(loading.contact == 0);
}

}  // namespace
}  // namespace amontons::test
