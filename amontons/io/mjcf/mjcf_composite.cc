#include "amontons/io/mjcf/mjcf_composite.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

// <composite>: bodies that a rule makes (MuJoCo documentation, "Modeling", "Composite objects").

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Makes the bodies of one composite.
class CompositeMaker {
 public:
  CompositeMaker(MjcfReader& reader, const XMLElement& xml, int model)
      : reader_(reader),
        document_(reader.file.document),
        xml_(xml),
        element_(reader.element(xml, "")),
        model_(model) {}

  void run(const XMLElement& parent) {
    read();
    XMLElement& holder = document_.make("composite", xml_);
    document_.replace(xml_, holder);
    // MuJoCo gives no defaults to what a composite makes.
    XMLElement& frame = add(holder, "frame", nullptr);
    frame.SetAttribute("childclass", MjcfDefaults::kNone);
    if (type_ == "particle") make_particles(frame);
    if (type_ == "grid") make_grid(frame);
    if (type_ == "rope" || type_ == "loop") make_chain(frame, parent);
    for (XMLElement* section : {&tendons_, &equalities_, &contacts_}) {
      if (section->FirstChildElement() != nullptr) document_.append(model_, *section);
    }
  }

 private:
  /// Reads the settings and finds what each body has.
  void read() {
    type_ = element_.text("type");
    prefix_ = element_.text("prefix");
    const std::vector<double> count = element_.numbers("count", 1, 3);
    std::size_t num_bodies = 1;
    for (std::size_t k = 0; k < count.size(); ++k) {
      if (!(count[k] >= 1.0) || count[k] != std::floor(count[k])) {
        element_.fail("count", "must be positive whole numbers");
      }
      // So many bodies would be more than a file may make.
      constexpr double kLargest = 2e6;
      count_[k] = static_cast<int>(std::min(count[k], kLargest));
      num_bodies *= static_cast<std::size_t>(count_[k]);
      // Each has a geom. Too many are refused before the first is made.
      document_.require_space(xml_, 2 * num_bodies, 0);
    }
    const std::size_t dimensions = type_ == "particle" ? 3 : type_ == "grid" ? 2 : 1;
    for (std::size_t k = dimensions; k < 3; ++k) {
      if (count_[k] != 1) {
        element_.fail("count", "must be 1 in the directions that a " + type_ + " does not have");
      }
    }
    // Bodies of a chain hang on each other.
    constexpr int kMostLinks = 1500;
    if (dimensions == 1 && count_[0] > kMostLinks) {
      element_.fail("count", "must be at most " + std::to_string(kMostLinks) + " for a " + type_);
    }
    spacing_ = element_.number("spacing", 0.0);
    if (!(spacing_ > 0.0)) element_.fail("spacing must be positive");
    for (const XMLElement* child : document_.children(xml_)) find_part(*child);
    if (geom_ == nullptr) element_.fail("needs a <geom>");
  }

  /// Notes a part of the composite by its kind.
  void find_part(const XMLElement& child) {
    const std::string tag = child.Name();
    const MjcfElement part = reader_.element(child, "");
    if (tag == "geom") geom_ = &child;
    if (tag == "site") site_ = &child;
    if (tag == "joint") set_kind(part, joints_, {"main", "twist", "stretch"});
    if (tag == "tendon") set_kind(part, ropes_, {"main", "shear"});
    if (tag != "pin") return;
    const std::vector<double> at = part.numbers("coord", 1, 2);
    pins_.insert({static_cast<int>(at.at(0)), at.size() > 1 ? static_cast<int>(at[1]) : 0});
  }

  template <std::size_t N>
  static void set_kind(const MjcfElement& part, std::array<const XMLElement*, N>& parts,
                       const std::vector<std::string>& kinds) {
    const std::string kind = part.word("kind", kinds, "main");
    for (std::size_t i = 0; i < N; ++i) {
      if (kinds[i] == kind) parts[i] = &part.xml();
    }
  }

  /// Adds an element with the attributes of a part of the composite, if there is one.
  XMLElement& add(XMLElement& parent, const char* tag, const XMLElement* part) {
    XMLElement& made = document_.make(tag, part == nullptr ? xml_ : *part);
    parent.InsertEndChild(&made);
    if (part == nullptr) return made;
    for (const tinyxml2::XMLAttribute* a = part->FirstAttribute(); a != nullptr; a = a->Next()) {
      if (std::string(a->Name()) != "kind") made.SetAttribute(a->Name(), a->Value());
    }
    return made;
  }

  /// Adds an element with a name: the prefix, a word, and the numbers of its place.
  XMLElement& add_named(XMLElement& parent, const char* tag, const XMLElement* part,
                        const std::string& word) {
    XMLElement& made = add(parent, tag, part);
    made.SetAttribute("name", (prefix_ + word).c_str());
    return made;
  }

  static std::string text_of(double x, double y, double z) {
    return shortest_text(x) + " " + shortest_text(y) + " " + shortest_text(z);
  }

  /// Adds a body at a place of the lattice, whose middle body would be half a spacing off.
  XMLElement& add_body(XMLElement& parent, int i, int j, double z) {
    const Eigen::Vector3d offset = element_.vector3("offset", Eigen::Vector3d::Zero());
    XMLElement& body = add(parent, "body", nullptr);
    body.SetAttribute("pos", text_of(offset.x() + spacing_ * (i - 0.5 * count_[0]),
                                     offset.y() + spacing_ * (j - 0.5 * count_[1]), z)
                                 .c_str());
    return body;
  }

  /// Adds a ball: bodies of lattices have no other shape.
  XMLElement& add_ball(XMLElement& body) {
    XMLElement& geom = add(body, "geom", geom_);
    geom.SetAttribute("type", "sphere");
    return geom;
  }

  /// Adds three slides along the axes of the parent, with names where they are given.
  void add_slides(XMLElement& body, const std::string& place) {
    for (int k = 0; k < 3; ++k) {
      XMLElement& joint = add(body, "joint", joints_[0]);
      if (!place.empty()) {
        joint.SetAttribute("name", (prefix_ + "J" + std::to_string(k) + place).c_str());
      }
      joint.SetAttribute("type", "slide");
      joint.SetAttribute("axis", text_of(k == 0, k == 1, k == 2).c_str());
    }
  }

  void make_particles(XMLElement& parent) {
    const double z0 = element_.vector3("offset", Eigen::Vector3d::Zero()).z();
    for (int i = 0; i < count_[0]; ++i) {
      for (int j = 0; j < count_[1]; ++j) {
        for (int k = 0; k < count_[2]; ++k) {
          XMLElement& body = add_body(parent, i, j, z0 + spacing_ * (k - 0.5 * count_[2]));
          add_slides(body, "");
          XMLElement& geom = add_ball(body);
          // Particles slide without friction unless their geom says otherwise.
          if (geom.Attribute("condim") == nullptr) geom.SetAttribute("condim", 1);
          if (geom.Attribute("priority") == nullptr) geom.SetAttribute("priority", 1);
        }
      }
    }
  }

  static std::string place_of(int i, int j) { return std::to_string(i) + "_" + std::to_string(j); }

  void make_grid(XMLElement& parent) {
    const double z = element_.vector3("offset", Eigen::Vector3d::Zero()).z();
    for (int i = 0; i < count_[0]; ++i) {
      for (int j = 0; j < count_[1]; ++j) {
        const std::string place = place_of(i, j);
        XMLElement& body = add_body(parent, i, j, z);
        body.SetAttribute("name", (prefix_ + "B" + place).c_str());
        if (pins_.count({i, j}) == 0) add_slides(body, "_" + place);
        add_ball(body).SetAttribute("name", (prefix_ + "G" + place).c_str());
        add_named(body, "site", site_, "S" + place);
      }
    }
    for (int i = 0; i < count_[0]; ++i) {
      for (int j = 0; j < count_[1]; ++j) {
        tie("T0_" + place_of(i, j), {i, j}, {i + 1, j}, ropes_[0]);
        tie("T1_" + place_of(i, j), {i, j}, {i, j + 1}, ropes_[0]);
        if (ropes_[1] != nullptr) tie("TS" + place_of(i, j), {i, j}, {i + 1, j + 1}, ropes_[1]);
      }
    }
  }

  /// Adds a tendon of constant length between two places of a grid. Places that are pinned keep
  /// their distance without one.
  void tie(const std::string& name, std::pair<int, int> a, std::pair<int, int> b,
           const XMLElement* part) {
    if (b.first >= count_[0] || b.second >= count_[1]) return;
    if (pins_.count(a) > 0 && pins_.count(b) > 0) return;
    XMLElement& tendon = add_named(tendons_, "spatial", part, name);
    tendon.SetAttribute("class", MjcfDefaults::kNone);
    for (const auto& [i, j] : {a, b}) {
      add(tendon, "site", nullptr).SetAttribute("site", (prefix_ + "S" + place_of(i, j)).c_str());
    }
    add_constraint("tendon").SetAttribute("tendon1", (prefix_ + name).c_str());
  }

  XMLElement& add_constraint(const char* tag) {
    XMLElement& constraint = add(equalities_, tag, nullptr);
    constraint.SetAttribute("class", MjcfDefaults::kNone);
    return constraint;
  }

  /// Makes a rope or loop on both sides of the body that holds the composite, whose name is that of
  /// one of the bodies.
  void make_chain(XMLElement& frame, const XMLElement& parent) {
    const int n = count_[0];
    const char* given = parent.Attribute("name");
    int own = -1;
    for (int i = 0; i < n && own < 0; ++i) {
      if (given != nullptr && given == prefix_ + "B" + std::to_string(i)) own = i;
    }
    if (own < 0 || std::string(parent.Name()) != "body") {
      element_.fail("the body that holds a " + type_ + " must be one of its bodies, from '" +
                    prefix_ + "B0' to '" + prefix_ + "B" + std::to_string(n - 1) + "'");
    }
    const double angle = type_ == "loop" ? 2.0 * std::numbers::pi / n : 0.0;
    add_link_geom(frame, own);
    XMLElement* at = &frame;
    for (int i = own + 1; i < n; ++i) at = &add_link(*at, i, 1.0, angle);
    at = &frame;
    for (int i = own - 1; i >= 0; --i) at = &add_link(*at, i, -1.0, angle);
    if (type_ == "loop") close_loop(n);
  }

  /// Adds a link of a chain, which hangs on hinges in the middle between its neighbor and itself.
  /// @param side  1 along x, -1 against it.
  /// @param angle  by which it turns towards y [rad].
  XMLElement& add_link(XMLElement& neighbor, int i, double side, double angle) {
    const std::string number = std::to_string(i);
    XMLElement& body = add_named(neighbor, "body", nullptr, "B" + number);
    const double half = 0.5 * spacing_;
    body.SetAttribute("pos", text_of(side * half * (1.0 + elementary::cos(angle)),
                                     half * elementary::sin(angle), 0.0)
                                 .c_str());
    body.SetAttribute("quat", (shortest_text(elementary::cos(0.5 * angle)) + " 0 0 " +
                               shortest_text(side * elementary::sin(0.5 * angle)))
                                  .c_str());
    const std::string at = text_of(-side * half, 0.0, 0.0);
    const auto add_joint = [&](const XMLElement* part, const std::string& word, const char* axis,
                               const char* type) {
      XMLElement& joint = add_named(body, "joint", part, word + number);
      joint.SetAttribute("type", type);
      joint.SetAttribute("axis", axis);
      joint.SetAttribute("pos", at.c_str());
    };
    add_joint(joints_[0], "J0_", "0 1 0", "hinge");
    add_joint(joints_[0], "J1_", "0 0 1", "hinge");
    // Twist and stretch are held at zero.
    if (joints_[1] != nullptr) add_joint(joints_[1], "JT", "1 0 0", "hinge");
    if (joints_[2] != nullptr) add_joint(joints_[2], "JS", "1 0 0", "slide");
    for (const auto& [part, word] : {std::pair{joints_[1], "JT"}, {joints_[2], "JS"}}) {
      if (part == nullptr) continue;
      add_constraint("joint").SetAttribute("joint1", (prefix_ + word + number).c_str());
    }
    add_link_geom(body, i);
    return body;
  }

  /// Adds the geom of a link, along its x axis.
  void add_link_geom(XMLElement& body, int i) {
    XMLElement& geom = add_named(body, "geom", geom_, "G" + std::to_string(i));
    geom.SetAttribute("quat", "1 0 1 0");
  }

  /// Joins the ends of a loop, which do not touch.
  void close_loop(int n) {
    const std::string first = prefix_ + "B0", last = prefix_ + "B" + std::to_string(n - 1);
    for (XMLElement* made : {&add(contacts_, "exclude", nullptr), &add_constraint("connect")}) {
      made->SetAttribute("body1", first.c_str());
      made->SetAttribute("body2", last.c_str());
    }
    equalities_.LastChildElement()->SetAttribute("anchor",
                                                 text_of(-0.5 * spacing_, 0.0, 0.0).c_str());
  }

  MjcfReader& reader_;
  MjcfDocument& document_;
  const XMLElement& xml_;
  const MjcfElement element_;
  int model_;
  std::string type_, prefix_;
  std::array<int, 3> count_{1, 1, 1};
  double spacing_ = 0.0;  // [m]
  const XMLElement *geom_ = nullptr, *site_ = nullptr;
  std::array<const XMLElement*, 3> joints_{};  // main, twist, stretch
  std::array<const XMLElement*, 2> ropes_{};   // main, shear
  std::set<std::pair<int, int>> pins_;         // places of a grid that do not move
  XMLElement& tendons_ = document_.make("tendon", xml_);
  XMLElement& equalities_ = document_.make("equality", xml_);
  XMLElement& contacts_ = document_.make("contact", xml_);
};

}  // namespace

bool is_rigid_mjcf_composite(const XMLElement& xml) {
  const std::string type = xml.Attribute("type") != nullptr ? xml.Attribute("type") : "";
  return type == "particle" || type == "grid" || type == "rope" || type == "loop";
}

void make_mjcf_composite(MjcfReader& reader, const XMLElement& xml, const XMLElement& parent,
                         int model) {
  CompositeMaker(reader, xml, model).run(parent);
}

}  // namespace amontons::io
