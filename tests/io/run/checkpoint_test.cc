#include "amontons/io/run/checkpoint.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_comparison.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <sys/resource.h>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Returns a finite number of any size, denormals included: all 64 bits are drawn but one, which
/// would make an infinity or NaN.
double any_double(std::mt19937_64& random) {
  return std::bit_cast<double>(random() & ~(std::uint64_t{1} << 62));
}

/// Returns a number that is not negative.
template <typename Integer>
Integer any_count(std::mt19937_64& random) {
  return static_cast<Integer>(random() >> 1 & std::numeric_limits<Integer>::max());
}

io::Checkpoint any_checkpoint(std::mt19937_64& random) {
  io::Checkpoint checkpoint;
  State& state = checkpoint.state;
  state.q.resize(13);
  state.v.resize(12);
  for (double& x : state.q) x = any_double(random);
  for (double& x : state.v) x = any_double(random);
  state.q[0] = -0.0;
  state.q[1] = std::numeric_limits<double>::denorm_min();
  state.time = any_double(random);
  state.step_count = any_count<std::int64_t>(random);
  state.warm_start.resize(5);
  for (WarmStartEntry& entry : state.warm_start) {
    entry.key = {static_cast<std::int32_t>(random()), static_cast<std::int32_t>(random()),
                 static_cast<std::uint32_t>(random())};
    for (double& x : entry.impulse_W) x = any_double(random);
  }
  state.events = {any_count<std::int32_t>(random), any_count<std::int32_t>(random)};
  checkpoint.num_rows = any_count<std::int64_t>(random);
  checkpoint.num_intervals = any_count<std::int64_t>(random);
  for (int i = 0; i < 3; ++i) checkpoint.failures.push_back(any_count<std::int64_t>(random));
  checkpoint.inputs_sha256 = "abc";
  return checkpoint;
}

void check_same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  REQUIRE(a.size() == b.size());
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    CHECK(std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]));
  }
}

std::string contents(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

TEST_CASE("A checkpoint keeps every bit of a state") {
  const TemporaryFolder folder;
  std::mt19937_64 random(11);
  const io::Checkpoint written = any_checkpoint(random);
  io::write_checkpoint(folder.file("a.checkpoint"), written);
  const io::Checkpoint read = io::read_checkpoint(folder.file("a.checkpoint"));
  check_same_bits(read.state.q, written.state.q);
  check_same_bits(read.state.v, written.state.v);
  check_same_bits(Eigen::VectorXd::Constant(1, read.state.time),
                  Eigen::VectorXd::Constant(1, written.state.time));
  CHECK(read.state.step_count == written.state.step_count);
  REQUIRE(read.state.warm_start.size() == written.state.warm_start.size());
  for (std::size_t i = 0; i < read.state.warm_start.size(); ++i) {
    CHECK(read.state.warm_start[i].key == written.state.warm_start[i].key);
    check_same_bits(read.state.warm_start[i].impulse_W, written.state.warm_start[i].impulse_W);
  }
  CHECK(read.state.events.since_instant == written.state.events.since_instant);
  CHECK(read.state.events.impacts_here == written.state.events.impacts_here);
  CHECK(read.num_rows == written.num_rows);
  CHECK(read.num_intervals == written.num_intervals);
  CHECK(read.failures == written.failures);
  CHECK(read.inputs_sha256 == "abc");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 1);
}

TEST_CASE("A checkpoint with any byte changed or missing is refused") {
  const TemporaryFolder folder;
  std::mt19937_64 random(12);
  const std::string path = folder.file("a.checkpoint");
  io::write_checkpoint(path, any_checkpoint(random));
  const std::string good = contents(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    CAPTURE(i);
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    std::ofstream(path, std::ios::binary) << bad;
    CHECK_THROWS_AS(io::read_checkpoint(path), io::ParseError);
    std::ofstream(path, std::ios::binary) << good.substr(0, i);
    CHECK_THROWS_AS(io::read_checkpoint(path), io::ParseError);
  }
}

TEST_CASE("A checkpoint of numbers that no run leaves is refused, though its digest is right") {
  const TemporaryFolder folder;
  std::mt19937_64 random(14);
  const std::string path = folder.file("a.checkpoint");
  const auto refuses = [&](const std::function<void(io::Checkpoint&)>& change) {
    io::Checkpoint checkpoint = any_checkpoint(random);
    change(checkpoint);
    io::write_checkpoint(path, checkpoint);
    CHECK_THROWS_AS(io::read_checkpoint(path), io::ParseError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.state.time = nan; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.state.q[3] = nan; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.state.v[3] = 1.0 / 0.0; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.state.warm_start[1].impulse_W[2] = nan; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.state.step_count = -1; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.num_rows = -1; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.num_intervals = -1; });
  refuses([&](io::Checkpoint& checkpoint) { checkpoint.failures[0] = -1; });
}

TEST_CASE("A checkpoint that cannot be written leaves the older one whole") {
  const TemporaryFolder folder;
  std::mt19937_64 random(13);
  const std::string path = folder.file("a.checkpoint");
  io::write_checkpoint(path, any_checkpoint(random));
  const std::string before = contents(path);
  // A limit on the size of files stands for a full disk.
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit none{16, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  CHECK_THROWS_AS(io::write_checkpoint(path, any_checkpoint(random)), io::OutputError);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  CHECK(contents(path) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 1);
}

TEST_CASE("A simulation continued from a checkpoint moves bit for bit as if never stopped") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  Simulator whole(scene), first(scene), second(scene);
  for (int i = 0; i < 17; ++i) first.step();
  io::write_checkpoint(folder.file("a.checkpoint"),
                       {.state = first.state(), .num_rows = 18, .inputs_sha256 = {}});
  second.set_state(io::read_checkpoint(folder.file("a.checkpoint")).state);
  while (!whole.finished()) whole.step();
  while (!second.finished()) second.step();
  CHECK(second.time() == whole.time());
  check_same_bits(second.state().q, whole.state().q);
  check_same_bits(second.state().v, whole.state().v);
}

TEST_CASE("Motion by events continues bit for bit from any of its rows, a rattle's included") {
  // A ball between two plates meets them ever faster: events crowd until the contacts near it are
  // sustained.
  const std::string method = GENERATE("event-driven", "hybrid", "impulse-based");
  CAPTURE(method);
  const Scene scene =
      parse_text("amontons: 1\nsimulation: {step: 0.05, duration: 0.1, method: " + method +
                 R"(, minimum_step: 1.0e-9, rest_speed: 1.0e-6}
materials: [{name: default, friction: 0.2, restitution: 1}]
bodies:
  - {name: floor, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: lid, fixed: true, shapes: [{box: [1, 1, 0.1]}], pose: {position: [0, 0, 0.2501]}}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 0, 0.10005]}
    velocity: {linear: [0.5, 0, 5], angular: [0, 3, 1]}
)");
  const TemporaryFolder folder;
  Simulator whole(scene);
  std::vector<State> states = {whole.state()};
  int most = 0;
  while (!whole.finished()) {
    whole.step();
    most = std::max(most, whole.state().events.since_instant);
    states.push_back(whole.state());
  }
  // The run reached the limit of events, by collisions alone that of landings.
  CHECK(most >= (method == "impulse-based" ? 4 : 500));
  for (std::size_t i = 1; i < states.size(); i += states.size() / 7) {
    CAPTURE(i);
    io::write_checkpoint(folder.file("a.checkpoint"),
                         {.state = states[i], .num_rows = 1, .inputs_sha256 = {}});
    Simulator second(scene);
    second.set_state(io::read_checkpoint(folder.file("a.checkpoint")).state);
    for (std::size_t k = i + 1; k < states.size(); ++k) {
      second.step();
      REQUIRE(second.state().time == states[k].time);
    }
    check_same_bits(second.state().q, states.back().q);
    check_same_bits(second.state().v, states.back().v);
  }
}

TEST_CASE("The checkpoint beside a finished run is its final state") {
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(
      parse_text(std::string(kSlidingScene) + "output: {every: 0.03}\n"), folder.file("a.h5"));
  const io::Checkpoint checkpoint =
      io::read_checkpoint(io::checkpoint_path_of(folder.file("a.h5")));
  check_same_bits(checkpoint.state.q, rows.back().q);
  check_same_bits(checkpoint.state.v, rows.back().v);
  CHECK(checkpoint.state.step_count == 40);
  CHECK(checkpoint.num_rows == 14);  // the extra row of the final state not counted
}

TEST_CASE("A log that is left at any moment is gone on with to the rows of one that never was") {
  // The last row is none of the due ones: 40 steps, a row after every third. Step 38 is the last
  // that any row but it depends on.
  const TemporaryFolder folder;
  const Scene scene = parse_text(std::string(kSlidingScene) + "output: {every: 0.03}\n");
  record_run(scene, folder.file("whole.h5"));
  io::RunReader whole(folder.file("whole.h5"));
  const int steps_taken = GENERATE(0, 1, 2, 3, 37, 38, 39, 40);
  CAPTURE(steps_taken);
  {
    // As a kill leaves it: copied while its writer is at work, everything flushed.
    Simulator sim(scene);
    io::RecorderSettings settings;
    settings.flush_interval_s = 0.0;
    io::RunRecorder recorder(folder.file("alive.h5"), scene, sim.system(), settings);
    recorder.observe(sim.initial_report());
    sim.add_observer(recorder);
    for (int i = 0; i < steps_taken; ++i) sim.step();
    for (const char* end : {".h5", ".checkpoint"}) {
      std::filesystem::copy(folder.file(std::string("alive") + end),
                            folder.file(std::string("cut") + end));
    }
  }
  {
    io::RunReader cut(folder.file("cut.h5"));
    const io::Checkpoint checkpoint = io::read_checkpoint(folder.file("cut.checkpoint"));
    Simulator sim(scene);
    sim.resume(checkpoint.state);
    io::RunRecorder recorder(cut, checkpoint, scene, sim.system());
    sim.add_observer(recorder);
    while (!sim.finished()) sim.step();
    recorder.finish();
  }
  io::RunReader resumed(folder.file("cut.h5"));
  const io::RunComparison result = io::compare_runs(whole, resumed, 0.0);
  CHECK(result.same());
  CHECK(resumed.ending() == io::RunEnding::Closed);
  const io::Checkpoint last = io::read_checkpoint(folder.file("cut.checkpoint"));
  CHECK(last.state.step_count == 40);
  CHECK(last.num_rows == 14);
}

TEST_CASE("A run that had stopped at its infeasibility takes no step when it is gone on with") {
  // Both bodies fall into the ground's margin; gamma 0 leaves an overlap as it is.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 1, gamma: 0, stop_at_infeasibility: 0.05}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 0, 0.04]}}
)");
  Simulator sim(scene);
  CHECK_FALSE(sim.finished());
  sim.step();
  REQUIRE(sim.stopped_at_infeasibility());
  Simulator resumed(scene);
  resumed.resume(sim.state());
  CHECK(resumed.finished());
  CHECK(resumed.stopped_at_infeasibility());
  // The start may have such overlaps: the limit applies after a step.
  Simulator from_start(scene);
  from_start.resume(Simulator(scene).state());
  CHECK_FALSE(from_start.finished());
}

TEST_CASE("Who goes on with a run counts the failed problems that it has saved") {
  // No arithmetic meets this tolerance; between the rows of output.every steps fail as well.
  const TemporaryFolder folder;
  std::string text = std::string(kSlidingScene) + "output: {every: 0.05}\n";
  text.replace(text.find("{step"), 1, "{tolerance: 1.0e-20, ");
  const Scene scene = parse_text(text);
  const auto names = [](std::vector<std::string> paths) {
    for (std::string& path : paths) path = path.substr(path.rfind("failure-"));
    return paths;
  };
  Simulator whole_sim(scene), sim(scene);
  io::RunRecorder whole(folder.file("whole.h5"), scene, whole_sim.system());
  whole.observe(whole_sim.initial_report());
  whole_sim.add_observer(whole);
  while (!whole_sim.finished()) whole_sim.step();
  REQUIRE(whole.failure_paths().size() == 3);
  {
    io::RunRecorder recorder(folder.file("cut.h5"), scene, sim.system());
    recorder.observe(sim.initial_report());
    sim.add_observer(recorder);
    while (recorder.failure_paths().size() < 2) sim.step();
    recorder.finish();
  }
  io::RunReader cut(folder.file("cut.h5"));
  const io::Checkpoint checkpoint = io::read_checkpoint(folder.file("cut.checkpoint"));
  CHECK(checkpoint.failures.size() == 2);
  Simulator resumed(scene);
  resumed.resume(checkpoint.state);
  io::RunRecorder recorder(cut, checkpoint, scene, resumed.system());
  resumed.add_observer(recorder);
  while (!resumed.finished()) resumed.step();
  CHECK(names(recorder.failure_paths()) == names(whole.failure_paths()));
}
