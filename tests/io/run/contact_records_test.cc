#include "amontons/io/run/contact_records.h"

#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_reader.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

using namespace amontons;
using namespace amontons::test;

namespace {

io::RunContact contact(int shape, double gap) {
  io::RunContact result;
  result.key = {0, shape, 0};
  result.gap = gap;
  return result;
}

std::vector<std::int64_t> records(io::RepeatedContacts& repeated,
                                  const std::vector<io::RunContact>& row) {
  std::vector<std::int64_t> result;
  for (const auto& place : repeated.place(row)) result.push_back(place.record);
  return result;
}

using Records = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("A contact keeps its record as long as all of its numbers stay the same") {
  io::RepeatedContacts repeated;
  CHECK(records(repeated, {contact(1, 0.1), contact(2, 0.2), contact(3, 0.3)}) == Records{0, 1, 2});
  CHECK(records(repeated, {contact(1, 0.1), contact(2, 0.2), contact(3, 0.3)}) == Records{0, 1, 2});
  // One changes its gap, one is gone, one is new; signs of zero are different numbers.
  CHECK(records(repeated, {contact(1, 0.5), contact(3, 0.3), contact(4, 0.0)}) == Records{3, 2, 4});
  CHECK(records(repeated, {contact(1, 0.5), contact(4, -0.0)}) == Records{3, 5});
  // A row without contacts, as output.contacts leaves some, does not end the repetition.
  CHECK(records(repeated, {}).empty());
  CHECK(records(repeated, {contact(1, 0.5), contact(4, -0.0)}) == Records{3, 5});
  // What was recorded before the last row is not searched.
  CHECK(records(repeated, {contact(1, 0.5), contact(2, 0.2)}) == Records{3, 6});
}

TEST_CASE("Contacts at rest are recorded once, and read the same in any order of rows") {
  const TemporaryFolder folder;
  // A crate comes to rest, a ball rolls on.
  const std::string settings =
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
      "materials: [{name: default, friction: 0.5}]\n";
  const std::vector<io::RunRow> rows =
      record_run(parse_text(settings + kStoppingCrate + R"(  - name: ball
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 2, 0.1]}
    velocity: {linear: [1, 0, 0]}
)"),
                 folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  CHECK(reader.num_contacts() == 500);
  CHECK(reader.extents().contact_records < 200);
  for (const std::size_t i : in_any_order(rows.size())) {
    CAPTURE(i);
    const io::RunRow row = reader.row(i);
    REQUIRE(row.contacts.size() == rows[i].contacts.size());
    for (std::size_t k = 0; k < row.contacts.size(); ++k) {
      CHECK(row.contacts[k].key == rows[i].contacts[k].key);
      CHECK(row.contacts[k].position_W == rows[i].contacts[k].position_W);
      CHECK(row.contacts[k].impulse == rows[i].contacts[k].impulse);
    }
  }
}
