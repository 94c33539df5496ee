#include "amontons/io/run/run_recorder.h"

#include "amontons/io/common/lock_holder.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_reader.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/run/row_bits.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

using namespace amontons;
using namespace amontons::test;

TEST_CASE("A run gives back every step bit for bit") {
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(parse_text(kSlidingScene), folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  CHECK(reader.ending() == io::RunEnding::Closed);
  REQUIRE(reader.num_rows() == rows.size());
  REQUIRE(rows.size() == 41);
  std::size_t num_contacts = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    CHECK(bits(reader.row(i)) == bits(rows[i]));
    num_contacts += rows[i].contacts.size();
  }
  CHECK(num_contacts > 40 * 8);  // the crate and the block rest on four corners each
  // Backwards too: readers do not depend on the order of the calls.
  CHECK(bits(reader.row(7)) == bits(rows[7]));
  CHECK_THROWS_AS(reader.row(rows.size()), io::ParseError);
}

TEST_CASE("Decimation keeps the first step at or after each interval, and always the last state") {
  const TemporaryFolder folder;
  const std::string output = "output: {every: 0.03}\n";
  const std::vector<io::RunRow> rows =
      record_run(parse_text(kSlidingScene + output), folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  REQUIRE(reader.num_rows() == 15);  // 0, 0.03, ..., 0.39 and 0.40
  for (std::size_t i = 0; i + 1 < 15; ++i) CHECK(bits(reader.row(i)) == bits(rows[3 * i]));
  CHECK(bits(reader.row(14)) == bits(rows.back()));
}

TEST_CASE("Steps that miss their certificate have rows whatever the decimation") {
  // The ball is wider than the slot of its walls, which nothing can open.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.2}
bodies:
  - {name: walls, fixed: true, shapes: [{half_space: {normal: [1, 0, 0], offset: -0.09}}, {half_space: {normal: [-1, 0, 0], offset: -0.09}}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}]}
output: {every: 0.1}
)");
  const TemporaryFolder folder;
  int missed = 0;
  for (const io::RunRow& row : record_run(scene, folder.file("a.h5"))) {
    missed += !row.certificate.holds || !answers_law_asked(row.status);
  }
  REQUIRE(missed > 3);
  io::RunReader reader(folder.file("a.h5"));
  int recorded = 0;
  for (std::size_t i = 0; i < reader.num_rows(); ++i) {
    const io::RunRow row = reader.row(i);
    recorded += !row.certificate.holds || !answers_law_asked(row.status);
  }
  CHECK(recorded == missed);
}

TEST_CASE("A program that goes back to the start keeps the state it left and records on") {
  const TemporaryFolder folder;
  Scene scene = parse_text(kSlidingScene);
  scene.output.every = 0.1;
  Simulator sim(scene);
  io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system(), {});
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  for (int i = 0; i < 25; ++i) sim.step();
  sim.reset();
  for (int i = 0; i < 12; ++i) sim.step();
  recorder.finish();
  io::RunReader reader(folder.file("a.h5"));
  std::vector<double> times;
  for (std::size_t i = 0; i < reader.num_rows(); ++i) times.push_back(reader.row(i).time);
  // The step after the state that was set is kept.
  const std::vector<double> expected = {0.0, 0.1, 0.2, 0.25, 0.01, 0.1, 0.12};
  REQUIRE(times.size() == expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i] == Catch::Detail::Approx(expected[i]));
  }
  CHECK(reader.row(1).q == reader.row(5).q);  // the same motion again
}

TEST_CASE("A run without contacts keeps everything else") {
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(
      parse_text(std::string(kSlidingScene) + "output: {contacts: none}\n"), folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  REQUIRE(reader.num_rows() == rows.size());
  CHECK(reader.row(40).contacts.empty());
  CHECK(reader.row(40).q == rows[40].q);
}

TEST_CASE("Heaps record the contacts of frames, and say of the other steps how many there were") {
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(parse_text(kCrowdedScene), folder.file("a.h5"));
  record_run(parse_text(std::string(kCrowdedScene) + "output: {contacts: all}\n"),
             folder.file("b.h5"));
  io::RunReader some(folder.file("a.h5")), all(folder.file("b.h5"));
  REQUIRE(some.num_rows() == rows.size());
  int num_frames = 0;
  for (std::size_t i = 1; i < some.num_rows(); ++i) {
    const io::RunRow row = some.row(i), whole = all.row(i);
    CHECK(row.num_contacts == 144);
    CHECK(whole.contacts.size() == 144);
    CHECK(row.q == whole.q);
    // A frame ends with the step that reaches its sixtieth of a second.
    const bool is_frame =
        std::floor(60.0 * row.time + 1e-6) > std::floor(60.0 * row.time_start + 1e-6);
    CHECK(row.has_contacts() == is_frame);
    CHECK(row.contacts.size() == (is_frame ? 144 : 0));
    num_frames += is_frame ? 1 : 0;
  }
  CHECK(num_frames == 6);
}

TEST_CASE("The scene rebuilt from a run starts as the one that was simulated") {
  const TemporaryFolder folder;
  io::LoadOptions options;
  options.overrides = {{"bodies.crate.mass", "3"}, {"simulation.step", "0.02"}};
  const Scene scene = parse_text(kSlidingScene, options);
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("a.h5"));
  const io::RunReader reader(folder.file("a.h5"));
  CHECK(reader.header().body_names ==
        std::vector<std::string>{"ground", "crate", "block", "ball", "bird"});
  CHECK(reader.header().scene_text == kSlidingScene);
  CHECK(reader.header().overrides ==
        std::vector<std::string>{"bodies.crate.mass=3", "simulation.step=0.02"});
  const Scene rebuilt = reader.load_scene();
  CHECK(rebuilt.bodies[1].inertia.mass == 3.0);
  CHECK(rebuilt.simulation.steps == std::vector<double>{0.02});
  // The same scene gives the same motion, bit for bit.
  const std::vector<io::RunRow> again = record_run(rebuilt, folder.file("b.h5"));
  REQUIRE(again.size() == rows.size());
  CHECK(again.back().q == rows.back().q);
  CHECK(again.back().v == rows.back().v);
}

TEST_CASE("A run can be read while it grows, and when its writer is gone") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  Simulator sim(scene);
  io::RecorderSettings settings;
  settings.flush_interval_s = 0.0;
  io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system(), settings);
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  for (int i = 0; i < 10; ++i) sim.step();
  // A copy of the file on the disk is what a killed writer leaves.
  std::filesystem::copy_file(folder.file("a.h5"), folder.file("killed.h5"));
  io::RunReader killed(folder.file("killed.h5"));
  CHECK(killed.ending() == io::RunEnding::Growing);
  REQUIRE(killed.num_rows() == 11);
  CHECK(killed.row(10).q == sim.state().q);
  while (!sim.finished()) sim.step();
  recorder.finish();
  io::RunReader whole(folder.file("a.h5"));
  CHECK(whole.ending() == io::RunEnding::Closed);
  REQUIRE(whole.num_rows() == 41);
  CHECK(bits(whole.row(10)) == bits(killed.row(10)));
}

TEST_CASE("The first three steps that miss their certificate leave their contact problem") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  Simulator sim(scene);
  io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system());
  recorder.observe(sim.initial_report());
  for (int i = 1; i <= 6; ++i) {
    StepReport report = sim.step();
    report.certificate.holds = i == 1;
    recorder.observe(report);
    if (i != 2) continue;
    const ContactProblem problem = io::load_contact_problem(folder.file("a.failure-2.h5"));
    REQUIRE(problem.num_contacts() == report.problem.num_contacts());
    CHECK(problem.free_velocity == report.problem.free_velocity);
    CHECK(problem.contact_jacobian.to_dense() == report.problem.contact_jacobian.to_dense());
  }
  recorder.finish();
  CHECK(recorder.failure_paths() == std::vector<std::string>{folder.file("a.failure-2.h5"),
                                                             folder.file("a.failure-3.h5"),
                                                             folder.file("a.failure-4.h5")});
  CHECK_FALSE(std::filesystem::exists(folder.file("a.failure-5.h5")));
}

TEST_CASE("Two recorders never write one run") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const Simulator sim(scene);
  const io::RunRecorder first(folder.file("a.h5"), scene, sim.system());
  CHECK_THROWS_AS(io::RunRecorder(folder.file("a.h5"), scene, sim.system()), io::OutputError);
}

TEST_CASE("Only while a run is recorded does anybody hold a lock on it, for which readers wait") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const std::string path = folder.file("a.h5");
  {
    Simulator sim(scene);
    io::RunRecorder recorder(path, scene, sim.system());
    recorder.observe(sim.initial_report());
    CHECK(io::may_be_locked(path));
    recorder.finish();
  }
  CHECK_FALSE(io::may_be_locked(path));
  CHECK(io::may_be_locked(folder.file("none.h5")));
}

TEST_CASE("A run that is moved or cut short while it is written ends with an error that says so") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const std::string path = folder.file("a.h5");
  const auto record = [&](const std::function<void()>& meddle) {
    Simulator sim(scene);
    io::RunRecorder recorder(path, scene, sim.system());
    recorder.observe(sim.initial_report());
    sim.add_observer(recorder);
    for (int k = 0; k < 5; ++k) sim.step();
    meddle();
    recorder.finish();
  };
  CHECK_NOTHROW(record([] {}));
  const std::string moved = folder.file("moved.h5");
  CHECK_THROWS_WITH(record([&] { std::filesystem::rename(path, moved); }),
                    Catch::StartsWith(path + ": it was moved"));
  CHECK(io::RunReader(moved).num_rows() == 6);
  CHECK_THROWS_WITH(record([&] { std::filesystem::resize_file(path, 0); }),
                    Catch::StartsWith(path + ": another program cut it short"));
}

TEST_CASE("A run that cannot be written is an error that starts with the file") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const Simulator sim(scene);
  const std::string path = folder.file("missing/a.h5");
  CHECK_THROWS_WITH(io::RunRecorder(path, scene, sim.system()), Catch::StartsWith(path + ": "));
}

TEST_CASE("What is no run is refused with the file's name") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(io::RunReader(folder.file("none.h5")),
                    Catch::StartsWith(folder.file("none.h5") + ": there is no such file"));
  std::ofstream(folder.file("text.h5")) << "not HDF5";
  CHECK_THROWS_AS(io::RunReader(folder.file("text.h5")), io::ParseError);
  CHECK_FALSE(io::is_run_file(folder.file("text.h5")));
}
