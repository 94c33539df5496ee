#include "amontons/io/scene/scene_file.h"
#include "amontons/io/xml/xml_text.h"

#include <catch2/catch.hpp>

#include <string>

// Files in other encodings than UTF-8.

namespace amontons::test {
namespace {

Scene load_bytes(const std::string& file, const std::string& bytes) {
  io::MemoryFiles files;
  files.add(file, bytes);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: " + file +
          "}]\n",
      "scene.yaml", files);
}

/// Returns a robot of one link, in one line after a declaration.
std::string robot_named(const std::string& declaration, const std::string& link) {
  return declaration + "\n<robot name='r'>\n<link name='" + link +
         "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
         "</inertial></link></robot>";
}

/// Returns a text of ASCII characters in UTF-16, low bytes first, with its mark.
std::string in_utf16(const std::string& text, bool with_mark) {
  std::string result = with_mark ? "\xff\xfe" : "";
  for (const char c : text) result += {c, '\0'};
  return result;
}

}  // namespace

TEST_CASE("A robot declared as ISO-8859-1 has names in UTF-8") {
  const std::string latin = "<?xml version='1.0' encoding='ISO-8859-1'?>";
  CHECK(load_bytes("r.urdf", robot_named(latin, "M\xfcll\xe9r")).models.at(0).links.at(0).name ==
        "M\xc3\xbcll\xc3\xa9r");
  // Other programs ignore the declaration, so that files of UTF-8 may have it, too.
  CHECK(load_bytes("r.urdf", robot_named(latin, "M\xc3\xbcller")).models.at(0).links.at(0).name ==
        "M\xc3\xbcller");
  CHECK(load_bytes("m.xml",
                   "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><mujoco><worldbody><body "
                   "name='\xe4'><joint/><geom size='1'/></body></worldbody></mujoco>")
            .models.at(0)
            .links.at(1)
            .name == "\xc3\xa4");
}

TEST_CASE("Bytes that are not UTF-8 are refused at their line, with a remedy") {
  for (const char* bytes :
       {"M\xfcller", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    CHECK(!io::is_utf8(bytes));
    CHECK_THROWS_WITH(load_bytes("r.urdf", robot_named("", bytes)),
                      Catch::Contains("r.urdf:3: ") && Catch::Contains("is not UTF-8") &&
                          Catch::Contains("iconv"));
  }
  CHECK_THROWS_WITH(load_bytes("m.xml",
                               "<mujoco>\n<worldbody><body name='\xe4'/></worldbody>"
                               "</mujoco>"),
                    Catch::Contains("m.xml:2: ") && Catch::Contains("is not UTF-8"));
  CHECK_THROWS_WITH(
      load_bytes(
          "m.sdf",
          "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><joint "
          "name='j' type='fixed'>\n<parent>\xe4</parent><child>b</child></joint></model></sdf>"),
      Catch::Contains("m.sdf:2: ") && Catch::Contains("is not UTF-8"));
  for (const char* text : {"", "a", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    CHECK(io::is_utf8(text));
  }
}

TEST_CASE("UTF-16 is refused by that reason") {
  for (const bool with_mark : {true, false}) {
    CHECK_THROWS_WITH(
        load_bytes("r.urdf", in_utf16(robot_named("<?xml version='1.0'?>", "a"), with_mark)),
        Catch::Contains("the file is UTF-16") && Catch::Contains("iconv -f UTF-16"));
  }
}

TEST_CASE("Blanks at the ends of names do not count in an SDF file") {
  const Scene scene = load_bytes(
      "m.sdf",
      "<sdf version='1.9'><model name=' m '><link name=' a '/><link name='b'/><joint name='j ' "
      "type=' revolute'><parent>a</parent><child> b </child><axis><xyz>0 0 1</xyz></axis></joint>"
      "</model></sdf>");
  const SceneModel& model = scene.models.at(0);
  REQUIRE(model.links.size() == 2);
  CHECK(model.links[0].name == "a");
  REQUIRE(model.joints.size() == 1);
  CHECK(model.joints[0].name == "j");
}

}  // namespace amontons::test
