#pragma once

#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Describes one collision shape as the replay draws it. Lengths are in m.
struct ReplayShape {
  /// Names the type: "sphere", "box", "capsule", "cylinder", "ellipsoid", "half_space" or "mesh"
  /// (polyhedra and height fields are given as meshes).
  std::string type;
  /// Holds the sizes: sphere [radius]; box [full length x, y, z]; capsule and cylinder [radius,
  /// length along z]; ellipsoid [semi-axis x, y, z]; half_space [normal x, y, z, offset], solid
  /// where normal . x <= offset in G; mesh: empty.
  std::vector<double> size;
  Pose X_BG;                    ///< the shape's frame G in its body
  std::vector<float> vertices;  ///< mesh only: x, y, z of each vertex in G
  std::vector<int> triangles;   ///< mesh only: three vertex indices each, counterclockwise outside
  /// Holds red, green, blue in [0, 1] (sRGB). Without a color the page takes one from its palette,
  /// and grey for fixed bodies.
  std::optional<std::array<float, 3>> color;
  /// True for what the body looks like. The page draws it in place of the collision shapes of the
  /// body, unless its reader wants these.
  bool is_visual = false;
  bool is_terrain = false;  ///< mesh only: drawn with lines of equal height
};

/// Describes one body as the page draws it.
struct ReplayBody {
  std::string name;                 ///< any text, shown as text
  bool fixed = false;               ///< drawn in grey; a fixed body may still be moved by the scene
  std::vector<ReplayShape> shapes;  ///< in the body's frame
};

/// Names how a contact moves, with the codes of ContactMode.
enum class ReplayContactMode : unsigned char { Open = 0, Stick = 1, Slide = 2, Impact = 3 };

/// Holds a contact of a frame.
struct ReplayContact {
  int body_a = 0, body_b = 0;                          ///< indices into ReplayRun::bodies
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the world [m]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();   ///< unit, from A into B, in the world
  /// Holds the force on B, in the world [N]; in an impact, which takes no time, the impulse [N s].
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  double gap = 0.0;                                  ///< [m], negative inside
  double friction = 0.0;                             ///< mu [-]
  ReplayContactMode mode = ReplayContactMode::Open;  ///< mode of motion
};

/// Holds a body's pose.
struct ReplayPose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();         ///< p_WB [m]
  Eigen::Vector4d quat_wxyz = Eigen::Vector4d(1.0, 0, 0, 0);  ///< unit; either sign
};

/// Holds a body's velocity.
struct ReplayVelocity {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< of its origin, in the world [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< in the world [rad/s]
};

/// Holds one instant of a run.
struct ReplayFrame {
  double time = 0.0;                            ///< [s]
  std::vector<ReplayPose> poses;                ///< one per body
  std::vector<ReplayContact> contacts;          ///< contacts of the step that ends there
  std::vector<ReplayVelocity> velocities = {};  ///< one per body; none in all frames: unknown
  bool is_impact = false;                       ///< the step took no time: contacts have impulses
};

/// Holds one curve, sampled at ReplayRun::series_time. Values that are not finite leave a gap.
struct ReplaySeries {
  std::string name;            ///< label in its chart
  std::string unit;            ///< as shown, e.g. "J"; empty for a pure number
  std::vector<double> values;  ///< one per entry of series_time
  bool log_scale = false;      ///< logarithmic axis; one curve decides for its whole chart
  std::string chart;           ///< title of the chart; curves of one title share it
  /// Sets a bound drawn as a dashed line, e.g. the run's tolerance; NaN for none.
  double limit = std::numeric_limits<double>::quiet_NaN();
};

/// Holds everything that the page shows of one run.
struct ReplayRun {
  std::string title;                        ///< title of the page
  std::vector<std::string> summary;         ///< lines of text
  std::vector<std::string> notes_on_looks;  ///< lines on what is not drawn as model files do
  long num_steps = 0;                       ///< steps of the run, which may exceed the frames
  std::optional<bool> certified;     ///< every step has an answer that is accepted; none: unknown
  std::string verdict;               ///< how the steps answered the law asked
  std::vector<ReplayBody> bodies;    ///< all bodies of the run
  std::vector<ReplayFrame> frames;   ///< at least one, times nondecreasing
  std::vector<double> series_time;   ///< times of the curves [s], nondecreasing
  std::vector<ReplaySeries> series;  ///< curves of the charts
};

/// Bounds the size of the page.
struct ReplaySettings {
  /// Bounds the size of the page [bytes]. Contacts are dropped to keep it, weakest force first, and
  /// the page says so. Poses and curves are never dropped, so that a page may be larger.
  std::size_t max_page_bytes = 5'000'000;
  /// Bounds the samples per curve, > 1. A longer curve is drawn as its envelope: the least and the
  /// greatest value of each interval, so that no extreme is lost.
  std::size_t max_series_samples = 4000;
};

/// Makes one self-contained HTML page that replays the runs without server or network.
///
/// The first run is shown solid, further runs as transparent bodies at the same time. The page
/// stores per run:
/// - positions with 16 bits of each body's own range per axis (error at most range / 131070);
/// - orientations as the smallest three quaternion components with 15 bits (error at most
///   1.6e-4 rad);
/// - velocities with 11 significant bits, down to 1e-9 of each body's greatest;
/// - contact forces, gaps and friction with 8 significant bits (error at most 0.4 %);
/// - curves in single precision.
/// @throws std::invalid_argument  naming the run and the quantity: no run, no frame, a frame
/// without one pose per body, a body index, mesh index or size out of range, a pose, force or point
/// that is not finite, a curve whose length differs from series_time.
std::string make_replay_html(const std::vector<ReplayRun>& runs,
                             const ReplaySettings& settings = {});

}  // namespace amontons::io
