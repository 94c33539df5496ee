#include "amontons/io/mjcf/mjcf_document.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace amontons::io {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

namespace {

/// Returns the name of a file that another one names, relative to the scene.
std::string beside(const std::string& file, const std::string& name) {
  return (std::filesystem::path(file).parent_path() / name).lexically_normal().string();
}

}  // namespace

std::size_t num_attribute_bytes(const XMLElement& element) {
  std::size_t bytes = 0;
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    bytes += std::strlen(a->Name()) + std::strlen(a->Value());
  }
  return bytes;
}

MjcfDocument::MjcfDocument(const std::string& text, const std::string& model_file,
                           InputFiles& inputs) {
  // The main file comes first; its includes follow as they are met.
  models_.push_back({model_file, nullptr, {}});
  const XMLElement& root = add_file(text, inputs.shown_name(model_file), "mujoco", 0);
  models_[0].root = &root;
  add_includes(root, 0, inputs);
}

int MjcfDocument::add_model(const std::string& file, const SourceLocation& where,
                            InputFiles& inputs) {
  const auto known = std::find_if(models_.begin(), models_.end(),
                                  [&](const Model& model) { return model.file == file; });
  if (known != models_.end()) return static_cast<int>(known - models_.begin());
  const std::string& text = inputs.read(file, where);
  const int model = num_models();
  models_.push_back({file, nullptr, {}});
  const XMLElement& root = add_file(text, inputs.shown_name(file), "mujoco", model);
  models_.back().root = &root;
  add_includes(root, model, inputs);
  return model;
}

const XMLElement& MjcfDocument::add_file(const std::string& text, const std::string& shown_name,
                                         const std::string& root, int model) {
  files_.push_back(std::make_unique<File>());
  files_.back()->shown_name = shown_name;
  files_.back()->model = model;
  return parse_xml(text, shown_name, root, "an MJCF file", files_.back()->xml);
}

void MjcfDocument::add_includes(const XMLElement& element, int model, InputFiles& inputs) {
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    // An <include> may be anywhere in the tree, and in included files.
    if (std::string(child->Name()) != "include") {
      add_includes(*child, model, inputs);
      continue;
    }
    const SourceLocation where = place_of(*child);
    const char* name = child->Attribute("file");
    if (name == nullptr) fail_at(where, "<include> needs the attribute 'file'");
    // MuJoCo forbids that a file is included twice, which also excludes cycles.
    Model& own = models_[static_cast<std::size_t>(model)];
    const auto [first, is_new] = own.included_at.emplace(name, where);
    if (!is_new) {
      fail_at(where, std::string("'") + name + "' is included twice, first at " +
                         first->second.file + ":" + std::to_string(first->second.line));
    }
    const std::string& text = inputs.read_model_file_text(name, own.file, where);
    // The name shown in messages is relative to the main file's folder.
    const XMLElement& root = add_file(text, inputs.shown_name(beside(own.file, name)), "", model);
    included_[child] = &root;
    add_includes(root, model, inputs);
  }
}

std::vector<const XMLElement*> MjcfDocument::children(const XMLElement& element) const {
  std::vector<const XMLElement*> result;
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    if (removed_.count(child) > 0) continue;
    // An <include> is replaced by its root's children, not by the root itself.
    const XMLElement* root = included_root(*child);
    const auto replaced = replaced_.find(child);
    if (replaced != replaced_.end()) root = replaced->second;
    if (root == nullptr) {
      result.push_back(child);
    } else {
      const std::vector<const XMLElement*> inner = children(*root);
      result.insert(result.end(), inner.begin(), inner.end());
    }
  }
  const auto more = appended_.find(&element);
  if (more != appended_.end()) {
    result.insert(result.end(), more->second.begin(), more->second.end());
  }
  return result;
}

std::vector<const XMLElement*> MjcfDocument::children(const XMLElement& element,
                                                      const std::string& name) const {
  std::vector<const XMLElement*> result = children(element);
  std::erase_if(result, [&](const XMLElement* child) { return child->Name() != name; });
  return result;
}

std::vector<const XMLElement*> MjcfDocument::section(const std::string& name, int model) const {
  std::vector<const XMLElement*> result;
  for (const XMLElement* part : children(root(model), name)) {
    const std::vector<const XMLElement*> inner = children(*part);
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

const XMLElement* MjcfDocument::included_root(const XMLElement& element) const {
  const auto found = included_.find(&element);
  return found == included_.end() ? nullptr : found->second;
}

const XMLElement& MjcfDocument::origin(const XMLElement& element) const {
  const auto found = origins_.find(&element);
  return found == origins_.end() ? element : *found->second;
}

const XMLAttribute* MjcfDocument::origin(const XMLElement& element,
                                         const XMLAttribute& attribute) const {
  const XMLElement& original = origin(element);
  return &original == &element ? &attribute : original.FindAttribute(attribute.Name());
}

void MjcfDocument::require_space(const XMLElement& for_element, std::size_t elements,
                                 std::size_t bytes) const {
  if (origins_.size() + elements <= kMostCopies && num_bytes_ + bytes <= kMostBytes) return;
  fail_at(place_of(for_element), record_name(origin(for_element)) + ": makes more than " +
                                     std::to_string(kMostCopies) + " elements or " +
                                     std::to_string(kMostBytes >> 20U) +
                                     " MiB of attributes, with all others; lower the counts");
}

XMLElement& MjcfDocument::make(const char* name, const XMLElement& origin) {
  const std::size_t bytes = num_attribute_bytes(origin);
  require_space(origin, 1, bytes);
  num_bytes_ += bytes;
  XMLElement* element = copies_->NewElement(name);
  copies_->InsertEndChild(element);
  origins_[element] = &this->origin(origin);
  return *element;
}

void MjcfDocument::replace(const XMLElement& element, const XMLElement& by) {
  replaced_[&element] = &by;
}

void MjcfDocument::append(int model, const XMLElement& section) {
  appended_[&root(model)].push_back(&section);
}

int MjcfDocument::model_of(const XMLElement& element) const { return file_of(element).model; }

const MjcfDocument::File& MjcfDocument::file_of(const XMLElement& element) const {
  // Each element knows the document of its file.
  const tinyxml2::XMLDocument* xml = origin(element).GetDocument();
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const auto& file) { return &file->xml == xml; });
  return **found;
}

SourceLocation MjcfDocument::place_of(const XMLElement& element) const {
  return amontons::io::place_of(file_of(element).shown_name, origin(element));
}

SourceLocation MjcfDocument::place_of(const XMLElement& element,
                                      const XMLAttribute& attribute) const {
  const XMLAttribute* original = origin(element, attribute);
  if (original == nullptr) return place_of(element);
  return amontons::io::place_of(file_of(element).shown_name, *original);
}

}  // namespace amontons::io
