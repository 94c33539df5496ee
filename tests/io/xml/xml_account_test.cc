#include "tests/io/xml/xml_account.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/scene/model_scene.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

using namespace amontons;
namespace fs = std::filesystem;

namespace {

/// Loads every .urdf, .sdf and .world below a folder and returns how many were accepted. Each of
/// them is accounted for to the last attribute.
int account_for_all(const fs::path& folder, const std::string& refused) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension().string();
    if (kind != ".urdf" && kind != ".sdf" && kind != ".world") continue;
    const std::string file = entry.path().string();
    CAPTURE(file);
    if (entry.path().filename() == refused) {
      CHECK_THROWS_AS(io::load_model_scene(file), io::ParseError);
      continue;
    }
    const Scene scene = io::load_model_scene(file);
    CHECK(test::unaccounted(io::read_file(file), file, scene.ledger) == "");
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Every element and attribute of every robot and world file has one record") {
  CHECK(account_for_all(fs::path(AMONTONS_SOURCE_DIR) / "examples", "") >= 4);
  const fs::path data = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(data)) {
    WARN("SKIPPED: there are no real robots and worlds at " << data.string());
    return;
  }
  // The meshes of solo.urdf are missing.
  CHECK(account_for_all(data.lexically_normal(), "solo.urdf") >= 17);
}
