// Models that are read without libsdformat, against libsdformat.
#include "amontons/io/sdf/sdf_plain.h"

#include "amontons/io/scene/scene_file.h"
#include "amontons/io/sdf/sdformat_call.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

using namespace amontons;
using namespace amontons::io;
namespace fs = std::filesystem;

namespace {

/// Holds a document with what it needs.
struct Loaded {
  Loaded(const std::string& text, const std::string& name, const FileSource& source)
      : inputs(source, "scene.yaml", {}),
        context{inputs, meshes, ledger, materials, pairs, world, collide},
        document(text, name, context) {}

  InputFiles inputs;
  MeshShapes meshes;
  ImportLedger ledger;
  std::vector<Material> materials;
  std::vector<MaterialPair> pairs;
  WorldSettings world;
  MeshChoices scene_choices;
  ModelMeshChoices collide{scene_choices, {}, ""};
  ImportContext context;
  SdfDocument document;
};

void check_same(const Pose& a, const Pose& b) {
  CHECK((a.rotation - b.rotation).norm() <= 1e-14);
  CHECK((a.translation - b.translation).norm() <= 1e-14 * (1.0 + b.translation.norm()));
}

void check_same(const SdfCollision& a, const SdfCollision& b) {
  CHECK(a.name == b.name);
  check_same(a.X_LG, b.X_LG);
  CHECK(a.kind == b.kind);
  CHECK((a.size - b.size).norm() <= 1e-14 * b.size.norm());
  CHECK(a.uri == b.uri);
  CHECK(a.as_hull == b.as_hull);
  CHECK(a.friction == b.friction);
  CHECK(a.restitution == b.restitution);
  CHECK(a.category == b.category);
  CHECK(a.mask == b.mask);
  CHECK(a.only_sensed == b.only_sensed);
  CHECK(a.line == b.line);
  CHECK(a.shape_line == b.shape_line);
}

void check_same(const SdfAxis& a, const SdfAxis& b) {
  CHECK((a.xyz - b.xyz).norm() <= 4e-15);
  CHECK(a.lower == b.lower);
  CHECK(a.upper == b.upper);
  CHECK(a.effort == b.effort);
  CHECK(a.velocity == b.velocity);
  CHECK(a.damping == b.damping);
  CHECK(a.friction == b.friction);
  CHECK(a.stiffness == b.stiffness);
  CHECK(a.rest_position == b.rest_position);
  CHECK(a.initial_position == b.initial_position);
  REQUIRE(a.mimic.has_value() == b.mimic.has_value());
  if (!a.mimic) return;
  CHECK(a.mimic->joint == b.mimic->joint);
  CHECK(a.mimic->multiplier == b.mimic->multiplier);
  CHECK(a.mimic->offset == b.mimic->offset);
  CHECK(a.mimic->reference == b.mimic->reference);
}

void check_same(const SdfJoint& a, const SdfJoint& b) {
  CHECK(a.name == b.name);
  CHECK(a.type == b.type);
  CHECK(a.parent == b.parent);
  CHECK(a.child == b.child);
  check_same(a.X_MJ, b.X_MJ);
  check_same(a.axis, b.axis);
  check_same(a.axis2, b.axis2);
  CHECK(a.pitch == b.pitch);
  CHECK(a.gear_ratio == b.gear_ratio);
  CHECK(a.gear_reference == b.gear_reference);
  CHECK(a.where.file == b.where.file);
  CHECK(a.where.line == b.where.line);
}

void check_same(const SdfModel& a, const SdfModel& b) {
  CHECK(a.name == b.name);
  check_same(a.X_WM, b.X_WM);
  CHECK(a.is_static == b.is_static);
  CHECK(a.self_collide == b.self_collide);
  CHECK(a.where.file == b.where.file);
  CHECK(a.where.line == b.where.line);
  REQUIRE(a.joints.size() == b.joints.size());
  for (std::size_t j = 0; j < a.joints.size(); ++j) check_same(a.joints[j], b.joints[j]);
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    const SdfLink &one = a.links[i], &other = b.links[i];
    CHECK(one.name == other.name);
    check_same(one.X_ML, other.X_ML);
    CHECK(one.inertia.mass == other.inertia.mass);
    CHECK(one.inertia.center_of_mass == other.inertia.center_of_mass);
    CHECK((one.inertia.inertia - other.inertia.inertia).norm() <=
          1e-14 * other.inertia.inertia.norm());
    CHECK(one.gravity == other.gravity);
    CHECK(one.self_collide == other.self_collide);
    CHECK(one.where.line == other.where.line);
    REQUIRE(one.collisions.size() == other.collisions.size());
    for (std::size_t c = 0; c < one.collisions.size(); ++c) {
      check_same(one.collisions[c], other.collisions[c]);
    }
  }
}

/// Compares all plain models of a file; returns how many there are.
int compare(const std::string& text, const std::string& name, const FileSource& source) {
  const Loaded loaded(text, name, source);
  const std::optional<PlainModels> plain = read_plain_models(loaded.document);
  if (!plain) return 0;
  const SdfWorld world = resolve_with_sdformat(loaded.document, loaded.document.main().text);
  REQUIRE(plain->models.size() == world.models.size());
  CHECK(plain->is_world == world.is_world);
  int count = 0;
  for (std::size_t m = 0; m < world.models.size(); ++m) {
    if (!plain->models[m]) continue;
    check_same(*plain->models[m], world.models[m]);
    ++count;
  }
  return count;
}

/// Returns an attribute that names one of these frames, or none.
std::string in_frame(std::mt19937& engine, const std::string& attribute,
                     const std::vector<std::string>& frames) {
  const std::size_t k = std::uniform_int_distribution<std::size_t>(0, frames.size())(engine);
  return k == frames.size() ? "" : " " + attribute + "='" + frames[k] + "'";
}

/// Returns joints from the world to l0 and from there to l1, of random kinds.
/// @param version  of the format: 1.4 demands an <xyz>, and only 1.5 and 1.6 have the flag.
/// @param poses, axes  frames in which these may be written, none before 1.7. With frames, f0 moves
/// with l0.
std::string random_joints(std::mt19937& engine, const std::string& version,
                          const std::vector<std::string>& poses,
                          const std::vector<std::string>& axes) {
  const bool has_flag = version == "1.5" || version == "1.6";
  const auto number = [&](double low = -2.0) {
    return std::to_string(std::uniform_real_distribution<double>(low, 2.0)(engine));
  };
  const auto chance = [&] { return std::bernoulli_distribution(0.5)(engine); };
  const std::vector<std::string> types{"revolute",  "continuous", "prismatic", "ball",
                                       "universal", "screw",      "gearbox",   "fixed"};
  const auto axis = [&](const std::string& tag) {
    std::string text = "<" + tag + ">";
    if (version == "1.4" || has_flag || chance()) {
      text += "<xyz" + in_frame(engine, "expressed_in", axes) + ">1 " + number() + " " + number() +
              "</xyz>\n";
      if (has_flag && chance()) text += "<use_parent_model_frame>1</use_parent_model_frame>";
    }
    if (chance())
      text += "<limit><lower>-3</lower><upper>" + number() + "</upper></limit>";
    else if (chance())
      text +=
          "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort>"
          "<velocity>" +
          number(0.1) + "</velocity></limit>";
    if (chance()) {
      text += "<dynamics><damping>" + number(0.1) +
              "</damping><friction>0.25</friction>"
              "<spring_reference>" +
              number() +
              "</spring_reference>"
              "<spring_stiffness>3</spring_stiffness></dynamics>";
    }
    if (tag == "axis" && chance()) {
      text +=
          "<mimic joint='j0'><multiplier>" + number() + "</multiplier><offset>1</offset></mimic>";
    }
    return text + "</" + tag + ">\n";
  };
  std::string text;
  for (int j = 0; j < 2; ++j) {
    if (chance()) continue;
    const std::string type =
        types[std::uniform_int_distribution<std::size_t>(0, types.size() - 1)(engine)];
    text += "<joint name='j" + std::to_string(j) + "' type='" + type + "'>\n<parent>" +
            (j == 0                      ? "world"
             : poses.empty() || chance() ? "l0"
                                         : "f0") +
            "</parent><child> l" + std::to_string(j) + " </child>";
    if (chance()) {
      text += "<pose" + in_frame(engine, "relative_to", poses) + ">" + number() + " 0 1 " +
              number() + " " + number() + " 0.5</pose>\n";
    }
    if ((type != "fixed" && type != "ball") || chance()) text += axis("axis");
    if (type == "universal" || type == "gearbox") text += axis("axis2");
    if (type == "screw" && chance()) text += "<thread_pitch>" + number(0.1) + "</thread_pitch>";
    if (type == "gearbox") {
      text += "<gearbox_ratio>" + number(0.1) +
              "</gearbox_ratio><gearbox_reference_body>l1</gearbox_reference_body>";
    }
    text += "</joint>\n";
  }
  return text;
}

std::string random_world(std::mt19937& engine) {
  const auto number = [&] {
    return std::to_string(std::uniform_real_distribution<double>(0.1, 2.0)(engine));
  };
  const auto chance = [&] { return std::bernoulli_distribution(0.5)(engine); };
  // Frames are those of the scope, and begin with 1.7.
  const std::vector<std::string> none;
  const auto pose = [&](const std::vector<std::string>& frames = {}) {
    std::string text = "<pose" + in_frame(engine, "relative_to", frames) + ">";
    for (int k = 0; k < 6; ++k) text += number() + " ";
    return chance() ? text + "</pose>\n" : std::string(chance() ? "" : "<pose/>");
  };
  const std::vector<std::string> shapes{
      "<box><size>" + number() + " 1 2</size></box>",
      "<sphere><radius>" + number() + "</radius></sphere>",
      "<cylinder><radius>" + number() + "</radius><length>2</length></cylinder>",
      "<capsule><radius>1</radius><length>" + number() + "</length></capsule>",
      "<ellipsoid><radii>1 2 " + number() + "</radii></ellipsoid>",
      "<plane><normal>0 1 " + number() + "</normal><size>1 1</size></plane>",
      "<plane/>",
      "<empty/>",
      "<mesh><uri>model://x/a.stl</uri><scale>1 2 " + number() + "</scale></mesh>",
      "<mesh optimization='convex_hull'><uri>a.stl</uri></mesh>",
      "<mesh optimization=''><uri>a.stl</uri></mesh>",
      "<mesh><uri>a.stl</uri></mesh>"};
  const std::vector<std::string> versions{"1.4", "1.5", "1.6", "1.7", "1.9"};
  const std::string version =
      versions[std::uniform_int_distribution<std::size_t>(0, versions.size() - 1)(engine)];
  std::string world = "<sdf version='" + version + "'><world name='w'>\n<gravity>0 0 -1</gravity>";
  const bool has_frames = version >= "1.7" && chance();
  const bool has_world_frames = has_frames && chance();
  if (has_world_frames) {
    world += "<frame name='g0' attached_to='m0'>" + pose({"world", "g1"}) + "</frame>\n" +
             "<frame name='g1'>" + pose({"m0"}) + "</frame>\n";
  }
  for (int m = 0; m < 4; ++m) {
    std::vector<std::string> axes, poses, bodies;
    if (has_frames) axes = {"__model__", "l0", "f0", "f2"};
    if (has_frames) poses = {"__model__", "l0"};
    const std::string joints = random_joints(engine, version, poses, axes);
    // libsdformat knows no frames of joints in static models.
    const std::string is_static = chance() ? chance() ? "1" : "false" : "";
    const bool has_j0 = is_static != "1" && joints.find("name='j0'") != joints.npos;
    if (has_frames) bodies = {"__model__", has_j0 ? "j0" : "l0"};
    const bool is_relative = has_world_frames && m > 0;
    world += "<model name='m" + std::to_string(m) + "'";
    if (has_frames) {
      world += in_frame(engine, "canonical_link", {"l0", "l1"}) +
               in_frame(engine, "placement_frame", {"l0", "f1", bodies[1]});
    }
    world += ">" + pose(is_relative ? std::vector<std::string>{"g0", "g1", "m0"} : none);
    if (has_frames) {
      world += "<frame name='f0' attached_to='l0'>" + pose({"__model__", "f1"}) + "</frame>\n" +
               "<frame name='f1'" + in_frame(engine, "attached_to", bodies) + ">" +
               pose({"__model__"}) + "</frame>\n<frame name='f2' attached_to='f0'/>\n";
    }
    if (!is_static.empty()) world += "<static>" + is_static + "</static>";
    if (chance()) world += "<self_collide>true</self_collide>\n";
    for (int l = 0; l < 2; ++l) {
      world += "<link name='l" + std::to_string(l) + "'>" + pose(l == 1 ? axes : none);
      if (chance()) world += "<gravity>false</gravity>";
      if (chance()) {
        world += "<inertial>" + pose() + "<mass>" + number() + "</mass>\n";
        if (chance()) world += "<inertia><ixx>2</ixx><ixy>0.1</ixy><izz>2.5</izz></inertia>";
        world += "</inertial>";
      }
      for (int c = 0; c < 2; ++c) {
        world += "<collision name='c" + std::to_string(c) + "'>" + pose(axes) + "<geometry>\n" +
                 shapes[std::uniform_int_distribution<std::size_t>(0, shapes.size() - 1)(engine)] +
                 "</geometry>";
        if (chance()) {
          world += "<surface><friction><ode><mu>" + number() + "</mu></ode><bullet><friction>" +
                   number() + "</friction></bullet></friction></surface>\n";
        } else if (chance()) {
          world +=
              "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"
              "<contact><collide_without_contact>true</collide_without_contact></contact>"
              "</surface>";
        }
        world += "</collision>";
      }
      world += "</link>";
    }
    world += joints;
    // Some models are not plain.
    if (m == 2 && version > "1.4" && chance()) {
      world += "<model name='inner'><link name='l'/></model>";
    }
    world += "</model>\n";
  }
  return world + "</world></sdf>\n";
}

}  // namespace

TEST_CASE("A plain model is the one that libsdformat resolves") {
  std::mt19937 engine(11);
  int count = 0;
  for (int k = 0; k < 60; ++k) {
    const std::string world = random_world(engine);
    CAPTURE(world);
    count += compare(world, "w.sdf", MemoryFiles());
  }
  CHECK(count >= 180);
  const fs::path data = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(data)) {
    WARN("skipped: no worlds at " << data.string());
    return;
  }
  int real = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".sdf" && ending != ".world") continue;
    CAPTURE(entry.path().string());
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    try {
      real +=
          compare(text, entry.path().filename().string(), DiskFiles(entry.path().parent_path()));
    } catch (const std::exception& error) {
      WARN("not a file by itself: " << error.what());
    }
  }
  CHECK(real > 0);
}

TEST_CASE("Plain models and others keep the order of their world") {
  MemoryFiles files;
  files.add("ball.sdf",
            "<sdf version='1.9'><model name='ball'><pose>0 0 1 0 0 0</pose><link name='l'/></model>"
            "</sdf>");
  files.add("w.sdf",
            "<sdf version='1.9'><world name='w'><gravity>0 0 -2</gravity>\n"
            "<model name='a'><link name='l'/></model>\n"
            "<model name='b'><link name='l'/><model name='c'><link name='l'/></model></model>\n"
            "<include><uri>ball.sdf</uri></include>\n"
            "<include><uri>ball.sdf</uri><name>c</name><static>true</static></include>\n"
            "<include><uri>ball.sdf</uri><name>d</name><pose>1 0 0 0 0 0</pose></include>\n"
            "<model name='e'><link name='l'/></model>\n"
            "</world></sdf>");
  const Scene scene = parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: w.sdf}]\n",
      "scene.yaml", files);
  std::string names;
  for (const SceneModel& model : scene.models) names += model.name + " ";
  CHECK(names == "r/a r/b r/ball r/c r/d r/e ");
  CHECK(scene.models[2].pose.translation == Eigen::Vector3d(0.0, 0.0, 1.0));
  CHECK(scene.models[3].base == BaseType::Fixed);
  CHECK(scene.models[4].pose.translation == Eigen::Vector3d(1.0, 0.0, 0.0));
}

TEST_CASE(
    "Of an element, model or world that is given twice the first counts, which is a finding") {
  MemoryFiles files;
  files.add("w.sdf",
            "<sdf version='1.9'><world name='w'>\n"
            "<model name='a'><static>true</static><static>false</static><link name='l'/></model>\n"
            "</world>\n<world name='v'><model name='b'><link name='l'/></model></world></sdf>");
  const Scene scene = parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: w.sdf}]\n",
      "scene.yaml", files);
  REQUIRE(scene.models.size() == 1);
  CHECK(scene.models[0].name == "r/a");
  CHECK(scene.models[0].base == BaseType::Fixed);
  const auto twice = [](const LedgerEntry& entry) {
    return entry.fate == ImportFate::Warning && entry.reason.find("given twice") == 0;
  };
  CHECK(std::count_if(scene.ledger.entries.begin(), scene.ledger.entries.end(), twice) == 2);
}

TEST_CASE("A world of thousands of shapes costs no more than its text") {
  std::string world = "<sdf version='1.9'><world name='w'>\n";
  for (int i = 0; i < 1000; ++i) {
    world += "<model name='m" + std::to_string(i) +
             "'><link name='l'><collision name='c'><geometry><sphere><radius>1</radius></sphere>"
             "</geometry></collision></link></model>\n";
  }
  const Loaded loaded(world + "</world></sdf>\n", "w.sdf", MemoryFiles());
  const std::optional<PlainModels> plain = read_plain_models(loaded.document);
  REQUIRE(plain);
  CHECK(plain->models.size() == 1000);
  CHECK(std::all_of(plain->models.begin(), plain->models.end(),
                    [](const std::optional<SdfModel>& model) { return model.has_value(); }));
}

TEST_CASE("An axis may start away from zero, and a link may not have a joint's name") {
  const auto model_of = [](const std::string& joint) {
    const Loaded loaded(
        "<sdf version='1.6'><model name='m'><link name='a'/>" + joint + "</model></sdf>\n", "m.sdf",
        MemoryFiles());
    return read_plain_models(loaded.document).value().models.at(0);
  };
  const std::string ends = "<parent>world</parent><child>a</child>";
  const std::optional<SdfModel> started =
      model_of("<joint name='j' type='revolute'>" + ends +
               "<axis><xyz>0 0 2</xyz><initial_position>0.5</initial_position></axis></joint>");
  REQUIRE(started);
  CHECK(started->joints.at(0).axis.initial_position == 0.5);
  CHECK(started->joints.at(0).axis.xyz == Eigen::Vector3d::UnitZ());
  CHECK_FALSE(model_of("<joint name='a' type='fixed'>" + ends + "</joint>"));
}

TEST_CASE("Frames that are not there, named twice or in a circle are left to libsdformat") {
  const auto is_plain = [](const std::string& frames) {
    const Loaded loaded("<sdf version='1.9'><world name='w'><model name='m'><link name='a'/>" +
                            frames + "</model></world></sdf>\n",
                        "w.sdf", MemoryFiles());
    return read_plain_models(loaded.document).value().models.at(0).has_value();
  };
  CHECK(is_plain("<frame name='f' attached_to='a'/>"));
  CHECK_FALSE(is_plain("<frame name='f' attached_to='b'/>"));
  CHECK_FALSE(is_plain("<frame name='f'><pose relative_to='b'/></frame>"));
  CHECK_FALSE(is_plain("<frame name='a'/>"));
  CHECK_FALSE(is_plain("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"));
  CHECK_FALSE(
      is_plain("<frame name='f'><pose relative_to='g'/></frame>"
               "<frame name='g'><pose relative_to='f'/></frame>"));
  // A long chain of frames takes no stack.
  std::string chain = "<frame name='f0'/>";
  for (int k = 1; k < 20000; ++k) {
    chain += "<frame name='f" + std::to_string(k) + "' attached_to='f" + std::to_string(k - 1) +
             "'><pose>0 0 1 0 0 0</pose></frame>";
  }
  CHECK(is_plain(chain));
}
