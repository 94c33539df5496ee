#include "amontons/io/sdf/sdf_world_joints.h"

#include "amontons/io/xml/xml_text.h"

#include <set>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns the name of a model of the world, written or included.
std::string name_of_model(const XMLElement& element,
                          const std::function<std::string(const std::string&)>& name_of_file) {
  if (const char* name = element.Attribute("name")) return name;
  const std::string name = trimmed_text(element.FirstChildElement("name"));
  return name.empty() ? name_of_file(trimmed_text(element.FirstChildElement("uri"))) : name;
}

/// Returns the names at the ends of the joints, up to their first "::".
std::set<std::string> ends_of_joints(const XMLElement& world) {
  std::set<std::string> ends;
  for (const XMLElement* joint = world.FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    for (const char* end : {"parent", "child"}) {
      const std::string name = trimmed_text(joint->FirstChildElement(end));
      ends.insert(name.substr(0, name.find("::")));
    }
  }
  return ends;
}

/// Gives each model at the end of a joint a frame, which libsdformat 12 demands there.
void name_ends(XMLElement& joined, const std::set<std::string>& models) {
  std::set<std::string> framed;
  for (XMLElement* joint = joined.FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    for (const char* end : {"parent", "child"}) {
      const std::string model = trimmed_text(joint->FirstChildElement(end));
      if (!models.contains(model)) continue;
      const std::string name = "amontons_" + model;
      joint->FirstChildElement(end)->SetText(name.c_str());
      if (!framed.insert(model).second) continue;
      XMLElement* frame = joined.InsertNewChildElement("frame");
      frame->SetAttribute("name", name.c_str());
      frame->SetAttribute("attached_to", model.c_str());
      frame->SetUserData(joint->GetUserData());
    }
  }
}

}  // namespace

void join_models(XMLElement& world,
                 const std::function<std::string(const std::string&)>& name_of_file) {
  if (world.FirstChildElement("joint") == nullptr) return;
  const std::set<std::string> ends = ends_of_joints(world);
  // A frame of the world may be the end of a joint, and is attached to any model.
  bool all = false;
  for (const XMLElement* frame = world.FirstChildElement("frame"); frame != nullptr;
       frame = frame->NextSiblingElement("frame")) {
    all = all || ends.contains(name_of_model(*frame, name_of_file));
  }
  XMLElement* joined = world.GetDocument()->NewElement("model");
  joined->SetAttribute("name", kJoinedModels);
  joined->SetUserData(world.GetUserData());
  std::set<std::string> models;
  XMLElement* last = nullptr;
  for (XMLElement *e = world.FirstChildElement(), *next = nullptr; e != nullptr; e = next) {
    next = e->NextSiblingElement();
    const std::string_view kind = e->Name();
    const bool is_model = kind == "model" || kind == "include";
    const bool moves = kind == "joint" || (all && kind == "frame") ||
                       (is_model && (all || ends.contains(name_of_model(*e, name_of_file))));
    if (is_model) models.insert(name_of_model(*e, name_of_file));
    if (moves) {
      joined->InsertEndChild(e);
    } else if (joined->NoChildren()) {
      last = e;
    }
  }
  // The joined model takes the place of the first of its parts.
  if (last == nullptr) {
    world.InsertFirstChild(joined);
  } else {
    world.InsertAfterChild(last, joined);
  }
  name_ends(*joined, models);
}

}  // namespace amontons::io
