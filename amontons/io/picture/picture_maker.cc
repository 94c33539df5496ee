#include "amontons/io/picture/picture_maker.h"

#include "amontons/io/picture/color.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

constexpr int kLeastSize = 16, kLargestSize = 4096;
constexpr int kRowsOfBand = 16;  // rows of pixels that a thread draws at a time
constexpr float kGhostOpacity = 0.3f, kConeOpacity = 0.26f, kMarkOpacity = 0.92f;
constexpr std::size_t kMostBodiesBelowMarks = 100;  // more would hide under their contacts
constexpr std::array<unsigned, 4> kGhostColors = {0x39c6e8, 0xff9f5a, 0xb48cff, 0x7fd66b};
constexpr float kHorizon = 0.78f;  // share of the height where the sky has its last color

/// Returns the first of the runs, after a check of what the picture needs.
const ReplayRun& leader_of(const std::vector<ReplayRun>& runs, const PictureStyle& style) {
  if (runs.empty()) throw std::invalid_argument("picture: no run");
  for (const ReplayRun& run : runs) {
    if (run.frames.empty()) throw std::invalid_argument("picture: a run has no frame");
  }
  for (const int size : {style.width, style.height}) {
    if (size < kLeastSize || size > kLargestSize) {
      throw std::invalid_argument(
          "picture: width and height must be from " + std::to_string(kLeastSize) + " to " +
          std::to_string(kLargestSize) + " pixels, not " + std::to_string(size));
    }
  }
  return runs.front();
}

/// Returns the frame with places relative to an origin.
ReplayFrame shifted(ReplayFrame frame, const Eigen::Vector3d& origin) {
  for (ReplayPose& pose : frame.poses) pose.position -= origin;
  for (ReplayContact& contact : frame.contacts) contact.position -= origin;
  return frame;
}

PictureStyle shifted(PictureStyle style, const Eigen::Vector3d& origin) {
  if (style.camera.target) *style.camera.target -= origin;
  return style;
}

}  // namespace

/// Holds the samples of one triangle in a pixel.
struct PictureMaker::Fragment {
  std::uint32_t id = 0;
  float share = 0.0f;        // of the pixel
  float nearness = 0.0f;     // mean
  float x = 0.0f, y = 0.0f;  // mean place [samples]
};

/// Holds where a ray through a pixel meets a plane.
struct PictureMaker::Hit {
  float nearness = 0.0f;
  const GridPlane* plane = nullptr;
  Eigen::Vector3f color = Eigen::Vector3f::Zero();  // stored
  float opacity = 0.0f;
};

/// Describes forms that are drawn over the solid ones.
struct PictureMaker::Layer {
  float opacity = 1.0f;
  bool is_lit = false;
  bool is_on_top = false;   // also where the solid forms are nearer
  bool both_sides = false;  // of their surfaces
};

/// Holds runs with places relative to an origin.
struct PictureMaker::PlacedRuns {
  PlacedRuns(const std::vector<ReplayRun>& in_world, const PictureStyle& style)
      : runs(&in_world),
        origin((leader_of(in_world, style), drawing_origin(measure_extent(in_world)))) {
    if (origin.isZero(0.0)) return;
    moved = in_world;
    for (ReplayRun& run : moved) {
      for (ReplayFrame& frame : run.frames) frame = shifted(std::move(frame), origin);
    }
    runs = &moved;
  }
  PlacedRuns(const PlacedRuns&) = delete;
  PlacedRuns& operator=(const PlacedRuns&) = delete;

  std::vector<ReplayRun> moved;  // empty where the origin is that of the world
  const std::vector<ReplayRun>* runs;
  Eigen::Vector3d origin;  // in the world [m]
};

PictureMaker::PictureMaker(const std::vector<ReplayRun>& runs, const PictureStyle& style,
                           int num_threads)
    : PictureMaker(PlacedRuns(runs, style), style, num_threads) {}

PictureMaker::PictureMaker(const PlacedRuns& placed, const PictureStyle& style, int num_threads)
    : origin_(placed.origin),
      style_(shifted(style, placed.origin)),
      extent_(measure_extent(*placed.runs)),
      path_(style_.camera, placed.runs->front(), extent_,
            static_cast<double>(style.width) / style.height),
      marks_(extent_, placed.runs->front().bodies),
      lighting_(style.is_dark),
      marks_on_top_(placed.runs->front().bodies.size() <= kMostBodiesBelowMarks),
      pool_(num_threads),
      solid_(2 * style.width, 2 * style.height),
      layer_(2 * style.width, 2 * style.height),
      colors_(static_cast<std::size_t>(style.width) * static_cast<std::size_t>(style.height)) {
  const double spacing = round_spacing(extent_.radius / 6.0);
  double lowest = extent_.box.min().z();
  bool has_planes = false;
  for (const ReplayRun& run : *placed.runs) {
    forms_.emplace_back(run, extent_, spacing);
    has_planes = has_planes || forms_.back().has_planes();
    lowest = std::min(lowest, forms_.back().lowest_terrain());
  }
  if (!has_planes) {
    reference_.emplace(Eigen::Vector3d::UnitZ(), lowest - 0.002 * extent_.radius,
                       extent_.box.center(), spacing, 5.0 * extent_.radius, 0.0);
    reference_->set_pose({}, lighting_, style_.is_dark);
  }
  for (const ReplayFrame& frame : placed.runs->front().frames) marks_.measure(frame);
}

Image PictureMaker::draw(const std::vector<const ReplayFrame*>& frames) {
  if (frames.size() != forms_.size()) throw std::invalid_argument("picture: a frame for each run");
  if (origin_.isZero(0.0)) return draw_placed(frames);
  std::vector<ReplayFrame> moved;
  std::vector<const ReplayFrame*> pointers;
  moved.reserve(frames.size());
  for (const ReplayFrame* frame : frames) {
    pointers.push_back(&moved.emplace_back(shifted(*frame, origin_)));
  }
  return draw_placed(pointers);
}

Image PictureMaker::draw_placed(const std::vector<const ReplayFrame*>& frames) {
  prepare(frames);
  const int num_bands = (style_.height + kRowsOfBand - 1) / kRowsOfBand;
  pool_.run(num_bands, [&](int band, int) {
    draw_solid_rows(band * kRowsOfBand, std::min(style_.height, (band + 1) * kRowsOfBand));
  });
  // Ghosts, then marks: cones are clear, points and arrows nearly solid.
  TriangleList list;
  for (std::size_t k = 1; k < forms_.size(); ++k) {
    list.clear();
    forms_[k].add_to(list, *frames[k], linear_color(kGhostColors[(k - 1) % kGhostColors.size()]));
    draw_layer(list, {.opacity = kGhostOpacity, .is_lit = true});
  }
  TriangleList cones;
  list.clear();
  marks_.add_to(list, cones, *frames.front(), style_.overlays);
  draw_layer(cones, {.opacity = kConeOpacity, .is_on_top = marks_on_top_, .both_sides = true});
  // Chains lie inside of the bodies.
  draw_layer(list, {.opacity = kMarkOpacity, .is_on_top = marks_on_top_ || style_.overlays.chains});

  Image image{style_.width, style_.height, {}};
  image.rgb.reserve(3 * colors_.size());
  for (std::size_t i = 0; i < colors_.size(); ++i) {
    if (i % static_cast<std::size_t>(style_.width) == 0) check_stop();
    for (const float value : colors_[i]) {
      image.rgb.push_back(static_cast<unsigned char>(std::clamp(value + 0.5f, 0.0f, 255.0f)));
    }
  }
  return image;
}

void PictureMaker::prepare(const std::vector<const ReplayFrame*>& frames) {
  bodies_.clear();
  forms_.front().add_to(bodies_, *frames.front(), std::nullopt);
  const Camera camera = path_.at(*frames.front());
  lens_.emplace(camera, style_.width, style_.height);
  lens_->project(bodies_);
  const Eigen::Vector3d middle =
      style_.camera.follow.empty() ? extent_.box.center().eval() : camera.target;
  shadows_.draw(bodies_, middle.cast<float>(), static_cast<float>(extent_.radius), pool_);
  planes_.clear();
  std::vector<GridPlane>& planes = forms_.front().planes();
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Pose X_WB = pose_in(*frames.front(), forms_.front().body_of_plane(k));
    planes[k].set_pose(X_WB, lighting_, style_.is_dark);
    planes_.push_back(&planes[k]);
  }
  if (reference_) planes_.push_back(&*reference_);
  const Eigen::Vector3f corner = lens_->ray(0.0f, 0.0f);
  for (GridPlane* plane : planes_) {
    plane->set_view(lens_->position(), lens_->ray(2.0f, 0.0f) - corner,
                    lens_->ray(0.0f, 2.0f) - corner);
  }
}

void PictureMaker::draw_solid_rows(int first, int end) {
  check_stop();
  solid_.clear(0.0f, 2 * first, 2 * end);
  lens_->draw(bodies_, false, solid_, 2 * first, 2 * end);
  std::vector<Hit> hits;
  for (int y = first; y < end; ++y) {
    for (int x = 0; x < style_.width; ++x) draw_pixel(x, y, hits);
  }
}

int PictureMaker::fragments_at(const SampleBuffer& samples, int x, int y, Fragment* found) const {
  if (samples.is_uniform(2 * x, 2 * y)) {
    *found = {samples.id(2 * x, 2 * y), 1.0f, samples.mean_nearness(2 * x, 2 * y),
              static_cast<float>(2 * x + 1), static_cast<float>(2 * y + 1)};
    return 1;
  }
  int count = 0;
  for (int s = 0; s < 4; ++s) {
    const int column = 2 * x + (s & 1), row = 2 * y + (s >> 1);
    const std::uint32_t id = samples.id(column, row);
    Fragment* const last = found + count;
    Fragment* const place =
        std::find_if(found, last, [id](const Fragment& fragment) { return fragment.id == id; });
    if (place == last) {
      *last = {id, 0.0f, 0.0f, 0.0f, 0.0f};
      ++count;
    }
    place->share += 0.25f;
    place->nearness += samples.nearness(column, row);
    place->x += static_cast<float>(column) + 0.5f;
    place->y += static_cast<float>(row) + 0.5f;
  }
  for (int k = 0; k < count; ++k) {
    const float inverse = 0.25f / found[k].share;
    found[k].nearness *= inverse;
    found[k].x *= inverse;
    found[k].y *= inverse;
  }
  return count;
}

void PictureMaker::find_hits(int x, int y, float farthest, std::vector<Hit>& hits) const {
  hits.clear();
  const auto middle_x = static_cast<float>(2 * x + 1), middle_y = static_cast<float>(2 * y + 1);
  const Eigen::Vector3f ray = lens_->ray(middle_x, middle_y);
  for (const GridPlane* plane : planes_) {
    const float nearness = plane->nearness(ray);
    if (nearness > farthest) hits.push_back({.nearness = nearness, .plane = plane});
  }
  if (hits.empty()) return;
  if (hits.size() > 1) {
    std::sort(hits.begin(), hits.end(),
              [](const Hit& a, const Hit& b) { return a.nearness < b.nearness; });
  }
  for (Hit& hit : hits) {
    const GridPlane::Look look = hit.plane->look(ray, shadows_);
    hit.opacity = look.opacity;
    if (look.opacity > 0.0f) hit.color = look.color;
  }
}

void PictureMaker::draw_pixel(int x, int y, std::vector<Hit>& hits) {
  std::array<Fragment, 4> fragments;
  const auto count = static_cast<std::size_t>(fragments_at(solid_, x, y, fragments.data()));
  float farthest = fragments[0].nearness;
  for (std::size_t k = 1; k < count; ++k) farthest = std::min(farthest, fragments[k].nearness);
  find_hits(x, y, farthest, hits);
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  for (std::size_t k = 0; k < count; ++k) {
    const Fragment& fragment = fragments[k];
    Eigen::Vector3f color = fragment.id == 0 ? background(y) : shaded(bodies_, fragment, true);
    // The planes before it, the farthest first.
    for (const Hit& hit : hits) {
      if (hit.nearness > fragment.nearness) color += hit.opacity * (hit.color - color);
    }
    sum += fragment.share * color;
  }
  color_at(x, y) = sum;
  for (const Hit& hit : hits) {
    if (!hit.plane->is_opaque()) continue;
    for (int s = 0; s < 4; ++s) solid_.raise(2 * x + (s & 1), 2 * y + (s >> 1), hit.nearness);
  }
}

Eigen::Vector3f PictureMaker::background(int y) const {
  static const Eigen::Vector3f skies[2] = {stored_color(0xcfdbe8), stored_color(0x2a3442)};
  static const Eigen::Vector3f horizons[2] = {stored_color(0xf4f6f8), stored_color(0x12161c)};
  const float share = std::min(
      1.0f, (static_cast<float>(y) + 0.5f) / (kHorizon * static_cast<float>(style_.height)));
  return (1.0f - share) * skies[style_.is_dark] + share * horizons[style_.is_dark];
}

Eigen::Vector3f PictureMaker::shaded(const TriangleList& list, const Fragment& fragment,
                                     bool has_shadows) const {
  const TriangleList::Triangle& triangle = list.triangle(fragment.id - 1);
  const SurfaceLook& look = list.look_of(triangle);
  const Eigen::Vector3f ray = lens_->ray(fragment.x, fragment.y);
  const Eigen::Vector3f point = lens_->position() + ray / fragment.nearness;
  const Eigen::Vector3f normal = list.normal_at(triangle, point);
  Eigen::Vector3f albedo = triangle.tone * look.color;
  if (look.is_terrain) {
    albedo = albedo.cwiseProduct(terrain_tint(look, fragment, point, list.face_normal(triangle)));
  }
  const float sun = has_shadows && normal.dot(Lighting::to_sun()) > 0.0f
                        ? shadows_.sun_share(point, normal)
                        : 1.0f;
  return stored_from_linear(tone_mapped(
      lighting_.shade(albedo, normal, -ray.normalized(), look.is_terrain ? 0.0f : 1.0f, sun)));
}

Eigen::Vector3f PictureMaker::terrain_tint(const SurfaceLook& look, const Fragment& fragment,
                                           const Eigen::Vector3f& point,
                                           const Eigen::Vector3f& normal) const {
  const float height = point.dot(look.up) - look.level;
  const float share = std::clamp(height / look.range, 0.0f, 1.0f);
  const Eigen::Vector3f tint = (1.0f - share) * Eigen::Vector3f(0.62f, 0.70f, 0.60f) +
                               share * Eigen::Vector3f(1.18f, 1.12f, 1.0f);
  // The change of height from this pixel to the next ones, on the plane of the face.
  const float facing = (point - lens_->position()).dot(normal);
  float change = 0.0f;
  for (const auto& [dx, dy] : {std::pair(2.0f, 0.0f), std::pair(0.0f, 2.0f)}) {
    const Eigen::Vector3f ray = lens_->ray(fragment.x + dx, fragment.y + dy);
    const float along = ray.dot(normal);
    if (along == 0.0f) continue;
    change += std::abs((lens_->position() + ray * (facing / along) - point).dot(look.up));
  }
  const auto line = [&](float interval, float width) {
    const float slope = change / interval;
    if (!(slope >= 1e-5f)) return 0.0f;
    const float level = height / interval - 0.5f;
    const float distance = std::abs(level - std::floor(level) - 0.5f);
    const float x = std::clamp(distance / (slope * width), 0.0f, 1.0f);
    return std::clamp(1.4f - 3.0f * slope, 0.0f, 1.0f) * (1.0f - x * x * (3.0f - 2.0f * x));
  };
  const auto step = static_cast<float>(round_spacing(look.range / 10.0));
  return tint * (1.0f - std::max(0.35f * line(step, 1.2f), 0.6f * line(5.0f * step, 1.5f)));
}

void PictureMaker::draw_layer(const TriangleList& list, const Layer& layer) {
  if (list.is_empty()) return;
  lens_->project(list);
  const int num_bands = (style_.height + kRowsOfBand - 1) / kRowsOfBand;
  pool_.run(num_bands, [&](int band, int) {
    check_stop();
    const int first = band * kRowsOfBand, end = std::min(style_.height, first + kRowsOfBand);
    layer_.clear(0.0f, 2 * first, 2 * end);
    if (!layer.is_on_top) layer_.copy_nearness(solid_, 2 * first, 2 * end);
    lens_->draw(list, layer.both_sides, layer_, 2 * first, 2 * end);
    for (int y = first; y < end; ++y) blend_layer_row(list, layer, y);
  });
}

void PictureMaker::blend_layer_row(const TriangleList& list, const Layer& layer, int y) {
  std::array<Fragment, 4> fragments;
  for (int x = 0; x < style_.width; ++x) {
    if (!layer_.has_triangle(2 * x, 2 * y) && !layer_.has_triangle(2 * x, 2 * y + 1)) continue;
    Eigen::Vector3f& color = color_at(x, y);
    const Eigen::Vector3f below = color;
    const auto count = static_cast<std::size_t>(fragments_at(layer_, x, y, fragments.data()));
    for (std::size_t k = 0; k < count; ++k) {
      const Fragment& fragment = fragments[k];
      if (fragment.id == 0) continue;
      const Eigen::Vector3f own = layer.is_lit ? shaded(list, fragment, false)
                                               : list.look_of(list.triangle(fragment.id - 1)).color;
      color += layer.opacity * fragment.share * (own - below);
    }
  }
}

}  // namespace amontons::io
