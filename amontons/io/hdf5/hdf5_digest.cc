#include "amontons/io/hdf5/hdf5_digest.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/sha256.h"
#include "amontons/io/hdf5/hdf5_input.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

constexpr const char* kAttribute = "sha256";
/// Groups within each other at most.
constexpr int kMaxDepth = 4;

/// Returns the bytes of an object that is part of a digest.
template <typename T>
std::string_view bytes_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(typename T::value_type)};
}

/// Returns the names of the attributes of a group but that of its digest, in alphabetical order.
std::vector<std::string> list_attributes(const Hdf5Handle& group) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    if (std::string_view(name) != kAttribute) {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    }
    return 0;
  };
  hsize_t next = 0;
  if (H5Aiterate2(group.id(), H5_INDEX_NAME, H5_ITER_INC, &next, collect, &names) < 0) {
    throw ParseError(file_name(group), 0, 0, "cannot list the attributes of a group");
  }
  return names;
}

/// Returns the digest of an attribute of one number or text.
std::string digest_of_attribute(const Hdf5Handle& group, const std::string& name) {
  const Hdf5Handle attribute(H5Aopen(group.id(), name.c_str(), H5P_DEFAULT));
  const Hdf5Handle type(H5Aget_type(attribute.id()));
  switch (H5Tget_class(type.id())) {
    case H5T_STRING:
      return sha256(read_string_attribute(group, name));
    case H5T_INTEGER:
      return sha256(bytes_of(std::vector<std::int64_t>{read_int_attribute(group, name)}));
    default:
      return sha256(bytes_of(std::vector<double>{read_double_attribute(group, name)}));
  }
}

/// Returns the digest of the texts of a dataset, or of its numbers as they lie in the file.
std::string digest_of_dataset(const Hdf5Handle& group, const std::string& name) {
  const Hdf5Handle dataset = open_dataset(group, name);
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  if (H5Tget_class(type.id()) == H5T_STRING) {
    std::string digests;
    for (const std::string& text : read_strings(group, name)) digests += sha256(text);
    return sha256(digests);
  }
  std::vector<char> bytes(checked_num_values(dataset, name) * H5Tget_size(type.id()));
  if (!bytes.empty() &&
      H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    throw ParseError(file_name(group), 0, 0, "dataset '" + name + "' cannot be read as numbers");
  }
  return sha256(bytes_of(bytes));
}

/// Returns the digest of a group, which lies `depth` groups deep.
std::string digest_of(const Hdf5Handle& group, int depth) {
  if (depth > kMaxDepth) {
    throw ParseError(file_name(group), 0, 0, "has groups within groups without end");
  }
  std::string digests;
  for (const std::string& name : list_attributes(group)) {
    digests += sha256(name) + digest_of_attribute(group, name);
  }
  for (const std::string& name : list_objects(group)) {
    const Hdf5Handle object(H5Oopen(group.id(), name.c_str(), H5P_DEFAULT));
    digests += sha256(name) + (H5Iget_type(object.id()) == H5I_GROUP
                                   ? digest_of(open_group(group, name), depth + 1)
                                   : digest_of_dataset(group, name));
  }
  return sha256(digests);
}

}  // namespace

void write_digest(const Hdf5Handle& group) {
  write_attribute(group, kAttribute, std::string_view(digest_of(group, 1)));
}

void check_digest(const Hdf5Handle& group, const std::string& name) {
  if (!has_attribute(group, kAttribute)) return;
  const Hdf5Quiet quiet;
  if (digest_of(group, 1) != read_string_attribute(group, kAttribute)) {
    throw ParseError(file_name(group), 0, 0, name + ": does not match its SHA-256: damaged");
  }
}

}  // namespace amontons::io
