#include "amontons/simulation/sensor_readings.h"

#include "amontons/geometry/shapes/shape.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/elementary.h"
#include "amontons/simulation/sensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

/// Returns the index of a joint's or tendon's coordinate in coordinate_dynamics().
/// @throws std::invalid_argument if it has none.
std::size_t find_coordinate(const System& system, const std::string& joint) {
  const std::vector<CoordinateDynamics>& all = system.coordinate_dynamics();
  const auto found = std::find_if(all.begin(), all.end(), [&](const CoordinateDynamics& own) {
    return own.joint == joint && (own.q_index >= 0 || own.loop >= 0);
  });
  if (found == all.end()) {
    throw std::invalid_argument("joint '" + joint + "' has no coordinate with limits");
  }
  return static_cast<std::size_t>(found - all.begin());
}

/// Returns the mean force of a coordinate's limits over a step, at least 0 [N m or N].
double limit_force(const StepReport& report, std::size_t coordinate) {
  require_step(report);
  double impulse = 0.0;
  const std::vector<BoundedRow>& rows = report.problem.bounded_rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_own =
        rows[i].kind == BoundedRowKind::Limit && rows[i].index == static_cast<int>(coordinate);
    if (is_own) impulse += report.solution.bounded_impulses[static_cast<Eigen::Index>(i)];
  }
  return impulse / report.step;
}

/// Returns the least signed distance of two sets of shapes, if it is below a limit [m]. Two
/// unbounded shapes have none.
std::optional<SignedDistance> least_distance(const System& system, const SystemKinematics& at,
                                             const SystemSensor& sensor, double limit) {
  std::optional<SignedDistance> least;
  const auto& [one, other] = sensor.sensor.shapes;
  const auto is_bounded = [](const CollisionShape& own) {
    return std::isfinite(bounding_radius(own.shape));
  };
  const auto pose_of = [&](const CollisionShape& own) {
    return at.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
  };
  for (const std::size_t i : indices_of(system, sensor.model, one)) {
    for (const std::size_t k : indices_of(system, sensor.model, other)) {
      const CollisionShape &a = system.shapes()[i], &b = system.shapes()[k];
      if (!is_bounded(a) && !is_bounded(b)) continue;
      const SignedDistance own = signed_distance(a.shape, pose_of(a), b.shape, pose_of(b));
      if (!(own.distance < limit)) continue;
      limit = own.distance;
      least = own;
    }
  }
  return least;
}

/// Returns true if a name is that of a part of a model.
bool is_of(const std::string& model, const std::string& name) {
  return name.size() > model.size() && name.compare(0, model.size(), model) == 0 &&
         name[model.size()] == '/';
}

}  // namespace

bool is_inside(const Shape& extent, const Eigen::Vector3d& p) {
  if (const auto* sphere = std::get_if<Sphere>(&extent)) return p.norm() <= sphere->radius;
  if (const auto* box = std::get_if<Box>(&extent)) {
    return (p.cwiseAbs() - 0.5 * box->size).maxCoeff() <= 0.0;
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&extent)) {
    return p.cwiseQuotient(ellipsoid->semi_axes).norm() <= 1.0;
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&extent)) {
    return p.head<2>().norm() <= cylinder->radius && std::abs(p.z()) <= 0.5 * cylinder->length;
  }
  if (const auto* capsule = std::get_if<Capsule>(&extent)) {
    const double z = std::max(0.0, std::abs(p.z()) - 0.5 * capsule->length);
    return elementary::hypot(p.head<2>().norm(), z) <= capsule->radius;
  }
  return false;
}

std::vector<std::size_t> indices_of(const System& system, const std::string& model,
                                    const SensorShapes& shapes) {
  const int body = system.find_body(model + "/" + shapes.link);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < system.shapes().size(); ++i) {
    if (system.shapes()[i].body == body) all.push_back(i);
  }
  const auto first = std::min(static_cast<std::size_t>(shapes.first), all.size());
  const auto last = std::min(first + static_cast<std::size_t>(shapes.count), all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(last)};
}

double limit_reading(const System& system, const StepReport& report, const SystemKinematics& at_end,
                     const ModelSensor& sensor, const std::string& joint) {
  const std::size_t index = find_coordinate(system, joint);
  if (sensor.kind == SensorKind::LimitForce) return limit_force(report, index);
  const CoordinateDynamics& own = system.coordinate_dynamics()[index];
  if (!own.dynamics.limits) return 0.0;
  const auto& [lower, upper] = *own.dynamics.limits;
  const double position = coordinate_position(own, at_end);
  const bool measures_rate = sensor.kind == SensorKind::LimitRate;
  const double rate = measures_rate ? coordinate_rate(own, at_end, report.end->v) : 0.0;
  if (position - lower < sensor.margin) {
    return measures_rate ? rate : position - lower - sensor.margin;
  }
  if (upper - position < sensor.margin) {
    return measures_rate ? -rate : upper - position - sensor.margin;
  }
  return 0.0;
}

Eigen::Vector2d projection(const SensorCamera& camera, const Eigen::Vector3d& p_C) {
  // A point in the plane of the camera has no picture; MuJoCo puts it far outside.
  constexpr double kLeastDepth = 1e-15;
  const double depth =
      std::abs(p_C.z()) < kLeastDepth ? std::copysign(kLeastDepth, p_C.z()) : p_C.z();
  return {0.5 * camera.size.x() - camera.focal.x() * p_C.x() / depth,
          0.5 * camera.size.y() + camera.focal.y() * p_C.y() / depth};
}

Eigen::VectorXd distance_reading(const System& system, const SystemKinematics& at,
                                 const SystemSensor& sensor) {
  const std::optional<SignedDistance> least =
      least_distance(system, at, sensor, sensor.sensor.cutoff);
  switch (sensor.sensor.kind) {
    case SensorKind::ShapeNormal: {
      if (!least || least->distance == 0.0) return Eigen::Vector3d::Zero();
      return std::copysign(1.0, least->distance) * least->normal_W;
    }
    case SensorKind::ShapeSegment: {
      Vector6d ends = Vector6d::Zero();
      if (least) ends << least->p_A_W, least->p_B_W;
      return ends;
    }
    default:
      return Eigen::VectorXd::Constant(1, least ? least->distance : sensor.sensor.cutoff);
  }
}

double energy_reading(const System& system, const SystemKinematics& at,
                      const SystemSensor& sensor) {
  double energy = 0.0;
  if (sensor.sensor.kind == SensorKind::KineticEnergy) {
    std::set<int> trees;
    for (const SubtreePart& part : sensor.subtree) {
      trees.insert(system.bodies()[static_cast<std::size_t>(part.body)].articulation);
    }
    trees.erase(-1);  // fixed bodies
    for (const int tree : trees) {
      const auto t = static_cast<std::size_t>(tree);
      energy += system.articulations()[t].kinetic_energy(at.trees[t]);
    }
    return energy;
  }
  for (const SubtreePart& part : sensor.subtree) {
    const Eigen::Vector3d center =
        at.X_WB[static_cast<std::size_t>(part.body)] * part.inertia.center_of_mass;
    energy -= system.mass_factor(part.body) * part.inertia.mass * system.gravity().dot(center);
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.dynamics.stiffness == 0.0 || !is_of(sensor.model, own.joint)) continue;
    const double stretch = spring_stretch(own.dynamics, coordinate_position(own, at));
    energy += 0.5 * own.dynamics.stiffness * stretch * stretch;
  }
  return energy;
}

}  // namespace amontons
