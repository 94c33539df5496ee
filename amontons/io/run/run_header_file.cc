#include "amontons/io/run/run_header_file.h"

#include "amontons/io/common/build_info.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/sha256.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/io/hdf5/hdf5_input.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Attributes by which a file is known as a run of this version; runs of others are refused.
constexpr const char* kFormat = "amontons-run";
constexpr std::int64_t kVersion = 13;

/// Writes every input byte for byte, so that the run can be verified without its files.
void write_inputs(const Hdf5Handle& file, const Scene& scene) {
  const Hdf5Handle group = create_group(file, "inputs");
  for (std::size_t i = 0; i < scene.inputs.size(); ++i) {
    const InputFile& input = scene.inputs[i];
    const std::string name = std::to_string(i);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(input.bytes.data());
    write_vector(group, name, std::span<const std::uint8_t>(bytes, input.bytes.size()));
    const Hdf5Handle dataset(H5Dopen2(group.id(), name.c_str(), H5P_DEFAULT));
    write_attribute(dataset, "path", std::string_view(input.path));
    write_attribute(dataset, "sha256", std::string_view(sha256(input.bytes)));
  }
}

/// Reads the inputs. Throws ParseError if one does not match its SHA-256.
std::vector<InputFile> read_inputs(const Hdf5Handle& file, const std::string& path) {
  std::vector<InputFile> inputs;
  const Hdf5Handle group = open_group(file, "inputs");
  // Inputs are numbered in the order in which the scene read them.
  const std::size_t count = list_objects(group).size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    const std::vector<std::uint8_t> bytes = read_bytes(group, name);
    const Hdf5Handle dataset = open_dataset(group, name);
    InputFile input{read_string_attribute(dataset, "path"), {bytes.begin(), bytes.end()}};
    if (sha256(input.bytes) != read_string_attribute(dataset, "sha256")) {
      throw ParseError(path, 0, 0,
                       "the recorded input " + input.path + " does not match its SHA-256");
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Writes the names of the joints and where their entries lie in q, v and the rows of J.
void write_joints(const Hdf5Handle& file, const System& system) {
  std::vector<std::string> names;
  std::vector<std::int32_t> q_offset, v_offset, first_row, num_rows;
  for (const JointCoordinate& joint : system.joints()) {
    names.push_back(joint.name);
    q_offset.push_back(joint.q_offset);
    v_offset.push_back(joint.v_offset);
    first_row.push_back(joint.first_row);
    num_rows.push_back(joint.num_rows);
  }
  const Hdf5Handle group = create_group(file, "joints");
  write_strings(group, "name", names);
  write_vector(group, "q_offset", std::span<const std::int32_t>(q_offset));
  write_vector(group, "v_offset", std::span<const std::int32_t>(v_offset));
  write_vector(group, "first_row", std::span<const std::int32_t>(first_row));
  write_vector(group, "num_rows", std::span<const std::int32_t>(num_rows));
}

/// Returns the SHA-256 over all that a header records besides the scene and the bytes of its
/// inputs, which have their own.
std::string header_digest(const Hdf5Handle& file) {
  std::string digests = sha256(std::to_string(read_int_attribute(file, "seed")));
  for (const char* name : {"build", "scene_file", "scene_sha256", "commander"}) {
    digests += sha256(read_string_attribute(file, name));
  }
  const Hdf5Handle inputs = open_group(file, "inputs");
  for (const std::string& name : list_objects(inputs)) {
    const Hdf5Handle input = open_dataset(inputs, name);
    digests += sha256(read_string_attribute(input, "path"));
    digests += sha256(read_string_attribute(input, "sha256"));
  }
  // The number of texts keeps one list from another.
  for (const char* name : {"overrides", "bodies/name", "joints/name"}) {
    const std::vector<std::string> texts = read_strings(file, name);
    digests += sha256(std::to_string(texts.size()));
    for (const std::string& text : texts) digests += sha256(text);
  }
  for (const char* name : {"q_offset", "v_offset", "first_row", "num_rows"}) {
    std::string numbers;
    for (const std::int32_t number : read_ints(file, std::string("joints/") + name)) {
      numbers += std::to_string(number) + " ";
    }
    digests += sha256(numbers);
  }
  return sha256(digests);
}

/// Returns the codes with their names, such as "0 Open, 1 Stick".
std::string list_codes(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(i) + " " + names[i];
  }
  return text;
}

}  // namespace

void write_run_header(const Hdf5Handle& file, const Scene& scene, const System& system,
                      RunCommander commander) {
  // Attributes of the file: format, program, scene and seed.
  write_attribute(file, "format", std::string_view(kFormat));
  write_attribute(file, "version", kVersion);
  write_attribute(file, "build", std::string_view(version_and_build()));
  write_attribute(file, "scene_file", std::string_view(scene.file));
  write_attribute(file, "scene", std::string_view(scene.text));
  write_attribute(file, "scene_sha256", std::string_view(sha256(scene.text)));
  write_attribute(file, "commander", std::string_view(to_string(commander)));
  write_attribute(file, "seed", static_cast<std::int64_t>(scene.simulation.seed));
  std::vector<std::string> overrides;
  for (const auto& [path, value] : scene.overrides) overrides.push_back(path + "=" + value);
  write_strings(file, "overrides", overrides);
  write_inputs(file, scene);
  // Names by which readers know bodies and joints.
  std::vector<std::string> bodies;
  for (const Body& body : system.bodies()) bodies.push_back(body.name);
  const Hdf5Handle group = create_group(file, "bodies");
  write_strings(group, "name", bodies);
  write_joints(file, system);
  write_attribute(file, "header_sha256", std::string_view(header_digest(file)));
}

RunHeader read_run_header(const Hdf5Handle& file, const std::string& path) {
  // A file of another kind or version is refused before anything else is read.
  if (!has_attribute(file, "format") || read_string_attribute(file, "format") != kFormat) {
    throw ParseError(path, 0, 0, "not a run: the attribute \"format\" is not \"amontons-run\"");
  }
  RunHeader header;
  header.version = read_int_attribute(file, "version");
  if (header.version != kVersion) {
    const std::string build =
        has_attribute(file, "build") ? ", written by " + read_string_attribute(file, "build") : "";
    throw ParseError(
        path, 0, 0,
        "a run of version " + std::to_string(header.version) + build +
            "; this program reads version " + std::to_string(kVersion) +
            ": read it with that program, or run its scene (attribute \"scene\") again");
  }
  // The scene as it was read; its digest shows a damaged text.
  header.build = read_string_attribute(file, "build");
  header.scene_file = read_string_attribute(file, "scene_file");
  header.scene_text = read_string_attribute(file, "scene");
  if (sha256(header.scene_text) != read_string_attribute(file, "scene_sha256")) {
    throw ParseError(path, 0, 0, "the recorded scene does not match its SHA-256");
  }
  // Runs of older programs have no digest of the other parts.
  if (has_attribute(file, "header_sha256") &&
      header_digest(file) != read_string_attribute(file, "header_sha256")) {
    throw ParseError(path, 0, 0, "damaged: the header does not match its SHA-256");
  }
  header.seed = static_cast<std::uint64_t>(read_int_attribute(file, "seed"));
  header.overrides = read_strings(file, "overrides");
  // Inputs, and where the entries of each joint lie.
  header.inputs = read_inputs(file, path);
  header.body_names = read_strings(file, "bodies/name");
  header.joint_names = read_strings(file, "joints/name");
  header.joint_q_offset = read_ints(file, "joints/q_offset");
  header.joint_v_offset = read_ints(file, "joints/v_offset");
  header.joint_first_row = read_ints(file, "joints/first_row");
  header.joint_num_rows = read_ints(file, "joints/num_rows");
  return header;
}

void write_code_names(const Hdf5Handle& file) {
  for (const FormatMap& group : run_format()) {
    for (const FormatKey& dataset : group.keys) {
      if (dataset.choices.empty()) continue;
      const Hdf5Handle handle(H5Dopen2(file.id(), dataset.name.c_str(), H5P_DEFAULT));
      write_attribute(handle, "names", std::string_view(list_codes(dataset.choices)));
    }
  }
}

}  // namespace amontons::io
