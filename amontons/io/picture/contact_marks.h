#pragma once

#include "amontons/io/picture/extent.h"
#include "amontons/io/picture/triangle_list.h"

#include <array>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Chooses what is drawn of contacts, in the colors of their modes.
struct Overlays {
  bool points = true;   ///< contact points
  bool forces = true;   ///< an arrow for each force
  bool cones = false;   ///< friction cones
  bool chains = false;  ///< a rod from body to body, as thick as the normal force is great
};

/// Names of the overlays in options.
inline constexpr std::array<std::string_view, 4> kOverlayNames = {"contacts", "forces", "cones",
                                                                  "chains"};
/// Returns the overlay that has one of these names, or nullptr.
bool* overlay_named(Overlays& overlays, std::string_view name);

/// Makes the marks of contacts: points, arrows of force, friction cones and force chains.
class ContactMarks {
 public:
  ContactMarks(const Extent& extent, const std::vector<ReplayBody>& bodies);

  /// Counts the forces of a frame for the length of arrows.
  void measure(const ReplayFrame& frame);

  /// Adds the marks of a frame. An arrow is as long as its force is great, except for the few that
  /// would leave the picture. It shows the force on the body that moves, or on B if both do; of an
  /// impact it shows the impulse. Open contacts are marked up to a gap of a dot's diameter.
  void add_to(TriangleList& solid, TriangleList& clear, const ReplayFrame& frame,
              const Overlays& overlays);

 private:
  void add_arrow(TriangleList& list, const ReplayContact& contact, double typical_size,
                 const SurfaceLook& look);
  /// Adds rods from a contact to its moving bodies.
  void add_chain(TriangleList& list, const ReplayFrame& frame, const ReplayContact& contact,
                 double typical_size);
  /// Returns the force [N], or the impulse [N s], below which nine of ten are.
  double typical(bool is_impact);

  double radius_, body_radius_;  // of the scene, of a body [m]
  double dot_;                   // radius of a point [m]
  SurfaceMesh point_, shaft_, head_, cone_;
  std::vector<bool> is_fixed_;  // of each body
  /// Sizes so far, and the one below which nine of ten are.
  struct Sizes {
    std::vector<double> all;
    std::size_t num_measured = 0;
    double typical = 1.0;
  };
  Sizes forces_, impulses_;  // [N], [N s]
};

}  // namespace amontons::io
