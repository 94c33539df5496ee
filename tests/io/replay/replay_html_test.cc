#include "amontons/io/replay/replay_html.h"

#include "tests/support/replay_demo.h"
#include "tests/support/replay_page_reader.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
namespace amontons::io {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using test::page_data;
using test::PagePoses;
using test::PageRun;

ReplayRun tumbling_run(std::mt19937_64& random, std::size_t num_bodies, std::size_t num_frames) {
  std::normal_distribution<double> normal;
  ReplayRun run;
  run.title = "tumbling";
  for (std::size_t b = 0; b < num_bodies; ++b) {
    run.bodies.push_back({"b", false, {{"sphere", {0.1}, {}, {}, {}, {}}}});
  }
  for (std::size_t f = 0; f < num_frames; ++f) {
    ReplayFrame frame;
    frame.time = 0.1 * static_cast<double>(f);
    for (std::size_t b = 0; b < num_bodies; ++b) {
      const double reach = std::pow(10.0, static_cast<double>(b % 7) - 3.0);
      ReplayPose pose;
      pose.position = reach * Eigen::Vector3d(normal(random), normal(random), normal(random));
      pose.quat_wxyz =
          Eigen::Vector4d(normal(random), normal(random), normal(random), normal(random))
              .normalized();
      frame.poses.push_back(pose);
    }
    run.frames.push_back(frame);
  }
  return run;
}

/// Returns a run with contacts that do not compress: every number differs from contact to contact.
ReplayRun with_noisy_contacts(ReplayRun run, std::mt19937_64& random) {
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  for (ReplayFrame& frame : run.frames) {
    for (ReplayContact& contact : frame.contacts) {
      contact.force *= factor(random);
      contact.gap *= factor(random);
      contact.position.x() += 1e-2 * factor(random);
      contact.position.y() += 1e-2 * factor(random);
    }
  }
  return run;
}

ReplayRun one_body_run() {
  ReplayRun run;
  run.title = "one";
  run.bodies = {{"ball", false, {{"sphere", {0.1}, {}, {}, {}, {}}}}};
  run.frames = {{0.0, {ReplayPose{}}, {}}};
  return run;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Identifies a contact without regard to order: time, bodies, mode.
using ContactKey = std::tuple<std::size_t, int, int, int>;

}  // namespace

// Half a step of 16 bits over each body's own range, whatever the ranges of the others; the bound
// of the angle is 4 sqrt(3) half steps of 1 / (sqrt(2) 16383): the components' error, doubled by
// the dropped component (at least 1/2) and doubled again from quaternion to angle.
TEST_CASE("A pose read back from the page is the recorded one within its quantization") {
  std::mt19937_64 random(11);
  const ReplayRun run = tumbling_run(random, 21, 300);
  const PageRun page(page_data(make_replay_html({run}))["runs"][0]);
  const PagePoses poses(page, run.frames.size());
  const double half_step = 0.5 / (std::sqrt(2.0) * 16383.0);
  double worst_position = 0.0, worst_angle = 0.0;
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    for (std::size_t b = 0; b < run.bodies.size(); ++b) {
      const ReplayPose& pose = run.frames[f].poses[b];
      const Eigen::Vector3d error = (poses.position(f, b) - pose.position).cwiseAbs();
      worst_position = std::max(worst_position, error.cwiseQuotient(poses.range(b)).maxCoeff());
      const Eigen::Quaterniond q(pose.quat_wxyz[0], pose.quat_wxyz[1], pose.quat_wxyz[2],
                                 pose.quat_wxyz[3]);
      worst_angle = std::max(worst_angle, poses.rotation(f, b).angularDistance(q));
    }
  }
  CHECK(worst_position <= 0.5 / 65535.0 * (1.0 + 1e-9));
  CHECK(worst_position > 0.4 / 65535.0);  // the bound is nearly reached, not merely kept
  CHECK(worst_angle <= 4.0 * std::sqrt(3.0) * half_step * 1.001);
  CHECK(worst_angle <= 1.6e-4);
  CHECK(worst_angle > 0.5e-4);
}

TEST_CASE("A body at rest without rotation is stored exactly") {
  ReplayRun run = one_body_run();
  run.frames[0].poses[0].position = Eigen::Vector3d(1.0 / 3.0, -2e6, 5e-9);
  const PageRun page(page_data(make_replay_html({run}))["runs"][0]);
  const PagePoses poses(page, 1);
  CHECK(poses.position(0, 0) == run.frames[0].poses[0].position);
  CHECK(poses.rotation(0, 0).coeffs() == Eigen::Vector4d(0, 0, 0, 1));
}

TEST_CASE("The two quaternions of a rotation give the same page") {
  std::mt19937_64 random(3);
  ReplayRun run = tumbling_run(random, 4, 9);
  const std::string page = make_replay_html({run});
  for (ReplayFrame& frame : run.frames) {
    for (ReplayPose& pose : frame.poses) pose.quat_wxyz = -pose.quat_wxyz;
  }
  CHECK(make_replay_html({run}) == page);
}

TEST_CASE("Every contact of a run is in the page with its force, point, normal and mode") {
  ReplayRun run = test::ReplayDemo(12, 80, 5).take();
  run.frames[40].contacts[0].normal = Eigen::Vector3d(0.36, -0.48, -0.8);
  const PageRun page(page_data(make_replay_html({run}))["runs"][0]);
  const PagePoses poses(page, run.frames.size());
  const std::vector<std::uint64_t> frames = page.integers("contact_frames"),
                                   bodies = page.integers("contact_bodies"),
                                   points = page.integers("contact_points"),
                                   modes = page.integers("contact_modes"),
                                   normals = page.integers("contact_normals");
  const std::vector<double> ranges = page.reals("contact_ranges"),
                            forces = page.short_floats("contact_forces"),
                            gaps = page.short_floats("contact_gaps");
  const std::size_t n = frames.size();

  std::size_t total = 0;
  std::map<ContactKey, int> expected, found;
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    total += run.frames[f].contacts.size();
    for (const ReplayContact& c : run.frames[f].contacts) {
      ++expected[{f, c.body_a, c.body_b, static_cast<int>(c.mode)}];
    }
  }
  REQUIRE(n == total);
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<int>(bodies[i]), b = static_cast<int>(bodies[n + i]);
    ++found[{frames[i], a, b, static_cast<int>(modes[i])}];
    Eigen::Vector3d point = poses.position(frames[i], bodies[n + i]), tolerance;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const double width = ranges[2 * k + 1] - ranges[2 * k];
      point[axis] += ranges[2 * k] + width * static_cast<double>(points[k * n + i]) / 65535.0;
      tolerance[axis] = width / 131070.0 * (1.0 + 1e-9) + 1e-15;
    }
    // The recorded contact that this one must be: the nearest of its pair and frame.
    const ReplayContact* nearest = nullptr;
    for (const ReplayContact& c : run.frames[frames[i]].contacts) {
      if (c.body_a != a || c.body_b != b) continue;
      if (!nearest || (c.position - point).norm() < (nearest->position - point).norm())
        nearest = &c;
    }
    REQUIRE(nearest);
    CHECK(((nearest->position - point).cwiseAbs().array() <= tolerance.array()).all());
    CHECK(std::abs(gaps[i] - nearest->gap) <= std::abs(nearest->gap) / 256.0);
    for (std::size_t k = 0; k < 3; ++k) {
      const double force = nearest->force[static_cast<Eigen::Index>(k)];
      CHECK(std::abs(forces[k * n + i] - force) <= std::abs(force) / 256.0);
    }
    const double u = (static_cast<double>(normals[i]) - 2047.0) / 2047.0;
    const double v = (static_cast<double>(normals[n + i]) - 2047.0) / 2047.0;
    Eigen::Vector3d normal(u, v, 1.0 - std::abs(u) - std::abs(v));
    if (normal.z() < 0.0) {
      normal.x() = (1.0 - std::abs(v)) * (u < 0.0 ? -1.0 : 1.0);
      normal.y() = (1.0 - std::abs(u)) * (v < 0.0 ? -1.0 : 1.0);
    }
    CHECK((normal.normalized() - nearest->normal).norm() < 1e-3);
  }
  CHECK(found == expected);
}

TEST_CASE("A page of 1000 bodies, their contacts and 200 frames stays below 5 MB") {
  std::mt19937_64 random(4);
  const ReplayRun run = with_noisy_contacts(test::ReplayDemo(999, 200, 1).take(), random);
  std::size_t total = 0;
  for (const ReplayFrame& frame : run.frames) total += frame.contacts.size();
  REQUIRE(run.bodies.size() == 1000);
  REQUIRE(total > 400'000);
  const std::string page = make_replay_html({run});
  CAPTURE(page.size());
  CHECK(page.size() < 5'000'000);
  CHECK(page.size() > 4'500'000);  // the page is nearly full
  const json data = page_data(page)["runs"][0];
  CHECK(data["contacts"] == total);
  CHECK(data["sections"]["poses"]["count"] == 6u * 1000u * 200u);
  CHECK(data["sections"]["contact_frames"]["count"] > total / 20);
}

// Noise cannot be compressed: 12 bytes for each of 200000 poses, 16 characters in base64.
TEST_CASE("A page of 1000 bodies that jump at random over 200 frames stays below 5 MB") {
  std::mt19937_64 random(2);
  const std::string page = make_replay_html({tumbling_run(random, 1000, 200)});
  CHECK(page.size() < 5'000'000);
}

TEST_CASE("Where contacts must be left out, each frame keeps its strongest and the counts stay") {
  std::mt19937_64 random(6);
  const ReplayRun run = with_noisy_contacts(test::ReplayDemo(30, 100, 9).take(), random);
  const std::string full = make_replay_html({run});
  const json all = page_data(full)["runs"][0];
  const json some =
      page_data(make_replay_html({run}, {.max_page_bytes = full.size() - 4000}))["runs"][0];
  const std::size_t num_all = all["sections"]["contact_frames"]["count"];
  const std::size_t num_some = some["sections"]["contact_frames"]["count"];
  CHECK(num_some < num_all);
  CHECK(num_some > 0);
  CHECK(some["contacts"] == num_all);
  CHECK(PageRun(some).integers("mode_counts") == PageRun(all).integers("mode_counts"));
  CHECK(PageRun(some).integers("poses") == PageRun(all).integers("poses"));

  const PageRun page(some);
  const std::vector<std::uint64_t> frames = page.integers("contact_frames");
  const std::vector<double> forces = page.short_floats("contact_forces");
  std::vector<double> weakest_kept(run.frames.size(), 1e300);
  std::vector<std::size_t> num_kept(run.frames.size(), 0);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t n = frames.size();
    const double force = Eigen::Vector3d(forces[i], forces[n + i], forces[2 * n + i]).norm();
    weakest_kept[frames[i]] = std::min(weakest_kept[frames[i]], force);
    ++num_kept[frames[i]];
  }
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    std::size_t num_stronger = 0;
    for (const ReplayContact& contact : run.frames[f].contacts) {
      num_stronger += contact.force.norm() > weakest_kept[f] * (1.0 + 1.0 / 128.0);
    }
    CHECK(num_stronger <= num_kept[f]);
  }
}

TEST_CASE("The envelope of a long curve keeps every extreme and every gap of values") {
  ReplayRun run = one_body_run();
  ReplaySeries series{"energy", "J", {}, false, "Energy"};
  for (int k = 0; k < 100'000; ++k) {
    run.series_time.push_back(1e-3 * k);
    series.values.push_back(k == 31'417 ? 7.0 : k == 77'777 ? -9.0 : std::sin(1e-3 * k));
    if (k < 5'000) series.values.back() = std::nan("");
  }
  run.series = {series};
  const json data = page_data(make_replay_html({run}, {.max_series_samples = 500}))["runs"][0];
  const PageRun page(data);
  const std::vector<double> times = page.reals("series_times"),
                            values = page.reals("series_values");
  CHECK(data["series"]["samples"] == 100'000);
  REQUIRE(values.size() == 500);
  REQUIRE(times.size() == 500);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(times.front() == run.series_time.front());
  CHECK(times.back() == run.series_time.back());
  CHECK(std::isnan(values.front()));
  CHECK(std::count(values.begin(), values.end(), 7.0) == 1);
  CHECK(std::count(values.begin(), values.end(), -9.0) == 1);
  const auto peak = std::find(values.begin(), values.end(), 7.0) - values.begin();
  CHECK(std::abs(times[static_cast<std::size_t>(peak)] - 31.417) <=
        0.4);  // one interval: 400 steps
}

TEST_CASE("A short curve is stored sample by sample") {
  ReplayRun run = one_body_run();
  run.series_time = {0.0, 0.25, 0.5};
  run.series = {{"gap", "m", {1e-12, -3.5, std::nan("")}, true, "Gap", 1e-8}};
  const json data = page_data(make_replay_html({run}))["runs"][0];
  const PageRun page(data);
  CHECK(page.reals("series_times") == run.series_time);
  const std::vector<double> values = page.reals("series_values");
  CHECK(values[0] == Approx(1e-12).epsilon(1e-7));
  CHECK(values[1] == -3.5);
  CHECK(std::isnan(values[2]));
  CHECK(data["series"]["curves"][0]["limit"] == 1e-8);
}

TEST_CASE("Names that are HTML remain text and cannot end the data") {
  ReplayRun run = one_body_run();
  const std::size_t num_scripts = count_of(make_replay_html({run}), "<script");
  const std::size_t num_ends = count_of(make_replay_html({run}), "</script");
  const std::string hostile = "</script><script>alert(1)</script><!--<img src=x> & \"quoted\" \\";
  run.title = run.verdict = run.bodies[0].name = hostile;
  run.summary = {hostile};
  run.series = {{hostile, hostile, {}, false, hostile}};
  const std::string page = make_replay_html({run});
  CHECK(count_of(page, "<script") == num_scripts);
  CHECK(count_of(page, "</script") == num_ends);
  CHECK(count_of(page, "alert(1)") == 7);
  const json data = page_data(page)["runs"][0];
  CHECK(data["title"] == hostile);
  CHECK(data["bodies"][0]["name"] == hostile);
  CHECK(data["series"]["curves"][0]["chart"] == hostile);
}

TEST_CASE("Bytes of a name that are not UTF-8 do not stop the page") {
  ReplayRun run = one_body_run();
  run.bodies[0].name = "caf\xe9";
  CHECK(page_data(make_replay_html({run}))["runs"][0]["bodies"][0]["name"] == "caf\xef\xbf\xbd");
}

TEST_CASE("The page forbids every request and carries the licences of what it contains") {
  const std::string page = make_replay_html({one_body_run()});
  CHECK_THAT(page, Contains("default-src 'none'"));
  CHECK_THAT(page, Contains("three.js authors"));
  CHECK_THAT(page, Contains("Leon Sorokin"));
  CHECK(count_of(page, "<link") == 1);  // the empty icon
  CHECK(count_of(page, "src=\"") == 0);
}

TEST_CASE("Bodies with equal meshes share one") {
  ReplayRun run = one_body_run();
  const ReplayShape mesh{"mesh", {}, {}, {0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 2}, {}};
  ReplayShape other = mesh;
  other.vertices[3] = 2.0f;
  run.bodies[0].shapes = {mesh, other, mesh};
  const json data = page_data(make_replay_html({run}))["runs"][0];
  CHECK(data["meshes"].size() == 2);
  CHECK(data["bodies"][0]["shapes"][0]["mesh"] == data["bodies"][0]["shapes"][2]["mesh"]);
  CHECK(PageRun(data).reals("mesh_vertices")[9 + 3] == 2.0);
}

TEST_CASE("A run that cannot be shown is refused by name") {
  ReplayRun run = one_body_run();
  const auto message = [](const ReplayRun& faulty) {
    try {
      make_replay_html({faulty});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message(run) == "accepted");
  CHECK_THROWS_AS(make_replay_html({}), std::invalid_argument);
  SECTION("no frame") {
    run.frames.clear();
    CHECK_THAT(message(run), Contains("no frame"));
  }
  SECTION("a missing pose") {
    run.frames[0].poses.clear();
    CHECK_THAT(message(run), Contains("0 poses for 1 bodies"));
  }
  SECTION("a position that is not finite") {
    run.frames[0].poses[0].position.y() = std::nan("");
    CHECK_THAT(message(run), Contains("pose of 'ball'"));
  }
  SECTION("a zero quaternion") {
    run.frames[0].poses[0].quat_wxyz.setZero();
    CHECK_THAT(message(run), Contains("unit length"));
  }
  SECTION("times that go back") {
    run.frames.push_back(run.frames[0]);
    run.frames[1].time = -1.0;
    CHECK_THAT(message(run), Contains("-1 s follows 0 s"));
  }
  SECTION("an unknown body in a contact") {
    run.frames[0].contacts.push_back({});
    run.frames[0].contacts[0].body_b = 1;
    CHECK_THAT(message(run), Contains("names body 1"));
  }
  SECTION("a force that is not finite") {
    run.frames[0].contacts.push_back({});
    run.frames[0].contacts[0].force.x() = std::nan("");
    CHECK_THAT(message(run), Contains("'ball'"));
  }
  SECTION("an unknown contact mode") {
    run.frames[0].contacts.push_back({});
    run.frames[0].contacts[0].mode = static_cast<ReplayContactMode>(9);
    CHECK_THAT(message(run), Contains("unknown mode 9"));
  }
  SECTION("a shape of no known type") {
    run.bodies[0].shapes[0].type = "torus";
    CHECK_THAT(message(run), Contains("torus"));
  }
  SECTION("a radius of zero") {
    run.bodies[0].shapes[0].size = {0.0};
    CHECK_THAT(message(run), Contains("the size 0"));
  }
  SECTION("a triangle without its vertex") {
    run.bodies[0].shapes[0] = {"mesh", {}, {}, {0, 0, 0}, {0, 0, 1}, {}};
    CHECK_THAT(message(run), Contains("vertex index 1"));
  }
  SECTION("a curve of another length") {
    run.series_time = {0.0, 1.0};
    run.series = {{"energy", "J", {1.0}, false, "Energy"}};
    CHECK_THAT(message(run), Contains("'energy' has 1 values for 2 times"));
  }
}

}  // namespace amontons::io
