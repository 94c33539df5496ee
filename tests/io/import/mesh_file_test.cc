#include "amontons/io/import/mesh_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/temporary_folder.h"
#include "amontons/math/rotation.h"
#include "tests/geometry/mesh_fixtures.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

using namespace amontons;
using namespace amontons::io;
namespace fs = std::filesystem;

namespace {

const Eigen::Vector3d kNoScale(1.0, 1.0, 1.0);

// Corners and triangles of a 1 x 2 x 3 box with a corner at the origin.
const Eigen::Vector3d kSize(1.0, 2.0, 3.0);
const int kTriangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                               {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
Eigen::Vector3d corner(int i) {
  return {i & 1 ? kSize.x() : 0.0, i & 2 ? kSize.y() : 0.0, i & 4 ? kSize.z() : 0.0};
}

std::string stl_facet(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                      const Eigen::Vector3d& c) {
  std::ostringstream text;
  text.precision(9);
  text << "facet normal 0 0 0\nouter loop\n";
  for (const Eigen::Vector3d& v : {a, b, c}) text << "vertex " << v.transpose() << "\n";
  text << "endloop\nendfacet\n";
  return text.str();
}

std::string box_stl(const Pose& X = {}) {
  std::string text = "solid box\n";
  for (const auto& t : kTriangles) {
    text += stl_facet(X * corner(t[0]), X * corner(t[1]), X * corner(t[2]));
  }
  return text + "endsolid box\n";
}

std::string box_binary_stl() {
  std::string bytes(80, ' ');
  const auto append = [&bytes](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(std::uint32_t{12});
  for (const auto& t : kTriangles) {
    for (int k = 0; k < 3; ++k) append(0.0f);
    for (int v : t) {
      for (int k = 0; k < 3; ++k) append(static_cast<float>(corner(v)[k]));
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

// Returns six quadrilaterals, which the reader must cut.
std::string box_obj() {
  std::ostringstream text;
  for (int i = 0; i < 8; ++i) text << "v " << corner(i).transpose() << "\n";
  return text.str() + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

// Returns the box in centimeters and with y upwards, under a node that turns and moves it.
std::string box_dae(const std::string& node_transform) {
  std::ostringstream positions, indices;
  for (int i = 0; i < 8; ++i) positions << 100.0 * corner(i).transpose() << " ";
  for (const auto& t : kTriangles) indices << t[0] << " " << t[1] << " " << t[2] << " ";
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="24">)" +
         positions.str() + R"(</float_array><technique_common>
<accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>)" +
         indices.str() + R"(</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">)" +
         node_transform +
         R"(<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

// Checks for a closed box of this size, in single precision, whose lowest corner is at `lowest`.
void check_is_box(const TriangleMesh& mesh, const Eigen::Vector3d& size,
                  const Eigen::Vector3d& lowest) {
  CHECK(mesh.vertices.size() == 8);
  CHECK(mesh.triangles.size() == 12);
  CHECK(is_closed(mesh));
  const SolidProperties solid = mesh_properties(mesh);
  const SolidProperties exact = shape_properties(Box{size});
  const double single = 1e-6;
  CHECK(solid.volume == Approx(exact.volume).epsilon(single));
  CHECK((solid.center - lowest - 0.5 * size).norm() <= single * (size + lowest).norm());
  CHECK((solid.inertia - exact.inertia).norm() <= single * exact.inertia.norm());
}

std::string parse_fault(const std::string& bytes, const std::string& name,
                        const Eigen::Vector3d& scale = kNoScale) {
  try {
    parse_mesh(bytes, name, scale);
  } catch (const ParseError& error) {
    CHECK(error.file() == name);
    CHECK(std::string(error.what()).rfind(name, 0) == 0);
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("A box is the same solid from every format of mesh") {
  const TemporaryFolder folder;
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  for (const std::string& file :
       {folder.write("text.stl", box_stl()), folder.write("binary.STL", box_binary_stl()),
        folder.write("box.obj", box_obj()), folder.write("box.dae", box_dae(""))}) {
    CAPTURE(file);
    check_is_box(load_mesh(file, kNoScale), kSize, zero);
  }
}

TEST_CASE("A Collada file's unit and node transforms are applied, its up axis is not") {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  check_is_box(parse_mesh(box_dae("<translate>100 200 -300</translate>"), "box.dae", kNoScale),
               kSize, {1.0, 2.0, -3.0});
  check_is_box(parse_mesh(box_dae("<scale>2 3 4</scale>"), "box.dae", kNoScale), {2.0, 6.0, 12.0},
               zero);
  // A quarter turn about z carries the box to negative x.
  check_is_box(parse_mesh(box_dae("<rotate>0 0 1 90</rotate>"), "box.dae", kNoScale),
               {2.0, 1.0, 3.0}, {-2.0, 0.0, 0.0});
}

TEST_CASE("Mirroring by a scale or a node keeps the outside outside") {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  check_is_box(parse_mesh(box_stl(), "a.stl", {0.001, 0.002, 0.003}), {0.001, 0.004, 0.009}, zero);
  check_is_box(parse_mesh(box_stl(), "a.stl", {-1.0, 1.0, 1.0}), kSize, {-1.0, 0.0, 0.0});
  check_is_box(parse_mesh(box_stl(), "a.stl", {-1.0, -1.0, 1.0}), kSize, {-1.0, -2.0, 0.0});
  check_is_box(parse_mesh(box_stl(), "a.stl", {-1.0, -1.0, -1.0}), kSize, -kSize);
  check_is_box(parse_mesh(box_dae("<scale>1 -1 1</scale>"), "box.dae", kNoScale), kSize,
               {0.0, -2.0, 0.0});
  // Mirrored twice: once by the node, once by the scale.
  check_is_box(parse_mesh(box_dae("<scale>1 -1 1</scale>"), "box.dae", {1.0, -1.0, 1.0}), kSize,
               zero);
}

TEST_CASE("The hull of a turned box in single precision has six faces") {
  const Pose X{rotation_from_rpy(0.3, -0.4, 2.0), {0.1, 0.2, -0.3}};
  const TriangleMesh mesh = parse_mesh(box_stl(X), "turned.stl", kNoScale);
  const std::shared_ptr<const ConvexPolyhedron> hull = hull_of_mesh(mesh);
  CHECK(hull->faces().size() == 6);
  CHECK(hull->vertices().size() == 8);
  CHECK(shape_properties(hull).volume == Approx(6.0).epsilon(1e-6));
}

TEST_CASE("Triangles that use a corner twice are dropped, and equal corners are one") {
  std::string text = box_stl();
  text.insert(text.find("facet"), stl_facet(corner(0), corner(7), corner(7)));
  check_is_box(parse_mesh(text, "degenerate.stl", kNoScale), kSize, Eigen::Vector3d::Zero());
}

TEST_CASE("Parts of a mesh that overlap leave holes open") {
  // Two unit cubes, one shifted along a diagonal: their volumes add up to that of the hull.
  TriangleMesh mesh = test::box_mesh(Eigen::Vector3d::Ones());
  CHECK(inspect_mesh(mesh).is_convex);
  const TriangleMesh other = mesh;
  const int n = static_cast<int>(mesh.vertices.size());
  for (const Eigen::Vector3d& v : other.vertices) {
    mesh.vertices.emplace_back(v + Eigen::Vector3d(0.5, 0.5, 0.0));
  }
  for (const auto& [a, b, c] : other.triangles) mesh.triangles.push_back({a + n, b + n, c + n});
  const MeshReport report = inspect_mesh(mesh);
  CHECK(report.closed);
  CHECK(report.mesh_volume == Approx(report.hull_volume).epsilon(1e-12));
  CHECK(!report.is_convex);
}

TEST_CASE("A report tells a dented, an open and an inverted mesh from a convex one") {
  const TriangleMesh box = parse_mesh(box_stl(), "box.stl", kNoScale);
  const MeshReport convex = inspect_mesh(box);
  CHECK(convex.mesh_volume == Approx(6.0).epsilon(1e-12));
  CHECK(convex.hull_volume == Approx(6.0).epsilon(1e-12));
  CHECK(convex.closed);
  CHECK(convex.is_convex);
  CHECK(!convex.inverted);

  // A corner pushed to the middle: by symmetry of the three tetrahedra it loses a quarter.
  TriangleMesh dented = box;
  for (Eigen::Vector3d& v : dented.vertices) {
    if ((v - kSize).norm() < 1e-9) v = 0.5 * kSize;
  }
  const MeshReport dent = inspect_mesh(dented);
  CHECK(dent.closed);
  CHECK(!dent.is_convex);
  CHECK(dent.mesh_volume < 0.99 * dent.hull_volume);

  TriangleMesh open = box;
  open.triangles.pop_back();
  CHECK(!inspect_mesh(open).closed);

  TriangleMesh inverted = box;
  for (std::array<int, 3>& t : inverted.triangles) std::swap(t[0], t[1]);
  const MeshReport inside_out = inspect_mesh(inverted);
  CHECK(inside_out.closed);
  CHECK(inside_out.inverted);
  CHECK(inside_out.mesh_volume == Approx(-6.0).epsilon(1e-12));
  CHECK(inside_out.hull_volume == Approx(6.0).epsilon(1e-12));
}

TEST_CASE("A file that is no mesh is refused by the name of its fault") {
  const Eigen::Vector3d a(1.0, 2.0, 3.0), b(2.0, 2.0, 5.0), c(0.0, 1.0, 0.0);
  const auto solid = [](const std::string& facets) {
    return "solid x\n" + facets + "endsolid x\n";
  };
  // A mesh without volume is none for a hull, but it is a mesh.
  const auto dimension = [&](const std::string& facets) {
    return inspect_mesh(parse_mesh(solid(facets), "x.stl", kNoScale)).dimension;
  };
  CHECK(dimension(stl_facet(a, a, a)) == 0);
  CHECK(dimension(stl_facet(a, b, 0.5 * (a + b))) == 1);
  CHECK(dimension(stl_facet(a, b, c) + stl_facet(a, c, a + b - c)) == 2);
  CHECK_THAT(parse_fault("v 0 0 0\nv 1 0 0\nl 1 2\n", "line.obj"), !Catch::Equals(""));
  CHECK_THAT(parse_fault(solid(""), "none.stl"), !Catch::Equals(""));
  for (const char* name : {"empty.stl", "empty.obj", "empty.dae"}) {
    CHECK_THAT(parse_fault("", name), Catch::Contains("the file is empty"));
  }
  CHECK_THAT(parse_fault("this is not a mesh", "text.obj"), !Catch::Equals(""));
  CHECK_THAT(parse_fault("\x01\x02\x03", "what.xyzw"),
             Catch::Contains("'.xyzw' is no ending of a mesh format"));
  CHECK_THAT(parse_fault("\x01\x02\x03", "what"), Catch::Contains("no ending of a mesh format"));
  // No format is chosen by the content of a file.
  const std::string tetrahedron =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 "
      "0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
  CHECK(parse_mesh(tetrahedron, "a.ply", kNoScale).triangles.size() == 4);
  CHECK_THAT(parse_fault(tetrahedron, "a.glb"), Catch::Contains("is no JSON"));
  CHECK_THAT(parse_fault(tetrahedron, "a.dae"), Catch::Contains("cannot be read as a mesh"));
  CHECK_THAT(parse_fault(tetrahedron, "a.3ds"), Catch::Contains("save it as .obj"));
  CHECK_THAT(parse_fault("mtllib 0\na2 0.1\n", "a.gltf"), !Catch::Equals(""));
  CHECK_THAT(parse_fault(box_obj(), "a.dae"), Catch::Contains("cannot be read as a mesh"));
  // Elements nested deeper than the call stack allows; comments and empty elements do not count.
  std::string deep = "<COLLADA>", wide = deep;
  for (int i = 0; i < 20000; ++i) deep += "<node>";
  for (int i = 0; i < 20000; ++i) wide += "<node/><!-- <node> -->";
  CHECK_THAT(parse_fault(deep, "deep.dae"), Catch::Contains("nested 20001 deep"));
  CHECK_THAT(parse_fault(wide, "wide.dae"), !Catch::Contains("nested"));
  std::string nan = box_binary_stl();
  const float not_finite = std::nanf("");
  std::copy_n(reinterpret_cast<const char*>(&not_finite), 4, nan.begin() + 84 + 12);
  CHECK_THAT(parse_fault(nan, "nan.stl"), Catch::Contains("not finite"));
  // Cut at any byte, a file is refused or read, but never breaks the reader.
  for (const std::string& bytes : {box_binary_stl(), box_stl(), box_obj(), box_dae("")}) {
    for (std::size_t n = 0; n < bytes.size(); n += 37) {
      for (const char* name : {"cut.stl", "cut.obj", "cut.dae"}) {
        try {
          parse_mesh(bytes.substr(0, n), name, kNoScale);
        } catch (const ParseError&) {
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("Nodes of a glTF file that nest too deep, hold themselves or multiply are refused") {
  const auto file = [](const std::string& nodes) {
    return R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [)" + nodes + "]}";
  };
  std::string chain, doubled;
  for (int i = 1; i < 20000; ++i) chain += "{\"children\": [" + std::to_string(i) + "]}, ";
  for (int i = 1; i < 30; ++i) {
    const std::string next = std::to_string(i);
    doubled += "{\"children\": [" + next + ", " + next + "]}, ";
  }
  CHECK_THAT(parse_fault(file(chain + "{}"), "a.gltf"), Catch::Contains("500 deep by 'children'"));
  CHECK_THAT(parse_fault(file(doubled + "{}"), "a.GLTF"),
             Catch::Contains("makes more than 100000 nodes"));
  CHECK_THAT(parse_fault(file(R"({"children": [0]})"), "a.gltf"),
             Catch::Contains("node 0 holds itself"));
  const std::string nested = R"({"extras": )" + std::string(100000, '[');
  CHECK_THAT(parse_fault(nested, "a.gltf"), Catch::Contains("nested 100001 deep"));
  // The binary form: 12 bytes of header, then the length of the text.
  const std::string text = file(chain + "{}");
  std::string binary = "glTF" + std::string(16, '\0') + text;
  const auto length = static_cast<std::uint32_t>(text.size());
  std::memcpy(binary.data() + 12, &length, sizeof length);
  CHECK_THAT(parse_fault(binary, "a.glb"), Catch::Contains("500 deep by 'children'"));
  // Numbers of the binary form are no elements of XML, whatever their bytes.
  for (int i = 0; i < 2000; ++i) binary += "<a>";
  CHECK_THAT(parse_fault(binary.replace(20, length, length, ' '), "a.glb"),
             !Catch::Contains("nested"));
}

TEST_CASE("A binary glTF file whose text or buffer is longer than it is refused") {
  // Eight bytes of header, the lengths of the file and of the text, its kind, the text itself.
  const auto file = [](const std::string& text, std::uint32_t length) {
    std::string bytes =
        std::string("glTF") + std::string("\2\0\0\0\0\0\0\0", 8) + "lengJSON" + text;
    std::memcpy(bytes.data() + 12, &length, sizeof length);
    return bytes;
  };
  CHECK_THAT(parse_fault(file("{}", 0xfcfffe0b), "a.glb"),
             Catch::Contains("its JSON text has 4244635147 bytes, but the file 22"));
  const std::string text = R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4e9}]})";
  CHECK_THAT(parse_fault(file(text, static_cast<std::uint32_t>(text.size())), "a.glb"),
             Catch::Contains("a buffer has 4e+09 bytes, but the file"));
}

TEST_CASE("A glTF file that two readers of JSON would read differently is refused") {
  const auto file = [](const std::string& nodes) {
    return R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], )" + nodes + "}";
  };
  CHECK_THAT(parse_fault(file(R"("nodes": [{"children": [0]}], "nodes": [{}])"), "a.gltf"),
             Catch::Contains("gives 'nodes' twice in one object"));
  CHECK_THAT(parse_fault(file("\"nodes\": [{\"n\xff\": [0]}]"), "a.gltf"),
             Catch::Contains("its text is no JSON in UTF-8: a fault at byte"));
  CHECK_THAT(parse_fault("solid", "a.gltf"), Catch::Contains("a fault at byte 1"));
  CHECK_THAT(parse_fault("{\"n\": 1e999}", "a.gltf"), Catch::Contains("beyond the range"));
}

TEST_CASE("Indices of a Collada file that are no integers are refused, and notes of it are free") {
  const std::string bytes = box_dae("");
  const std::size_t begin = bytes.find("<p>") + 3;
  for (const char* wrong : {"s ", "1.5 ", "0x1 ", "; "}) {
    CHECK_THAT(parse_fault(std::string(bytes).insert(begin, wrong), "a.dae"),
               Catch::Contains("<p> must hold integers"));
  }
  const std::string note =
      "<extra><technique profile=\"notes\"><p>Made by hand.</p></technique></extra>";
  CHECK(parse_mesh(std::string(bytes).insert(bytes.rfind("</COLLADA>"), note), "a.dae", kNoScale)
            .triangles.size() == 12);
}

TEST_CASE("An accessor of a Collada file that reaches beyond its array is refused") {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string bytes = box_dae("");
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  for (const auto& [from, to] :
       {std::pair{"count=\"24\"", "Count=\"24\""}, std::pair{"count=\"8\"", "count=\"9\""},
        std::pair{"stride=\"3\"", "stride=\"4\""},
        std::pair{"count=\"8\"", "offset=\"1\" count=\"8\""}}) {
    CHECK_THAT(parse_fault(changed(from, to), "a.dae"), Catch::Contains("beyond the 'count'"));
  }
}

TEST_CASE("A Collada file whose arrays are not what it says of them is refused at their line") {
  struct Case {
    std::string from, to, said;
    int line;
  };
  const std::string indices = "<p>0 ";
  const std::string three = "<param name=\"Z\" type=\"float\"/>";
  for (const Case& own : {
           // Positions: as many as counted, and numbers.
           Case{"count=\"24\">", "count=\"24\">1,5 ", "a position must be a number, not '1,5'", 5},
           Case{"count=\"24\">", "count=\"24\">1e-3 ", "has 25 numbers where its 'count' is 24", 5},
           Case{"count=\"24\">", "count=\"24\">nan ", "a position must be a finite number", 5},
           // Accessors: x, y and z side by side.
           Case{"stride=\"3\"", "stride=\"2\"", "3 <param> at a 'stride' of 2", 6},
           Case{" stride=\"3\"", "", "3 <param> at a 'stride' of 1", 6},
           Case{three, "", "2 <param> at a 'stride' of 3", 6},
           // Indices: of positions, and as many as counted.
           Case{indices, "<p>-9 ", "index '-9' of <p> names none of 8 positions", 9},
           Case{indices, "<p>8 ", "index '8' of <p> names none of 8 positions", 9},
           Case{indices, "<p>4294967296 ", "index '4294967296' of <p>", 9},
           Case{indices, "<p>0 0 ", "<triangles> has 37 indices, its counts ask for 36", 9},
           Case{"<triangles count=\"12\"", "<triangles count=\"13\"", "ask for 39", 9},
           Case{"<triangles count=\"12\"", "<triangles count=\"-1\"", "must count something", 9},
           // Lengths.
           Case{"meter=\"0.01\"", "meter=\"0\"", "'meter' of <unit> must be a positive number", 3},
           Case{"meter=\"0.01\"", "meter=\"-1\"", "'meter' of <unit> must be a positive number", 3},
       }) {
    std::string bytes = box_dae("");
    const std::size_t at = bytes.find(own.from);
    REQUIRE(at != std::string::npos);
    bytes.replace(at, own.from.size(), own.to);
    INFO(own.to);
    try {
      parse_mesh(bytes, "a.dae", kNoScale);
      FAIL("it was read");
    } catch (const ParseError& error) {
      CHECK_THAT(error.message(), Catch::Contains(own.said));
      CHECK(error.line() == own.line);
    }
  }
  // A polygon list, whose numbers of corners are told apart, and polygons one by one.
  const auto primitive = [](const std::string& text) {
    std::string bytes = box_dae("");
    const std::size_t begin = bytes.find("<triangles"), end = bytes.find("</mesh>");
    return bytes.replace(begin, end - begin, text);
  };
  const std::string input = "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>";
  const auto list = [&](const std::string& counts, const std::string& p) {
    return primitive("<polylist count=\"2\">" + input + "<vcount>" + counts + "</vcount><p>" + p +
                     "</p></polylist>");
  };
  CHECK(parse_mesh(list("3 4", "0 1 2 0 1 3 2"), "a.dae", kNoScale).triangles.size() == 3);
  CHECK_THAT(parse_fault(list("3", "0 1 2"), "a.dae"), Catch::Contains("1 numbers of corners"));
  CHECK_THAT(parse_fault(list("3 5", "0 1 2 0 1 3 2"), "a.dae"), Catch::Contains("ask for 8"));
  CHECK_THAT(
      parse_fault(primitive("<polygons count=\"1\">" + input + "<p>0 1</p></polygons>"), "a.dae"),
      Catch::Contains("a polygon three corners"));
}

TEST_CASE("A Collada scene that shows no geometry is no mesh of its nodes") {
  std::string bytes = box_dae("");
  const std::string instance = "<instance_geometry url=\"#g\"/>";
  bytes.replace(bytes.find(instance), instance.size(), "<node id=\"b\"/><node id=\"c\"/>");
  CHECK(parse_fault(bytes, "a.dae") != "");
}

TEST_CASE("A binary STL file with more facets than its header counts is refused") {
  std::string bytes = box_binary_stl();
  bytes[80] = 5;
  CHECK_THAT(parse_fault(bytes, "a.stl"), Catch::Contains("counts 5 facets, the file has 12"));
  // A few bytes behind the last facet are none.
  CHECK(parse_mesh(box_binary_stl() + "end", "a.stl", kNoScale).triangles.size() == 12);
}

TEST_CASE("Nodes of a Collada file that hold themselves, or too many others, are refused") {
  // The box is in a library node, which the nodes of the scene copy.
  const auto file = [](const std::string& scene, const std::string& library = "") {
    std::string bytes = box_dae("");
    const std::size_t begin = bytes.find("<node"), end = bytes.rfind("</node>") + 7;
    const std::string box = bytes.substr(begin, end - begin);
    bytes.replace(begin, end - begin, scene);
    const std::string nodes = "<library_nodes>" + library + "<node id=\"box\">" + box + "</node>";
    return bytes.insert(bytes.find("<library_visual_scenes"), nodes + "</library_nodes>\n");
  };
  const auto copy = [](const std::string& of) { return "<instance_node url=\"#" + of + "\"/>"; };
  const auto node = [](const std::string& id, const std::string& inside) {
    return "<node id=\"" + id + "\" name=\"" + id + "\">" + inside + "</node>";
  };
  // A node may have the name of the one that it copies.
  CHECK(parse_mesh(file("<node name=\"box\">" + copy("box") + "</node>"), "a.dae", kNoScale)
            .triangles.size() == 12);
  const auto fault = [&](const std::string& scene, const std::string& library = "") {
    return parse_fault(file(scene, library), "a.dae");
  };
  CHECK_THAT(fault(node("a", copy("a"))), Catch::Contains("node 'a' holds itself"));
  CHECK_THAT(fault("<node>" + copy("b") + "</node>",
                   node("b", copy("c")) + node("c", node("d", copy("b")))),
             Catch::Contains("holds itself"));
  // Each node holds two of the next: 2^30 in all.
  std::string doubled = node("n0", copy("box") + copy("box"));
  for (int i = 1; i < 30; ++i) {
    const std::string inner = "n" + std::to_string(i - 1);
    doubled += node("n" + std::to_string(i), copy(inner) + copy(inner));
  }
  CHECK_THAT(fault(node("a", copy("n29")), doubled), Catch::Contains("more than 100000 nodes"));
  std::string chain = node("n0", copy("box"));
  for (int i = 1; i < 20000; ++i) {
    chain += node("n" + std::to_string(i), copy("n" + std::to_string(i - 1)));
  }
  CHECK_THAT(fault(node("a", copy("n19999")), chain), Catch::Contains("more than 500 deep"));
}

TEST_CASE("A mesh file that is missing or a folder is refused by name") {
  const TemporaryFolder folder;
  const fs::path known = folder.write("known.stl", box_stl());
  const fs::path missing = known.parent_path() / "missing.stl";
  CHECK_THROWS_AS(load_mesh(missing, kNoScale), ParseError);
  CHECK_THROWS_WITH(load_mesh(missing, kNoScale), Catch::StartsWith(missing.string() + ": "));
  CHECK_THROWS_AS(load_mesh(known.parent_path(), kNoScale), ParseError);
}

TEST_CASE("A mesh scale must be finite and not zero") {
  for (double bad : {0.0, std::nan(""), HUGE_VAL}) {
    CHECK_THROWS_AS(parse_mesh(box_stl(), "a.stl", {1.0, bad, 1.0}), std::invalid_argument);
  }
}

TEST_CASE("The meshes of real robots are solids, and their hulls hold them") {
  const fs::path data = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(data)) {
    WARN("skipped: no robot meshes at " << data.string());
    return;
  }
  int num_meshes = 0, num_closed = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".stl" && ending != ".STL" && ending != ".dae" && ending != ".obj") continue;
    CAPTURE(entry.path().string());
    const TriangleMesh mesh = load_mesh(entry.path(), kNoScale);
    const MeshReport report = inspect_mesh(mesh);
    if (report.dimension == 2) continue;  // plane.obj, as its name says
    ++num_meshes;
    num_closed += report.closed ? 1 : 0;
    CHECK(!report.inverted);
    CHECK(report.mesh_volume <= report.hull_volume * (1.0 + 1e-5));
    double largest = 0.0, outside = 0.0;
    for (const Eigen::Vector3d& v : mesh.vertices)
      largest = std::max(largest, v.cwiseAbs().maxCoeff());
    const std::shared_ptr<const ConvexPolyhedron> hull = hull_of_mesh(mesh);
    for (const ConvexPolyhedron::Face& face : hull->faces()) {
      for (const Eigen::Vector3d& v : mesh.vertices) {
        outside = std::max(outside, face.normal.dot(v) - face.offset);
      }
    }
    // Facets are merged, and corners dropped, within this much.
    CHECK(outside <= 1.01e-6 * largest);
  }
  CHECK(num_meshes > 0);
  CHECK(num_closed > 0.9 * num_meshes);
}
