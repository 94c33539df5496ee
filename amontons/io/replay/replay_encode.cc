#include "amontons/io/replay/replay_encode.h"

#include "amontons/io/replay/replay_sections.h"
#include "amontons/io/replay/replay_series.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace amontons::io {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::uint16_t>;

/// Returns the nearest of 65536 equal steps from low to high; 0 if the range is a point.
std::uint16_t quantize(double value, double low, double high) {
  if (!(high > low)) return 0;
  return static_cast<std::uint16_t>(std::lround((value - low) / (high - low) * 65535.0));
}

/// Returns the value that the page decodes from a code of quantize().
double dequantize(std::uint16_t code, double low, double high) {
  return low + (high - low) * (code / 65535.0);
}

/// Gathers meshes so that bodies with the same mesh share it in the page.
class MeshPool {
 public:
  std::size_t index_of(const ReplayShape& shape) {
    const auto [entry, is_new] =
        indices_.try_emplace(std::pair(shape.vertices, shape.triangles), indices_.size());
    if (is_new) {
      list_.push_back({{"vertices", shape.vertices.size()}, {"triangles", shape.triangles.size()}});
      vertices_.insert(vertices_.end(), shape.vertices.begin(), shape.vertices.end());
      triangles_.insert(triangles_.end(), shape.triangles.begin(), shape.triangles.end());
    }
    return entry->second;
  }

  const Json& list() const { return list_; }

  void write(ReplaySections& sections) const {
    sections.add("mesh_vertices", std::span<const float>(vertices_));
    sections.add("mesh_triangles", std::span<const std::uint32_t>(triangles_));
  }

 private:
  std::map<std::pair<std::vector<float>, std::vector<int>>, std::size_t> indices_;
  std::vector<float> vertices_;
  std::vector<std::uint32_t> triangles_;
  Json list_ = Json::array();
};

/// Encodes a shape; its pose is position, then quaternion w, x, y, z.
Json encode_shape(const ReplayShape& shape, MeshPool& meshes) {
  Json result = {{"type", shape.type}, {"size", shape.size}};
  const Eigen::Quaterniond q(shape.X_BG.rotation);
  const Eigen::Vector3d& p = shape.X_BG.translation;
  result["pose"] = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
  if (shape.color) result["color"] = *shape.color;
  if (shape.is_visual) result["visual"] = true;
  if (shape.is_terrain) result["terrain"] = true;
  if (shape.type == "mesh") result["mesh"] = meshes.index_of(shape);
  return result;
}

/// Encodes names and shapes of all bodies, and adds their meshes to the sections.
Json encode_bodies(const ReplayRun& run, ReplaySections& sections) {
  MeshPool meshes;
  Json bodies = Json::array();
  for (const ReplayBody& body : run.bodies) {
    Json shapes = Json::array();
    for (const ReplayShape& shape : body.shapes) shapes.push_back(encode_shape(shape, meshes));
    bodies.push_back({{"name", body.name}, {"fixed", body.fixed}, {"shapes", std::move(shapes)}});
  }
  meshes.write(sections);
  return {{"bodies", std::move(bodies)}, {"meshes", meshes.list()}};
}

/// Positions as the page will decode them, by frame and body: contact points are stored relative to
/// these, so that errors do not add up.
using DecodedPositions = std::vector<std::vector<Eigen::Vector3d>>;

/// Encodes poses as rows over the frames: for each body x, y, z and three parts of its quaternion.
DecodedPositions encode_poses(const ReplayRun& run, ReplaySections& sections) {
  const std::size_t num_frames = run.frames.size(), num_bodies = run.bodies.size();
  DecodedPositions decoded(num_frames, std::vector<Eigen::Vector3d>(num_bodies));
  // A body changes little from frame to frame, so that rows over frames deflate well.
  std::vector<double> ranges;  // low, high of x, y, z per body
  Words poses(6 * num_bodies * num_frames);
  for (std::size_t b = 0; b < num_bodies; ++b) {
    const std::span<std::uint16_t> rows(&poses[6 * b * num_frames], 6 * num_frames);
    for (int axis = 0; axis < 3; ++axis) {
      // 16 bits cover each body's own range per axis: error at most range / 131070.
      const auto value = [&](std::size_t f) { return run.frames[f].poses[b].position[axis]; };
      double low = value(0), high = value(0);
      for (std::size_t f = 1; f < num_frames; ++f) {
        low = std::min(low, value(f));
        high = std::max(high, value(f));
      }
      ranges.insert(ranges.end(), {low, high});
      for (std::size_t f = 0; f < num_frames; ++f) {
        const std::uint16_t code = quantize(value(f), low, high);
        rows[static_cast<std::size_t>(axis) * num_frames + f] = code;
        decoded[f][b][axis] = dequantize(code, low, high);
      }
    }
    for (std::size_t f = 0; f < num_frames; ++f) {
      // Orientations take three numbers (encode_quaternion()).
      const Eigen::Vector4d& q = run.frames[f].poses[b].quat_wxyz;
      const QuaternionCode code = encode_quaternion({q[0], q[1], q[2], q[3]});
      for (std::size_t k = 0; k < 3; ++k) rows[(3 + k) * num_frames + f] = code.parts[k];
    }
  }
  sections.add("pose_ranges", std::span<const double>(ranges));
  sections.add("poses", std::span<const std::uint16_t>(poses), num_frames);
  return decoded;
}

/// Encodes velocities, if there are any, as rows over the frames: for each body x, y, z of the
/// linear and of the angular one, each as a share of the power of two above the greatest of its
/// three.
void encode_velocities(const ReplayRun& run, ReplaySections& sections) {
  if (run.frames.front().velocities.empty()) return;
  const std::size_t num_frames = run.frames.size();
  std::vector<double> scales;
  Words codes;
  codes.reserve(6 * run.bodies.size() * num_frames);
  for (std::size_t b = 0; b < run.bodies.size(); ++b) {
    for (const auto part : {&ReplayVelocity::linear, &ReplayVelocity::angular}) {
      double greatest = 0.0;
      for (const ReplayFrame& frame : run.frames) {
        greatest = std::max(greatest, (frame.velocities[b].*part).cwiseAbs().maxCoeff());
      }
      scales.push_back(greatest > 0.0 ? std::exp2(std::ceil(std::log2(greatest))) : 1.0);
      for (Eigen::Index axis = 0; axis < 3; ++axis) {
        for (const ReplayFrame& frame : run.frames) {
          codes.push_back(encode_half((frame.velocities[b].*part)[axis] / scales.back()));
        }
      }
    }
  }
  sections.add("velocity_scales", std::span<const double>(scales));
  sections.add("velocities", std::span<const std::uint16_t>(codes), num_frames);
}

/// Refers to a contact of a frame.
struct ContactRef {
  std::size_t frame = 0, ordinal = 0;  // ordinal: number of the contact within its pair and frame
  const ReplayContact* contact = nullptr;
};

/// Returns the strongest contacts of every frame, in the order pair, ordinal, frame.
///
/// A sustained contact then lies in consecutive places and changes little from one to the next.
std::vector<ContactRef> select_contacts(const ReplayRun& run, double fraction) {
  std::vector<ContactRef> selected;
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    const std::vector<ReplayContact>& contacts = run.frames[f].contacts;
    // The share with the largest forces, in its original order.
    std::vector<std::size_t> order(contacts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return contacts[i].force.squaredNorm() > contacts[j].force.squaredNorm();
    });
    order.resize(
        static_cast<std::size_t>(std::lround(fraction * static_cast<double>(contacts.size()))));
    std::sort(order.begin(), order.end());
    // Contacts of one pair of bodies are numbered within the frame.
    std::map<std::pair<int, int>, std::size_t> num_of_pair;
    for (const std::size_t i : order) {
      const ReplayContact& contact = contacts[i];
      selected.push_back({f, num_of_pair[{contact.body_a, contact.body_b}]++, &contact});
    }
  }
  std::stable_sort(selected.begin(), selected.end(), [](const ContactRef& x, const ContactRef& y) {
    return std::tuple(x.contact->body_a, x.contact->body_b, x.ordinal, x.frame) <
           std::tuple(y.contact->body_a, y.contact->body_b, y.ordinal, y.frame);
  });
  return selected;
}

/// Returns the body whose position a contact point is stored relative to: B, unless B is fixed.
std::size_t reference_body(const ReplayRun& run, const ReplayContact& contact) {
  const auto a = static_cast<std::size_t>(contact.body_a);
  const auto b = static_cast<std::size_t>(contact.body_b);
  return run.bodies[b].fixed ? a : b;
}

/// Encodes contact points relative to a body, with 16 bits of the range of all of them.
void encode_contact_points(const ReplayRun& run, const std::vector<ContactRef>& contacts,
                           const DecodedPositions& bodies, ReplaySections& sections) {
  // Relative to a moving body the point of a sustained contact hardly changes.
  std::vector<Eigen::Vector3d> offsets;
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();
  for (const ContactRef& ref : contacts) {
    offsets.push_back(ref.contact->position - bodies[ref.frame][reference_body(run, *ref.contact)]);
    low = low.cwiseMin(offsets.back());
    high = high.cwiseMax(offsets.back());
  }
  // One row per axis, so that equal numbers are neighbours.
  Words points;
  for (int axis = 0; axis < 3; ++axis) {
    for (const Eigen::Vector3d& offset : offsets) {
      points.push_back(quantize(offset[axis], low[axis], high[axis]));
    }
  }
  const double ranges[6] = {low.x(), high.x(), low.y(), high.y(), low.z(), high.z()};
  sections.add("contact_ranges", std::span<const double>(ranges));
  sections.add("contact_points", std::span<const std::uint16_t>(points), contacts.size());
}

/// Encodes the kept contacts: frame, bodies, point, normal, force, gap, friction, mode.
void encode_contacts(const ReplayRun& run, double fraction, const DecodedPositions& bodies,
                     ReplaySections& sections) {
  const std::vector<ContactRef> contacts = select_contacts(run, fraction);
  const std::size_t n = contacts.size();
  // Arrays of several numbers per contact hold one row per number: all A, then all B.
  std::vector<std::uint32_t> frames, pairs(2 * n);
  Words normals(2 * n), forces(3 * n), gaps, frictions;
  std::vector<std::uint8_t> modes;
  for (std::size_t i = 0; i < n; ++i) {
    const ReplayContact& contact = *contacts[i].contact;
    frames.push_back(static_cast<std::uint32_t>(contacts[i].frame));
    pairs[i] = static_cast<std::uint32_t>(contact.body_a);
    pairs[n + i] = static_cast<std::uint32_t>(contact.body_b);
    // A direction takes two numbers of 12 bits, a force three of 8 significant bits.
    const OctahedralCode normal =
        encode_direction(contact.normal.x(), contact.normal.y(), contact.normal.z());
    normals[i] = normal.u;
    normals[n + i] = normal.v;
    for (std::size_t k = 0; k < 3; ++k) {
      forces[k * n + i] = encode_short_float(contact.force[static_cast<Eigen::Index>(k)]);
    }
    gaps.push_back(encode_short_float(contact.gap));
    frictions.push_back(encode_short_float(contact.friction));
    modes.push_back(static_cast<std::uint8_t>(contact.mode));
  }
  // The viewer finds these sections by name.
  sections.add("contact_frames", std::span<const std::uint32_t>(frames));
  sections.add("contact_bodies", std::span<const std::uint32_t>(pairs), n);
  encode_contact_points(run, contacts, bodies, sections);
  sections.add("contact_normals", std::span<const std::uint16_t>(normals), n);
  sections.add("contact_forces", std::span<const std::uint16_t>(forces), n);
  sections.add("contact_gaps", std::span<const std::uint16_t>(gaps));
  sections.add("contact_frictions", std::span<const std::uint16_t>(frictions));
  sections.add("contact_modes", std::span<const std::uint8_t>(modes));
}

/// Encodes the times, and how many contacts of each mode every frame has, before any are dropped.
/// Returns the number of all contacts.
std::size_t encode_times_and_counts(const ReplayRun& run, ReplaySections& sections) {
  const std::size_t num_frames = run.frames.size();
  std::vector<double> times;
  std::vector<std::uint8_t> impacts;
  std::vector<std::uint32_t> counts(4 * num_frames, 0);
  std::size_t total = 0;
  for (std::size_t f = 0; f < num_frames; ++f) {
    times.push_back(run.frames[f].time);
    impacts.push_back(run.frames[f].is_impact ? 1 : 0);
    total += run.frames[f].contacts.size();
    for (const ReplayContact& contact : run.frames[f].contacts) {
      ++counts[static_cast<std::size_t>(contact.mode) * num_frames + f];
    }
  }
  sections.add("times", std::span<const double>(times));
  sections.add("impacts", std::span<const std::uint8_t>(impacts));
  sections.add("mode_counts", std::span<const std::uint32_t>(counts), num_frames);
  return total;
}

}  // namespace

nlohmann::ordered_json encode_replay_run(const ReplayRun& run, double contact_fraction,
                                         std::size_t max_series_samples) {
  // Small facts stay readable JSON.
  ReplaySections sections;
  Json result = {{"title", run.title},
                 {"summary", run.summary},
                 {"steps", run.num_steps},
                 {"verdict", run.verdict},
                 {"frames", run.frames.size()}};
  result["certified"] = run.certified ? Json(*run.certified) : Json(nullptr);
  result["contacts"] = encode_times_and_counts(run, sections);
  result.update(encode_bodies(run, sections));
  // Contact points are relative to the decoded positions, so poses come first.
  const DecodedPositions bodies = encode_poses(run, sections);
  encode_velocities(run, sections);
  encode_contacts(run, contact_fraction, bodies, sections);
  result["series"] = encode_replay_series(run, max_series_samples, sections);
  // All numbers as one deflated block, with a directory that says where each array begins.
  result["sections"] = sections.directory();
  result["data"] = encode_base64(deflate_bytes(sections.bytes()));
  return result;
}

}  // namespace amontons::io
