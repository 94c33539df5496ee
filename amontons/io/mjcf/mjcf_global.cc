#include "amontons/io/mjcf/mjcf_assets.h"

#include <algorithm>

// Bodies of files with global coordinates.

namespace amontons::io {
namespace {

/// Returns the frame of the only geom that gives a body its inertia; nothing for a mesh, whose
/// frame MuJoCo moves to its principal axes.
std::optional<Pose> frame_of_geom(MjcfReader& reader, const MjcfElement& geom) {
  const std::string type = geom.text("type", "sphere");
  if (type == "mesh" || type == "sdf" || geom.has("mesh")) return std::nullopt;
  return geom.has("fromto") ? read_mjcf_segment(geom).X_PG : read_mjcf_pose(reader, geom);
}

/// Returns the sum of the geoms of a body, in the frame in which they are written.
SpatialInertia inertia_of(MjcfReader& reader, const std::vector<MjcfItem>& geoms, int body,
                          const std::string& name) {
  // What is read here is read once more when the frame of the body is known.
  const std::size_t known = reader.geoms.size();
  ModelLink link;
  link.name = name;
  SpatialInertia sum;
  for (const MjcfItem& geom : geoms) {
    const SpatialInertia own = read_mjcf_geom(reader, geom, body, true, link);
    if (own.mass > 0.0) sum = sum.mass > 0.0 ? combine(sum, own) : own;
  }
  reader.geoms.resize(known);
  return sum;
}

}  // namespace

Pose infer_mjcf_body_pose(MjcfReader& reader, const MjcfElement& body, int index,
                          const std::vector<MjcfItem>& geoms, const MjcfElement* inertial) {
  for (const char* orientation : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
    body.note(orientation, ImportFate::Ignored,
              "without `pos` the frame of the body is that of its inertia");
  }
  SpatialInertia inertia;
  if (inertial != nullptr) {
    if (!inertial->has("fullinertia")) return read_mjcf_pose(reader, *inertial);
    inertia = read_mjcf_inertial(reader, *inertial);
  } else {
    const MjcfCompiler& compiler = reader.compiler_of(body);
    std::vector<MjcfItem> counted;
    std::copy_if(geoms.begin(), geoms.end(), std::back_inserter(counted),
                 [&](const MjcfItem& geom) {
                   const int group = geom.element.integer("group", 0);
                   return group >= compiler.first_group && group <= compiler.last_group;
                 });
    if (counted.size() == 1) {
      if (const auto frame = frame_of_geom(reader, counted[0].element)) return *frame;
    }
    inertia = inertia_of(reader, counted, index, body.text("name"));
    if (!(inertia.mass > 0.0)) {
      body.fail("needs the attribute 'pos': it has no inertia whose frame could be its own");
    }
  }
  body.note(ImportFate::Approximated,
            "without `pos` its frame has the principal axes of its inertia, whose signs and order "
            "may differ from MuJoCo's");
  Eigen::Vector3d moments;
  return mjcf_principal_frame(inertia.center_of_mass, inertia.inertia, moments);
}

}  // namespace amontons::io
