#include "amontons/io/mjcf/mjcf_expansion.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/io/mjcf/mjcf_composite.h"
#include "amontons/io/mjcf/mjcf_copy.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <set>
#include <tuple>

// <replicate>, <attach> and <composite>: elements that make others.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns numbers as the text of an attribute.
std::string text_of(const Eigen::Vector3d& v) {
  return shortest_text(v.x()) + " " + shortest_text(v.y()) + " " + shortest_text(v.z());
}

/// Holds an element of a tree, and the default class of what lies inside the elements around it.
struct Found {
  const XMLElement* element = nullptr;
  std::string childclass;
};

/// Finds the body or frame of a name below an element.
Found find_in_tree(const MjcfDocument& document, const XMLElement& element, const std::string& tag,
                   const std::string& name, const std::string& childclass) {
  const char* own = element.Attribute("childclass");
  const std::string inner = own == nullptr ? childclass : own;
  for (const XMLElement* child : document.children(element)) {
    const char* given = child->Attribute("name");
    if (child->Name() == tag && given != nullptr && given == name) return {child, inner};
    const Found found = find_in_tree(document, *child, tag, name, inner);
    if (found.element != nullptr) return found;
  }
  return {};
}

/// Holds the number of an element and all inside it, and that of the bytes of their attributes.
struct Size {
  std::size_t elements = 1, bytes = 0;
};

Size size_of(const MjcfDocument& document, const XMLElement& element) {
  Size size{1, num_attribute_bytes(element)};
  for (const XMLElement* child : document.children(element)) {
    const Size inner = size_of(document, *child);
    size.elements += inner.elements;
    size.bytes += inner.bytes;
  }
  return size;
}

/// Makes the copies of one document.
class Expansion {
 public:
  explicit Expansion(MjcfReader& reader) : reader_(reader), document_(reader.file.document) {}

  /// Expands all trees of a model.
  void expand_model(int model) {
    if (!models_.insert(model).second) return;
    for (const XMLElement* tree : document_.children(document_.root(model), "worldbody")) {
      expand(*tree, model);
    }
  }

 private:
  /// Expands what lies inside an element, from the inside outwards.
  void expand(const XMLElement& element, int model) {
    active_.insert(&element);
    for (const XMLElement* child : document_.children(element)) {
      const std::string tag = child->Name();
      require_local(*child, model);
      if (tag == "attach") {
        attach(*child, model);
      } else if (tag == "composite" && is_rigid_mjcf_composite(*child)) {
        make_mjcf_composite(reader_, *child, element, model);
      } else if (tag == "replicate" || tag == "body" || tag == "frame") {
        expand(*child, model);
        if (tag == "replicate") replicate(*child, model);
      }
    }
    active_.erase(&element);
  }

  /// Fails for an element that places others, in a model with global coordinates.
  void require_local(const XMLElement& xml, int model) const {
    const std::string tag = xml.Name();
    const bool places = tag == "attach" || tag == "frame" || tag == "replicate" ||
                        (tag == "composite" && is_rigid_mjcf_composite(xml));
    if (!places || !reader_.compilers[static_cast<std::size_t>(model)].global) return;
    reader_.element(xml, "").fail("goes with local coordinates only (compiler coordinate)");
  }

  /// Returns a holder of elements that take the place of one.
  XMLElement& take_place(const XMLElement& element) {
    XMLElement& holder = document_.make(element.Name(), element);
    document_.replace(element, holder);
    return holder;
  }

  /// Replaces a <replicate> by frames that hold its copies.
  void replicate(const XMLElement& xml, int model) {
    const MjcfElement element = reader_.element(xml, "");
    const int count = element.integer("count", 0);
    if (count < 1) {
      element.fail(element.has("count") ? "count must be positive" : "needs the attribute 'count'");
    }
    // Too many are refused before the first is made.
    const Size size = size_of(document_, xml);
    const auto times = static_cast<std::size_t>(count);
    document_.require_space(xml, times * size.elements, times * size.bytes);
    const Eigen::Vector3d offset = element.vector3("offset", Eigen::Vector3d::Zero());
    const Eigen::Vector3d euler = element.vector3("euler", Eigen::Vector3d::Zero());
    const std::string sep = element.text("sep"), childclass = element.text("childclass");
    MjcfNames names;
    for (const XMLElement* child : document_.children(xml)) {
      collect_mjcf_names(document_, *child, names);
    }
    // Elements outside the tree are copied with the same endings, behind all others.
    const std::vector<const XMLElement*> content = document_.children(xml);
    XMLElement& holder = take_place(xml);
    const MjcfReferences references =
        find_mjcf_references(document_, model, MjcfCopyIf::Any, names);
    // As many digits as the count itself has.
    const std::size_t digits = std::to_string(count).size();
    Pose X;
    for (int i = 0; i < count; ++i) {
      std::string number = std::to_string(i);
      number.insert(0, digits - number.size(), '0');
      const MjcfRenaming renaming{"", sep + number, false};
      XMLElement& frame = document_.make("frame", xml);
      holder.InsertEndChild(&frame);
      frame.SetAttribute("pos", text_of(X.translation).c_str());
      // Multiples of the angles, not products of rotations, as MuJoCo does.
      frame.SetAttribute("euler", text_of(static_cast<double>(i) * euler).c_str());
      if (!childclass.empty()) frame.SetAttribute("childclass", childclass.c_str());
      for (const XMLElement* child : content) copy_mjcf_tree(document_, *child, renaming, frame);
      copy_mjcf_references(document_, references, model, renaming);
      const Eigen::Matrix3d R = mjcf_rotation_from_euler(
          reader_.compiler_of(element), Eigen::Vector3d(static_cast<double>(i) * euler));
      X.translation += R * offset;
    }
    for (const auto& [section, elements] : references.sections) {
      for (const XMLElement* original : elements) document_.remove(*original);
    }
  }

  /// Replaces an <attach> by a copy of a body, a frame, or the whole tree of a model.
  void attach(const XMLElement& xml, int model) {
    const MjcfElement element = reader_.element(xml, "");
    if (!element.has("prefix")) element.fail("needs the attribute 'prefix'");
    if (element.has("body") && element.has("frame")) {
      element.fail("frame", "and body both say what is attached; give one");
    }
    const bool other_model = element.has("model");
    if (!other_model && !element.has("body") && !element.has("frame")) {
      element.fail("needs the attribute 'model', or 'body' or 'frame' of this model");
    }
    const int from = other_model ? load_model(element, model) : model;
    if (reader_.compilers[static_cast<std::size_t>(from)].global) {
      element.fail("model", "has global coordinates (compiler coordinate): it cannot be attached");
    }
    const MjcfRenaming renaming{element.text("prefix"), "", other_model};
    // The copy's outermost class is that of its own model.
    const std::vector<Found> sources = find_sources(element, from, other_model);
    XMLElement& holder = take_place(xml);
    MjcfNames names;
    for (const Found& source : sources) {
      XMLElement& frame = document_.make("frame", xml);
      holder.InsertEndChild(&frame);
      if (other_model) {
        const std::string own = source.childclass.empty() ? MjcfDefaults::kMain : source.childclass;
        frame.SetAttribute("childclass", (renaming.prefix + own).c_str());
      } else if (!source.childclass.empty()) {
        frame.SetAttribute("childclass", source.childclass.c_str());
      }
      collect_mjcf_names(document_, *source.element, names);
      copy_mjcf_tree(document_, *source.element, renaming, frame);
    }
    const MjcfCopyIf condition = other_model ? MjcfCopyIf::All : MjcfCopyIf::Any;
    copy_mjcf_references(document_, find_mjcf_references(document_, from, condition, names), model,
                         renaming);
    if (other_model) copy_classes_and_assets(from, model, renaming);
  }

  /// Returns the index of the model that an <attach> names, expanded.
  int load_model(const MjcfElement& element, int model) {
    const std::string name = element.text("model");
    std::vector<std::string> names;
    for (const XMLElement* xml : document_.section("asset", model)) {
      if (std::string(xml->Name()) != "model") continue;
      const MjcfElement asset = reader_.element(*xml, "");
      if (!asset.has("file")) asset.fail("needs the attribute 'file'");
      const std::string file = asset.text("file");
      const std::string path =
          (std::filesystem::path(document_.model_file(model)).parent_path() / file)
              .lexically_normal()
              .string();
      // Without a name it has that of its file's <mujoco model="...">.
      const char* given = xml->Attribute("name");
      if (given != nullptr && given != name) {
        names.emplace_back(given);
        continue;
      }
      if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
        element.fail("model", "attaches a model to itself: '" + name + "'");
      }
      const int index = document_.add_model(path, asset.where("file"), reader_.context.inputs);
      const char* own = document_.root(index).Attribute("model");
      if (given == nullptr && (own == nullptr || own != name)) {
        names.emplace_back(own == nullptr ? "" : own);
        continue;
      }
      read_mjcf_compilers(reader_);
      open_.push_back(path);
      expand_model(index);
      open_.pop_back();
      return index;
    }
    element.fail("model", "names no model of <asset>: '" + name + "'" + did_you_mean(name, names));
  }

  /// Returns what an <attach> copies. @throws ParseError if it is not there.
  std::vector<Found> find_sources(const MjcfElement& element, int from, bool other_model) {
    const bool is_frame = element.has("frame");
    std::vector<Found> result;
    for (const XMLElement* tree : document_.children(document_.root(from), "worldbody")) {
      if (!is_frame && !element.has("body")) {
        const char* own = tree->Attribute("childclass");
        for (const XMLElement* child : document_.children(*tree)) {
          result.push_back({child, own == nullptr ? "" : own});
        }
        continue;
      }
      const std::string tag = is_frame ? "frame" : "body";
      const Found found = find_in_tree(document_, *tree, tag, element.text(tag), "");
      if (found.element == nullptr) continue;
      if (active_.count(found.element) > 0) element.fail(tag, "holds the <attach> itself");
      if (!other_model) expand(*found.element, from);
      return {found};
    }
    if (element.has("body") || is_frame) {
      const std::string tag = is_frame ? "frame" : "body";
      element.fail(tag, "names no " + tag + " of the model: '" + element.text(tag) + "'");
    }
    return result;
  }

  /// Copies the defaults and assets of a model that is attached, once for each prefix.
  void copy_classes_and_assets(int from, int to, const MjcfRenaming& renaming) {
    if (!shared_.insert({from, to, renaming.prefix}).second) return;
    const std::vector<const XMLElement*> classes =
        document_.children(document_.root(from), "default");
    // A model without defaults has its outermost class, too.
    if (classes.empty()) {
      XMLElement& holder = document_.make("default", document_.root(from));
      holder.SetAttribute("class", (renaming.prefix + MjcfDefaults::kMain).c_str());
      document_.append(to, holder);
    }
    for (const XMLElement* section : classes) {
      XMLElement& holder = document_.make("default", *section);
      for (const XMLElement* child : document_.children(*section)) {
        copy_mjcf_tree(document_, *child, renaming, holder);
      }
      // The outermost class of a model has the prefix, too, and keeps it where it is copied again.
      const bool own = document_.model_of(*section) == from;
      const std::string name = own ? MjcfDefaults::kMain : section->Attribute("class");
      holder.SetAttribute("class", (renaming.prefix + name).c_str());
      document_.append(to, holder);
    }
    for (const XMLElement* section : document_.children(document_.root(from), "asset")) {
      XMLElement& holder = document_.make("asset", *section);
      for (const XMLElement* asset : document_.children(*section)) {
        const std::string tag = asset->Name();
        if (tag != "mesh" && tag != "hfield") continue;
        XMLElement& copy = copy_mjcf_tree(document_, *asset, renaming, holder);
        copy.SetAttribute("name", renaming.of(name_of_mjcf_asset(*asset)).c_str());
        if (copy.Attribute("class") == nullptr && tag == "mesh") {
          copy.SetAttribute("class", (renaming.prefix + MjcfDefaults::kMain).c_str());
        }
      }
      document_.append(to, holder);
    }
  }

  MjcfReader& reader_;
  MjcfDocument& document_;
  std::set<int> models_;                                // expanded already
  std::vector<std::string> open_;                       // files that are being expanded
  std::set<const XMLElement*> active_;                  // elements that are being expanded
  std::set<std::tuple<int, int, std::string>> shared_;  // classes and assets that are copied
};

}  // namespace

void expand_mjcf(MjcfReader& reader) { Expansion(reader).expand_model(0); }

}  // namespace amontons::io
