#include "amontons/io/sdf/sdf_document.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/completion/equal_names.h"
#include "amontons/io/sdf/completion/pose_quaternions.h"
#include "amontons/io/sdf/completion/reserved_names.h"
#include "amontons/io/sdf/completion/sdf_completion.h"
#include "amontons/io/sdf/sdf_fates.h"
#include "amontons/io/sdf/sdf_gazebo_models.h"
#include "amontons/io/sdf/sdf_names.h"
#include "amontons/io/sdf/sdf_rules.h"
#include "amontons/io/sdf/sdf_world_joints.h"
#include "amontons/io/sdf/shapes/newer_shapes.h"
#include "amontons/io/sdf/versions/sdf_old_version.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_value.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Elements of a file at most, with those of all files that it includes, as often as it does.
constexpr std::size_t kMaxElements = 500000;

/// Renames elements of later versions, which libsdformat 12 would refuse, to elements with our
/// prefix, and an attribute, which it would drop. The library keeps what has a prefix without
/// interpretation.
void rename_newer(XMLElement& element) {
  if (const char* method = element.Attribute("optimization")) {
    // The library refuses an empty attribute.
    if (*method != '\0') element.SetAttribute(kMeshOptimization, method);
    element.DeleteAttribute("optimization");
  }
  if (element.Attribute("auto") != nullptr) {
    element.SetAttribute(kAutoInertia, element.BoolAttribute("auto"));
    element.DeleteAttribute("auto");
  }
  // An empty frame is the one that counts without it, which the library does not accept.
  for (const char* frame : {"relative_to", "expressed_in", "attached_to"}) {
    const char* name = element.Attribute(frame);
    if (name != nullptr && *name == '\0') element.DeleteAttribute(frame);
  }
  for (const std::string_view newer : {"cone", "mimic", "screw_thread_pitch", "density"}) {
    if (newer == element.Name()) element.SetName(("amontons:" + std::string(newer)).c_str());
  }
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    rename_newer(*child);
  }
}

/// Adapts a checked document to libsdformat 12: version, newer elements, name of the world.
void adapt_to_libsdformat(XMLElement& sdf, const std::string& file, ImportLedger& ledger) {
  // The version becomes the newest one that the library knows.
  const std::string version = sdf.Attribute("version");
  if (version == "1.10" || version == "1.11" || version == "1.12") {
    sdf.SetAttribute("version", "1.9");
  }
  if (is_before_sdf_1_4(version)) sdf.SetAttribute("version", "1.4");
  rename_reserved_names(sdf, file, ledger);
  complete_sdf(sdf, file, ledger);
  number_equal_collisions(sdf, file, ledger);
  join_polylines(sdf, file, ledger);
  rename_newer(sdf);
  write_pose_quaternions(sdf);
  // libsdformat requires a name, which many files leave out.
  XMLElement* world = sdf.FirstChildElement("world");
  if (world != nullptr && world->Attribute("name") == nullptr) {
    world->SetAttribute("name", "default");
    const auto* original = static_cast<const XMLElement*>(world->GetUserData());
    ledger.add(ImportFate::Warning, "<world>: name", "it has none, which the format demands",
               place_of(file, *original));
  }
}

/// Returns the SDF file that a model.config names: the newest whose version is known.
std::string file_in_config(const std::string& config, const std::string& shown) {
  tinyxml2::XMLDocument document;
  const XMLElement& model = parse_xml(config, shown, "model", "a model.config", document);
  std::string best;
  double best_version = -1.0;
  for (const XMLElement* e = model.FirstChildElement("sdf"); e != nullptr;
       e = e->NextSiblingElement("sdf")) {
    const double version = e->DoubleAttribute("version", 0.0);
    // 1.9 is the newest version; 1.95 allows for its rounding as a number.
    if (e->GetText() == nullptr || version > 1.95 || version <= best_version) continue;
    best = check_value(e->GetText(), XmlValue::Text, "<sdf>", place_of(shown, *e));
    best_version = version;
  }
  if (best.empty()) fail_at(place_of(shown, model), "it names no SDF file of version 1.4 to 1.9");
  return best;
}

/// Returns true for the text of a URDF file, which is parsed then.
bool is_urdf(const std::string& text, const std::string& file, tinyxml2::XMLDocument& document) {
  parse_leniently(text, file, document);
  const XMLElement* root = document.Error() ? nullptr : document.RootElement();
  return root != nullptr && std::string_view(root->Name()) == "robot";
}

/// Makes the step that versions before 1.4 have within <ode> or <bullet> that of <physics>.
void move_old_steps(XMLElement& sdf) {
  XMLElement* world = sdf.FirstChildElement("world");
  XMLElement* physics = world != nullptr ? world->FirstChildElement("physics") : nullptr;
  if (physics == nullptr || physics->FirstChildElement("max_step_size") != nullptr) return;
  XMLElement* ode = physics->FirstChildElement("ode");
  for (XMLElement* holder : {ode != nullptr ? ode->FirstChildElement("solver") : nullptr,
                             physics->FirstChildElement("bullet")}) {
    XMLElement* step = holder != nullptr ? holder->FirstChildElement("dt") : nullptr;
    if (step == nullptr) continue;
    step->SetName("max_step_size");
    physics->InsertEndChild(step);
    return;
  }
}

}  // namespace

SdfDocument::SdfDocument(const std::string& text, const std::string& key, ImportContext& context)
    : context_(context) {
  add(text, key);
}

const SdfFile& SdfDocument::file_of(const std::string& path) const {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const SdfFile& file) { return file.path == path; });
  return found == files_.end() ? files_.front() : *found;
}

std::string SdfDocument::text_without(const std::set<std::size_t>& models) {
  XMLElement* holder = files_.front().used->RootElement();
  if (holder->FirstChildElement("world") != nullptr) holder = holder->FirstChildElement("world");
  std::size_t index = 0;
  for (XMLElement *e = holder->FirstChildElement(), *next = nullptr; e != nullptr; e = next) {
    next = e->NextSiblingElement();
    const std::string_view name = e->Name();
    const bool is_model = name == "model" || name == "include";
    if (name == "frame" || (is_model && models.count(index++) > 0)) holder->DeleteChild(e);
  }
  return text_with_lines(*files_.front().used);
}

// Files included by a URI are recorded under URIs, the others relative to the scene.
const std::string& SdfDocument::read(const std::string& uri, const SdfFile& from,
                                     const SourceLocation& where) {
  const auto [name, model_file] = name_of_file(uri, from);
  return context_.inputs.read_model_file_text(name, model_file, where);
}

std::pair<std::string, std::string> SdfDocument::name_of_file(const std::string& uri,
                                                              const SdfFile& from) const {
  return {full_uri(uri, from), has_scheme(from.key) ? main().key : from.key};
}

// A key is relative to the scene, or a URI.
const std::string& SdfDocument::read_as(const std::string& key, const SourceLocation& where) {
  const std::string_view known = gazebo_model_file(key);
  if (!known.empty() && !context_.inputs.knows(key, main().key)) {
    if (!key.ends_with("/model.config")) {
      const std::string model = key.ends_with(".sdf") ? key.substr(0, key.rfind('/')) : key;
      context_.ledger.add(ImportFate::Applied, "<include> " + model,
                          "no folder above the file holds it: the model that comes with Gazebo",
                          where);
    }
    return context_.inputs.add(key, std::string(known));
  }
  return has_scheme(key) ? context_.inputs.read_model_file_text(key, main().key, where)
                         : context_.inputs.read(key, where);
}

// A relative name within a file that was included by a URI is relative to that URI.
std::string SdfDocument::full_uri(const std::string& uri, const SdfFile& from) const {
  if (has_scheme(uri) || !has_scheme(from.key)) return uri;
  return from.key.substr(0, from.key.rfind('/') + 1) + uri;
}

const SdfFile& SdfDocument::add(const std::string& text, const std::string& key) {
  // The file enters the list ahead of its includes; an empty path marks it as unfinished.
  const std::size_t index = files_.size();
  files_.emplace_back();
  SdfFile& file = files_.back();
  file.key = key;
  file.shown = context_.inputs.shown_name(key);
  file.original = std::make_unique<tinyxml2::XMLDocument>();
  // Check and record the file by itself, and copy its used part.
  parse_leniently(text, file.shown, *file.original);
  // Up to version 1.2 the root had the name of the program.
  if (XMLElement* old = file.original->FirstChildElement("gazebo")) old->SetName("sdf");
  convert_old_sdf(*file.original);
  if (XMLElement* root = file.original->RootElement()) {
    rename_drake_shapes(*root);
    trim_names(*root);
  }
  const XMLElement& root = checked_root(*file.original, file.shown, "sdf", "an SDF file");
  const std::string_view version = root.Attribute("version") ? root.Attribute("version") : "";
  if (is_before_sdf_1_4(version)) move_old_steps(*file.original->RootElement());
  file.used = std::make_unique<tinyxml2::XMLDocument>();
  tinyxml2::XMLDocument& used = *file.used;
  FaultList faults;
  faults.attempt([&] { walk_xml(root, sdf_format(), file.shown, context_.ledger, used); });
  faults.attempt([&] { check_sdf_names(root, file.shown); });
  if (!faults.empty()) add_missing_meshes(root, file, faults);
  faults.throw_any();
  adapt_to_libsdformat(*used.RootElement(), file.shown, context_.ledger);
  // Included files come first, since their paths replace the URIs in this one.
  include_files(*used.RootElement(), file);
  file.num_elements = num_elements_of(*used.RootElement());
  if (file.num_elements > kMaxElements) {
    fail_at(place_of(file.shown, root), "it has more than " + std::to_string(kMaxElements) +
                                            " elements with all files that it includes");
  }
  if (XMLElement* world = used.RootElement()->FirstChildElement("world")) {
    const auto name_of_file = [&](const std::string& path) {
      const XMLElement* model = file_of(path).used->RootElement()->FirstChildElement("model");
      const char* name = model != nullptr ? model->Attribute("name") : nullptr;
      return std::string(name != nullptr ? name : "");
    };
    number_equal_models(*world, name_of_file, file.shown, context_.ledger);
    join_models(*world, name_of_file);
  }
  file.text = text_with_lines(used);
  file.path = folder_.write(std::to_string(index) + ".sdf", file.text);
  return file;
}

std::size_t SdfDocument::num_elements_of(const XMLElement& element) const {
  std::size_t count = 1;
  if (std::string_view(element.Name()) == "include") {
    count += file_of(trimmed_text(element.FirstChildElement("uri"))).num_elements;
  }
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    count += num_elements_of(*child);
  }
  return count;
}

void SdfDocument::add_missing_meshes(const XMLElement& element, const SdfFile& file,
                                     FaultList& faults) {
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view name = child->Name();
    const XMLElement* uri = name == "mesh" ? child->FirstChildElement("uri") : nullptr;
    if (uri != nullptr) {
      faults.attempt([&] { read(trimmed_text(uri), file, place_of(file.shown, *child)); });
    }
    const bool is_nothing = name == "collision" && fate_of_collision(*child);
    if (name != "visual" && !is_nothing) add_missing_meshes(*child, file, faults);
  }
}

void SdfDocument::include_files(XMLElement& used, const SdfFile& from) {
  for (XMLElement *e = used.FirstChildElement(), *next = nullptr; e != nullptr; e = next) {
    next = e->NextSiblingElement();
    if (std::string_view(e->Name()) != "include") {
      include_files(*e, from);
      continue;
    }
    const auto* original = static_cast<const XMLElement*>(e->GetUserData());
    XMLElement* uri = e->FirstChildElement("uri");
    const SourceLocation where = place_of(from.shown, *original);
    const std::string key = key_of(uri->GetText(), from, where);
    const std::string& text = read_as(key, where);
    tinyxml2::XMLDocument robot;
    if (is_urdf(text, context_.inputs.shown_name(key), robot)) {
      add_robot(key, *robot.RootElement(), *original, from);
      used.DeleteChild(e);
      continue;
    }
    const SdfFile& file = include(key, text, where);
    uri->SetText(file.path.c_str());
    // A light or an actor moves nothing and is no part of the used text.
    if (file.used->RootElement()->FirstChildElement("model") == nullptr) used.DeleteChild(e);
  }
}

/// Returns the key of a file or folder that an include names without a scheme: beside the including
/// file, else among the models that model:// finds, else beside the folder of the including file.
/// @param inside  a file that a folder holds, with a slash; empty for a file.
std::string SdfDocument::place_of_include(const std::string& name, const std::string& inside,
                                          const SdfFile& from, const SourceLocation& where) const {
  const InputFiles& inputs = context_.inputs;
  const auto exists = [&](const std::string& key) {
    return has_scheme(key) ? inputs.knows(key + inside, main().key) : inputs.has(key + inside);
  };
  const std::filesystem::path folder = std::filesystem::path(from.key).parent_path();
  const std::string beside =
      has_scheme(from.key) ? full_uri(name, from) : (folder / name).lexically_normal().string();
  if (exists(beside)) return beside;
  const std::string model = "model://" + name;
  if (exists(model) || !gazebo_model_file(model + inside).empty()) return model;
  const std::string neighbor = (folder.parent_path() / name).lexically_normal().string();
  if (!has_scheme(from.key) && !folder.empty() && exists(neighbor)) return neighbor;
  if (inside.empty() || name.find('/') != std::string::npos) return beside;
  fail_at(where, "cannot find the model '" + name +
                     "': it is neither beside the file nor in a folder above it; say where it is "
                     "with --package " +
                     name + "=DIR");
}

/// Returns the key of the file that an include names.
std::string SdfDocument::key_of(const std::string& uri, const SdfFile& from,
                                const SourceLocation& where) {
  // An include names a file, or a model's folder, whose model.config names the SDF file.
  std::string name = uri;
  if (name.ends_with('/')) name.pop_back();
  // libsdformat searches file://NAME as NAME; a path of this machine begins with a slash.
  constexpr std::string_view kFile = "file://";
  if (name.starts_with(kFile) && !name.starts_with("file:///")) name.erase(0, kFile.size());
  bool is_file = false;
  for (const char* ending : {".sdf", ".world", ".urdf", ".xml", ".model", ".light"}) {
    is_file = is_file || name.ends_with(ending);
  }
  if (!has_scheme(name)) name = place_of_include(name, is_file ? "" : "/model.config", from, where);
  if (is_file) return name;
  const std::string config = name + "/model.config";
  return name + "/" + file_in_config(read_as(config, where), context_.inputs.shown_name(config));
}

const SdfFile& SdfDocument::include(const std::string& key, const std::string& text,
                                    const SourceLocation& where) {
  // A file without a path is still being read, so that this include closes a circle.
  for (const SdfFile& known : files_) {
    if (known.key != key) continue;
    if (known.path.empty()) {
      fail_at(where, "'" + known.shown + "' includes itself, directly or through others");
    }
    return known;
  }
  return add(text, key);
}

/// Lists a URDF file that a world includes.
void SdfDocument::add_robot(const std::string& key, const XMLElement& robot,
                            const XMLElement& include, const SdfFile& from) {
  const SourceLocation where = place_of(from.shown, include);
  const std::string_view holder = include.Parent()->ToElement()->Name();
  if (holder != "world" || &from != &files_.front()) {
    fail_at(where, "'" + key +
                       "' is a URDF file, which only a world includes here, not a model; "
                       "convert it with 'gz sdf -p " +
                       key + " > robot.sdf'");
  }
  const XMLElement* name = include.FirstChildElement("name");
  const char* given = name != nullptr ? name->GetText() : robot.Attribute("name");
  robots_.push_back({key, given != nullptr ? given : "", &include});
}

}  // namespace amontons::io
