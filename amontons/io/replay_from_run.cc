#include "amontons/io/replay_from_run.h"

#include "amontons/io/parse_error.h"
#include "amontons/io/replay_shapes.h"
#include "amontons/io/run_header.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/system.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

constexpr std::size_t kPageBytesForPoses = 3'000'000;
constexpr std::size_t kBytesPerPose = 16;  // 12, in base64
constexpr std::size_t kFewestFrames = 100, kMostFrames = 2000;

std::size_t frame_limit(const ReplayFrameSettings& settings, std::size_t num_bodies) {
  if (settings.max_frames > 0) return std::max<std::size_t>(2, settings.max_frames);
  return std::clamp(kPageBytesForPoses / (kBytesPerPose * std::max<std::size_t>(1, num_bodies)),
                    kFewestFrames, kMostFrames);
}

System make_system(const RunReader& reader, const Scene& scene) {
  try {
    return System(scene);
  } catch (const std::invalid_argument& error) {
    throw ParseError(reader.path(), 0, 0, std::string("the recorded scene: ") + error.what());
  }
}

/// @param usual_step  [s] over which the impulses of an impact, which takes no time, are forces.
ReplayFrame frame_of(const RunRow& row, double usual_step) {
  const double span = row.step > 0.0 ? row.step : usual_step;
  ReplayFrame frame;
  frame.time = row.time;
  for (std::size_t b = 0; b < row.num_bodies(); ++b) {
    frame.poses.push_back({row.position_of(b), row.quat_wxyz_of(b)});
  }
  for (const RunContact& contact : row.contacts) {
    ReplayContact shown;
    shown.body_a = contact.body_a;
    shown.body_b = contact.body_b;
    shown.position = contact.position_W;
    shown.normal = contact.normal_W;
    shown.force = contact_frame(contact.normal_W) * contact.impulse / span;
    shown.gap = contact.gap;
    shown.friction = contact.friction;
    shown.mode = static_cast<ReplayContactMode>(contact.mode);
    frame.contacts.push_back(shown);
  }
  return frame;
}

// The curves of a run, filled row by row.
class Curves {
 public:
  Curves(const RunHeader& header, double tolerance, ReplayRun& run) : header_(&header), run_(&run) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const char* name :
         {"kinetic", "potential", "gravity work", "actuator work", "contact normal work",
          "contact friction work", "spring work", "joint friction work", "impact work",
          "stabilization work", "integration", "unexplained"}) {
      add("Energy and summed work", name, "J", false, none);
    }
    add("Gap", "least gap", "m", false, none);
    add("Gap", "overlap or joint error", "m", false, none);
    for (const char* name :
         {"normal", "friction", "limit", "joint friction", "joint", "dynamics", "coulomb"}) {
      add("Certificate", name, "", true, tolerance);
    }
    add("Contacts", "contacts", "", false, none);
    add("Wall time of a step", "step", "s", true, none);
    add("Wall time of a step", "contact solve", "s", true, none);
    for (std::size_t j = 0; j < header.joint_names.size(); ++j) {
      if (header.joint_q_offset[j] >= 0) {
        add("Joint positions", header.joint_names[j], "rad or m", false, none);
      }
    }
  }

  void append(const RunRow& row) {
    next_ = 0;
    run_->series_time.push_back(row.time);
    put(row.energy.kinetic);
    put(row.energy.potential);
    const double work[] = {row.energy.gravity,        row.energy.actuators,
                           row.energy.contact_normal, row.energy.contact_friction,
                           row.energy.springs,        row.energy.joint_friction,
                           row.energy.impacts,        row.energy.stabilization,
                           row.energy.integration,    row.energy.unexplained};
    for (const double term : work) {
      const std::vector<double>& values = run_->series[next_].values;
      put((values.empty() ? 0.0 : values.back()) + term);
    }
    double gap = std::numeric_limits<double>::infinity();
    for (const RunContact& contact : row.contacts) gap = std::min(gap, contact.gap);
    put(row.contacts.empty() ? std::numeric_limits<double>::quiet_NaN() : gap);
    put(row.certificate.infeasibility);
    for (const Figure* figure :
         {&row.certificate.normal, &row.certificate.friction, &row.certificate.limit,
          &row.certificate.joint_friction, &row.certificate.joint, &row.certificate.dynamics,
          &row.certificate.coulomb}) {
      put(figure->value);
    }
    put(static_cast<double>(row.contacts.size()));
    put(row.step_time_s);
    put(row.solve_time_s);
    for (const std::int32_t offset : header_->joint_q_offset) {
      if (offset >= 0) put(row.q[offset]);
    }
  }

 private:
  void add(const char* chart, const std::string& name, const char* unit, bool log, double limit) {
    ReplaySeries series;
    series.name = name;
    series.unit = unit;
    series.log_scale = log;
    series.chart = chart;
    series.limit = limit;
    run_->series.push_back(std::move(series));
  }
  void put(double value) { run_->series[next_++].values.push_back(value); }

  const RunHeader* header_;
  ReplayRun* run_;
  std::size_t next_ = 0;
};

void set_verdict(const RunReader& reader, std::size_t num_missed, ReplayRun& run) {
  const std::size_t num_steps = reader.num_rows() - 1;
  const bool all_recorded = run.num_steps == static_cast<long>(num_steps);
  run.certified = num_missed == 0;
  run.verdict = num_missed == 0 ? (all_recorded ? "every step met its certificate"
                                                : "every recorded step met its certificate")
                                : std::to_string(num_missed) + " of " + std::to_string(num_steps) +
                                      (all_recorded ? " steps" : " recorded steps") +
                                      " missed their certificate";
}

}  // namespace

ReplayRun replay_from_run(RunReader& reader, const ReplayFrameSettings& settings) {
  if (reader.num_rows() == 0) throw ParseError(reader.path(), 0, 0, "the run has no rows");
  const Scene scene = reader.load_scene();
  const System system = make_system(reader, scene);
  ReplayRun run;
  run.title = std::filesystem::path(reader.path()).filename().string();
  run.bodies = replay_bodies(system);
  Curves curves(reader.header(), scene.simulation.tolerance, run);
  const std::size_t last = reader.num_rows() - 1;
  const std::size_t limit = frame_limit(settings, run.bodies.size());
  const std::size_t num_frames = std::min(limit, last + 1);
  std::size_t num_missed = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    const RunRow row = reader.row(i);
    curves.append(row);
    if (i > 0 && !row.certificate.claimed) ++num_missed;
    // Row of frame k: the nearest to k last / (frames - 1), the ends included.
    const std::size_t k = run.frames.size();
    if (num_frames == 1 ||
        (k < num_frames && i == (k * last + (num_frames - 1) / 2) / (num_frames - 1))) {
      run.frames.push_back(frame_of(row, scene.simulation.steps.front()));
    }
    run.num_steps = static_cast<long>(row.step_count);
  }
  set_verdict(reader, num_missed, run);
  run.summary = {"scene " + reader.header().scene_file,
                 "model " + scene.simulation.model + ", " + scene.simulation.method,
                 std::to_string(run.num_steps) +
                     " steps to t = " + std::to_string(run.series_time.back()) + " s",
                 "written by amontons " + reader.header().build};
  return run;
}

}  // namespace amontons::io
