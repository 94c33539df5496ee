#include "amontons/io/mjcf/mjcf_document.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>

namespace amontons::io {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

MjcfDocument::MjcfDocument(const std::string& text, const std::string& model_file,
                           InputFiles& inputs) {
  // The main file comes first; its includes follow as they are met.
  add_includes(add_file(text, inputs.shown_name(model_file), "mujoco"), model_file, inputs);
}

const XMLElement& MjcfDocument::add_file(const std::string& text, const std::string& shown_name,
                                         const std::string& root) {
  files_.push_back(std::make_unique<File>());
  files_.back()->shown_name = shown_name;
  return parse_xml(text, shown_name, root, "an MJCF file", files_.back()->xml);
}

void MjcfDocument::add_includes(const XMLElement& element, const std::string& model_file,
                                InputFiles& inputs) {
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    // An <include> may be anywhere in the tree, and in included files.
    if (std::string(child->Name()) != "include") {
      add_includes(*child, model_file, inputs);
      continue;
    }
    const SourceLocation where = place_of(*child);
    const char* name = child->Attribute("file");
    if (name == nullptr) fail_at(where, "<include> needs the attribute 'file'");
    // MuJoCo forbids that a file is included twice, which also excludes cycles.
    const auto [first, is_new] = included_at_.emplace(name, where);
    if (!is_new) {
      fail_at(where, std::string("'") + name + "' is included twice, first at " +
                         first->second.file + ":" + std::to_string(first->second.line));
    }
    const std::string& text = inputs.read_model_file_text(name, model_file, where);
    // The name shown in messages is relative to the main file's folder.
    const std::string shown = inputs.shown_name(
        (std::filesystem::path(model_file).parent_path() / name).lexically_normal().string());
    const XMLElement& root = add_file(text, shown, "");
    included_[child] = &root;
    add_includes(root, model_file, inputs);
  }
}

std::vector<const XMLElement*> MjcfDocument::children(const XMLElement& element) const {
  std::vector<const XMLElement*> result;
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    // An <include> is replaced by its root's children, not by the root itself.
    const XMLElement* root = included_root(*child);
    if (root == nullptr) {
      result.push_back(child);
    } else {
      const std::vector<const XMLElement*> inner = children(*root);
      result.insert(result.end(), inner.begin(), inner.end());
    }
  }
  return result;
}

std::vector<const XMLElement*> MjcfDocument::children(const XMLElement& element,
                                                      const std::string& name) const {
  std::vector<const XMLElement*> result = children(element);
  std::erase_if(result, [&](const XMLElement* child) { return child->Name() != name; });
  return result;
}

std::vector<const XMLElement*> MjcfDocument::section(const std::string& name) const {
  std::vector<const XMLElement*> result;
  for (const XMLElement* part : children(root(), name)) {
    const std::vector<const XMLElement*> inner = children(*part);
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

const XMLElement* MjcfDocument::included_root(const XMLElement& element) const {
  const auto found = included_.find(&element);
  return found == included_.end() ? nullptr : found->second;
}

const std::string& MjcfDocument::file_of(const XMLElement& element) const {
  // Each element knows the document of its file.
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& file) {
    return &file->xml == element.GetDocument();
  });
  return (*found)->shown_name;
}

SourceLocation MjcfDocument::place_of(const XMLElement& element) const {
  return amontons::io::place_of(file_of(element), element);
}

SourceLocation MjcfDocument::place_of(const XMLElement& element,
                                      const XMLAttribute& attribute) const {
  return amontons::io::place_of(file_of(element), attribute);
}

}  // namespace amontons::io
