#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <utility>

// <worldbody>: the tree of bodies.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns the default class of what is inside an element. @throws ParseError if the file has none
/// of that name.
std::string childclass_of(const MjcfReader& reader, const MjcfElement& element,
                          const std::string& otherwise) {
  const auto* given = element.xml().FindAttribute("childclass");
  if (given == nullptr) return otherwise;
  std::string name = element.text("childclass");
  const MjcfDefaults& defaults = reader.file.defaults;
  // The outermost class exists without a <default>; that of an attached model has another name.
  const auto* written = reader.file.document.origin(element.xml(), *given);
  const bool is_outermost =
      written == nullptr || std::string(written->Value()) == MjcfDefaults::kMain;
  if (!is_outermost && !defaults.has(name)) {
    element.fail("childclass",
                 "names no default class: '" + name + "'" + did_you_mean(name, defaults.names()));
  }
  return name;
}

/// Holds the elements of one body, its <frame>s resolved, each kind in the order of the file.
struct Contents {
  std::vector<MjcfItem> bodies, joints, geoms, inertials, sites, cameras;
};

/// Returns true for a geom or camera that a sensor names.
bool is_measured(const MjcfReader& reader, const XMLElement& element) {
  const char* name = element.Attribute("name");
  return name != nullptr && reader.measured.count({element.Name(), name}) > 0;
}

/// Notes a composite that is not made of rigid bodies, which mjcf_expansion.cc makes.
void note_composite(MjcfReader& reader, const MjcfElement& element) {
  reader.left_out.composite_prefixes.insert(element.text("prefix"));
  const std::string type = element.word(
      "type",
      {"particle", "grid", "rope", "loop", "cable", "cloth", "box", "cylinder", "ellipsoid"}, "");
  element.leave_out(
      ImportFate::Refused,
      "its bodies are left out: " +
          std::string(type == "cable" ? "elastic cables" : "soft bodies") +
          " are not simulated; a model that MuJoCo has saved (mj_saveLastXML) has them as "
          "rigid ones, without the forces that a plugin gives them");
}

/// Collects the elements of a body; X_BP is the pose of the frame that holds them.
void collect(MjcfReader& reader, const XMLElement& xml, const std::string& childclass,
             const Pose& X_BP, Contents& contents) {
  for (const XMLElement* child : reader.file.document.children(xml)) {
    const std::string tag = child->Name();
    // A <frame> moves its elements and may change their default class.
    if (tag == "frame") {
      const MjcfElement frame = reader.element(*child, childclass);
      collect(reader, *child, childclass_of(reader, frame, childclass),
              X_BP * read_mjcf_pose(reader, frame), contents);
    } else if (tag == "geom") {
      // Without one of its geoms a body is still there for what names it.
      reader.faults.attempt([&] {
        contents.geoms.push_back({reader.element(*child, childclass), X_BP, childclass});
      });
    } else if (tag == "body" || tag == "joint") {
      std::vector<MjcfItem>& kind = tag == "body" ? contents.bodies : contents.joints;
      kind.push_back({reader.element(*child, childclass), X_BP, childclass});
    } else if (tag == "freejoint") {  // takes no defaults
      contents.joints.push_back({reader.element(*child, ""), X_BP, childclass});
    } else if (tag == "inertial") {
      const bool is_moved = !X_BP.translation.isZero(0.0) || !X_BP.rotation.isIdentity(0.0);
      if (is_moved) {
        reader.element(*child, "")
            .note(ImportFate::Warning,
                  "the <frame> around it moves it, as the format says; "
                  "MuJoCo (3.3.8) does not: write it outside of the frame");
      }
      contents.inertials.push_back({reader.element(*child, ""), X_BP, childclass});
    } else if (tag == "site") {
      contents.sites.push_back({reader.element(*child, childclass), X_BP, childclass});
    } else if (tag == "camera" && is_measured(reader, *child)) {
      contents.cameras.push_back({reader.element(*child, childclass), X_BP, childclass});
    } else if (tag == "flexcomp") {
      note_mjcf_soft_body(reader, reader.element(*child, ""));
    } else if (tag == "composite") {
      note_composite(reader, reader.element(*child, ""));
    }
  }
}

/// Reads the world and the tree of bodies below it.
class BodyReader {
 public:
  explicit BodyReader(MjcfReader& reader) : reader_(reader) {}

  /// Reads <worldbody>, which may be written in pieces.
  void read_world() {
    // The world is body 0 and the fixed root link.
    MjcfBody world;
    world.name = "world";
    reader_.bodies.push_back(world);
    reader_.model.base = BaseType::Fixed;
    ModelLink link;
    link.name = "world";
    // All pieces of <worldbody> count as one.
    const MjcfDocument& document = reader_.file.document;
    Contents contents;
    for (const XMLElement* xml : document.children(document.root(), "worldbody")) {
      if (link.where.file.empty()) link.where = document.place_of(*xml);
      const MjcfElement element = reader_.element(*xml, "");
      collect(reader_, *xml, childclass_of(reader_, element, MjcfDefaults::kMain), Pose{},
              contents);
    }
    if (link.where.file.empty()) {
      reader_.element(document.root(), "").fail("an MJCF model needs a <worldbody>");
    }
    // The world cannot move.
    for (const std::vector<MjcfItem>* kind : {&contents.joints, &contents.inertials}) {
      if (!kind->empty()) kind->front().element.fail("the world has no joints and no inertia");
    }
    for (const MjcfItem& geom : contents.geoms) {
      reader_.faults.attempt([&] { read_mjcf_geom(reader_, geom, 0, false, link); });
      add_mjcf_visual(reader_, geom, reader_.model.name + "/world");
    }
    reader_.model.links.push_back(std::move(link));
    read_frames(contents, 0);
    for (const MjcfItem& body : contents.bodies) read_body(body, 0);
  }

 private:
  /// Reads a body and, after it, the bodies inside it.
  void read_body(const MjcfItem& item, int parent) {
    const MjcfElement& element = item.element;
    const int index = static_cast<int>(reader_.bodies.size());
    MjcfBody body;
    body.name = name_of(element, index);
    body.parent = parent;
    body.where = element.where();
    body.model = reader_.file.document.model_of(element.xml());
    const double support = weight_support(element);
    reader_.bodies.push_back(body);

    // Its link comes after its elements are known; its joints add it to the model.
    Contents contents;
    collect(reader_, element.xml(), childclass_of(reader_, element, item.childclass), Pose{},
            contents);
    note_mocap(element, index, contents);
    if (contents.inertials.size() > 1) {
      contents.inertials[1].element.fail("a body has one <inertial>");
    }
    const Pose X_PB = place(item, index, contents);
    ModelLink link;
    link.name = body.name;
    link.where = body.where;
    link.weight_support = support;
    // MuJoCo takes the place of the body in its parent for the center of one without mass, which
    // `boundmass` may give it; with global coordinates it takes the body's frame.
    const bool is_global = reader_.compiler_of(element).global;
    read_mass_and_shapes(contents, index,
                         is_global ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : X_PB.translation,
                         link);
    read_mjcf_joints(reader_, contents.joints, index, X_PB, std::move(link));
    read_frames(contents, index);
    for (const MjcfItem& child : contents.bodies) read_body(child, index);
  }

  /// Reads the frames of a body: sites, and the geoms and cameras that sensors name.
  void read_frames(const Contents& contents, int body) {
    for (const MjcfItem& site : contents.sites) read_mjcf_site(reader_, site, body);
    for (const std::vector<MjcfItem>* kind : {&contents.geoms, &contents.cameras}) {
      for (const MjcfItem& item : *kind) {
        if (is_measured(reader_, item.element.xml())) {
          reader_.faults.attempt([&] { read_mjcf_measured_frame(reader_, item, body); });
        }
      }
    }
  }

  /// Returns the name of a body, made from its number where it has none.
  std::string name_of(const MjcfElement& element, int index) const {
    std::string name = element.text("name", "body_" + std::to_string(index));
    while (!element.has("name") && reader_.gives("body", name)) name += "_";
    return name;
  }

  /// Notes a body that a program moves.
  void note_mocap(const MjcfElement& element, int index, const Contents& contents) {
    if (!element.flag("mocap").value_or(false)) return;
    reader_.mocap_bodies.push_back(index);
    const bool is_child = reader_.bodies[static_cast<std::size_t>(index)].parent == 0;
    if (is_child && contents.joints.empty()) {
      element.note("mocap", ImportFate::Approximated, "it does not move: nothing drives it here");
    } else {
      element.note("mocap", ImportFate::Refused,
                   "it is no fixed child of the world, which MuJoCo demands: it moves as a body "
                   "without `mocap`");
    }
  }

  /// Returns the share of its weight that a force at its center of mass carries.
  double weight_support(const MjcfElement& element) const {
    const double share = element.number("gravcomp", 0.0);
    if (share == 0.0 || reader_.flags.passive) return share;
    element.note("gravcomp", ImportFate::Ignored, "passive forces are switched off");
    return 0.0;
  }

  /// Returns true if only <inertial> gives masses in the model of a body.
  bool explicit_masses(int body) const {
    const int model = reader_.bodies[static_cast<std::size_t>(body)].model;
    return reader_.compilers[static_cast<std::size_t>(model)].inertiafromgeom == false;
  }

  /// Returns true if the geoms give the mass of a body that has an <inertial>, too
  /// (inertiafromgeom). Without a geom of the groups that count, the <inertial> does.
  bool replaces_inertial(const Contents& contents) const {
    const MjcfCompiler& compiler = reader_.compiler_of(contents.inertials[0].element);
    if (compiler.inertiafromgeom != true) return false;
    return std::any_of(contents.geoms.begin(), contents.geoms.end(), [&](const MjcfItem& geom) {
      const int group = geom.element.integer("group", 0);
      return group >= compiler.first_group && group <= compiler.last_group;
    });
  }

  /// Returns true if the mass of a body comes from its geoms: without <inertial>, or as the
  /// compiler says.
  bool takes_mass_of_geoms(const Contents& contents, int body) const {
    return contents.inertials.empty() ? !explicit_masses(body) : replaces_inertial(contents);
  }

  /// Sets the pose of a body in the world at qpos0, by the poses of the file. With global
  /// coordinates its elements are placed in it.
  /// @returns its pose in its parent.
  Pose place(const MjcfItem& item, int index, Contents& contents) {
    const MjcfElement& element = item.element;
    const auto b = static_cast<std::size_t>(index);
    const Pose X_WP = reader_.bodies[static_cast<std::size_t>(reader_.bodies[b].parent)].X_WB;
    if (!reader_.compiler_of(element).global) {
      const Pose X_PB = item.X_BP * read_mjcf_pose(reader_, element);
      reader_.bodies[b].X_WB = X_WP * X_PB;
      return X_PB;
    }
    const bool from_geoms = takes_mass_of_geoms(contents, index);
    const MjcfElement* inertial =
        from_geoms || contents.inertials.empty() ? nullptr : &contents.inertials[0].element;
    const Pose X_WB = element.has("pos")
                          ? read_mjcf_pose(reader_, element)
                          : infer_mjcf_body_pose(reader_, element, index, contents.geoms, inertial);
    reader_.bodies[b].X_WB = X_WB;
    for (std::vector<MjcfItem>* kind : {&contents.bodies, &contents.joints, &contents.geoms,
                                        &contents.inertials, &contents.sites}) {
      for (MjcfItem& own : *kind) own.X_BP = X_WB.inverse();
    }
    return X_WP.inverse() * X_WB;
  }

  /// Reads the geoms of a body, and its mass from them or from <inertial>.
  void read_mass_and_shapes(const Contents& contents, int index,
                            const Eigen::Vector3d& massless_center, ModelLink& link) {
    const bool from_geoms = takes_mass_of_geoms(contents, index);
    SpatialInertia sum;
    for (const MjcfItem& geom : contents.geoms) {
      SpatialInertia inertia;
      reader_.faults.attempt(
          [&] { inertia = read_mjcf_geom(reader_, geom, index, from_geoms, link); });
      add_mjcf_visual(reader_, geom, reader_.model.name + "/" + link.name);
      // Geoms without mass are left out, and the first one with mass starts the sum.
      if (inertia.mass > 0.0) sum = sum.mass > 0.0 ? combine(sum, inertia) : inertia;
    }
    link.inertia = sum;
    if (contents.inertials.empty()) {
      if (!(sum.mass > 0.0)) link.inertia.center_of_mass = massless_center;
      return;
    }
    const MjcfItem& inertial = contents.inertials[0];
    if (from_geoms) {
      inertial.element.note(ImportFate::Ignored, "masses come from the geoms (inertiafromgeom)");
      return;
    }
    link.inertia = transform(inertial.X_BP, read_mjcf_inertial(reader_, inertial.element));
  }

  MjcfReader& reader_;
};

/// Collects the geoms and cameras that sensors name.
void collect_measured(MjcfReader& reader) {
  for (const XMLElement* sensor : reader.file.document.section("sensor")) {
    for (const auto& [type, name] :
         {std::pair{"objtype", "objname"}, {"reftype", "refname"}, {"", "camera"}}) {
      const char* kind = *type == '\0' ? "camera" : sensor->Attribute(type);
      const char* object = sensor->Attribute(name);
      if (kind != nullptr && object != nullptr) reader.measured[{kind, object}] = {};
    }
  }
}

}  // namespace

void note_mjcf_soft_body(MjcfReader& reader, const MjcfElement& element) {
  if (element.tag() == "flexcomp" && element.has("name")) {
    reader.left_out.flexcomps.insert(element.text("name"));
  }
  element.leave_out(ImportFate::Refused,
                    "soft bodies are not simulated: it has no mass and touches nothing");
}

void read_mjcf_bodies(MjcfReader& reader) {
  // Geoms of a <pair> may touch whatever their filters say, so their names are needed first.
  for (const XMLElement* xml : reader.file.document.section("contact")) {
    if (std::string(xml->Name()) != "pair") continue;
    for (const char* name : {"geom1", "geom2"}) {
      if (const char* geom = xml->Attribute(name)) reader.paired.insert(geom);
    }
  }
  // Geoms around which tendons pass have a shape in any case, too.
  for (const XMLElement* tendon : reader.file.document.section("tendon")) {
    for (const XMLElement* xml : reader.file.document.children(*tendon, "geom")) {
      if (const char* geom = xml->Attribute("geom")) reader.wrapped.insert(geom);
    }
  }
  collect_measured(reader);
  BodyReader(reader).read_world();
  for (const XMLElement* xml : reader.file.document.section("deformable")) {
    if (std::string(xml->Name()) == "flex") note_mjcf_soft_body(reader, reader.element(*xml, ""));
  }
}

}  // namespace amontons::io
