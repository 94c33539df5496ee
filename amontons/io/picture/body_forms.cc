#include "amontons/io/picture/body_forms.h"

#include "amontons/io/picture/color.h"

#include <algorithm>
#include <limits>

namespace amontons::io {
namespace {

// Planes fade at this distance, in radii of the scene: floors, and others, which are nearly clear.
constexpr double kFloorRadius = 5.0, kWallRadius = 1.6, kWallFill = 0.14;
constexpr double kFloorUp = 0.7;  // least z of the normal of a floor

std::shared_ptr<const SurfaceMesh> shared(SurfaceMesh mesh) {
  return std::make_shared<const SurfaceMesh>(std::move(mesh));
}

/// Returns the segments of round forms: fewer where there are many shapes.
int segments_of(const ReplayRun& run) {
  std::size_t num_shapes = 0;
  for (const ReplayBody& body : run.bodies) num_shapes += body.shapes.size();
  return num_shapes > 400 ? 16 : num_shapes > 100 ? 24 : 40;
}

/// Returns true for the shapes that are drawn: the looks of a body, or else its collision shapes.
bool is_drawn(const ReplayBody& body, const ReplayShape& shape) {
  return shape.is_visual || std::none_of(body.shapes.begin(), body.shapes.end(),
                                         [](const ReplayShape& other) { return other.is_visual; });
}

}  // namespace

BodyForms::BodyForms(const ReplayRun& run, const Extent& extent, double spacing)
    : lowest_terrain_(std::numeric_limits<double>::infinity()) {
  const int segments = segments_of(run);
  ball_ = shared(ball_mesh(segments));
  dome_ = shared(dome_mesh(segments));
  cylinder_ = shared(cylinder_mesh(segments, true));
  tube_ = shared(cylinder_mesh(segments, false));
  cube_ = shared(cube_mesh());
  const std::vector<Eigen::Vector3f> colors = body_colors(run.bodies);
  for (std::size_t b = 0; b < run.bodies.size(); ++b) {
    const ReplayBody& body = run.bodies[b];
    const Pose X_WB = pose_in(run.frames.front(), b);
    for (const ReplayShape& shape : body.shapes) {
      if (shape.type == "half_space") {
        add_plane(shape, b, X_WB, extent, spacing);
      } else if (is_drawn(body, shape)) {
        add_shape(shape, b, shape.color ? own_color(*shape.color) : colors[b]);
      }
      if (!body.fixed) continue;
      for (std::size_t v = 0; v + 2 < shape.vertices.size(); v += 3) {
        const Eigen::Vector3d p(shape.vertices[v], shape.vertices[v + 1], shape.vertices[v + 2]);
        lowest_terrain_ = std::min(lowest_terrain_, (X_WB * (shape.X_BG * p)).z());
      }
    }
  }
}

void BodyForms::add_shape(const ReplayShape& shape, std::size_t body,
                          const Eigen::Vector3f& color) {
  Form form;
  form.body = body;
  form.look.color = color;
  const Eigen::Matrix3d& R = shape.X_BG.rotation;
  form.origin = shape.X_BG.translation;
  const std::vector<double>& s = shape.size;
  const auto scaled = [&](double x, double y, double z) {
    return (R * Eigen::Vector3d(x, y, z).asDiagonal()).eval();
  };
  if (shape.type == "capsule") {
    // A tube between two half balls.
    form.mesh = tube_;
    form.linear = scaled(s[0], s[0], s[1]);
    forms_.push_back(form);
    form.mesh = dome_;
    form.linear = scaled(s[0], s[0], s[0]);
    form.origin = shape.X_BG * Eigen::Vector3d(0.0, 0.0, 0.5 * s[1]);
    forms_.push_back(form);
    form.linear = scaled(s[0], -s[0], -s[0]);
    form.origin = shape.X_BG * Eigen::Vector3d(0.0, 0.0, -0.5 * s[1]);
  } else if (shape.type == "cylinder") {
    form.mesh = cylinder_;
    form.linear = scaled(s[0], s[0], s[1]);
  } else if (shape.type == "box") {
    form.mesh = cube_;
    form.linear = scaled(s[0], s[1], s[2]);
  } else if (shape.type == "mesh") {
    form.linear = R;
    add_mesh(shape, std::move(form));
    return;
  } else {
    form.mesh = ball_;
    form.linear = shape.type == "sphere" ? scaled(s[0], s[0], s[0]) : scaled(s[0], s[1], s[2]);
  }
  forms_.push_back(std::move(form));
}

void BodyForms::add_mesh(const ReplayShape& shape, Form form) {
  form.mesh = shared(creased_mesh(shape.vertices, shape.triangles));
  if (shape.is_terrain) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const Eigen::Vector3f& p : form.mesh->points) {
      low = std::min(low, p.z());
      high = std::max(high, p.z());
    }
    form.look.is_terrain = true;
    form.look.level = low;
    form.look.range = std::max(high - low, 1e-9f);
  }
  forms_.push_back(std::move(form));
}

void BodyForms::add_plane(const ReplayShape& shape, std::size_t body, const Pose& X_WB,
                          const Extent& extent, double spacing) {
  const Eigen::Vector3d normal_G(shape.size[0], shape.size[1], shape.size[2]);
  // In the body: normal . (R' (x - p)) <= offset.
  const Eigen::Vector3d normal = shape.X_BG.rotation * normal_G;
  const double offset = shape.size[3] + normal.dot(shape.X_BG.translation);
  const bool is_floor = (X_WB.rotation * normal).z() > kFloorUp * normal.norm();
  planes_.emplace_back(normal, offset, X_WB.inverse() * extent.box.center(), spacing,
                       (is_floor ? kFloorRadius : kWallRadius) * extent.radius,
                       is_floor ? 1.0 : kWallFill);
  plane_bodies_.push_back(body);
}

void BodyForms::add_to(TriangleList& list, const ReplayFrame& frame,
                       const std::optional<Eigen::Vector3f>& ghost) const {
  for (const Form& form : forms_) {
    const Pose X_WB = pose_in(frame, form.body);
    SurfaceLook look = form.look;
    if (ghost) look.color = *ghost;
    if (look.is_terrain) {
      // The height in the mesh, as a height along its z axis in the world.
      look.up = (X_WB.rotation * form.linear.col(2)).cast<float>();
      look.level += look.up.dot((X_WB * form.origin).cast<float>());
    }
    list.add(*form.mesh, (X_WB.rotation * form.linear).cast<float>(),
             (X_WB * form.origin).cast<float>(), look);
  }
}

}  // namespace amontons::io
