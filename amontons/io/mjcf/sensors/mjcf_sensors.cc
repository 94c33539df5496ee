#include "amontons/io/mjcf/sensors/mjcf_sensor_objects.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <string_view>

// <sensor>: quantities that are measured.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Names what an attribute of a sensor refers to.
enum class Target {
  Joint,
  JointLimit,
  Ball,
  Tendon,
  TendonLimit,
  Actuator,
  Site,
  Object,
  Volume,
  Camera,
  Shapes,
  Contacts,
  Subtree,
  Nothing
};

/// Says how a sensor of MJCF is read.
struct Kind {
  std::string_view tag;
  SensorKind kind;
  Target target;
};
constexpr Kind kKinds[] = {
    {"jointpos", SensorKind::JointPosition, Target::Joint},
    {"jointvel", SensorKind::JointRate, Target::Joint},
    {"tendonpos", SensorKind::TendonPosition, Target::Tendon},
    {"tendonvel", SensorKind::TendonRate, Target::Tendon},
    {"actuatorpos", SensorKind::ActuatorPosition, Target::Actuator},
    {"actuatorvel", SensorKind::ActuatorRate, Target::Actuator},
    {"actuatorfrc", SensorKind::ActuatorForce, Target::Actuator},
    {"jointactuatorfrc", SensorKind::JointActuatorForce, Target::Joint},
    {"tendonactuatorfrc", SensorKind::TendonActuatorForce, Target::Tendon},
    {"ballquat", SensorKind::BallOrientation, Target::Ball},
    {"ballangvel", SensorKind::BallAngularVelocity, Target::Ball},
    {"accelerometer", SensorKind::Accelerometer, Target::Site},
    {"velocimeter", SensorKind::Velocimeter, Target::Site},
    {"gyro", SensorKind::Gyro, Target::Site},
    {"touch", SensorKind::Touch, Target::Site},
    {"force", SensorKind::Force, Target::Site},
    {"torque", SensorKind::Torque, Target::Site},
    {"rangefinder", SensorKind::Rangefinder, Target::Site},
    {"framepos", SensorKind::FramePosition, Target::Object},
    {"framequat", SensorKind::FrameOrientation, Target::Object},
    {"framexaxis", SensorKind::FrameAxisX, Target::Object},
    {"frameyaxis", SensorKind::FrameAxisY, Target::Object},
    {"framezaxis", SensorKind::FrameAxisZ, Target::Object},
    {"framelinvel", SensorKind::FrameVelocity, Target::Object},
    {"frameangvel", SensorKind::FrameAngularVelocity, Target::Object},
    {"framelinacc", SensorKind::FrameAcceleration, Target::Object},
    {"frameangacc", SensorKind::FrameAngularAcceleration, Target::Object},
    {"subtreecom", SensorKind::SubtreeCenter, Target::Subtree},
    {"subtreelinvel", SensorKind::SubtreeVelocity, Target::Subtree},
    {"subtreeangmom", SensorKind::SubtreeAngularMomentum, Target::Subtree},
    {"clock", SensorKind::Clock, Target::Nothing},
    {"magnetometer", SensorKind::Magnetometer, Target::Site},
    {"jointlimitpos", SensorKind::LimitDistance, Target::JointLimit},
    {"jointlimitvel", SensorKind::LimitRate, Target::JointLimit},
    {"jointlimitfrc", SensorKind::LimitForce, Target::JointLimit},
    {"tendonlimitpos", SensorKind::LimitDistance, Target::TendonLimit},
    {"tendonlimitvel", SensorKind::LimitRate, Target::TendonLimit},
    {"tendonlimitfrc", SensorKind::LimitForce, Target::TendonLimit},
    {"camprojection", SensorKind::CameraProjection, Target::Camera},
    {"insidesite", SensorKind::InsideVolume, Target::Volume},
    {"distance", SensorKind::ShapeDistance, Target::Shapes},
    {"normal", SensorKind::ShapeNormal, Target::Shapes},
    {"fromto", SensorKind::ShapeSegment, Target::Shapes},
    {"e_potential", SensorKind::PotentialEnergy, Target::Nothing},
    {"e_kinetic", SensorKind::KineticEnergy, Target::Nothing},
    {"contact", SensorKind::Contacts, Target::Contacts},
};

/// Says why a sensor of the format is not evaluated.
struct NotEvaluated {
  std::string_view tag;
  const char* reason;
};
constexpr NotEvaluated kNotEvaluated[] = {
    {"user", "the user's own program computes it"},
    {"plugin", "a plugin of another simulator computes it"},
    {"tactile", "it measures how deep a soft contact is, and contacts are rigid here"},
};

// The axes of inertia of a body have an order that is a choice of MuJoCo.
constexpr const char* kNoFrame =
    "it measures axes of inertia, whose order is a choice of MuJoCo; those of xbody, geom, site "
    "and camera are measured";

/// Returns why a sensor without a kind here is not evaluated.
const char* reason_of(std::string_view tag) {
  const auto* found = std::find_if(std::begin(kNotEvaluated), std::end(kNotEvaluated),
                                   [&](const NotEvaluated& own) { return own.tag == tag; });
  return found != std::end(kNotEvaluated) ? found->reason : "there is no such sensor here";
}

/// Returns true for kinds that concern the orientation of a frame.
bool needs_axes(SensorKind kind) {
  return kind == SensorKind::FrameOrientation || kind == SensorKind::FrameAxisX ||
         kind == SensorKind::FrameAxisY || kind == SensorKind::FrameAxisZ;
}

/// Reads the sensors of a file.
class SensorReader {
 public:
  explicit SensorReader(MjcfReader& reader) : reader_(reader) {}

  void read(const MjcfElement& element) {
    if (reader_.leaves_out(element, ImportFate::Refused)) return;
    const std::string tag = element.tag();
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](const Kind& own) { return own.tag == tag; });
    if (kind == std::end(kKinds)) {
      refuse(element, reason_of(tag));
      return;
    }
    ModelSensor sensor;
    sensor.kind = kind->kind;
    sensor.where = element.where();
    sensor.cutoff = element.number("cutoff", 0.0);
    if (const char* reason = find_object(element, *kind, sensor)) {
      refuse(element, reason);
      return;
    }
    sensor.name = element.text("name", "sensor_" + std::to_string(reader_.model.sensors.size()));
    while (!element.has("name") && reader_.gives("sensor", sensor.name)) sensor.name += "_";
    reader_.model.sensors.push_back(std::move(sensor));
  }

 private:
  /// Notes a sensor that is left out, which is a finding.
  static void refuse(const MjcfElement& element, const char* reason) {
    element.leave_out(ImportFate::Refused, std::string("not evaluated: ") + reason);
  }

  /// Finds what a sensor measures. @returns why it is not evaluated, or null.
  const char* find_object(const MjcfElement& element, const Kind& kind, ModelSensor& sensor) {
    switch (kind.target) {
      case Target::Joint:
      case Target::JointLimit:
      case Target::Ball:
        return find_joint(element, kind.target, sensor);
      case Target::Tendon:
      case Target::TendonLimit:
        return find_tendon(element, kind.target, sensor);
      case Target::Actuator:
        return find_actuator(element, kind.kind, sensor);
      case Target::Site:
        return find_site(element, kind.kind, sensor);
      case Target::Camera:
        return find_sensor_camera(reader_, element, sensor);
      case Target::Shapes:
        return find_sensor_shapes(reader_, element, sensor);
      case Target::Contacts:
        return find_sensor_contacts(reader_, element, sensor);
      case Target::Subtree:
        sensor.object = link_of(element, "body").name;
        return nullptr;
      case Target::Nothing:
        return nullptr;
      case Target::Volume:
        sensor.reference = reader_.find_site(element, "site").name;
        return find_frame(element, "obj", SensorKind::FramePosition, sensor.object);
      case Target::Object:
        break;
    }
    if (const char* reason = find_frame(element, "obj", kind.kind, sensor.object)) return reason;
    if (!element.has("refname")) return nullptr;
    return find_frame(element, "ref", SensorKind::FrameAxisX, sensor.reference);
  }

  /// Finds the joint of a sensor. @returns why its reading is not modeled, or null.
  const char* find_joint(const MjcfElement& element, Target target, ModelSensor& sensor) const {
    const MjcfJoint& record = reader_.find_joint(element, "joint");
    const ModelJoint& joint = reader_.joint_of(record);
    sensor.object = record.name;
    if (target == Target::Ball) {
      return joint.type == JointType::Spherical ? nullptr : "its joint is no ball joint";
    }
    if (num_velocities(joint.type) != 1) return "its joint has several coordinates";
    if (target == Target::Joint) return nullptr;
    return find_sensor_limits(reader_, record.element, joint.dynamics, sensor);
  }

  /// Finds the tendon of a sensor. @returns why its reading is not modeled, or null.
  const char* find_tendon(const MjcfElement& element, Target target, ModelSensor& sensor) const {
    const MjcfTendon& record = reader_.find_tendon(element, "tendon");
    sensor.object = record.model_name;
    if (sensor.object.empty()) return "its tendon is not modeled";
    if (target == Target::Tendon) return nullptr;
    const std::vector<ModelTendon>& tendons = reader_.model.tendons;
    const int own = reader_.places.model_tendons.find(tendons, record.model_name);
    return find_sensor_limits(reader_, *record.element,
                              tendons[static_cast<std::size_t>(own)].dynamics, sensor);
  }

  /// Finds the actuator of a sensor. @returns why its reading is not modeled, or null.
  const char* find_actuator(const MjcfElement& element, SensorKind kind, ModelSensor& sensor) {
    const std::string name = element.text("actuator");
    if (!reader_.gives("actuator", name)) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : reader_.given["actuator"]) names.push_back(known);
      element.fail("actuator", "names no actuator: '" + name + "'" + did_you_mean(name, names));
    }
    const auto found = reader_.actuators.find(name);
    if (found == reader_.actuators.end()) return "its actuator exerts nothing here";
    const MjcfActuator& actuator = found->second;
    sensor.gear = actuator.gear;
    if (kind != SensorKind::ActuatorForce) {
      if (kind == SensorKind::ActuatorPosition && !actuator.has_length) {
        return "its actuator has no length";
      }
      sensor.object = actuator.line;
      return actuator.line.empty() ? "its actuator acts along no joint and no tendon" : nullptr;
    }
    sensor.object = name;
    sensor.signal = actuator.signal;
    if (actuator.is_first) sensor.reference = actuator.line;
    return actuator.gear == 0.0 ? "its actuator has a gear of 0, and no effort" : nullptr;
  }

  /// Returns the link of a body that an attribute names.
  const ModelLink& link_of(const MjcfElement& element, const std::string& attribute) const {
    return link_of_body(reader_, reader_.find_body(element, attribute));
  }

  /// Finds the site of a sensor. @returns why its reading is not modeled there, or null.
  const char* find_site(const MjcfElement& element, SensorKind kind, ModelSensor& sensor) {
    if (kind == SensorKind::Rangefinder && element.has("camera")) {
      return "the rays of a camera are not cast; that of a site is";
    }
    if (kind == SensorKind::Rangefinder && element.text("data", "dist") != "dist") {
      return "of what its `data` may ask for only the distance is measured";
    }
    const ModelFrame& site = reader_.find_site(element, "site");
    sensor.object = site.name;
    if (kind == SensorKind::Rangefinder) {
      element.note(ImportFate::Applied, "it sees the shapes that collide");
    }
    if (kind == SensorKind::Magnetometer) sensor.field_W = reader_.magnetic_W;
    if (kind != SensorKind::Force && kind != SensorKind::Torque) return nullptr;
    // Each link but the world has one joint, in the same order.
    const std::vector<ModelJoint>& joints = reader_.model.joints;
    const bool has_joint =
        site.link > 0 && joints[static_cast<std::size_t>(site.link) - 1].type != JointType::Fixed;
    return has_joint ? nullptr
                     : "its body has no joint: it is one with its parent, and nothing acts between "
                       "them here";
  }

  /// Finds the frame of what `obj`type and `obj`name say. @returns why there is none, or null.
  const char* find_frame(const MjcfElement& element, const std::string& prefix, SensorKind kind,
                         std::string& frame) {
    const std::string attribute = prefix + "name";
    const std::string type =
        element.word(prefix + "type", {"body", "xbody", "geom", "site", "camera"}, "");
    if (type == "site") {
      frame = reader_.find_site(element, attribute).name;
      return nullptr;
    }
    if (type == "geom" || type == "camera") {
      const MjcfMeasuredFrame found = find_measured(reader_, element, type, attribute);
      frame = found.frame;
      return found.reason;
    }
    // The frame `body` has the axes of its inertia.
    const bool at_center = type == "body";
    const MjcfBody& body =
        reader_.bodies[static_cast<std::size_t>(reader_.find_body(element, attribute))];
    if (at_center && needs_axes(kind)) return kNoFrame;
    frame = body_frame(body, at_center);
    return nullptr;
  }

  /// Returns the name of the frame at the origin or the center of mass of a body.
  std::string body_frame(const MjcfBody& body, bool at_center) {
    ModelFrame frame;
    frame.name = body.name + (at_center ? "@center" : "@body");
    while (reader_.gives("site", frame.name)) frame.name += "_";
    frame.link = body.link;
    const SpatialInertia& inertia =
        reader_.model.links[static_cast<std::size_t>(body.link)].inertia;
    if (at_center) frame.X_LF.translation = inertia.center_of_mass;
    frame.where = body.where;
    std::vector<ModelFrame>& frames = reader_.model.frames;
    if (reader_.places.sites.find(frames, frame.name) < 0) frames.push_back(frame);
    return frame.name;
  }

  MjcfReader& reader_;
};

}  // namespace

void read_mjcf_sensors(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  SensorReader sensors(reader);
  for (const XMLElement* section : document.children(document.root(), "sensor")) {
    reader.element(*section, "");
    for (const XMLElement* xml : document.children(*section)) {
      reader.faults.attempt([&] { sensors.read(reader.element(*xml, "")); });
    }
  }
}

}  // namespace amontons::io
