#include "amontons/io/mjcf/sensors/mjcf_sensor_objects.h"

#include "amontons/math/elementary.h"
#include "amontons/math/nearest_name.h"

#include <numbers>

namespace amontons::io {
namespace {

/// Finds the shapes of one side of a distance. @returns why it is not measured, or null.
/// @param number  "1" or "2".
const char* find_shapes(const MjcfReader& reader, const MjcfElement& element,
                        const std::string& number, SensorShapes& shapes) {
  const std::string geom = "geom" + number, body = "body" + number;
  if (element.has(geom) == element.has(body)) {
    element.fail("it needs either '" + geom + "' or '" + body + "'");
  }
  if (element.has(body)) {
    const ModelLink& link = link_of_body(reader, reader.find_body(element, body));
    shapes = {link.name, 0, static_cast<int>(link.shapes.size())};
    return shapes.count > 0 ? nullptr : "a body of it has no shape that collides";
  }
  require_mjcf_name(reader, element, "geom", geom);
  const std::string name = element.text(geom);
  const int place = reader.places.geoms.find(reader.geoms, name);
  if (place < 0 || reader.geoms[static_cast<std::size_t>(place)].index < 0) {
    return "a geom of it does not collide, and its shape is not kept";
  }
  const MjcfGeom& found = reader.geoms[static_cast<std::size_t>(place)];
  shapes = {link_of_body(reader, found.body).name, found.index, found.num_shapes};
  return nullptr;
}

}  // namespace

const ModelLink& link_of_body(const MjcfReader& reader, int body) {
  const int link = reader.bodies[static_cast<std::size_t>(body)].link;
  return reader.model.links.at(static_cast<std::size_t>(link));
}

void require_mjcf_name(const MjcfReader& reader, const MjcfElement& element,
                       const std::string& kind, const std::string& attribute) {
  if (!element.has(attribute)) element.fail("needs the attribute '" + attribute + "'");
  const std::string name = element.text(attribute);
  if (reader.gives(kind, name)) return;
  std::vector<std::string> names;
  if (const auto known = reader.given.find(kind); known != reader.given.end()) {
    for (const auto& [given, unused] : known->second) names.push_back(given);
  }
  element.fail(attribute, "names no " + kind + ": '" + name + "'" + did_you_mean(name, names));
}

MjcfMeasuredFrame find_measured(const MjcfReader& reader, const MjcfElement& element,
                                const std::string& kind, const std::string& attribute) {
  require_mjcf_name(reader, element, kind, attribute);
  MjcfMeasuredFrame found = reader.measured.at({kind, element.text(attribute)});
  if (!found.element) found.reason = "it is part of what is not simulated";
  return found;
}

const char* find_sensor_limits(const MjcfReader& reader, const MjcfElement& limited,
                               const JointDynamics& dynamics, ModelSensor& sensor) {
  // Without limits at all MuJoCo reads 0; a joint that has none is refused there.
  if (!dynamics.limits && reader.flags.limit) return "nothing limits what it measures";
  sensor.margin = limited.number("margin", 0.0);
  if (limited.has("margin")) {
    limited.note("margin", ImportFate::Ignored,
                 "constraints act at the limit itself; sensors measure from this distance");
  }
  return nullptr;
}

const char* find_sensor_camera(MjcfReader& reader, const MjcfElement& element,
                               ModelSensor& sensor) {
  sensor.object = reader.find_site(element, "site").name;
  const MjcfMeasuredFrame found = find_measured(reader, element, "camera", "camera");
  if (found.reason != nullptr) return found.reason;
  sensor.reference = found.frame;
  const MjcfElement& camera = *found.element;
  if (camera.flag("orthographic").value_or(false) ||
      camera.text("projection", "perspective") != "perspective") {
    return "its camera has no perspective";
  }
  const auto pair = [&](const char* attribute, const Eigen::Vector2d& otherwise) {
    const std::vector<double> n = camera.numbers(attribute, 2, 2);
    return n.empty() ? otherwise : Eigen::Vector2d(n[0], n[1]);
  };
  sensor.camera.size = pair("resolution", Eigen::Vector2d::Ones());
  const Eigen::Vector2d sensor_size = pair("sensorsize", Eigen::Vector2d::Zero());
  if (sensor_size.minCoeff() > 0.0) {
    // The focal length in pixels counts before that in the unit of length.
    const Eigen::Vector2d pixels = pair("focalpixel", Eigen::Vector2d::Zero());
    const Eigen::Vector2d lengths = pair("focal", Eigen::Vector2d::Zero());
    for (Eigen::Index i = 0; i < 2; ++i) {
      sensor.camera.focal[i] =
          pixels[i] != 0.0 ? pixels[i] : lengths[i] / sensor_size[i] * sensor.camera.size[i];
    }
  } else {
    const double half_angle = camera.number("fovy", 45.0) * std::numbers::pi / 360.0;
    sensor.camera.focal.setConstant(0.5 * sensor.camera.size.y() / elementary::tan(half_angle));
  }
  const bool is_seen = sensor.camera.focal.minCoeff() > 0.0 && sensor.camera.focal.allFinite();
  return is_seen ? nullptr : "its camera has no focal length";
}

const char* find_sensor_shapes(MjcfReader& reader, const MjcfElement& element,
                               ModelSensor& sensor) {
  for (const char* number : {"1", "2"}) {
    const char* reason =
        find_shapes(reader, element, number, sensor.shapes[*number == '1' ? 0 : 1]);
    if (reason != nullptr) return reason;
  }
  element.note(ImportFate::Applied, "it measures the shapes that collide");
  return nullptr;
}

}  // namespace amontons::io
