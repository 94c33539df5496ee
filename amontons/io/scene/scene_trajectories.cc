#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/io/tables/timed_table.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <iterator>

namespace amontons::io {
namespace {

// Columns of a table of wrenches, in the order of BodyWrench::table.
const std::vector<std::string> kWrenchColumns = {"fx", "fy", "fz", "tx", "ty", "tz"};

/// Reads a table over time; `names` are its columns, or empty for any.
TimedTable read_table(SceneReader& reader, const YamlValue& value, const std::string& what,
                      const std::vector<std::string>& names) {
  const std::string file = read_text(value, what);
  const std::string& bytes = reader.inputs.read(file, value.where);
  try {
    return {bytes, reader.inputs.shown_name(file), names};
  } catch (const ParseError& error) {
    // The line within the table helps more than the line that names its file; the error gives both.
    fail_at(value.where, what + ": " + error.what());
  }
}

/// Returns the index of the requested column; else that of the joint's name, or the only one.
std::size_t find_column(const MapReader& map, const TimedTable& table, const std::string& joint) {
  const std::vector<std::string>& names = table.names();
  const auto place_of = [&names](const std::string& name) {
    return static_cast<std::size_t>(
        std::distance(names.begin(), std::find(names.begin(), names.end(), name)));
  };
  // A column that is asked for must exist.
  if (const YamlValue* column = map.find("column")) {
    const std::string name = read_text(*column, map.name_of("column"));
    if (place_of(name) < names.size()) return place_of(name);
    fail_at(column->where,
            "'" + table.file() + "' has no column '" + name + "'" + did_you_mean(name, names));
  }
  // The joint arm/elbow may be called elbow in its file.
  for (const std::string& name : {joint, joint.substr(joint.rfind('/') + 1)}) {
    if (place_of(name) < names.size()) return place_of(name);
  }
  // A single column needs no name.
  if (names.size() == 1) return 0;
  fail_at(map.where(), "'" + table.file() + "' has " + std::to_string(names.size()) +
                           " columns, none of them '" + joint + "'; say which with 'column'");
}

}  // namespace

TimedColumn read_timed_column(SceneReader& reader, const MapReader& map, const std::string& key,
                              const std::string& name) {
  const TimedTable table = read_table(reader, map.required(key), map.name_of(key), {});
  return table.column(find_column(map, table, name));
}

Trajectory read_trajectory(SceneReader& reader, const MapReader& map, const std::string& key,
                           const std::string& joint, Interpolation usual) {
  const TimedTable table = read_table(reader, map.required(key), map.name_of(key), {});
  return table.trajectory(find_column(map, table, joint), map.choice("interpolation", usual));
}

std::vector<Trajectory> read_wrench_table(SceneReader& reader, const MapReader& map) {
  const TimedTable table =
      read_table(reader, map.required("table"), map.name_of("table"), kWrenchColumns);
  // The columns of the file may have any order.
  const Interpolation interpolation = map.choice("interpolation", Interpolation::Linear);
  std::vector<Trajectory> result;
  for (const std::string& name : kWrenchColumns) {
    const auto found = std::find(table.names().begin(), table.names().end(), name);
    result.push_back(table.trajectory(
        static_cast<std::size_t>(std::distance(table.names().begin(), found)), interpolation));
  }
  return result;
}

void refuse_keys_of_file(const MapReader& map, const std::string& key) {
  if (map.has(key)) return;
  for (const char* own : {"column", "interpolation"}) {
    if (const YamlValue* value = map.value().find(own)) {
      fail_at(value->where, std::string("'") + own + "' belongs to '" + key + "'");
    }
  }
}

}  // namespace amontons::io
