#include "amontons/io/hdf5/hdf5_handle.h"

#include "amontons/io/child/child_trial.h"
#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_input.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Returns a status or identifier; a negative one means failure and becomes a ParseError.
hid_t checked_read(hid_t status, const Hdf5Handle& object, const std::string& message) {
  if (status < 0) throw ParseError(file_name(object), 0, 0, message);
  return status;
}

/// Returns a status or identifier; a negative one means failure and becomes an OutputError.
hid_t checked_write(hid_t status, const Hdf5Handle& object, const std::string& message) {
  if (status < 0) throw OutputError(file_name(object), message);
  return status;
}

/// Returns the type of UTF-8 strings of any length.
Hdf5Handle variable_string_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

/// Writes one value as an attribute, in place of an older one of that name.
void write_attribute_of_type(const Hdf5Handle& object, const std::string& name, hid_t file_type,
                             hid_t memory_type, const void* value) {
  const std::string message = "cannot write attribute '" + name + "'";
  if (H5Aexists(object.id(), name.c_str()) > 0) {
    checked_write(H5Adelete(object.id(), name.c_str()), object, message);
  }
  // The file type fixes size and byte order on disk, the memory type describes `value`.
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(checked_write(
      H5Acreate2(object.id(), name.c_str(), file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      object, message));
  checked_write(H5Awrite(attribute.id(), memory_type, value), object, message);
}

/// Reads an attribute of one value.
void read_attribute_of_type(const Hdf5Handle& object, const std::string& name, hid_t memory_type,
                            void* value) {
  const Hdf5Quiet quiet;
  const Hdf5Handle attribute(checked_read(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), object,
                                          "missing attribute '" + name + "'"));
  const Hdf5Handle type(H5Aget_type(attribute.id())), space(H5Aget_space(attribute.id()));
  check_type(type.id(), object, name);
  // H5Aread would write past `value` for an attribute of several values.
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw ParseError(file_name(object), 0, 0, "attribute '" + name + "' must hold one value");
  }
  checked_read(H5Aread(attribute.id(), memory_type, value), object,
               "attribute '" + name + "' has another type than expected");
}

/// Writes values as a dataset of one dimension.
void write_dataset(const Hdf5Handle& parent, const std::string& name, std::size_t size,
                   hid_t file_type, hid_t memory_type, const void* values) {
  const Hdf5Quiet quiet;
  const std::string message = "cannot write dataset '" + name + "'";
  const hsize_t extent = size;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr));
  const Hdf5Handle dataset(
      checked_write(H5Dcreate2(parent.id(), name.c_str(), file_type, space.id(), H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT),
                    parent, message));
  // A dataset of extent zero has nothing to write, and `values` may be null.
  if (size == 0) return;
  checked_write(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), parent,
                message);
}

/// Reads a dataset of any rank as a flat vector; the library converts from the type in the file.
template <typename T>
std::vector<T> read_dataset(const Hdf5Handle& parent, const std::string& name, hid_t memory_type) {
  const Hdf5Quiet quiet;
  const Hdf5Handle dataset = open_dataset(parent, name);
  std::vector<T> values(checked_num_values(dataset, name));
  if (values.empty()) return values;
  checked_read(H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
               parent, "dataset '" + name + "' cannot be read as numbers");
  return values;
}

/// Takes the operating system's message from one entry of HDF5's error stack, for H5Ewalk2.
herr_t find_reason(unsigned, const H5E_error2_t* error, void* data) {
  auto& reason = *static_cast<std::string*>(data);
  const std::string text = error->desc == nullptr ? "" : error->desc;
  // The innermost entry quotes strerror: "... error message = 'No space left on device' ...".
  const std::string key = "error message = '";
  const std::size_t begin = text.find(key);
  if (!reason.empty() || begin == std::string::npos) return 0;
  const std::size_t end = text.find('\'', begin + key.size());
  reason = text.substr(begin + key.size(), end - begin - key.size());
  return 0;
}

}  // namespace

std::string hdf5_error_message() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
  return reason;
}

std::string file_name(const Hdf5Handle& object) {
  // The first call returns the length, the second one the name.
  const ssize_t length = H5Fget_name(object.id(), nullptr, 0);
  if (length <= 0) return "HDF5 file";
  std::string name(static_cast<std::size_t>(length), '\0');
  H5Fget_name(object.id(), name.data(), name.size() + 1);
  return name;
}

Hdf5Handle::~Hdf5Handle() {
  if (id_ < 0) return;
  // A destructor cannot report a failure: close() does.
  const Hdf5Quiet quiet;
  H5Idec_ref(id_);
}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

void Hdf5Handle::close() {
  if (id_ < 0) return;
  const Hdf5Quiet quiet;
  // Buffered data reach the disk here, so that a full disk shows only now.
  const std::string file = file_name(*this);
  if (H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)) < 0) {
    throw OutputError(file, "cannot write the end of the file");
  }
}

Hdf5Quiet::Hdf5Quiet() {
  // The destructor restores the printer that is set here.
  H5Eget_auto2(H5E_DEFAULT, &printer_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, printer_, data_); }

Hdf5Handle create_hdf5_file(const std::string& path, const std::string& shown_path) {
  const Hdf5Quiet quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  if (!file.valid()) throw OutputError(shown_path, "cannot create: " + hdf5_error_message());
  return file;
}

Hdf5Handle open_hdf5_file(const std::string& path) {
  Hdf5Input input = open_hdf5_input(path);
  // Only a run may be read while it grows.
  if (input.growing) throw unreadable_hdf5(path, "");
  return std::move(input.file);
}

bool has_object(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  // H5Lexists asks for each prefix of a path in turn.
  for (std::size_t end = name.find('/', 1); end != std::string::npos;
       end = name.find('/', end + 1)) {
    if (H5Lexists(parent.id(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Handle create_group(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  return Hdf5Handle(
      checked_write(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    parent, "cannot create group '" + name + "'"));
}

Hdf5Handle open_group(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  check_path(parent, name);
  return Hdf5Handle(checked_read(H5Gopen2(parent.id(), name.c_str(), H5P_DEFAULT), parent,
                                 "missing group '" + name + "'"));
}

std::vector<std::string> list_objects(const Hdf5Handle& group) {
  const Hdf5Quiet quiet;
  std::vector<std::string> names;
  // H5Literate calls back for each link, in the order of the names.
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  checked_read(H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), group,
               "cannot list a group");
  return names;
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::string_view value) {
  const Hdf5Quiet quiet;
  const Hdf5Handle type = variable_string_type();
  const std::string text(value);
  const char* pointer = text.c_str();
  write_attribute_of_type(object, name, type.id(), type.id(), &pointer);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, double value) {
  const Hdf5Quiet quiet;
  write_attribute_of_type(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::int64_t value) {
  const Hdf5Quiet quiet;
  write_attribute_of_type(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool has_attribute(const Hdf5Handle& object, const std::string& name) {
  const Hdf5Quiet quiet;
  return H5Aexists(object.id(), name.c_str()) > 0;
}

std::string read_string_attribute(const Hdf5Handle& object, const std::string& name) {
  const Hdf5Handle type = variable_string_type();
  char* text = nullptr;
  read_attribute_of_type(object, name, type.id(), &text);
  const std::string value = text == nullptr ? "" : text;
  // The library allocates strings of variable length and leaves their release to the caller.
  H5free_memory(text);
  return value;
}

double read_double_attribute(const Hdf5Handle& object, const std::string& name) {
  double value = 0.0;
  read_attribute_of_type(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::int64_t read_int_attribute(const Hdf5Handle& object, const std::string& name) {
  std::int64_t value = 0;
  read_attribute_of_type(object, name, H5T_NATIVE_INT64, &value);
  return value;
}

void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const double> values) {
  write_dataset(parent, name, values.size(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::int32_t> values) {
  write_dataset(parent, name, values.size(), H5T_STD_I32LE, H5T_NATIVE_INT32, values.data());
}

void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::int64_t> values) {
  write_dataset(parent, name, values.size(), H5T_STD_I64LE, H5T_NATIVE_INT64, values.data());
}

void write_vector(const Hdf5Handle& parent, const std::string& name,
                  std::span<const std::uint8_t> values) {
  write_dataset(parent, name, values.size(), H5T_STD_U8LE, H5T_NATIVE_UINT8, values.data());
}

void write_strings(const Hdf5Handle& parent, const std::string& name,
                   const std::vector<std::string>& values) {
  const Hdf5Handle type = variable_string_type();
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  write_dataset(parent, name, pointers.size(), type.id(), type.id(), pointers.data());
}

std::vector<double> read_doubles(const Hdf5Handle& parent, const std::string& name) {
  return read_dataset<double>(parent, name, H5T_NATIVE_DOUBLE);
}

std::vector<std::int32_t> read_ints(const Hdf5Handle& parent, const std::string& name) {
  return read_dataset<std::int32_t>(parent, name, H5T_NATIVE_INT32);
}

std::vector<std::int64_t> read_long_ints(const Hdf5Handle& parent, const std::string& name) {
  return read_dataset<std::int64_t>(parent, name, H5T_NATIVE_INT64);
}

std::vector<std::uint8_t> read_bytes(const Hdf5Handle& parent, const std::string& name) {
  return read_dataset<std::uint8_t>(parent, name, H5T_NATIVE_UINT8);
}

bool has_readable_texts(hid_t dataset, hid_t type, hid_t space) {
  hsize_t bytes = 0;
  return H5Dvlen_get_buf_size(dataset, type, space, &bytes) >= 0 && bytes <= kTextBytes;
}

std::vector<std::string> read_strings(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  const Hdf5Handle dataset = open_dataset(parent, name);
  std::vector<std::string> values;
  std::vector<char*> pointers(checked_num_values(dataset, name), nullptr);
  if (pointers.empty()) return values;
  const Hdf5Handle type = variable_string_type();
  const Hdf5Handle own(H5Dget_type(dataset.id())), space(H5Dget_space(dataset.id()));
  // The library follows references to texts of any length without a look at them.
  const bool is_variable = H5Tis_variable_str(own.id()) > 0;
  const auto read = [&] {
    return H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0;
  };
  const auto try_to_read = [&] {
    return has_readable_texts(dataset.id(), type.id(), space.id()) && read();
  };
  const bool succeeds = (!is_variable || succeeds_in_child(try_to_read)) && read();
  checked_read(succeeds ? 0 : -1, parent, "dataset '" + name + "' cannot be read as strings");
  // Each string is allocated by the library; a null pointer is an empty one.
  for (char* text : pointers) {
    values.emplace_back(text == nullptr ? "" : text);
    H5free_memory(text);
  }
  return values;
}

std::vector<std::int64_t> dataset_shape(const Hdf5Handle& parent, const std::string& name) {
  const std::vector<std::size_t> extents = extents_of(open_dataset(parent, name));
  return {extents.begin(), extents.end()};
}

}  // namespace amontons::io
