#include "amontons/io/replay/live_replay.h"

#include "amontons/io/replay/replay_from_run.h"
#include "tests/io/run/recorded_run.h"
#include "tests/support/replay_demo.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

using namespace amontons;
using namespace amontons::test;
using Catch::Matchers::Contains;

namespace {

/// Returns the number of bytes that base64 text without line breaks encodes.
std::size_t num_bytes(const std::string& base64) {
  const std::size_t padding = base64.size() - base64.find_last_not_of('=') - 1;
  return base64.size() / 4 * 3 - padding;
}

const char* const kFallingBall = R"(amontons: 1
simulation: {step: 0.01, duration: 0.2}
bodies:
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 0, 3]}}
)";

}  // namespace

TEST_CASE("The page of a running simulation may talk to its own server, that of a run to nobody") {
  io::ReplayRun run = ReplayDemo(3, 2, 7).take();
  const std::string recorded = io::make_replay_html({run});
  CHECK_THAT(recorded, Contains("connect-src 'none'") && !Contains("connect-src 'self'"));

  run.frames.resize(1);
  run.series_time.clear();
  for (io::ReplaySeries& series : run.series) series.values.clear();
  const std::string live = io::make_live_replay_html(run, "frames-</script>");
  CHECK_THAT(live, Contains("connect-src 'self'") && !Contains("connect-src 'none'"));
  CHECK_THAT(live, Contains(R"("live":"frames-\u003c/script>")"));
}

TEST_CASE("A frame of a running simulation is one line, whatever its numbers") {
  io::LiveFrame frame;
  frame.frame = ReplayDemo(30, 201, 7).take().frames.back();
  REQUIRE(frame.frame.contacts.size() > 10);
  frame.curves = {1.0, std::nan(""), std::numeric_limits<double>::infinity()};
  frame.joints = {1.0};
  frame.targets = {std::nan("")};
  frame.num_steps = 7;
  const std::string text = io::encode_live_frame(frame);
  CHECK(text.find('\n') == std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json.at("time").get<double>() == frame.frame.time);
  CHECK(json.at("steps") == 7);
  CHECK(json.at("missed") == 0);
  CHECK(num_bytes(json.at("poses")) == 8 * 7 * frame.frame.poses.size());
  CHECK(num_bytes(json.at("contacts")) == 8 * 14 * frame.frame.contacts.size());
  // 1, a quiet NaN and infinity in single precision.
  CHECK(json.at("curves") == "AACAPwAAwH8AAIB/");
  CHECK(json.at("joints") == "AACAPw==");
  CHECK(json.at("targets") == "AADAfw==");
}

TEST_CASE("A replay that is asked for times has a frame for each, of the row nearest to it") {
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(parse_text(kFallingBall), folder.file("a.h5"));
  REQUIRE(rows.size() == 21);
  io::RunReader reader(folder.file("a.h5"));
  const io::ReplayRun run =
      io::replay_from_run(reader, {.times = {-1.0, 0.0, 0.014, 0.016, 0.016, 0.1999, 7.0}});
  const std::vector<std::size_t> expected = {0, 0, 1, 2, 2, 20, 20};
  REQUIRE(run.frames.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CHECK(run.frames[k].time == rows[expected[k]].time);
    CHECK(run.frames[k].poses[0].position == rows[expected[k]].position_of(0));
  }
  // Curves are of all rows; the first, which took no step, took no time either.
  CHECK(run.series_time.size() == rows.size());
  for (const io::ReplaySeries& series : run.series) {
    if (series.chart != "Wall time of a step") continue;
    CHECK(std::isnan(series.values.front()));
    CHECK(series.values.back() > 0.0);
  }
}
