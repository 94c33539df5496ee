#include "amontons/geometry/signed_distance.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <algorithm>
#include <cmath>

// A disk (sphere) of radius 3 against a plate of thickness 1: d = |y| - 3.5 above its flat part.

namespace amontons::experiments {

void check_signed_distance(Context& context, Findings& findings) {
  constexpr double kRadius = 3.0, kThickness = 1.0, kLength = 20.0;
  const Shape plate = context.shape(Box{{kLength, kLength, kThickness}});
  const Shape disk = context.shape(Sphere{kRadius});
  const auto at = [&](double x, double y) {
    return signed_distance(plate, Pose{}, disk, Pose{Eigen::Matrix3d::Identity(), {x, 0.0, y}});
  };

  double distance_error = 0.0, gradient_error = 0.0;
  Figure figure{"Signed distance and its gradient",
                "y [m]",
                "d [m], dd/dy",
                false,
                {{"d", {}, {}}, {"dd/dy", {}, {}}}};
  for (int i = -1000; i <= 1000; ++i) {
    if (i == 0) continue;
    const double y = 0.01 * i;
    const SignedDistance d = at(0.0, y);
    distance_error =
        std::max(distance_error, std::abs(d.distance - (std::abs(y) - kRadius - kThickness / 2.0)));
    gradient_error = std::max(
        gradient_error, (d.normal_W - Eigen::Vector3d(0.0, 0.0, y > 0.0 ? 1.0 : -1.0)).norm());
    figure.curves[0].x.push_back(y);
    figure.curves[0].y.push_back(d.distance);
    figure.curves[1].x.push_back(y);
    figure.curves[1].y.push_back(d.normal_W.z());
  }
  findings.expect_at_most("distance for y in [-10, 10], y != 0 [m]", distance_error, 1e-12);
  findings.expect_at_most("gradient there [-]", gradient_error, 1e-12);

  const SignedDistance middle = at(0.0, 0.0);
  findings.expect_at_most("at y = 0: distance against -R - H/2 [m]",
                          std::abs(middle.distance + kRadius + kThickness / 2.0), 1e-12);
  findings.expect_at_most("at y = 0: the gradient is one of the two, to [-]",
                          (middle.normal_W.cwiseAbs() - Eigen::Vector3d::UnitZ()).norm(), 1e-12);

  double corner_error = 0.0;
  for (const double beyond : {0.1, 1.0, 4.0}) {
    for (const double above : {0.2, 2.0, 5.0}) {
      // Nearest is the plate's edge at (L/2, H/2); far enough out it lies outside the disk.
      const double exact = std::hypot(beyond, above) - kRadius;
      if (exact < 0.0) continue;
      const SignedDistance d = at(kLength / 2.0 + beyond, kThickness / 2.0 + above);
      corner_error = std::max(corner_error, std::abs(d.distance - exact));
    }
  }
  findings.expect_at_most("beyond the plate's end: distance to the corner [m]", corner_error,
                          1e-12);
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
