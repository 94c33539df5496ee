#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

// Small bodies that rock on large round ones.

namespace amontons::test {
namespace {

constexpr double kLarge = 5.0, kDegree = kPi / 180.0;

/// Returns a body that lands on the top of a large round one, leaning by a degree.
/// @param height  of its middle above its lower face [m].
Scene landing(const Shape& round, const Eigen::Matrix3d& R_WR, const Shape& flat, double height) {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  default_material(scene, 0.8);
  SceneBody& large = add_body(scene, "large", round, 1.0, Eigen::Vector3d::Zero());
  large.base = BaseType::Fixed;
  large.pose.rotation = R_WR;
  add_body(scene, "small", flat, 1.0, {0.0, 0.0, kLarge + height + 1.2e-3}).pose.rotation =
      Eigen::AngleAxisd(kDegree, Eigen::Vector3d::UnitY()).toRotationMatrix();
  return scene;
}

}  // namespace

TEST_CASE("A flat body that rocks on a large round one does not sink into it") {
  const Eigen::Matrix3d upright = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d lying =
      Eigen::AngleAxisd(0.5 * kPi, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const std::vector<std::pair<Shape, Eigen::Matrix3d>> rounds{
      {Sphere{kLarge}, upright},
      {Ellipsoid{{6.0, 5.0, kLarge}}, upright},
      {Cylinder{kLarge, 3.0}, lying}};
  const std::vector<std::pair<Shape, double>> flats{{Box{{0.1, 0.1, 0.1}}, 0.05},
                                                    {Cylinder{0.05, 0.1}, 0.05}};
  for (const auto& [round, R_WR] : rounds) {
    for (const auto& [flat, height] : flats) {
      CAPTURE(shape_type_name(round), shape_type_name(flat));
      Simulator simulator(landing(round, R_WR, flat, height));
      double deepest = 0.0;
      CHECK(run(simulator, [&](const StepReport& report) {
              deepest = std::max(deepest, report.certificate.infeasibility);
            }) == 0);
      // 0.5 mm where the nearest point alone is a contact.
      CHECK(deepest <= 1e-4);
      CHECK(velocity(simulator).norm() <= 1e-3);
    }
  }
}

}  // namespace amontons::test
