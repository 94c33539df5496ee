#pragma once

#include "amontons/io/picture/body_forms.h"
#include "amontons/io/picture/camera.h"
#include "amontons/io/picture/contact_marks.h"
#include "amontons/io/picture/image.h"
#include "amontons/io/picture/lighting.h"
#include "amontons/math/thread_pool.h"

#include <optional>
#include <vector>

namespace amontons::io {

/// Sets how pictures look.
struct PictureStyle {
  int width = 1280, height = 720;  ///< [pixels], 16 to 4096
  bool is_dark = false;
  CameraSettings camera;
  Overlays overlays;
};

/// Draws pictures of runs without a browser or graphics processor, in the look of the replay page.
///
/// Triangles are drawn at four samples a pixel, with a sky, a sun and its shadows. The same runs
/// and style give the same pictures on every x86-64 machine, with any number of threads.
class PictureMaker {
 public:
  /// Prepares the forms of runs; each has one frame at least. The first run is solid, the others
  /// are ghosts.
  /// @throws std::invalid_argument  for a size or a camera that makes no sense.
  PictureMaker(const std::vector<ReplayRun>& runs, const PictureStyle& style, int num_threads = 0);

  /// Counts the forces of a frame that no run has, for the length of arrows.
  void measure(const ReplayFrame& frame) { marks_.measure(frame); }

  /// Draws one frame of each run, in their order. @throws Stopped (math/stop.h).
  Image draw(const std::vector<const ReplayFrame*>& frames);

 private:
  struct PlacedRuns;
  PictureMaker(const PlacedRuns& placed, const PictureStyle& style, int num_threads);
  Image draw_placed(const std::vector<const ReplayFrame*>& frames);
  struct Fragment;
  struct Hit;
  struct Layer;
  int fragments_at(const SampleBuffer& samples, int x, int y, Fragment* found) const;
  void prepare(const std::vector<const ReplayFrame*>& frames);
  void draw_solid_rows(int first, int end);
  void draw_pixel(int x, int y, std::vector<Hit>& hits);
  void find_hits(int x, int y, float farthest, std::vector<Hit>& hits) const;
  void draw_layer(const TriangleList& list, const Layer& layer);
  void blend_layer_row(const TriangleList& list, const Layer& layer, int y);
  Eigen::Vector3f& color_at(int x, int y) {
    return colors_[static_cast<std::size_t>(y) * static_cast<std::size_t>(style_.width) +
                   static_cast<std::size_t>(x)];
  }
  Eigen::Vector3f background(int y) const;
  Eigen::Vector3f shaded(const TriangleList& list, const Fragment& fragment,
                         bool has_shadows) const;
  Eigen::Vector3f terrain_tint(const SurfaceLook& look, const Fragment& fragment,
                               const Eigen::Vector3f& point, const Eigen::Vector3f& normal) const;

  Eigen::Vector3d origin_;  // of all places below, in the world [m]
  PictureStyle style_;
  Extent extent_;
  CameraPath path_;
  ContactMarks marks_;
  Lighting lighting_;
  ShadowMap shadows_;
  std::vector<BodyForms> forms_;
  std::optional<GridPlane> reference_;  // of scenes without half-space
  bool marks_on_top_;
  ThreadPool pool_;
  SampleBuffer solid_, layer_;
  std::vector<Eigen::Vector3f> colors_;  // stored, in [0, 255]
  // Of the picture that is drawn.
  TriangleList bodies_;
  std::optional<Lens> lens_;
  std::vector<GridPlane*> planes_;
};

}  // namespace amontons::io
