#include "experiments/public/public_scenes.h"

#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/workloads/principal_frames.h"
#include "benchmarks/peers/workloads/public_measures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace amontons::peers {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kShortLimit = 15.0;  // of scenes whose steps may take seconds [s]

/// Returns the angle between a body's z axis and the vertical [degrees].
double tilt_of(const BodyState& state) {
  return std::acos(std::clamp(state.X_WB.rotation(2, 2), -1.0, 1.0)) / kDegree;
}

template <typename Make>
Case public_case(const std::string& id, std::function<Scene()> make_scene, Make make_measure) {
  Case c;
  c.id = "public " + id;
  c.scene = "experiments/public";
  c.make_scene = std::move(make_scene);
  c.make_measure = std::move(make_measure);
  c.limit_s = 60.0;
  c.entrants = {"ode/quick20",     "ode/step",     "bullet/si10",
                "bullet/dantzig",  "dart/dantzig", "mujoco/newton",
                "mujoco/elliptic", "mujoco/tuned", "siconos"};
  return c;
}

Case at_end(const std::string& id, std::function<Scene()> make_scene,
            EndMeasure::Evaluate evaluate) {
  Case c =
      public_case(id, std::move(make_scene), [evaluate](const World&) -> std::unique_ptr<Measure> {
        return std::make_unique<EndMeasure>(evaluate);
      });
  c.quick = true;
  return c;
}

/// The distance along the slope against that of the exact law. The slope's directions are those of
/// the cube at the start.
Case incline_case(const std::string& friction) {
  constexpr double kGap = 0.001;  // [m]
  const double mu = std::stod(friction), exact = experiments::incline_distance(mu, kGap);
  return at_end(
      "incline mu " + friction, [mu] { return experiments::incline_scene(mu, kGap); },
      [exact](const std::vector<BodyState>& start, const std::vector<BodyState>& end) {
        const Pose& X = start[0].X_WB;
        const Eigen::Vector3d moved =
            X.rotation.transpose() * (end[0].X_WB.translation - X.translation);
        return std::vector<Figure>{{"distance error m", std::abs(moved.x() - exact)},
                                   {"sideways m", std::abs(moved.y())}};
      });
}

/// The ball ends rolling, with the angular momentum about a point of the floor that it had.
Case backspin_case() {
  constexpr double kRadius = 0.25;  // [m]
  return at_end("backspin", experiments::backspin_scene,
                [](const std::vector<BodyState>& start, const std::vector<BodyState>& end) {
                  const double speed =
                      (5.0 * start[0].linear.x() + 2.0 * kRadius * start[0].angular.y()) / 7.0;
                  return std::vector<Figure>{
                      {"speed error m/s", std::abs(end[0].linear.x() - speed)},
                      {"spin error rad/s", std::abs(end[0].angular.y() - speed / kRadius)}};
                });
}

/// The box slides and stops upright, or tips over its leading edge and lies.
Case painleve_case(const std::string& friction, double tilt) {
  const double mu = std::stod(friction);
  return at_end(
      "Painleve box mu " + friction, [mu] { return experiments::painleve_box_scene(mu); },
      [tilt](const std::vector<BodyState>& start, const std::vector<BodyState>& end) {
        return std::vector<Figure>{
            {"tilt error deg", std::abs(tilt_of(end[0]) - tilt)},
            {"travel m", end[0].X_WB.translation.x() - start[0].X_WB.translation.x()}};
      });
}

Case turntable_case(const std::string& friction, double speed, bool is_thrown_off) {
  const double mu = std::stod(friction);
  return public_case(
      "turntable mu " + friction + ", " + std::to_string(static_cast<int>(speed)) + " rad/s",
      [mu, speed] {
        constexpr double kStep = 1.0 / 60.0;  // [s]
        return experiments::turntable_scene(mu, speed, kStep);
      },
      [is_thrown_off](const World&) -> std::unique_ptr<Measure> {
        constexpr double kRim = 2.0;  // [m]
        return std::make_unique<RideMeasure>(kRim, is_thrown_off);
      });
}

Case standing_case(const std::string& id, std::function<Scene()> make_scene) {
  return public_case(id, std::move(make_scene), [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<StandingMeasure>(world);
  });
}

Case arch_case(int stones) {
  return standing_case("arch of " + std::to_string(stones) + " stones", [stones] {
    constexpr double kDuration = 2.0, kFriction = 0.8;  // [s, -]
    Scene scene = experiments::masonry_arch_scene(stones, kDuration, kFriction);
    place_in_principal_frames(scene);
    return scene;
  });
}

Case bouncing_case(const std::string& id, double step, const std::string& method) {
  return public_case(
      id,
      [step, method] {
        constexpr double kDuration = 10.0;  // [s]
        return experiments::bouncing_scene(step, kDuration, method);
      },
      [](const World& world) -> std::unique_ptr<Measure> {
        return std::make_unique<EnergyErrorMeasure>(world);
      });
}

/// Balls without loss: the energy that a step at a time keeps.
Case elastic_cube_case() {
  Case c = public_case(
      "elastic cube of 216 balls",
      [] {
        constexpr double kHeight = 1.101, kStep = 0.01, kDuration = 2.0;  // [m, s, s]
        return experiments::sphere_cube_scene(kHeight, 1.0, kStep, kDuration, "time-stepping");
      },
      [](const World& world) -> std::unique_ptr<Measure> {
        return std::make_unique<EnergyErrorMeasure>(world);
      });
  c.limit_s = kShortLimit;
  return c;
}

/// The largest motion of a box, which statics has at rest. Exact solvers of dense matrices have no
/// memory for thousands of boxes, which get `entrants` alone.
Case pyramids_case(const std::string& id, int side, int base, int steps,
                   std::vector<std::string> entrants) {
  Case c = at_end(
      "pyramids: " + id,
      [side, base, steps] { return experiments::pyramids_scene(side, base, steps); },
      [](const std::vector<BodyState>& start, const std::vector<BodyState>& end) {
        constexpr double kMillimeter = 1e-3;
        double largest = 0.0;
        for (std::size_t i = 0; i < start.size(); ++i) {
          largest = std::max(largest, (end[i].X_WB.translation - start[i].X_WB.translation).norm());
        }
        return std::vector<Figure>{{"motion mm", largest / kMillimeter}};
      });
  c.quick = false;
  c.limit_s = kShortLimit;
  if (!entrants.empty()) c.entrants = std::move(entrants);
  return c;
}

/// The height of a ball in the end against that which the test of gz-physics expects.
Case height_case(const std::string& id, std::function<Scene()> make_scene, double height) {
  return at_end("gz-physics " + id, std::move(make_scene),
                [height](const std::vector<BodyState>&, const std::vector<BodyState>& end) {
                  const double z = end[0].X_WB.translation.z();
                  return std::vector<Figure>{{"height error m", std::abs(z - height)}};
                });
}

Case tippe_top_case(const std::string& id, double step) {
  return public_case(
      "tippe top h " + id,
      [step] {
        constexpr double kDuration = 1.0;  // [s]
        return experiments::tippe_top_scene(step, kDuration, "time-stepping");
      },
      [](const World&) -> std::unique_ptr<Measure> { return std::make_unique<JellettMeasure>(); });
}

Case sphere_cube_case() {
  Case c = public_case(
      "cube of 216 balls",
      [] {
        constexpr double kHeight = 0.101, kStep = 0.01, kDuration = 2.0;  // [m, s, s]
        return experiments::sphere_cube_scene(kHeight, 0.0, kStep, kDuration, "time-stepping");
      },
      [](const World&) -> std::unique_ptr<Measure> {
        constexpr double kRadius = 0.1;  // [m]
        return std::make_unique<BallOverlapMeasure>(kRadius);
      });
  c.limit_s = kShortLimit;
  return c;
}

Case rocking_case() {
  return public_case(
      "rocking block", [] { return experiments::rocking_block_scene(0.001, "time-stepping"); },
      [](const World& world) -> std::unique_ptr<Measure> {
        constexpr double kHalfHeight = 0.5;  // [m]
        const double rest = world.moving[0].mass * world.gravity.norm() * kHalfHeight;
        return std::make_unique<RockingMeasure>(world, rest, experiments::rocking_energy_ratio());
      });
}

}  // namespace

std::vector<Case> public_cases() {
  constexpr double kUpright = 0.0, kLying = 90.0;  // [degrees]
  constexpr double kRestingHeight = 1.0;           // of a ball on the ground: its radius [m]
  const std::vector<std::string> iterative = {"ode/quick20", "bullet/si10", "box3d"};
  std::vector<Case> cases;
  for (const char* friction : {"0.3", "0.4", "0.45", "0.5", "0.55", "0.6", "0.8"}) {
    cases.push_back(incline_case(friction));
  }
  for (Case& c :
       std::vector<Case>{backspin_case(),
                         painleve_case("0.5", kUpright),
                         painleve_case("0.55", kLying),
                         turntable_case("0.2", 2.0, true),
                         turntable_case("0.2", 5.0, true),
                         turntable_case("0.5", 2.0, false),
                         turntable_case("0.5", 5.0, true),
                         standing_case("house of 40 cards",
                                       [] { return experiments::card_house_scene(5, 1.2, 0.8); }),
                         arch_case(25),
                         arch_case(101),
                         bouncing_case("49 balls h 10 ms", 0.01, "time-stepping"),
                         bouncing_case("49 balls h 1 ms", 0.001, "time-stepping"),
                         sphere_cube_case(),
                         elastic_cube_case(),
                         tippe_top_case("1 ms", 0.001),
                         tippe_top_case("0.1 ms", 0.0001),
                         rocking_case(),
                         standing_case("thin card house",
                                       [] { return experiments::thin_card_house_scene(0.7, 1.0); }),
                         pyramids_case("210 boxes in one", 1, 20, 200, {}),
                         pyramids_case("5050 boxes in one", 1, 100, 200, iterative),
                         pyramids_case("10780 boxes in 196", 14, 10, 100, iterative),
                         height_case("gravity", experiments::gravity_test_scene,
                                     experiments::gravity_test_height()),
                         height_case("falling", experiments::falling_test_scene, kRestingHeight)}) {
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace amontons::peers
