#include "amontons/simulation/contact_readings.h"

#include "amontons/math/named_index.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/model_sensors.h"
#include "amontons/simulation/sensor_readings.h"
#include "amontons/simulation/sensors.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Holds what a sensor may report of a contact. The force acts on the second side.
struct Reported {
  Vector3d force = Vector3d::Zero();   ///< along normal, tangent and their product [N]
  Vector3d torque = Vector3d::Zero();  ///< about the same axes [N m]
  double gap = 0.0;                    ///< [m]
  Vector3d position = Vector3d::Zero(), normal = Vector3d::UnitX(), tangent = Vector3d::UnitY();
};

/// Finds the contacts that a sensor selects.
class ContactSelection {
 public:
  ContactSelection(const System& system, const StepReport& report, const SystemSensor& sensor)
      : report_(report), sensor_(sensor.sensor.contacts) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (!sensor_.sides[side]) continue;
      shapes_[side].emplace();
      for (const SensorShapes& shapes : *sensor_.sides[side]) {
        for (const std::size_t shape : indices_of(system, sensor.model, shapes)) {
          shapes_[side]->insert(static_cast<int>(shape));
        }
      }
    }
    if (!sensor_.volume.empty()) find_volume(system, sensor.model);
  }

  /// Returns the contacts that match, in their order.
  std::vector<Reported> find() const {
    std::vector<Reported> matches;
    for (std::size_t i = 0; i < report_.problem.num_contacts(); ++i) {
      const Contact& contact = report_.problem.contacts[i];
      const Vector3d impulse = report_.solution.impulses.segment<3>(ContactProblem::row(i));
      if (contact.gap > 0.0 && impulse.isZero(0.0)) continue;
      if (const std::optional<bool> turned = match(contact)) {
        matches.push_back(reported(contact, impulse / report_.step, *turned));
      }
    }
    return matches;
  }

 private:
  /// Finds the pose of the volume at the start of the step.
  void find_volume(const System& system, const std::string& model) {
    const int index =
        index_of_named("frame", system.frames(), model + "/" + sensor_.volume, &SystemFrame::name);
    const SystemFrame& frame = system.frames()[static_cast<std::size_t>(index)];
    X_WF_ = model_frame_pose(system, *report_.start, frame.name);
    volume_ = frame.extent;
  }

  /// Returns whether a contact is to be turned, so that its first shape is of the first side;
  /// nothing where it does not match.
  std::optional<bool> match(const Contact& contact) const {
    if (!sensor_.volume.empty() &&
        !(volume_ && is_inside(*volume_, X_WF_.inverse() * contact.position_W))) {
      return std::nullopt;
    }
    const auto is_of = [&](std::size_t side, int shape) {
      return !shapes_[side] || shapes_[side]->count(shape) > 0;
    };
    const int a = contact.key.shape_a, b = contact.key.shape_b;
    if (is_of(0, a) && is_of(1, b)) return false;
    if (is_of(0, b) && is_of(1, a)) return true;
    return std::nullopt;
  }

  /// Returns what there is to report of a contact with a force on its body B [N].
  static Reported reported(const Contact& contact, const Vector3d& force, bool turned) {
    const Eigen::Matrix3d axes = contact_frame(contact.normal_W);  // t1, t2, n
    Reported result{{force.z(), force.x(), force.y()},
                    Vector3d::Zero(),
                    contact.gap,
                    contact.position_W,
                    contact.normal_W,
                    axes.col(0)};
    if (!turned) return result;
    // Half a turn about the second tangent, and the force on the other body.
    result.normal = -result.normal;
    result.tangent = -result.tangent;
    result.force.z() = -result.force.z();
    return result;
  }

  const StepReport& report_;
  const SensorContacts& sensor_;
  std::array<std::optional<std::set<int>>, 2> shapes_;
  std::optional<Shape> volume_;
  Pose X_WF_;
};

/// Returns the sum of contacts, in the axes of W about their center.
Reported sum_of(const std::vector<Reported>& contacts) {
  Reported sum;
  double weight = 0.0;
  for (const Reported& own : contacts) {
    weight += own.force.norm();
    sum.position += own.force.norm() * own.position;
  }
  if (weight > 0.0) sum.position /= weight;
  for (const Reported& own : contacts) {
    const Vector3d force_W = own.force.x() * own.normal + own.force.y() * own.tangent +
                             own.force.z() * own.normal.cross(own.tangent);
    sum.force += force_W;
    sum.torque += (own.position - sum.position).cross(force_W);
  }
  return sum;
}

/// Puts the contacts that a sensor prefers first, and drops those that have no place.
void choose(const SensorContacts& sensor, std::vector<Reported>& contacts) {
  const auto sort = [&](const auto& rank) {
    std::stable_sort(contacts.begin(), contacts.end(),
                     [&](const Reported& a, const Reported& b) { return rank(a) < rank(b); });
  };
  switch (sensor.choice) {
    case ContactChoice::InOrder:
      break;
    case ContactChoice::Nearest:
      sort([](const Reported& own) { return own.gap; });
      break;
    case ContactChoice::Strongest:
      sort([](const Reported& own) { return -own.force.squaredNorm(); });
      break;
    case ContactChoice::Sum:
      if (!contacts.empty()) contacts = {sum_of(contacts)};
      break;
  }
  contacts.resize(std::min(contacts.size(), static_cast<std::size_t>(sensor.places)));
}

}  // namespace

int contact_reading_size(const SensorContacts& contacts) {
  const int numbers = contacts.found + 3 * contacts.force + 3 * contacts.torque +
                      contacts.distance + 3 * contacts.position + 3 * contacts.normal +
                      3 * contacts.tangent;
  return contacts.places * numbers;
}

Eigen::VectorXd contact_reading(const System& system, const StepReport& report,
                                const SystemSensor& sensor) {
  require_step(report);
  const SensorContacts& fields = sensor.sensor.contacts;
  std::vector<Reported> contacts = ContactSelection(system, report, sensor).find();
  const double found = static_cast<double>(contacts.size());
  choose(fields, contacts);
  // The fields of each place, in their order.
  Eigen::VectorXd reading = Eigen::VectorXd::Zero(contact_reading_size(fields));
  Eigen::Index next = 0;
  const auto write = [&](bool is_asked, const auto& value) {
    if (!is_asked) return;
    reading.segment(next, value.size()) = value;
    next += value.size();
  };
  for (const Reported& own : contacts) {
    write(fields.found, Eigen::Matrix<double, 1, 1>(found));
    write(fields.force, own.force);
    write(fields.torque, own.torque);
    write(fields.distance, Eigen::Matrix<double, 1, 1>(own.gap));
    write(fields.position, own.position);
    write(fields.normal, own.normal);
    write(fields.tangent, own.tangent);
  }
  return reading;
}

}  // namespace amontons
