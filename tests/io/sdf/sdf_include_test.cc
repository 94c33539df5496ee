#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/file_tree.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <string>

// Includes of SDF by the name of a model alone, and by addresses of Gazebo Fuel.

namespace amontons::test {
namespace {

constexpr const char* kConfigText = "<model><sdf version='1.6'>model.sdf</sdf></model>";

/// Returns a model of a name.
std::string model_text(const std::string& name) {
  return "<sdf version='1.6'><model name='" + name +
         "'><link name='l'><collision name='c'><geometry><sphere><radius>1</radius></sphere>"
         "</geometry></collision></link></model></sdf>";
}

/// Reads a world that includes one model, in the folder `worlds` of a folder.
Scene world_with(const FileTree& folder, const std::string& uri, const io::LoadOptions& options) {
  folder.write("worlds/w.sdf", "<sdf version='1.8'><world name='w'><include><uri>" + uri +
                                   "</uri></include></world></sdf>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: "
      "worlds/w.sdf}]\n",
      (folder.path() / "scene.yaml").string(), io::DiskFiles(folder.path()), options);
}

/// Returns the names of the models of a world that includes one.
std::string models_of(const FileTree& folder, const std::string& uri,
                      const io::LoadOptions& options = {}) {
  const Scene scene = world_with(folder, uri, options);
  std::string names;
  for (const SceneModel& model : scene.models) names += model.name + " ";
  return names;
}

}  // namespace

TEST_CASE("A model that is included by its name alone is searched as one of model://") {
  const FileTree folder("include_names");
  folder.write("models/crate/model.config", kConfigText);
  folder.write("models/crate/model.sdf", model_text("crate"));
  CHECK(models_of(folder, "crate") == "w/crate ");
  CHECK(models_of(folder, "crate/") == "w/crate ");
  CHECK(models_of(folder, "file://crate") == "w/crate ");
  CHECK(models_of(folder, "crate/model.sdf") == "w/crate ");
  CHECK(models_of(folder, "ground_plane") == "w/ground_plane ");
  // What lies beside the file comes first.
  folder.write("worlds/crate/model.config", kConfigText);
  folder.write("worlds/crate/model.sdf", model_text("near"));
  CHECK(models_of(folder, "crate") == "w/near ");
  const auto fails = [&](const std::string& uri) { models_of(folder, uri); };
  CHECK_THROWS_WITH(fails("barrel"), Catch::Contains("--package barrel=DIR"));
  CHECK_THROWS_WITH(fails("far/barrel.sdf"), Catch::Contains("cannot read"));
  // A folder that the user gives holds it in any place.
  const FileTree elsewhere("include_elsewhere");
  elsewhere.write("b/model.config", kConfigText);
  elsewhere.write("b/model.sdf", model_text("barrel"));
  io::LoadOptions options;
  options.packages["barrel"] = elsewhere.path() / "b";
  CHECK(models_of(folder, "barrel", options) == "w/barrel ");
}

TEST_CASE("A model that an included model names alone is found as one of the main file") {
  const FileTree folder("include_nested"), elsewhere("include_nested_away");
  const auto holder = [](const std::string& inside) {
    return "<sdf version='1.8'><model name='outer'><include><uri>" + inside +
           "</uri></include><link name='l'/></model></sdf>";
  };
  const auto links = [&](const io::LoadOptions& options, const std::string& uri) {
    const Scene scene = world_with(folder, uri, options);
    std::string names;
    for (const ModelLink& link : scene.models.at(0).links) names += link.name + " ";
    return names;
  };
  const std::string both = "world l inner::l ";
  // The model lies in a folder of its own, given by name; or beside that of the including one.
  elsewhere.write("a/outer/model.config", kConfigText);
  elsewhere.write("a/outer/model.sdf", holder("inner"));
  elsewhere.write("b/inner/model.config", kConfigText);
  elsewhere.write("b/inner/model.sdf", model_text("inner"));
  io::LoadOptions options;
  options.packages["outer"] = elsewhere.path() / "a" / "outer";
  CHECK_THROWS_WITH(links(options, "outer"), Catch::Contains("--package inner=DIR"));
  options.packages["inner"] = elsewhere.path() / "b" / "inner";
  CHECK(links(options, "outer") == both);
  CHECK(links(options, "model://outer") == both);
  options.packages.erase("inner");
  elsewhere.write("a/inner/model.config", kConfigText);
  elsewhere.write("a/inner/model.sdf", model_text("inner"));
  CHECK(links(options, "outer") == both);
  options.packages["outer"] = elsewhere.path() / "a" / "outer" / "";
  CHECK(links(options, "outer") == both);
  // So it is where the including model is named by a path.
  folder.write("parts/outer/model.config", kConfigText);
  folder.write("parts/outer/model.sdf", holder("inner"));
  folder.write("parts/inner/model.config", kConfigText);
  folder.write("parts/inner/model.sdf", model_text("inner"));
  CHECK(links({}, "../parts/outer") == both);
}

TEST_CASE("Changes of what an include brings are left out, as a finding that names them") {
  io::MemoryFiles files;
  files.add("part.sdf", model_text("part"));
  const auto read = [&](const std::string& changes) {
    const std::string text =
        "<sdf version='1.8'><world name='w'><include><uri>part.sdf</uri>\n"
        "<experimental:params>" +
        changes + "</experimental:params></include></world></sdf>";
    files.add("w.sdf", text);
    const Scene scene = io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
        "scene.yaml", files);
    CHECK(scene.models.size() == 1);
    CHECK(unaccounted(text, "w.sdf", scene.ledger) == "");
    const LedgerEntry entry = entry_of(scene, "world 'w': include experimental:params");
    // The link of the part, whose inertia is not that of its shape, is a finding of its own.
    CHECK(scene.ledger.findings().size() == (entry.fate == ImportFate::Ignored ? 1 : 2));
    return entry;
  };
  const LedgerEntry heavier = read(
      "<link element_id='l' action='modify'><inertial><mass>9</mass></inertial></link>"
      "<sensor element_id='l' action='add' name='s' type='imu'/>");
  CHECK(heavier.fate == ImportFate::Refused);
  CHECK_THAT(heavier.reason, Catch::Contains("link of 'l' (modify), sensor of 'l' (add)"));
  const LedgerEntry sensor = read("<sensor element_id='l' action='add' name='s' type='imu'/>");
  CHECK(sensor.fate == ImportFate::Ignored);
  CHECK_THAT(sensor.reason, Catch::Contains("sensor of 'l' (add)"));
}

TEST_CASE("A model of Gazebo Fuel comes from the folder that the user gives for it") {
  const FileTree folder("include_world"), download("include_download");
  download.write("1/model.config", kConfigText);
  download.write("1/model.sdf", model_text("cone"));
  const std::string address = "https://fuel.gazebosim.org/1.0/openrobotics/models/Traffic%20Cone";
  io::LoadOptions options;
  options.packages["Traffic Cone"] = download.path() / "1";
  for (const char* more : {"", "/", "/2", "/tip", "/tip/files/model.sdf"}) {
    CAPTURE(more);
    CHECK(models_of(folder, address + more, options) == "w/cone ");
  }
  const auto fails = [&](const std::string& uri) { models_of(folder, uri); };
  CHECK_THROWS_WITH(fails(address), Catch::Contains("gz fuel download -u " + address + "'") &&
                                        Catch::Contains("--package 'Traffic Cone=DIR'"));
  CHECK_THROWS_WITH(fails("https://example.org/models/cone"), Catch::Contains("on the network"));
  options.packages["Traffic Cone"] = download.path();
  CHECK_THROWS_WITH(models_of(folder, address, options), Catch::Contains("model.config"));
}

}  // namespace amontons::test
