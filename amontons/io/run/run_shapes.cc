#include "amontons/io/run/run_shapes.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/io/hdf5/hdf5_input.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

/// Holds a column "float64 [T, nq]" of the table: the type of its numbers, and a symbol or number
/// for each axis.
struct DatasetShape {
  std::string type;
  std::vector<std::string> axes;
};

/// Returns the text without spaces at its ends.
std::string stripped(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Takes apart the value of a line of the table.
DatasetShape shape_of(const std::string& value) {
  DatasetShape shape;
  const std::size_t open = value.find('[');
  shape.type = stripped(value.substr(0, open));
  if (open == std::string::npos) return shape;
  std::string rest = value.substr(open + 1, value.find(']') - open - 1);
  // Commas separate the axes.
  for (std::size_t comma = 0; comma != std::string::npos;) {
    comma = rest.find(',');
    shape.axes.push_back(stripped(rest.substr(0, comma)));
    if (comma != std::string::npos) rest = rest.substr(comma + 1);
  }
  return shape;
}

/// Returns true if the type in the file is the one that the table names.
bool has_type(const Hdf5Handle& dataset, const std::string& type) {
  const Hdf5Handle stored(H5Dget_type(dataset.id()));
  if (type == "text") return H5Tget_class(stored.id()) == H5T_STRING;
  const std::map<std::string, hid_t> numbers = {{"float64", H5T_IEEE_F64LE},
                                                {"int64", H5T_STD_I64LE},
                                                {"int32", H5T_STD_I32LE},
                                                {"uint32", H5T_STD_U32LE},
                                                {"uint8", H5T_STD_U8LE}};
  return H5Tequal(stored.id(), numbers.at(type)) > 0;
}

/// Compares the extents of datasets with the table, and with those of other datasets.
class ShapeCheck {
 public:
  ShapeCheck(const Hdf5Handle& file, const std::string& path) : file_(file), path_(path) {}

  void check(const FormatKey& key) {
    const DatasetShape shape = shape_of(key.value);
    if (!has_object(file_, key.name)) fail(key.name, "is missing: not a whole run");
    const Hdf5Handle dataset = open_dataset(file_, key.name);
    if (!has_type(dataset, shape.type)) {
      fail(key.name, "holds another type of number than " + shape.type);
    }
    const std::vector<std::size_t> extents = extents_of(dataset);
    if (extents.size() != shape.axes.size()) {
      fail(key.name, "has " + std::to_string(extents.size()) + " axes, a run has " +
                         std::to_string(shape.axes.size()));
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      check_axis(key.name, shape.axes[i], extents[i]);
    }
  }

  /// Returns the extent of a symbol of the table.
  std::int64_t extent(const std::string& symbol) const {
    return static_cast<std::int64_t>(known_.at(symbol).extent);
  }
  bool is_even() const { return is_even_; }

 private:
  /// Holds the first extent seen for a symbol, and the dataset that has it.
  struct Known {
    std::size_t extent = 0;
    std::string dataset;
  };

  /// Compares one extent with the number in the table, or with that of the same symbol before.
  void check_axis(const std::string& name, const std::string& axis, std::size_t extent) {
    if (std::isdigit(static_cast<unsigned char>(axis.front())) != 0) {
      if (extent == static_cast<std::size_t>(std::stoi(axis))) return;
      fail(name, "has " + std::to_string(extent) + " numbers where a run has " + axis);
    }
    // A list of its own, whose length nothing else has.
    if (axis == "n") return;
    const bool is_offset = axis == "R + 1";
    const std::string symbol = is_offset ? "R" : axis;
    if (is_offset && extent > 0) --extent;
    const auto [known, is_new] = known_.try_emplace(symbol, Known{extent, name});
    if (is_new || known->second.extent == extent) return;
    // Rows and records of a killed run may be uneven; only whole rows count.
    if (std::string_view("TRCEBK").find(symbol) != std::string_view::npos) {
      is_even_ = false;
      return;
    }
    fail(name, "has an axis of " + std::to_string(extent) + ", but " + known->second.dataset +
                   " has " + std::to_string(known->second.extent) + " (" + symbol + ")");
  }

  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    throw ParseError(path_, 0, 0, "damaged: " + name + " " + message);
  }

  const Hdf5Handle& file_;
  const std::string& path_;
  std::map<std::string, Known> known_;
  bool is_even_ = true;
};

}  // namespace

RunShapes check_run_shapes(const Hdf5Handle& file, const std::string& path) {
  ShapeCheck shapes(file, path);
  for (const FormatMap& group : run_format()) {
    for (const FormatKey& key : group.keys) {
      // Attributes are read one by one, and inputs have a digest.
      if (key.name.find('.') != std::string::npos || key.name.ends_with("*")) continue;
      shapes.check(key);
    }
  }
  return {{.positions = shapes.extent("nq"),
           .velocities = shapes.extent("nv"),
           .bodies = shapes.extent("nB"),
           .joint_rows = shapes.extent("nr")},
          shapes.is_even()};
}

const NumberRange& range_of(std::string_view dataset) {
  for (const FormatMap& group : run_format()) {
    for (const FormatKey& key : group.keys) {
      if (key.name == dataset) return key.range;
    }
  }
  throw std::logic_error("run_format.cc says nothing of " + std::string(dataset));
}

void check_joint_places(const RunHeader& header, const std::string& path) {
  const auto check = [&path](const char* name, std::int64_t first, std::int64_t end,
                             std::int64_t size) {
    if (first >= -1 && end >= first && end <= size) return;
    throw ParseError(path, 0, 0, std::string("damaged: ") + name + " points outside of its vector");
  };
  for (std::size_t i = 0; i < header.joint_names.size(); ++i) {
    const std::int64_t q = header.joint_q_offset[i], v = header.joint_v_offset[i];
    const std::int64_t row = header.joint_first_row[i];
    check("/joints/q_offset", q, q + (q >= 0 ? 1 : 0), header.sizes.positions);
    check("/joints/v_offset", v, v + (v >= 0 ? 1 : 0), header.sizes.velocities);
    check("/joints/first_row", row, std::max<std::int64_t>(row, 0), header.sizes.joint_rows);
    check("/joints/num_rows", 0, std::max<std::int64_t>(row, 0) + header.joint_num_rows[i],
          header.sizes.joint_rows);
  }
}

void check_run_of_system(const RunHeader& header, const System& system, const std::string& path) {
  const auto check = [&path](const char* name, std::int64_t size, std::int64_t expected) {
    if (size == expected) return;
    throw ParseError(path, 0, 0,
                     std::string(name) + " has " + std::to_string(size) +
                         " entries per row, the recorded scene has " + std::to_string(expected));
  };
  check("/q", header.sizes.positions, system.num_positions());
  check("/v", header.sizes.velocities, system.num_velocities());
  check("/bodies/position", header.sizes.bodies, static_cast<std::int64_t>(system.bodies().size()));
  check("/joints/impulse", header.sizes.joint_rows, system.num_joint_rows());
}

}  // namespace amontons::io
