#include "amontons/dynamics/massless_motion.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <algorithm>

namespace amontons::test {
namespace {

constexpr double kLeastEigenvalue = 1e-12;

/// Returns the smallest eigenvalue of the rows and columns of M that are named, scaled to a unit
/// diagonal.
double smallest_scaled(const Eigen::MatrixXd& M, const std::vector<int>& rates) {
  const Eigen::MatrixXd part = M(rates, rates);
  const Eigen::VectorXd scale = part.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * part * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues()(0);
}

std::vector<int> all_rates(const Articulation& tree) {
  std::vector<int> rates(static_cast<std::size_t>(tree.num_velocities()));
  for (std::size_t k = 0; k < rates.size(); ++k) rates[k] = static_cast<int>(k);
  return rates;
}

/// Returns coaxial links on hinges, of which the last one has the given inertia.
Articulation coaxial_hinges(int num_links, const SpatialInertia& last) {
  std::vector<Link> links(static_cast<std::size_t>(num_links));
  for (int i = 0; i < num_links; ++i) {
    Link& link = links[static_cast<std::size_t>(i)];
    link.parent = i - 1;
    link.joint = JointType::Revolute;
    link.inertia = {1.0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  }
  links.back().inertia = last;
  return Articulation(links);
}

}  // namespace

TEST_CASE("A motion without mass exists where the mass matrix is singular, and nowhere else") {
  Engine engine(71);
  int num_singular = 0;
  for (int trial = 0; trial < num_cases(2000); ++trial) {
    std::vector<Link> links = random_tree(engine, 1 + trial % 9).links();
    // In half of the trees some links lose their mass, and some joints of one rate get a rotor.
    for (Link& link : links) {
      if (trial % 2 == 0 && uniform(engine, 0.0, 1.0) < 0.4) link.inertia = SpatialInertia{};
      if (num_velocities(link.joint) == 1 && uniform(engine, 0.0, 1.0) < 0.1) link.armature = 0.3;
    }
    const Articulation tree(links);
    const ArticulationKinematics kinematics = kinematics_at(
        tree, random_position(engine, tree), Eigen::VectorXd::Zero(tree.num_velocities()));
    const Eigen::MatrixXd M = tree.mass_matrix(kinematics);
    const std::vector<int> found = find_massless_motion(tree, kinematics, kLeastEigenvalue);
    CAPTURE(trial);
    CHECK(std::is_sorted(found.begin(), found.end()));
    const bool has_zero = M.diagonal().minCoeff() <= 0.0;
    const double smallest = has_zero ? 0.0 : smallest_scaled(M, all_rates(tree));
    // Eigenvalues near the bound may count either way: rounding of M is about 1e-15.
    if (smallest > 2e-12) CHECK(found.empty());
    if (smallest < 0.5e-12) {
      ++num_singular;
      REQUIRE(!found.empty());
      // The rates that are named are enough for such a motion.
      double least = 0.0;
      for (const int k : found) least = std::max(least, M(k, k));
      if (least > 0.0 && found.size() > 1) CHECK(smallest_scaled(M, found) < 2e-12);
      if (found.size() == 1) CHECK(M(found[0], found[0]) <= 1e-14 * M.diagonal().maxCoeff());
    }
  }
  CHECK(num_singular > num_cases(2000) / 10);
}

TEST_CASE("Slides that undo each other are named, and those beside them are not") {
  std::vector<Link> links(4);
  const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                                  Eigen::Vector3d::UnitZ(),
                                  Eigen::Vector3d(1.0, 1.0, 0.0).normalized()};
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].parent = static_cast<int>(i) - 1;
    links[i].joint = JointType::Prismatic;
    links[i].axis = axes[i];
  }
  links.back().inertia = {2.0, Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Matrix3d::Identity()};
  const auto motion = [&] {
    const Articulation tree(links);
    return find_massless_motion(
        tree, kinematics_at(tree, tree.neutral_position(), Eigen::VectorXd::Zero(4)),
        kLeastEigenvalue);
  };
  CHECK(motion() == std::vector<int>{0, 1, 3});
  links[1].armature = 0.1;
  CHECK(motion().empty());
}

TEST_CASE("A motion without mass is found in 30000 links, whose mass matrix would have 7 GB") {
  const SpatialInertia body{1.0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  constexpr int kLinks = 30000;
  for (const bool last_has_mass : {true, false}) {
    const Articulation tree = coaxial_hinges(kLinks, last_has_mass ? body : SpatialInertia{});
    const std::vector<int> found = find_massless_motion(
        tree, kinematics_at(tree, tree.neutral_position(), Eigen::VectorXd::Zero(kLinks)),
        kLeastEigenvalue);
    CHECK(found == (last_has_mass ? std::vector<int>{} : std::vector<int>{kLinks - 1}));
  }
}

}  // namespace amontons::test
