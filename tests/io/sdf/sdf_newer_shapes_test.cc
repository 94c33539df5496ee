#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <variant>

// Extruded lines of SDF, and shapes that Drake adds to it, by both readers.

namespace amontons::test {
namespace {

/// Returns a scene of a static link with geometry. A frame makes libsdformat read the model.
Scene load_geometry(const std::string& geometry, bool with_libsdformat) {
  io::MemoryFiles files;
  files.add("w.sdf", "<sdf version='1.9'><model name='m'><static>true</static>\n" +
                         std::string(with_libsdformat ? "<frame name='f'/>" : "") +
                         "<link name='a'><collision name='c'><pose>1 2 3 0 0 0</pose><geometry>\n" +
                         geometry + "</geometry></collision></link></model></sdf>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
      "scene.yaml", files);
}

const SceneShape& only_shape(const Scene& scene) {
  const auto& links = scene.models.at(0).links;
  for (const ModelLink& link : links) {
    if (!link.shapes.empty()) return link.shapes.at(0);
  }
  FAIL("there is no shape");
  return links.at(0).shapes.at(0);
}

const std::string kOutline =
    "<polyline><point>0 0</point><point>4 0</point><point>4 3</point>\n<point> 0  3 </point>"
    "<height>0.5</height></polyline>";
const std::string kHole =
    "<polyline>\n<point>1 1</point><point>2 1</point><point>2 2</point><point>1 2</point>"
    "<height>0.5</height></polyline>";

}  // namespace

TEST_CASE("Polylines of SDF are prisms from z = 0, with holes") {
  for (const bool with_libsdformat : {false, true}) {
    CAPTURE(with_libsdformat);
    const Scene plain = load_geometry(kOutline, with_libsdformat);
    CHECK(plain.ledger.findings().empty());
    const SceneShape& prism = only_shape(plain);
    CHECK(prism.X_BG.translation == Eigen::Vector3d(1.0, 2.0, 3.0));
    CHECK(std::holds_alternative<std::shared_ptr<const ConvexPolyhedron>>(prism.shape));
    const SolidProperties solid = shape_properties(prism.shape);
    CHECK(solid.volume == Approx(6.0).epsilon(1e-12));
    CHECK((solid.center - Eigen::Vector3d(2.0, 1.5, 0.25)).norm() < 1e-12);
    const Scene holed = load_geometry(kOutline + kHole, with_libsdformat);
    CHECK(holed.ledger.findings().empty());
    CHECK(shape_properties(only_shape(holed).shape).volume == Approx(5.5).epsilon(1e-12));
  }
}

TEST_CASE("Polylines of several heights have that of the first, which is a finding") {
  std::string higher = kHole;
  higher.replace(higher.find("0.5"), 3, "0.7");
  const Scene scene = load_geometry(kOutline + higher, false);
  REQUIRE(scene.ledger.findings().size() == 1);
  CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("that of the first, 0.5 m"));
  CHECK(shape_properties(only_shape(scene).shape).volume == Approx(5.5).epsilon(1e-12));
}

TEST_CASE("A polyline that bounds nothing is an error at its line") {
  const auto line_of_error = [](const std::string& geometry) {
    try {
      load_geometry(geometry, false);
    } catch (const io::ParseError& error) {
      return error.line();
    }
    return 0;
  };
  CHECK(line_of_error("\n<polyline><point>0 0</point><point>1 0</point><height>1</height>"
                      "</polyline>") == 4);
  CHECK(line_of_error("<polyline><point>0 0</point><point>1 0</point><point>2 0</point>"
                      "<height>1</height></polyline>") == 3);
  CHECK(line_of_error("<polyline>\n<point>0 zero</point><height>1</height></polyline>") == 4);
  CHECK(line_of_error("<polyline><height>1</height></polyline>") == 3);
  CHECK(line_of_error(kOutline + "\n<box/>") == 5);
}

TEST_CASE("Drake's capsule and ellipsoid are shapes of SDF, too") {
  for (const bool with_libsdformat : {false, true}) {
    CAPTURE(with_libsdformat);
    const Scene pill =
        load_geometry("<drake:capsule><radius>0.1</radius><length>0.6</length></drake:capsule>",
                      with_libsdformat);
    CHECK(std::get<Capsule>(only_shape(pill).shape).radius == 0.1);
    CHECK(std::get<Capsule>(only_shape(pill).shape).length == 0.6);
    const Scene egg = load_geometry(
        "<drake:ellipsoid><a>0.1</a><b>0.2</b><c> 0.3 </c></drake:ellipsoid>", with_libsdformat);
    CHECK(std::get<Ellipsoid>(only_shape(egg).shape).semi_axes == Eigen::Vector3d(0.1, 0.2, 0.3));
    for (const Scene* scene : {&pill, &egg}) CHECK(scene->ledger.findings().empty());
  }
  CHECK_THROWS_WITH(load_geometry("<drake:ellipsoid><a>1</a><b>2</b></drake:ellipsoid>", false),
                    Catch::Contains("radii"));
  CHECK_THROWS_WITH(
      load_geometry("<drake:ellipsoid><a>1</a><b>2</b><c>-3</c></drake:ellipsoid>", false),
      Catch::Contains("must be positive"));
}

}  // namespace amontons::test
