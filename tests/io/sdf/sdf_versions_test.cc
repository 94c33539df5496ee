#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/common/parse_error.h"
#include "tests/io/sdf/world_reading.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <png.h>

// Old versions of SDF, and height maps.

using namespace amontons;

namespace {

test::WorldReading load(const std::string& text) {
  io::MemoryFiles files;
  files.add("w.sdf", text);
  return test::read_world(files);
}

std::string world_of(const std::string& open, const std::string& close) {
  return open + R"(<world name="w"><physics type="ode"><gravity>0 0 -1.62</gravity></physics>
<model name="a"><link name="l"/></model></world>)" +
         close;
}

/// Returns a gray PNG image of 8 bits, row 0 on top.
std::string png_of(const std::vector<std::vector<std::uint8_t>>& rows) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(rows[0].size());
  image.height = static_cast<png_uint_32>(rows.size());
  image.format = PNG_FORMAT_GRAY;
  std::vector<std::uint8_t> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  png_alloc_size_t size = 0;
  REQUIRE(png_image_write_to_memory(&image, nullptr, &size, 0, values.data(), 0, nullptr));
  std::string bytes(size, '\0');
  REQUIRE(png_image_write_to_memory(&image, bytes.data(), &size, 0, values.data(), 0, nullptr));
  bytes.resize(size);
  return bytes;
}

}  // namespace

TEST_CASE("Gravity of a world up to SDF 1.5 is that of its <physics>") {
  for (const char* version : {"1.2", "1.3", "1.4", "1.5"}) {
    CAPTURE(version);
    const test::WorldReading world =
        load(world_of("<sdf version='" + std::string(version) + "'>", "</sdf>"));
    REQUIRE(world.settings.gravity);
    CHECK(world.settings.gravity->z() == -1.62);
  }
  // Later versions have it in the world; in <physics> it is nothing.
  const test::WorldReading world = load(world_of("<sdf version='1.7'>", "</sdf>"));
  REQUIRE(world.settings.gravity);
  CHECK(world.settings.gravity->z() == Approx(-9.8));
}

TEST_CASE("The step of a world of SDF 1.2 and 1.3 is that within <ode> or <bullet>") {
  const auto step_of = [](const std::string& version, const std::string& physics) {
    return load("<sdf version='" + version + "'><world name='w'><physics type='ode'>" + physics +
                "</physics><model name='a'><link name='l'/></model></world></sdf>")
        .settings.step;
  };
  const std::string ode = "<ode><solver><type>quick</type><dt>0.004</dt></solver></ode>";
  for (const char* version : {"1.2", "1.3"}) {
    CAPTURE(version);
    CHECK(step_of(version, "<update_rate>250</update_rate>" + ode) == 0.004);
    CHECK(step_of(version, "<bullet><dt>0.005</dt></bullet>") == 0.005);
    CHECK(step_of(version, ode + "<max_step_size>0.003</max_step_size>") == 0.003);
  }
  // Later versions have it in <physics>.
  CHECK(step_of("1.4", ode) != 0.004);
}

TEST_CASE(
    "The root of SDF 1.2 may have the name of its program, and unknown versions are refused") {
  const test::WorldReading world = load(world_of("<gazebo version='1.2'>", "</gazebo>"));
  CHECK(world.scene.models.size() == 1);
  CHECK(world.settings.gravity->z() == -1.62);
  CHECK_THROWS_WITH(load(world_of("<gazebo version='0.9'>", "</gazebo>")),
                    Catch::Contains("versions 1.0 to 1.12 are"));
}

TEST_CASE("A height map of SDF is a terrain whose largest value has the height of its size") {
  io::MemoryFiles files;
  // Two rows and three columns: along x 0, 100, 50 at the lower border of y, 0, 0, 200 at the
  // upper.
  files.add("map.png", png_of({{0, 0, 200}, {0, 100, 50}}));
  const std::string collision =
      "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><heightmap><uri>map.png</uri>"
      "<size>4 2 10</size><pos>1 2 3</pos></heightmap></geometry></collision>";
  // A model with a frame is read by another path than one without.
  for (const char* frame : {"", "<frame name='f'/>"}) {
    CAPTURE(frame);
    files.add("w.sdf", "<sdf version='1.9'><model name='m'><static>true</static>" +
                           std::string(frame) + "<link name='l'>" + collision +
                           "</link></model></sdf>");
    const test::WorldReading world = test::read_world(files);
    const SceneModel& model = world.scene.models.at(0);
    const SceneShape* terrain = nullptr;
    for (const ModelLink& link : model.links) {
      for (const SceneShape& shape : link.shapes) terrain = &shape;
    }
    REQUIRE(terrain != nullptr);
    CHECK(terrain->X_BG.translation == Eigen::Vector3d(1.0, 2.0, 4.0));
    const auto& field = *std::get<std::shared_ptr<const HeightField>>(terrain->shape);
    CHECK(field.size_x() == 4.0);
    CHECK(field.size_y() == 2.0);
    CHECK(field.height_at(2.0, 1.0) == Approx(10.0));
    CHECK(field.height_at(0.0, -1.0) == Approx(5.0));
    CHECK(field.height_at(2.0, -1.0) == Approx(2.5));
    CHECK(field.height_at(-2.0, 1.0) == Approx(0.0));
  }
  files.add("map.png", "no image");
  CHECK_THROWS_WITH(test::read_world(files), Catch::Contains("is no PNG image"));
}
