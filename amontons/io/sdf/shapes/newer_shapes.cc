#include "amontons/io/sdf/shapes/newer_shapes.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_walk.h"

#include <sstream>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Calls a function for each <geometry> of an element.
template <typename Visit>
void visit_geometries(XMLElement& element, const Visit& visit) {
  if (std::string_view(element.Name()) == "geometry") visit(element);
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    visit_geometries(*child, visit);
  }
}

/// Makes the semi-axes a, b, c of Drake's ellipsoid the <radii> of the format.
void join_semi_axes(XMLElement& ellipsoid) {
  std::string radii;
  for (const char* name : {"a", "b", "c"}) {
    XMLElement* axis = ellipsoid.FirstChildElement(name);
    if (axis == nullptr) continue;
    radii += (radii.empty() ? "" : " ") + std::string(text_of(*axis));
    // The first one becomes <radii>, in its line.
    if (axis == ellipsoid.FirstChildElement()) continue;
    ellipsoid.DeleteChild(axis);
  }
  XMLElement* first = ellipsoid.FirstChildElement();
  if (first == nullptr) return;
  first->SetName("radii");
  first->SetText(radii.c_str());
}

}  // namespace

void rename_drake_shapes(XMLElement& sdf) {
  visit_geometries(sdf, [](XMLElement& geometry) {
    for (XMLElement* shape = geometry.FirstChildElement(); shape != nullptr;
         shape = shape->NextSiblingElement()) {
      const std::string_view name = shape->Name();
      if (name == "drake:capsule") {
        shape->SetName("capsule");
      } else if (name == "drake:ellipsoid") {
        shape->SetName("ellipsoid");
        join_semi_axes(*shape);
      }
    }
  });
}

void join_polylines(XMLElement& sdf, const std::string& file, ImportLedger& ledger) {
  visit_geometries(sdf, [&](XMLElement& geometry) {
    XMLElement* first = geometry.FirstChildElement("polyline");
    if (first == nullptr) return;
    const std::string height(text_of(*first->FirstChildElement("height")));
    std::string text = height;
    for (XMLElement *line = first, *next = nullptr; line != nullptr; line = next) {
      next = line->NextSiblingElement("polyline");
      const auto& original = *static_cast<const XMLElement*>(line->GetUserData());
      if (text_of(*line->FirstChildElement("height")) != height) {
        ledger.add(
            ImportFate::Warning, describe(original) + ": polyline height",
            "the polylines of a geometry have one height: that of the first, " + height + " m",
            place_of(file, original));
      }
      std::string points;
      int count = 0;
      for (const XMLElement* point = line->FirstChildElement("point"); point != nullptr;
           point = point->NextSiblingElement("point")) {
        points += " " + std::string(text_of(*point));
        ++count;
      }
      if (count < 3) {
        fail_at(place_of(file, original),
                describe(original) + ": a polyline needs at least three points");
      }
      text += " " + std::to_string(count) + points;
      if (line != first) geometry.DeleteChild(line);
    }
    first->DeleteChildren();
    first->SetName(kPolylines);
    first->SetText(text.c_str());
  });
}

Polylines polylines_of(const std::string& text) {
  std::istringstream words(text);
  const auto number = [&words] {
    std::string word;
    double value = 0.0;
    if (words >> word) parse_number(word, value);
    return value;
  };
  Polylines result;
  result.height = number();
  // Bound: the text holds a number for each step.
  while (words >> std::ws, words.good()) {
    std::vector<Eigen::Vector2d>& loop = result.loops.emplace_back();
    for (auto left = static_cast<int>(number()); left > 0 && words.good(); --left) {
      const double x = number();
      loop.emplace_back(x, number());
    }
  }
  return result;
}

}  // namespace amontons::io
