#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amontons/io/errors.h"

namespace amontons::io {

/// Owns one HDF5 identifier of any kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }

  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Closes; returns false if the library could not (e.g. a last write failed).
  bool reset();

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// While it lives, HDF5 keeps its complaints to itself; ours carry them instead.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// What the library says about its last failure in this thread, in a few words.
std::string hdf5_complaint();

/// The memory type of a number: double, float, [u]int8, [u]int32, [u]int64. In files numbers are
/// little-endian.
template <typename T>
hid_t hdf5_type();
template <>
hid_t hdf5_type<double>();
template <>
hid_t hdf5_type<float>();
template <>
hid_t hdf5_type<std::int8_t>();
template <>
hid_t hdf5_type<std::uint8_t>();
template <>
hid_t hdf5_type<std::int32_t>();
template <>
hid_t hdf5_type<std::uint32_t>();
template <>
hid_t hdf5_type<std::int64_t>();
template <>
hid_t hdf5_type<std::uint64_t>();

/// Opens a file for reading: as it is, or in SWMR mode where a writer has it open or was killed.
/// @throws ParseError  with the file and the reason.
Handle open_hdf5(const std::string& path);

/// Creates (or empties) a file in the 1.10 format, so that SWMR is possible.
/// @throws OutputError  with the file and the reason.
Handle create_hdf5(const std::string& path);

/// Writes below `parent`, a file or group. `name` may be a path; groups on the way are created.
/// All functions: @throws OutputError with the file and the name.
Handle create_group(const Handle& parent, const std::string& name);
void write_array(const Handle& parent, const std::string& name, hid_t type,
                 const std::vector<hsize_t>& dims, const void* values);
template <typename T>
void write_array(const Handle& parent, const std::string& name, const std::vector<hsize_t>& dims,
                 const T* values) {
  write_array(parent, name, hdf5_type<T>(), dims, values);
}
/// Fixed-length UTF-8 strings [n].
void write_strings(const Handle& parent, const std::string& name,
                   const std::vector<std::string>& values);

/// Attributes of `object` ("." is the parent itself).
void write_attribute(const Handle& parent, const std::string& object, const std::string& name,
                     const std::string& value);
void write_attribute(const Handle& parent, const std::string& object, const std::string& name,
                     const std::vector<std::string>& values);
void write_attribute(const Handle& parent, const std::string& object, const std::string& name,
                     hid_t type, const void* value);
template <typename T>
void write_attribute(const Handle& parent, const std::string& object, const std::string& name,
                     const T& value)
  requires std::is_arithmetic_v<T>
{
  write_attribute(parent, object, name, hdf5_type<T>(), &value);
}

/// Reading. All functions: @throws ParseError with the file and the name, if the object is absent
/// or has another kind or shape.
bool exists(const Handle& parent, const std::string& name);
std::vector<std::string> child_names(const Handle& parent, const std::string& group);
std::vector<hsize_t> array_dims(const Handle& parent, const std::string& name);
void read_array(const Handle& parent, const std::string& name, hid_t type, void* values);
template <typename T>
std::vector<T> read_array(const Handle& parent, const std::string& name) {
  std::size_t size = 1;
  for (const hsize_t n : array_dims(parent, name)) size *= static_cast<std::size_t>(n);
  std::vector<T> values(size);
  if (size > 0) read_array(parent, name, hdf5_type<T>(), values.data());
  return values;
}
std::vector<std::string> read_strings(const Handle& parent, const std::string& name);

bool attribute_exists(const Handle& parent, const std::string& object, const std::string& name);
std::string read_string_attribute(const Handle& parent, const std::string& object,
                                  const std::string& name);
void read_attribute(const Handle& parent, const std::string& object, const std::string& name,
                    hid_t type, void* value);
template <typename T>
T read_attribute(const Handle& parent, const std::string& object, const std::string& name) {
  T value{};
  read_attribute(parent, object, name, hdf5_type<T>(), &value);
  return value;
}

/// The file that an object belongs to, for messages.
std::string hdf5_file_name(const Handle& object);

}  // namespace amontons::io
