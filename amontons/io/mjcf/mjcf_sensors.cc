#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <string_view>

// <sensor>: quantities that are measured.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Names what an attribute of a sensor refers to.
enum class Target { Joint, Ball, Tendon, Actuator, Site, Object, Subtree, Nothing };

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
};

constexpr const char* kNotEvaluated = "there is no such sensor here";

// Frames of geoms and cameras are not kept, nor are the axes of inertia of bodies.
constexpr const char* kNoFrame =
    "it measures a frame that is not kept; those of sites, of bodies (xbody) and centers of mass "
    "are";

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
    const std::string tag = element.tag();
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](const Kind& own) { return own.tag == tag; });
    if (kind == std::end(kKinds)) {
      refuse(element, kNotEvaluated);
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
    element.note(ImportFate::Refused, std::string("not evaluated: ") + reason);
  }

  /// Finds what a sensor measures. @returns why it is not evaluated, or null.
  const char* find_object(const MjcfElement& element, const Kind& kind, ModelSensor& sensor) {
    switch (kind.target) {
      case Target::Joint:
      case Target::Ball: {
        const MjcfJoint& joint = reader_.find_joint(element, "joint");
        sensor.object = joint.name;
        const bool is_ball = reader_.joint_of(joint).type == JointType::Spherical;
        if (kind.target == Target::Ball) return is_ball ? nullptr : "its joint is no ball joint";
        return num_velocities(reader_.joint_of(joint).type) == 1
                   ? nullptr
                   : "its joint has several coordinates";
      }
      case Target::Tendon:
        sensor.object = reader_.find_tendon(element, "tendon").model_name;
        return sensor.object.empty() ? "its tendon is not modeled" : nullptr;
      case Target::Actuator:
        return find_actuator(element, kind.kind, sensor);
      case Target::Site:
        return find_site(element, kind.kind, sensor);
      case Target::Subtree:
        sensor.object = link_of(element, "body").name;
        return nullptr;
      case Target::Nothing:
        return nullptr;
      case Target::Object:
        break;
    }
    const std::optional<std::string> object = frame_of(element, "obj", kind.kind);
    if (!object) return kNoFrame;
    sensor.object = *object;
    if (!element.has("refname")) return nullptr;
    const std::optional<std::string> reference = frame_of(element, "ref", SensorKind::FrameAxisX);
    if (!reference) return kNoFrame;
    sensor.reference = *reference;
    return nullptr;
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
    const auto body = static_cast<std::size_t>(reader_.find_body(element, attribute));
    return reader_.model.links[static_cast<std::size_t>(reader_.bodies[body].link)];
  }

  /// Finds the site of a sensor. @returns why its reading is not modeled there, or null.
  const char* find_site(const MjcfElement& element, SensorKind kind, ModelSensor& sensor) {
    if (kind == SensorKind::Rangefinder && element.has("camera")) return kNotEvaluated;
    const ModelFrame& site = reader_.find_site(element, "site");
    sensor.object = site.name;
    if (kind == SensorKind::Rangefinder) {
      element.note(ImportFate::Applied, "it sees the shapes that collide");
    }
    if (kind != SensorKind::Force && kind != SensorKind::Torque) return nullptr;
    const std::vector<ModelJoint>& joints = reader_.model.joints;
    const bool has_joint = std::any_of(joints.begin(), joints.end(), [&](const ModelJoint& joint) {
      return joint.child == site.link && joint.type != JointType::Fixed;
    });
    return has_joint ? nullptr
                     : "its body has no joint: it is one with its parent, and nothing acts between "
                       "them here";
  }

  /// Returns the frame of a site or body that `obj`type and `obj`name say; none for other things.
  std::optional<std::string> frame_of(const MjcfElement& element, const std::string& prefix,
                                      SensorKind kind) {
    const std::string type = element.text(prefix + "type"), attribute = prefix + "name";
    if (type == "site") return reader_.find_site(element, attribute).name;
    // The frame `body` has the axes of its inertia, whose order is a choice of MuJoCo.
    const bool at_center = type == "body";
    if (type != "xbody" && (!at_center || needs_axes(kind))) {
      element.text(attribute);
      return std::nullopt;
    }
    const MjcfBody& body =
        reader_.bodies[static_cast<std::size_t>(reader_.find_body(element, attribute))];
    return body_frame(body, at_center);
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
    const auto known = [&](const ModelFrame& other) { return other.name == frame.name; };
    if (std::none_of(frames.begin(), frames.end(), known)) frames.push_back(frame);
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
