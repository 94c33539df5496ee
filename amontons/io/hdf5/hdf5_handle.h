#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Owns one HDF5 identifier of any kind (file, group, dataset, type, space, property list).
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_) { other.id_ = H5I_INVALID_HID; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle();

  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

  /// Releases the identifier now.
  /// @throws OutputError if its last writes fail.
  void close();

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Keeps the library from printing its error stack while it exists; our exceptions name the fault.
class Hdf5Quiet {
 public:
  Hdf5Quiet();
  ~Hdf5Quiet();
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* data_ = nullptr;
};

/// Returns the reason of HDF5's last failure in this thread, e.g. "No space left on device"; empty
/// if it gives none.
std::string hdf5_error_message();

/// Returns the path of the file that an open object lies in.
std::string file_name(const Hdf5Handle& object);

/// Creates a file, or empties an existing one. It has the format of HDF5 1.10, which SWMR mode
/// needs, and in which names, types and extents have checksums.
/// @throws OutputError, which names `shown_path`.
Hdf5Handle create_hdf5_file(const std::string& path, const std::string& shown_path);
/// Opens a file from elsewhere for reading (hdf5_input.h); one that is being written is refused.
/// @throws ParseError.
Hdf5Handle open_hdf5_file(const std::string& path);

/// Returns true if the parent (a file or group) has a group or dataset of this name; the name may
/// be a path.
bool has_object(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle create_group(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle open_group(const Hdf5Handle& parent, const std::string& name);
/// Returns the names of the links of a group, in alphabetical order.
std::vector<std::string> list_objects(const Hdf5Handle& group);

/// Writes an attribute of one value, in place of an older one. Strings are UTF-8.
/// @throws OutputError naming the file and the attribute.
void write_attribute(const Hdf5Handle& object, const std::string& name, std::string_view value);
void write_attribute(const Hdf5Handle& object, const std::string& name, double value);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::int64_t value);
bool has_attribute(const Hdf5Handle& object, const std::string& name);
/// Reads an attribute of one value.
/// @throws ParseError naming the file and the attribute.
std::string read_string_attribute(const Hdf5Handle& object, const std::string& name);
double read_double_attribute(const Hdf5Handle& object, const std::string& name);
std::int64_t read_int_attribute(const Hdf5Handle& object, const std::string& name);

/// Writes a dataset of one dimension, little-endian in the file.
/// @throws OutputError naming the file and the dataset.
void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const double> values);
void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::int32_t> values);
void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::int64_t> values);
void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::uint8_t> values);
void write_strings(const Hdf5Handle& parent, const std::string& name,
                   const std::vector<std::string>& values);

/// Texts that one dataset or attribute may hold [bytes].
inline constexpr hsize_t kTextBytes = 64u << 20;

/// Returns true if the library knows how long texts of any length are together, and they take at
/// most kTextBytes. Of others a read may break down.
bool has_readable_texts(hid_t dataset, hid_t type, hid_t space);

/// Reads a dataset of any rank as one flat vector in row-major order; integers of any size are
/// converted.
/// @throws ParseError naming the file and the dataset.
std::vector<double> read_doubles(const Hdf5Handle& parent, const std::string& name);
std::vector<std::int32_t> read_ints(const Hdf5Handle& parent, const std::string& name);
std::vector<std::int64_t> read_long_ints(const Hdf5Handle& parent, const std::string& name);
std::vector<std::uint8_t> read_bytes(const Hdf5Handle& parent, const std::string& name);
std::vector<std::string> read_strings(const Hdf5Handle& parent, const std::string& name);

/// Returns the extents of a dataset.
std::vector<std::int64_t> dataset_shape(const Hdf5Handle& parent, const std::string& name);

}  // namespace amontons::io
