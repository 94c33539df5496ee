#include "amontons/io/run/repeated_rows.h"

#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_reader.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/run/row_bits.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace amontons;
using namespace amontons::test;

namespace {

io::RunRow row_at(double time, double height) {
  io::RunRow row;
  row.time = time;
  row.q = Eigen::VectorXd::Constant(7, height);
  return row;
}

/// Returns the records of some rows, without contacts.
std::vector<std::int64_t> records(const std::vector<io::RunRow>& rows) {
  io::RepeatedRows repeated;
  std::vector<std::int64_t> result;
  for (const io::RunRow& row : rows) result.push_back(repeated.place(row, {}).record);
  return result;
}

using Records = std::vector<std::int64_t>;

/// Describes crates at rest, whose steps have 144 contacts each.
Scene resting_crowd(const std::string& settings) {
  return parse_text("amontons: 1\nsimulation: {step: 0.005, duration: 1}\n" + settings + R"(
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: crate, mass: 1, shapes: [{box: [0.1, 0.1, 0.1]}], pose: {position: [0, 0, 0.05]}}
repeat:
  - {body: crate, grid: [6, 6, 1], spacing: [0.3, 0.3, 0.3]}
)");
}

/// Compares rows of a run, in an order without pattern, with those that were observed.
void check_rows(io::RunReader& reader, const std::vector<io::RunRow>& rows) {
  REQUIRE(reader.num_rows() == rows.size());
  for (const std::size_t i : in_any_order(rows.size())) {
    CAPTURE(i);
    io::RunRow expected = rows[i];
    const io::RunRow row = reader.row(i), bare = reader.row_without_contacts(i);
    if (!row.has_contacts()) expected.contacts.clear();
    CHECK(bits(row) == bits(expected));
    expected.contacts.clear();
    CHECK(bits(bare) == bits(expected));
  }
}

}  // namespace

TEST_CASE("A row has the record of one before that differs in times alone") {
  CHECK(records({row_at(0, 1), row_at(1, 1), row_at(2, 1)}) == Records{0, 0, 0});
  // Signs of zero are different numbers.
  CHECK(records({row_at(0, 0.0), row_at(1, -0.0), row_at(2, 1)}) == Records{0, 1, 2});
  // Two records are remembered: those of rows with their contacts and without.
  CHECK(records({row_at(0, 1), row_at(1, 2), row_at(2, 1), row_at(3, 2), row_at(4, 1)}) ==
        Records{0, 1, 0, 1, 0});
  CHECK(records({row_at(0, 1), row_at(1, 2), row_at(2, 3), row_at(3, 1)}) == Records{0, 1, 2, 3});
}

TEST_CASE("A row with another contact, bounded row or command has a record of its own") {
  io::RepeatedRows repeated;
  io::RunRow row = row_at(0, 1);
  CHECK(repeated.place(row, {}).is_new);
  CHECK(repeated.place(row, {{3, false}}).is_new);
  CHECK(repeated.place(row, {{4, false}}).is_new);
  CHECK_FALSE(repeated.place(row, {{4, false}}).is_new);
  row.bounded_rows.resize(1);
  CHECK(repeated.place(row, {{4, false}}).is_new);
  row.bounded_rows[0].impulse = 1.0;
  CHECK(repeated.place(row, {{4, false}}).is_new);
  row.commands.resize(1);
  CHECK(repeated.place(row, {{4, false}}).is_new);
  row.commands[0].value = 1.0;
  CHECK(repeated.place(row, {{4, false}}).is_new);
  CHECK_FALSE(repeated.place(row, {{4, false}}).is_new);
}

TEST_CASE("Rows at rest are recorded once, and read as they were observed") {
  const TemporaryFolder folder;
  const std::string settings =
      GENERATE("", "output: {contacts: all}", "output: {contacts: none}", "output: {every: 0.02}");
  CAPTURE(settings);
  std::vector<io::RunRow> rows = record_run(resting_crowd(settings), folder.file("a.h5"));
  if (settings == "output: {every: 0.02}") {
    std::erase_if(rows, [](const io::RunRow& row) { return row.step_count % 4 != 0; });
  }
  io::RunReader reader(folder.file("a.h5"));
  CHECK(reader.extents().records < 10);
  CHECK(reader.extents().contacts < 5 * 144);
  CHECK_FALSE(reader.has_commands());
  check_rows(reader, rows);
}

TEST_CASE("A body that comes to rest and is pushed again is recorded as it moves") {
  const TemporaryFolder folder;
  const std::string settings = "amontons: 1\nsimulation: {step: 0.01, duration: 2}\n";
  const Scene scene = parse_text(settings + kStoppingCrate + R"(  - name: hammer
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 0, 5.2]}
)");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  CHECK(reader.extents().records < rows.size());
  check_rows(reader, rows);
}

TEST_CASE("A run at rest takes the same space for any number of bodies, but for a row") {
  const TemporaryFolder folder;
  const auto bytes_of = [&](double duration) {
    Scene scene = resting_crowd("");
    scene.simulation.duration = duration;
    record_run(scene, folder.file("a.h5"));
    return static_cast<double>(std::filesystem::file_size(folder.file("a.h5")));
  };
  // Times, counts and flags of a row are 49 bytes; HDF5 takes whole chunks.
  CHECK(bytes_of(100.0) - bytes_of(50.0) < 60.0 * 10000);
}
