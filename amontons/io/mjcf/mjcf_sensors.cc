#include "amontons/io/mjcf/mjcf_reader.h"

#include <algorithm>
#include <string_view>

// <sensor>: quantities that are measured.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Names what an attribute of a sensor refers to.
enum class Target { Joint, Tendon, Site, Object };

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
};

constexpr const char* kNotEvaluated = "it is not evaluated here";

/// Returns true for kinds that concern the orientation of a frame.
bool needs_axes(SensorKind kind) {
  return kind != SensorKind::FramePosition && kind != SensorKind::FrameVelocity &&
         kind != SensorKind::FrameAngularVelocity;
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
      element.note(ImportFate::Ignored, kNotEvaluated);
      return;
    }
    ModelSensor sensor;
    sensor.kind = kind->kind;
    sensor.where = element.where();
    sensor.cutoff = element.number("cutoff", 0.0);
    if (!find_object(element, *kind, sensor)) {
      element.note(ImportFate::Ignored, kNotEvaluated);
      return;
    }
    sensor.name = element.text("name", "sensor_" + std::to_string(reader_.model.sensors.size()));
    while (!element.has("name") && reader_.gives("sensor", sensor.name)) sensor.name += "_";
    reader_.model.sensors.push_back(std::move(sensor));
  }

 private:
  /// Finds what a sensor measures. @returns false for something that is not modeled.
  bool find_object(const MjcfElement& element, const Kind& kind, ModelSensor& sensor) {
    switch (kind.target) {
      case Target::Joint: {
        const MjcfJoint& joint = reader_.find_joint(element, "joint");
        sensor.object = joint.name;
        return num_velocities(reader_.joint_of(joint).type) == 1;
      }
      case Target::Tendon:
        sensor.object = reader_.find_tendon(element, "tendon").model_name;
        return !sensor.object.empty();
      case Target::Site:
        return find_site(element, kind.kind, sensor);
      case Target::Object:
        break;
    }
    const std::optional<std::string> object = frame_of(element, "obj", kind.kind);
    if (object) sensor.object = *object;
    if (!object || !element.has("refname")) return object.has_value();
    // Velocities relative to a frame that moves are not evaluated.
    const bool moves =
        kind.kind == SensorKind::FrameVelocity || kind.kind == SensorKind::FrameAngularVelocity;
    const std::optional<std::string> reference = frame_of(element, "ref", SensorKind::FrameAxisX);
    if (reference) sensor.reference = *reference;
    return reference.has_value() && !moves;
  }

  /// Finds the site of a sensor. @returns false where its reading is not modeled there.
  bool find_site(const MjcfElement& element, SensorKind kind, ModelSensor& sensor) {
    if (kind == SensorKind::Rangefinder && element.has("camera")) return false;
    const ModelFrame& site = reader_.find_site(element, "site");
    sensor.object = site.name;
    if (kind == SensorKind::Rangefinder) {
      element.note(ImportFate::Applied, "it sees the shapes that collide");
    }
    // Bodies without a joint are one with their parents, so that nothing acts between them.
    const bool is_wrench = kind == SensorKind::Force || kind == SensorKind::Torque;
    const std::vector<ModelJoint>& joints = reader_.model.joints;
    return !is_wrench || std::any_of(joints.begin(), joints.end(), [&](const ModelJoint& joint) {
      return joint.child == site.link && joint.type != JointType::Fixed;
    });
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
