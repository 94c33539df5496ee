#include "amontons/io/mjcf/mjcf_reader.h"

#include <algorithm>
#include <array>

// <site>: named frames of bodies; and those of geoms and cameras.

namespace amontons::io {
namespace {

/// Returns the pose of a site, geom or camera in its innermost frame; two ends may give it.
Pose read_pose(const MjcfReader& reader, const MjcfElement& site) {
  if (!site.has("fromto")) return read_mjcf_pose(reader, site);
  return read_mjcf_segment(site).X_PG;
}

/// Reads the shape of a site, which sensors of touch use.
std::optional<Shape> read_extent(const MjcfElement& site) {
  const std::string type =
      site.word("type", {"sphere", "capsule", "ellipsoid", "cylinder", "box"}, "sphere");
  std::vector<double> size = site.merged_numbers("size", 1, 3);
  size.resize(3, 0.005);  // MJCF's own default [m]
  if (site.has("fromto"))
    size[type == "capsule" || type == "cylinder" ? 1 : 2] = read_mjcf_segment(site).half_length;
  const double least = type == "sphere" ? size[0]
                       : type == "capsule" || type == "cylinder"
                           ? std::min(size[0], size[1])
                           : *std::min_element(size.begin(), size.end());
  if (!(least > 0.0)) return std::nullopt;
  if (type == "sphere") return Sphere{size[0]};
  if (type == "capsule") return Capsule{size[0], 2.0 * size[1]};
  if (type == "cylinder") return Cylinder{size[0], 2.0 * size[1]};
  const Eigen::Vector3d half(size[0], size[1], size[2]);
  if (type == "box") return Box{2.0 * half};
  return Ellipsoid{half};
}

}  // namespace

void read_mjcf_site(MjcfReader& reader, const MjcfItem& item, int body) {
  const MjcfElement& site = item.element;
  ModelFrame frame;
  std::vector<ModelFrame>& frames = reader.model.frames;
  const auto taken = [&](const std::string& name) {
    return reader.places.sites.find(frames, name) >= 0;
  };
  if (site.has("name")) {
    frame.name = site.text("name");
  } else {
    // Nothing refers to a site without a name; its number keeps it apart from the others.
    frame.name = "site_" + std::to_string(frames.size());
    while (taken(frame.name) || reader.gives("site", frame.name)) frame.name += "_";
  }
  frame.link = reader.bodies[static_cast<std::size_t>(body)].link;
  frame.X_LF = item.X_BP * read_pose(reader, site);
  frame.extent = read_extent(site);
  frame.where = site.where();
  frames.push_back(std::move(frame));
}

void read_mjcf_measured_frame(MjcfReader& reader, const MjcfItem& item, int body) {
  const MjcfElement& element = item.element;
  const std::string kind = element.tag(), name = element.text("name");
  MjcfMeasuredFrame& own = reader.measured.at({kind, name});
  own.element = element;
  if (kind == "geom" && element.has("mesh")) {
    own.reason = "a geom of a mesh has the axes of its inertia, whose order is a choice of MuJoCo";
    return;
  }
  if (kind == "camera" && element.text("mode", "fixed") != "fixed") {
    own.reason = "its camera turns by itself; fixed cameras are measured";
    return;
  }
  ModelFrame frame;
  frame.name = name + "@" + kind;
  while (reader.gives("site", frame.name)) frame.name += "_";
  frame.link = reader.bodies[static_cast<std::size_t>(body)].link;
  frame.X_LF = item.X_BP * read_pose(reader, element);
  frame.where = element.where();
  own.frame = frame.name;
  reader.model.frames.push_back(std::move(frame));
}

}  // namespace amontons::io
