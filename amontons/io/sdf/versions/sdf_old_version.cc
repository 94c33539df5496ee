#include "amontons/io/sdf/versions/sdf_old_version.h"

#include "amontons/io/xml/xml_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// Names attributes of an element that are elements within it since version 1.2.
struct Attributes {
  std::string_view element;
  std::vector<std::string_view> names;
};

/// Names an attribute of an element that became its text or, with `child`, a child of that name.
struct RenamedAttribute {
  std::string_view element, name, child;
};

/// Returns the attributes that became elements of the same name.
const std::vector<Attributes>& moved_attributes() {
  static const std::vector<Attributes> kMoved = {
      {"model", {"static"}},
      {"link", {"gravity", "self_collide", "kinematic"}},
      {"inertial", {"mass", "density"}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}},
      {"collision", {"laser_retro"}},
      {"box", {"size"}},
      {"sphere", {"radius"}},
      {"cylinder", {"radius", "length"}},
      {"mesh", {"scale"}},
      {"plane", {"normal"}},
      {"heightmap", {"size"}},
      {"bounce", {"restitution_coefficient", "threshold"}},
      {"ode",
       {"mu", "mu2", "fdir1", "slip1", "slip2", "soft_cfm", "soft_erp", "kp", "kd", "max_vel",
        "min_depth"}},
      {"axis", {"xyz"}},
      {"axis2", {"xyz"}},
      {"dynamics", {"damping", "friction"}},
      {"limit", {"lower", "upper", "effort", "velocity", "cfm", "erp"}},
      {"suspension", {"cfm", "erp"}},
      {"physics", {"update_rate"}},
      {"solver", {"type", "dt", "iters", "precon_iters", "sor"}},
      {"state", {"time"}}};
  return kMoved;
}

/// Returns the attributes that became texts, or elements of another name.
const std::vector<RenamedAttribute>& renamed_attributes() {
  static const std::vector<RenamedAttribute> kRenamed = {{"origin", "pose", ""},
                                                         {"parent", "link", ""},
                                                         {"child", "link", ""},
                                                         {"gravity", "xyz", ""},
                                                         {"ambient", "rgba", ""},
                                                         {"diffuse", "rgba", ""},
                                                         {"mesh", "filename", "uri"},
                                                         {"include", "filename", "uri"},
                                                         {"heightmap", "filename", "uri"},
                                                         {"heightmap", "origin", "pos"}};
  return kRenamed;
}

/// Converts the elements of a document.
class Conversion {
 public:
  /// Converts an element and all its content; that of a plugin is its own.
  void convert(XMLElement& element) {
    if (std::string_view(element.Name()) == "plugin") return;
    for (XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      convert(*child);
    }
    // Each child is inserted in front, so that the order of the attributes needs them backwards.
    std::vector<const XMLAttribute*> attributes;
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      attributes.push_back(a);
    }
    std::reverse(attributes.begin(), attributes.end());
    for (const XMLAttribute* attribute : attributes) move(element, *attribute);
    rename(element);
  }

  /// Returns the line of an element.
  int line_of(const XMLElement& element) const {
    const auto found = lines_.find(&element);
    return found == lines_.end() ? element.GetLineNum() : found->second;
  }

 private:
  /// Makes an attribute the text of its element or an element within it, where 1.2 has it so.
  void move(XMLElement& element, const XMLAttribute& attribute) {
    const std::string_view tag = element.Name();
    const std::string name = attribute.Name();
    for (const RenamedAttribute& renamed : renamed_attributes()) {
      if (renamed.element != tag || renamed.name != name) continue;
      if (!renamed.child.empty()) {
        insert(element, attribute, std::string(renamed.child));
        return;
      }
      if (element.NoChildren()) element.SetText(attribute.Value());
      element.DeleteAttribute(name.c_str());
      return;
    }
    for (const Attributes& moved : moved_attributes()) {
      if (moved.element != tag) continue;
      if (std::find(moved.names.begin(), moved.names.end(), name) == moved.names.end()) return;
      insert(element, attribute, name);
      return;
    }
  }

  /// Replaces an attribute by an element within its element.
  void insert(XMLElement& element, const XMLAttribute& attribute, const std::string& name) {
    XMLElement* child = element.GetDocument()->NewElement(name.c_str());
    child->SetText(attribute.Value());
    lines_[child] = attribute.GetLineNum();
    element.InsertFirstChild(child);
    element.DeleteAttribute(attribute.Name());
  }

  /// Gives an element its name of version 1.2.
  static void rename(XMLElement& element) {
    const std::string_view name = element.Name();
    const XMLElement* parent = element.Parent() ? element.Parent()->ToElement() : nullptr;
    const std::string_view holder = parent != nullptr ? parent->Name() : "";
    if (name == "origin") element.SetName("pose");
    if (name == "damping" && holder == "link") element.SetName("velocity_decay");
    if (name == "filename" && holder == "mesh") element.SetName("uri");
  }

  std::map<const XMLElement*, int> lines_;  // of elements that were attributes
};

}  // namespace

bool is_before_sdf_1_4(std::string_view version) {
  return version == "1.0" || version == "1.1" || version == "1.2" || version == "1.3";
}

void convert_old_sdf(tinyxml2::XMLDocument& document) {
  XMLElement* root = document.Error() ? nullptr : document.RootElement();
  const char* version = root != nullptr ? root->Attribute("version") : nullptr;
  if (version == nullptr) return;
  if (std::string_view(version) != "1.0" && std::string_view(version) != "1.1") return;
  Conversion conversion;
  conversion.convert(*root);
  // Only what is parsed has lines.
  const std::string text = text_with_lines(
      document, [&](const XMLElement& element) { return conversion.line_of(element); });
  document.Parse(text.data(), text.size());
}

}  // namespace amontons::io
