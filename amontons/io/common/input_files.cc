#include "amontons/io/common/input_files.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/trimmed.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

// Separates the scheme of a URI from the rest.
constexpr const char* kSchemeEnd = "://";

/// Returns the scheme of a URI, e.g. "package".
std::string scheme_of(const std::string& uri) { return uri.substr(0, uri.find(kSchemeEnd)); }

/// Returns everything after the scheme of a URI.
std::string rest_of(const std::string& uri) { return uri.substr(uri.find(kSchemeEnd) + 3); }

/// Names a file of a model of Gazebo Fuel.
struct FuelFile {
  std::string address;  ///< of the model
  std::string model;    ///< its name
  std::string file;     ///< relative to its folder
};

/// Returns what an address https://fuel.HOST/1.0/OWNER/models/NAME names, which a version, `files`
/// and a path may follow; nothing for any other address.
std::optional<FuelFile> fuel_file(const std::string& uri) {
  constexpr std::string_view kModels = "/models/";
  const std::string rest = rest_of(uri);
  const std::string host = rest.substr(0, rest.find('/'));
  const std::size_t at = uri.find(kModels);
  if (host.find("fuel.") == std::string::npos || at == std::string::npos) return std::nullopt;
  const std::size_t start = at + kModels.size();
  const std::size_t end = std::min(uri.find('/', start), uri.size());
  FuelFile result{uri.substr(0, end), "", uri.substr(std::min(end + 1, uri.size()))};
  const std::string name = uri.substr(start, end - start);
  for (std::size_t i = 0; i < name.size(); ++i) {
    // Names of models have spaces.
    const bool is_space = name.compare(i, 3, "%20") == 0;
    result.model += is_space ? ' ' : name[i];
    if (is_space) i += 2;
  }
  const auto skip = [&result](const auto& is_skipped) {
    const std::string first = result.file.substr(0, result.file.find('/'));
    if (!first.empty() && first.size() < result.file.size() && is_skipped(first)) {
      result.file.erase(0, first.size() + 1);
    }
  };
  skip([](const std::string& word) {
    return word == "tip" || word.find_first_not_of("0123456789") == std::string::npos;
  });
  skip([](const std::string& word) { return word == "files"; });
  return result;
}

/// Returns the name that a package of ROS gives itself in its package.xml; empty if there is none.
std::string name_of_package(const FileSource& source, const std::filesystem::path& folder) {
  const std::string description = (folder / "package.xml").string();
  if (!source.exists(description)) return "";
  const std::string text = source.read(description);
  const std::size_t start = text.find("<name>"), end = text.find("</name>");
  if (start == std::string::npos || end == std::string::npos || end < start) return "";
  return std::string(trimmed(std::string_view(text).substr(start + 6, end - start - 6)));
}

/// Returns the folders above a model, the innermost first.
std::vector<std::filesystem::path> folders_above(std::filesystem::path folder) {
  std::vector<std::filesystem::path> folders;
  for (; !folder.empty(); folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.root_path()) break;
  }
  return folders;
}

/// Returns the file in one of the folders that has a path, or the longest end of it; nothing if
/// none has. A package that was copied under another name, or without its outer folders, still
/// holds its files above the model. The end without any folder is searched in the innermost folder
/// only.
std::optional<std::filesystem::path> find_end_of_path(
    const FileSource& source, const std::vector<std::filesystem::path>& folders,
    const std::string& path) {
  std::size_t start = 0;
  while (start < path.size()) {
    const std::string end = path.substr(start);
    const std::size_t slash = end.find('/');
    if (slash == 0) {
      ++start;
      continue;
    }
    const bool is_bare = start > 0 && slash == std::string::npos;
    for (const std::filesystem::path& folder : folders) {
      if (source.exists((folder / end).string())) return folder / end;
      if (is_bare) break;
    }
    if (slash == std::string::npos) break;
    start += slash + 1;
  }
  return std::nullopt;
}

}  // namespace

bool has_scheme(const std::string& name) { return name.find(kSchemeEnd) != std::string::npos; }

InputFiles::InputFiles(const FileSource& source, std::filesystem::path scene_file,
                       std::map<std::string, std::filesystem::path> packages,
                       const FileSource* looks)
    : source_(source), scene_file_(std::move(scene_file)), packages_(std::move(packages)) {
  if (looks != nullptr) looks_ = std::make_unique<InputFiles>(*looks, scene_file_, packages_);
}

std::string InputFiles::shown_name(const std::string& name) const {
  if (has_scheme(name)) return name;
  return (scene_file_.parent_path() / name).lexically_normal().string();
}

std::vector<InputFile> InputFiles::take() {
  return {std::make_move_iterator(inputs_.begin()), std::make_move_iterator(inputs_.end())};
}

const std::string& InputFiles::read(const std::string& name, const SourceLocation& where) {
  return read_as(name, name, where);
}

const std::string& InputFiles::read_as(const std::string& key, const std::string& name,
                                       const SourceLocation& where) {
  // A file used twice is read and recorded once.
  const auto known = std::find_if(inputs_.begin(), inputs_.end(),
                                  [&](const InputFile& input) { return input.path == key; });
  if (known != inputs_.end()) return known->bytes;
  std::string bytes;
  try {
    bytes = source_.read(name);
  } catch (const std::runtime_error& error) {
    fail_at(where, "cannot read '" + shown_name(name) + "': " + error.what());
  }
  inputs_.push_back({key, std::move(bytes)});
  return inputs_.back().bytes;
}

const std::string& InputFiles::read_model_file_text(const std::string& uri,
                                                    const std::string& model_file,
                                                    const SourceLocation& where) {
  // Paths are relative to the model's folder; the record keeps them relative to the scene.
  if (!has_scheme(uri)) {
    return read_beside(uri, model_file, where);
  }
  // A log keeps files under their URIs, so that no package is needed to read it again.
  if (source_.exists(uri)) return read(uri, where);
  // On disk the URI must be resolved to a path.
  const std::string scheme = scheme_of(uri);
  if (scheme == "file") return read_as(uri, rest_of(uri), where);
  if (scheme == "package" || scheme == "model") {
    return read_as(uri, find_in_package(uri, model_file, where), where);
  }
  if (scheme == "http" || scheme == "https") return read_download(uri, where);
  fail_at(where, "cannot read '" + uri + "': only package://, model:// and file:// are known");
}

/// Reads a file of the network that the user has downloaded.
const std::string& InputFiles::read_download(const std::string& uri, const SourceLocation& where) {
  const std::string reason =
      "cannot read '" + uri + "': it is on the network, from which nothing is read here; ";
  const std::optional<FuelFile> fuel = fuel_file(uri);
  if (!fuel) fail_at(where, reason + "download it and name its file in place of the address");
  const auto given = packages_.find(fuel->model);
  if (given == packages_.end()) {
    fail_at(where, reason + "download the model with 'gz fuel download -u " + fuel->address +
                       "', and say in which folder its model.config is with --package '" +
                       fuel->model + "=DIR'");
  }
  const std::filesystem::path path = std::filesystem::absolute(given->second) / fuel->file;
  return read_as(uri, path.string(), where);
}

const std::string& InputFiles::read_beside(const std::string& name, const std::string& model_file,
                                           const SourceLocation& where) {
  const std::filesystem::path folder = std::filesystem::path(model_file).parent_path();
  const std::string key = (folder / name).lexically_normal().string();
  return read_as(key, find_beside(name, model_file).value_or(key), where);
}

/// Returns the file that a model names by a relative path; nothing if there is none.
std::optional<std::string> InputFiles::find_beside(const std::string& name,
                                                   const std::string& model_file) const {
  const std::filesystem::path folder = std::filesystem::path(model_file).parent_path();
  std::string path = (folder / name).lexically_normal().string();
  if (source_.exists(path)) return path;
  // Files of Windows have backslashes, and some programs count from a folder above the model.
  std::string slashed = name;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  path = (folder / slashed).lexically_normal().string();
  if (source_.exists(path)) return path;
  for (const std::filesystem::path& above : folders_above(source_.folder_of(model_file))) {
    path = (above / slashed).lexically_normal().string();
    if (source_.exists(path)) return path;
  }
  return std::nullopt;
}

std::filesystem::path InputFiles::path_of(const std::string& name) const {
  const std::filesystem::path folder = source_.folder_of(name);
  return folder.empty() ? folder : folder / std::filesystem::path(name).filename();
}

void InputFiles::replace(const std::string& name, const std::string& bytes) {
  for (InputFile& input : inputs_) {
    if (input.path == name) input.bytes = bytes;
  }
}

InputFile InputFiles::read_model_file(const std::string& uri, const std::string& model_file,
                                      const SourceLocation& where) {
  const std::string& bytes = read_model_file_text(uri, model_file, where);
  if (has_scheme(uri)) return {uri, bytes};
  const std::filesystem::path folder = std::filesystem::path(model_file).parent_path();
  return {(folder / uri).lexically_normal().string(), bytes};
}

bool InputFiles::knows(const std::string& uri, const std::string& model_file) const {
  if (!has_scheme(uri)) return find_beside(uri, model_file).has_value();
  if (source_.exists(uri)) return true;
  const std::string scheme = scheme_of(uri);
  if (scheme == "file") return source_.exists(rest_of(uri));
  if (scheme != "http" && scheme != "https") return search_package(uri, model_file).has_value();
  const std::optional<FuelFile> fuel = fuel_file(uri);
  const auto given = fuel ? packages_.find(fuel->model) : packages_.end();
  return given != packages_.end() &&
         source_.exists((std::filesystem::absolute(given->second) / fuel->file).string());
}

const std::string& InputFiles::add(const std::string& name, std::string bytes) {
  inputs_.push_back({name, std::move(bytes)});
  return inputs_.back().bytes;
}

std::optional<std::filesystem::path> InputFiles::search_package(
    const std::string& uri, const std::string& model_file) const {
  const auto [package, file] = split_uri(uri);
  // A folder that the user gives for the package is the only one tried.
  const auto given = packages_.find(package);
  if (given != packages_.end()) {
    const std::filesystem::path path = std::filesystem::absolute(given->second) / file;
    return source_.exists(path.string()) ? std::optional(path) : std::nullopt;
  }
  // Otherwise the package is a folder above the model, by its own name or that in its package.xml,
  // or lies beside one of these, or in a folder `models` there, as Gazebo's.
  const std::vector<std::filesystem::path> folders = folders_above(source_.folder_of(model_file));
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path inside = folder / file;
    const bool is_package =
        source_.exists(inside.string()) &&
        (folder.filename() == package || name_of_package(source_, folder) == package);
    if (is_package) return inside;
    for (const std::filesystem::path& beside : {folder / package, folder / "models" / package}) {
      if (source_.exists((beside / file).string())) return beside / file;
    }
  }
  // Packages lie beside each other, so that it may lie beside one that the user gives.
  for (const auto& [name, folder] : packages_) {
    const std::filesystem::path beside =
        (std::filesystem::absolute(folder) / "..").lexically_normal() / package;
    if (!package.empty() && source_.exists((beside / file).string())) return beside / file;
  }
  if (scheme_of(uri) == "package") {
    if (auto found = find_end_of_path(source_, folders, file)) return found;
  }
  // Three slashes may also begin a path of this machine.
  const std::string absolute = rest_of(uri);
  if (absolute.starts_with('/') && source_.exists(absolute)) return absolute;
  return std::nullopt;
}

std::string InputFiles::find_in_package(const std::string& uri, const std::string& model_file,
                                        const SourceLocation& where) const {
  if (const auto found = search_package(uri, model_file)) return found->string();
  const auto [package, file] = split_uri(uri);
  const auto given = packages_.find(package);
  if (given != packages_.end()) {
    const std::filesystem::path path = std::filesystem::absolute(given->second) / file;
    fail_at(where, "cannot find '" + uri + "': there is no '" + path.string() + "'");
  }
  const std::string given_later =
      rest_of(uri).starts_with('/')
          ? "say which folder package:/// is with --package =DIR, or where '" + package +
                "' is with --package " + package + "=DIR"
          : "say where the package is with --package " + package + "=DIR";
  fail_at(where, "cannot find '" + uri + "': no folder above the model holds it; " + given_later);
}

// package://NAME/FILE; three slashes leave the name out, unless the user gives a folder for it.
std::pair<std::string, std::string> InputFiles::split_uri(const std::string& uri) const {
  std::string rest = rest_of(uri);
  if (!packages_.contains("")) rest.erase(0, rest.find_first_not_of('/'));
  const std::string package = rest.substr(0, rest.find('/'));
  return {package, rest.size() > package.size() ? rest.substr(package.size() + 1) : ""};
}

}  // namespace amontons::io
