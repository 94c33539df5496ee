#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/run_judged.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/verify/verify.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Every column of a run that the reference calls judged: a file with one wrong number is found.

namespace amontons::test {
namespace {

/// Holds one dataset of a file open for writing, as numbers in double precision.
class Dataset {
 public:
  Dataset(const io::Hdf5Handle& file, const std::string& name)
      : handle_(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT)) {
    REQUIRE(handle_.valid());
    const io::Hdf5Handle space(H5Dget_space(handle_.id()));
    std::array<hsize_t, 3> extent{};
    const int rank = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    num_rows = extent[0];
    for (int i = 1; i < rank; ++i) width *= extent[static_cast<std::size_t>(i)];
    values.resize(num_rows * width);
    REQUIRE(H5Dread(handle_.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    values.data()) >= 0);
  }
  void write() {
    REQUIRE(H5Dwrite(handle_.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     values.data()) >= 0);
  }
  bool is_integer() const {
    const io::Hdf5Handle type(H5Dget_type(handle_.id()));
    return H5Tget_class(type.id()) == H5T_INTEGER;
  }

  std::size_t num_rows = 0, width = 1;
  std::vector<double> values;

 private:
  io::Hdf5Handle handle_;
};

/// Returns another number than that of a column: a code, a count, or a thousandth more.
double another(const io::FormatKey& key, bool is_integer, double value) {
  if (!key.choices.empty()) {
    return std::fmod(value + 1.0, static_cast<double>(key.choices.size()));
  }
  if (key.value.starts_with("uint8")) return 1.0 - value;
  if (is_integer) return value + 1.0;
  return std::isfinite(value) ? value + 1e-3 * (1.0 + std::abs(value)) : 1.0;
}

/// Returns the table that a dataset is a column of, e.g. "/contacts"; none for a column of rows.
std::optional<std::string> table_of(const std::string& name) {
  for (const char* table : {"/contacts", "/bounded", "/commands"}) {
    if (name.starts_with(std::string(table) + "/")) return table;
  }
  return std::nullopt;
}

/// Returns the first row whose contacts have a record.
std::size_t first_row_with(double record, const Dataset& records, const Dataset& offset) {
  const auto at = std::find(records.values.begin(), records.values.end(), record);
  const auto index = static_cast<double>(at - records.values.begin());
  const auto above = std::upper_bound(offset.values.begin(), offset.values.end(), index);
  return static_cast<std::size_t>(above - offset.values.begin()) - 1;
}

/// Changes one number of a column in the copy of a run; returns the first row that has it, or
/// nothing if the row has no such number.
std::optional<std::size_t> tamper(const std::string& path, const io::FormatKey& key,
                                  std::size_t row) {
  const io::Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  REQUIRE(file.valid());
  Dataset data(file, key.name);
  if (data.width == 0) return std::nullopt;
  std::size_t entry = row, changed = row;
  const std::optional<std::string> table = table_of(key.name);
  if (table && key.name == *table + "/offset") {
    entry = row + 1;
  } else if (table) {
    // The entry of the row with the largest impulse; of commands the first.
    const Dataset offset(file, *table + "/offset");
    const auto first = static_cast<std::size_t>(offset.values[row]);
    const auto last = static_cast<std::size_t>(offset.values[row + 1]);
    if (first == last) return std::nullopt;
    entry = first;
    std::optional<Dataset> records;
    if (*table == "/contacts") records.emplace(file, "/contacts/record");
    const auto record = [&](std::size_t i) {
      return records ? static_cast<std::size_t>(records->values[i]) : i;
    };
    if (*table != "/commands") {
      const Dataset impulse(file, *table + "/impulse");
      const auto load = [&](std::size_t i) {
        return std::abs(impulse.values[(record(i) + 1) * impulse.width - 1]);
      };
      for (std::size_t i = first; i < last; ++i) {
        if (load(i) > load(entry)) entry = i;
      }
    }
    // A contact that repeats those of rows before is changed in all of them.
    if (records && key.name != "/contacts/record") {
      changed = first_row_with(records->values[entry], *records, offset);
      entry = record(entry);
    }
  }
  // The largest component.
  std::size_t place = entry * data.width;
  for (std::size_t k = 1; k < data.width; ++k) {
    if (std::abs(data.values[entry * data.width + k]) > std::abs(data.values[place])) {
      place = entry * data.width + k;
    }
  }
  data.values[place] = another(key, data.is_integer(), data.values[place]);
  data.write();
  return changed;
}

/// Returns the failed checks of a tampered run by name, with their steps; "refused" if the file
/// cannot be read.
std::vector<io::VerificationCheck> failed_checks(const std::string& path) {
  try {
    std::vector<io::VerificationCheck> checks = io::verify_run(path).checks;
    std::erase_if(checks, [](const io::VerificationCheck& check) { return check.passed(); });
    return checks;
  } catch (const io::ParseError&) {
    io::VerificationCheck refused;
    refused.name = "refused";
    refused.num_failed = 1;
    return {refused};
  }
}

bool has(const std::vector<io::VerificationCheck>& checks, const std::string& name,
         std::optional<std::int64_t> step) {
  return std::any_of(checks.begin(), checks.end(), [&](const io::VerificationCheck& check) {
    return check.name == "refused" || (check.name == name && (!step || check.step == *step));
  });
}

/// Tampers every judged column of a row in turn, and requires its check to fail there.
void require_all_found(const std::string& path, std::size_t row, std::set<std::string>& tried) {
  REQUIRE(failed_checks(path).empty());
  const std::string copy = path + ".tampered.h5";
  for (const io::FormatMap& group : io::run_format()) {
    if (group.name == "header") continue;
    for (const io::FormatKey& key : group.keys) {
      const std::vector<std::string> judges = io::judging_checks(key.name);
      if (judges.empty()) continue;
      std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
      const std::optional<std::size_t> changed = tamper(copy, key, row);
      if (!changed) continue;
      tried.insert(key.name);
      const std::int64_t step = io::RunReader(path).row(*changed).step_count;
      const std::vector<io::VerificationCheck> failed = failed_checks(copy);
      std::string names;
      for (const io::VerificationCheck& own : failed) {
        names += own.name + " (step " + std::to_string(own.step) + ", " + own.where + "); ";
      }
      CAPTURE(path, row, key.name, judges, names);
      // A command may ask for what the system lacks; a wrong count shows at the number it claims.
      const bool is_command = key.name.starts_with("/commands/");
      const bool anywhere = key.name == "/step_count" || key.name.ends_with("/offset");
      const auto at = anywhere ? std::nullopt : std::optional(step);
      CHECK((std::any_of(judges.begin(), judges.end(),
                         [&](const std::string& judge) { return has(failed, judge, at); }) ||
             (is_command && has(failed, "claim", at))));
    }
  }
}

/// Returns the first row that meets a condition.
template <typename Condition>
std::size_t row_with(const std::vector<io::RunRow>& rows, const Condition& condition) {
  const auto found = std::find_if(rows.begin() + 1, rows.end(), condition);
  REQUIRE(found != rows.end());
  return static_cast<std::size_t>(found - rows.begin());
}

bool bounces(const io::RunRow& row) {
  return std::any_of(row.contacts.begin(), row.contacts.end(), [](const io::RunContact& contact) {
    return contact.mode == ContactMode::Impact;
  });
}

/// Describes a ball that falls on the ground beside a door: a hinge in maximal coordinates with dry
/// friction, a stop and a servo that saturates.
constexpr const char* kDoorScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.12, model: @}
materials: [{name: default, friction: 0.3, restitution: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 0, 0.15]}
    velocity: {linear: [1, 0, -0.5], angular: [0, 3, 1]}
  - {name: box, mass: 1, shapes: [{box: [0.2, 0.3, 0.2]}], pose: {position: [3, 0, 0.1]},
     velocity: {linear: [1, 0.2, 0]}}
  - {name: door, mass: 2, inertia: [1, 1, 1], pose: {position: [1, 2, 1]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: door, axis: [0, 0, 1], at: [1, 1, 1],
     coordinates: &, limits: [-0.02, 2], coulomb_friction: 0.2, position: 0.05, rate: -2}
actuators:
  - {joint: hinge, position: {target: 1, kp: 500, kd: 5, effort: 3}}
)";

Scene door_scene(const std::string& model, const std::string& coordinates) {
  std::string text = kDoorScene;
  text.replace(text.find('@'), 1, model);
  text.replace(text.find('&'), 1, coordinates);
  return parse_text(text);
}

const char* const kBouncing = R"(amontons: 1
simulation: {step: 0.02, duration: 0.3, @}
materials: [{name: default, friction: 0.3, restitution: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 0, 0.4]}
    velocity: {linear: [1, 0, 0], angular: [0, 3, 1]}
  - {name: crate, mass: 2, shapes: [{box: [0.4, 0.4, 0.2]}], pose: {position: [1, 0, 0.1]},
     velocity: {linear: [0.5, 0.3, 0]}}
)";

Scene bouncing_scene(const std::string& settings) {
  std::string text = kBouncing;
  text.replace(text.find('@'), 1, settings);
  return parse_text(text);
}

}  // namespace

TEST_CASE("Each judged column of a run that slides is found when it is changed") {
  const TemporaryFolder folder;
  const std::string model = GENERATE("coulomb", "anitescu-potra, friction_directions: 8");
  std::string text = kSlidingScene;
  text.replace(text.find("duration: 0.4"), 13, "duration: 0.1, model: " + model);
  record_run(parse_text(text), folder.file("a.h5"));
  std::set<std::string> tried;
  require_all_found(folder.file("a.h5"), 5, tried);
  CHECK(tried.contains("/law/directions"));
  CHECK(tried.contains("/contacts/mode"));
  CHECK(tried.contains("/certificate/claimed"));
}

TEST_CASE("Each judged column of bounces and of joints' rows is found when it is changed") {
  const TemporaryFolder folder;
  using Case = std::pair<std::string, std::string>;
  const auto [model, coordinates] =
      GENERATE(Case("coulomb, restitution_law: poisson", "reduced"),
               Case("maximum-dissipation, restitution_law: poisson", "maximal"),
               Case("maximum-dissipation", "reduced"));
  CAPTURE(model, coordinates);
  const std::vector<io::RunRow> rows =
      record_run(door_scene(model, coordinates), folder.file("a.h5"));
  std::set<std::string> tried;
  require_all_found(folder.file("a.h5"), row_with(rows, bounces), tried);
  require_all_found(folder.file("a.h5"),
                    row_with(rows,
                             [](const io::RunRow& row) {
                               return std::any_of(row.bounded_rows.begin(), row.bounded_rows.end(),
                                                  [](const io::RunBoundedRow& own) {
                                                    return own.row.kind == BoundedRowKind::Limit &&
                                                           own.impulse > 0.0;
                                                  });
                             }),
                    tried);
  CHECK(tried.contains("/bounded/mode"));
}

TEST_CASE("Each judged column of events is found when it is changed") {
  const TemporaryFolder folder;
  const std::string settings =
      GENERATE("method: hybrid", "method: event-driven",
               "method: event-driven, integrator: dormand-prince, sustained_contact: "
               "coulomb-acceleration");
  CAPTURE(settings);
  const std::vector<io::RunRow> rows = record_run(bouncing_scene(settings), folder.file("a.h5"));
  std::set<std::string> tried;
  require_all_found(folder.file("a.h5"), row_with(rows, bounces), tried);
  require_all_found(
      folder.file("a.h5"),
      row_with(rows, [](const io::RunRow& row) { return row.step > 0.0 && !row.contacts.empty(); }),
      tried);
  CHECK(tried.contains("/events/arrival"));
}

TEST_CASE("Each judged column of a program's commands is found when it is changed") {
  const TemporaryFolder folder;
  const Scene scene = door_scene("coulomb", "maximal");
  Simulator sim(scene);
  io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system(), {});
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  SECTION("a wrench") { sim.set_wrench("box", {3, 1, 0}, {0, 0.1, 0}, {0, 0.1, 0.05}); }
  SECTION("an effort") { sim.set_effort("hinge", 1.5); }
  SECTION("a target") { sim.set_servo_target("hinge", 0.1, 0.2); }
  while (!sim.finished()) sim.step();
  recorder.finish();
  std::set<std::string> tried;
  require_all_found(folder.file("a.h5"), 5, tried);
  CHECK(tried.contains("/commands/at"));
}

TEST_CASE("The first row of a run records no step: anything else in it is found") {
  const TemporaryFolder folder;
  record_run(door_scene("coulomb", "maximal"), folder.file("a.h5"));
  for (const io::FormatMap& group : io::run_format()) {
    if (group.name == "header") continue;
    for (const io::FormatKey& key : group.keys) {
      const bool unknown = key.name == "/start_was_set" || key.name == "/solver/iterations" ||
                           key.name == "/solver/attempts" || key.name.ends_with("_time_s");
      if (unknown || table_of(key.name)) continue;
      const std::string copy = folder.file("b.h5");
      std::filesystem::copy_file(folder.file("a.h5"), copy,
                                 std::filesystem::copy_options::overwrite_existing);
      if (!tamper(copy, key, 0)) continue;
      CAPTURE(key.name);
      CHECK_FALSE(failed_checks(copy).empty());
    }
  }
}

TEST_CASE("Names of bodies and places of joints that are not the scene's are found") {
  const TemporaryFolder folder;
  record_run(door_scene("coulomb", "reduced"), folder.file("a.h5"));
  for (const char* name :
       {"/joints/q_offset", "/joints/v_offset", "/joints/first_row", "/joints/num_rows"}) {
    const std::string copy = folder.file("b.h5");
    std::filesystem::copy_file(folder.file("a.h5"), copy,
                               std::filesystem::copy_options::overwrite_existing);
    {
      const io::Hdf5Handle file(H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
      Dataset data(file, name);
      data.values[0] += 1.0;
      data.write();
    }
    CAPTURE(name);
    CHECK(has(failed_checks(copy), "header", 0));
  }
}

}  // namespace amontons::test
