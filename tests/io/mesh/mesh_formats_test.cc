// OBJ, STL, PLY and MSH: what the readers keep, and where they find faults.
#include "amontons/io/common/parse_error.h"
#include "amontons/io/import/mesh_file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <random>
#include <sstream>

using namespace amontons;
using namespace amontons::io;
namespace fs = std::filesystem;

namespace {

const Eigen::Vector3d kNoScale(1.0, 1.0, 1.0);

// A cube of edge 0.1 about the origin: corners and quadrilaterals, counterclockwise from outside.
const std::vector<std::array<int, 4>> kQuads{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                             {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
Eigen::Vector3d corner(int i) {
  return {i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, i & 4 ? 0.05 : -0.05};
}

std::string text(const Eigen::Vector3d& v) {
  std::ostringstream out;
  out << std::setprecision(17) << v.x() << " " << v.y() << " " << v.z();
  return out.str();
}

std::string cube_obj() {
  std::string file;
  for (int i = 0; i < 8; ++i) file += "v " + text(corner(i)) + "\n";
  for (const auto& [a, b, c, d] : kQuads) {
    file += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " " +
            std::to_string(c + 1) + " " + std::to_string(d + 1) + "\n";
  }
  return file;
}

std::string cube_stl() {
  std::string file = "solid a cube of facets\n";
  for (const auto& [a, b, c, d] : kQuads) {
    for (const std::array<int, 3>& t : {std::array{a, b, c}, std::array{a, c, d}}) {
      file += "  facet normal 0 0 0\n    outer loop\n";
      for (const int v : t) file += "      vertex " + text(corner(v)) + "\n";
      file += "    endloop\n  endfacet\n";
    }
  }
  return file + "endsolid a cube of facets\n";
}

/// Appends the bytes of a number in the given order.
template <typename Number>
void append(std::string& bytes, Number number, std::endian order = std::endian::little) {
  std::array<char, sizeof(Number)> raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

std::string cube_binary_stl(const std::string& header) {
  std::string bytes = header;
  bytes.resize(80, ' ');
  append(bytes, std::uint32_t{12});
  for (const auto& [a, b, c, d] : kQuads) {
    for (const std::array<int, 3>& t : {std::array{a, b, c}, std::array{a, c, d}}) {
      for (int k = 0; k < 3; ++k) append(bytes, 0.0F);
      for (const int v : t) {
        for (const double x : corner(v)) append(bytes, static_cast<float>(x));
      }
      append(bytes, std::uint16_t{0});
    }
  }
  return bytes;
}

std::string ply_header(const std::string& format, const std::string& type) {
  return "ply\nformat " + format + " 1.0\ncomment a cube\nelement vertex 8\nproperty " + type +
         " x\nproperty " + type + " y\nproperty uchar red\nproperty " + type +
         " z\nelement face 6\nproperty list uchar int vertex_indices\nproperty list uchar float "
         "texcoord\nend_header\n";
}

std::string cube_ply() {
  std::string file = ply_header("ascii", "double");
  for (int i = 0; i < 8; ++i) {
    std::istringstream words(text(corner(i)));
    std::string x, y, z;
    words >> x >> y >> z;
    file += x + " " + y + " 255 " + z + "\n";
  }
  for (const auto& [a, b, c, d] : kQuads) {
    file += "4 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + " " +
            std::to_string(d) + " 2 0.5 0.5\n";
  }
  return file;
}

std::string cube_binary_ply(std::endian order) {
  std::string bytes = ply_header(
      order == std::endian::big ? "binary_big_endian" : "binary_little_endian", "double");
  for (int i = 0; i < 8; ++i) {
    append(bytes, corner(i).x(), order);
    append(bytes, corner(i).y(), order);
    append(bytes, std::uint8_t{255}, order);
    append(bytes, corner(i).z(), order);
  }
  for (const std::array<int, 4>& quad : kQuads) {
    append(bytes, std::uint8_t{4}, order);
    for (const int v : quad) append(bytes, std::int32_t{v}, order);
    append(bytes, std::uint8_t{2}, order);
    append(bytes, 0.5F, order);
    append(bytes, 0.5F, order);
  }
  return bytes;
}

std::string cube_msh() {
  std::string bytes;
  for (const int count : {8, 1, 2, 12}) append(bytes, std::int32_t{count});
  for (int i = 0; i < 8; ++i) {
    for (const double x : corner(i)) append(bytes, static_cast<float>(x));
  }
  for (int k = 0; k < 3 + 4; ++k) append(bytes, 0.25F);  // normals and texture
  for (const auto& [a, b, c, d] : kQuads) {
    for (const int v : {a, b, c, a, c, d}) append(bytes, std::int32_t{v});
  }
  return bytes;
}

/// Checks for the cube, each corner to the last bit.
void check_is_cube(const TriangleMesh& mesh, bool single) {
  CHECK(mesh.vertices.size() == 8);
  CHECK(mesh.triangles.size() == 12);
  CHECK(is_closed(mesh));
  const double half = single ? static_cast<double>(0.05F) : 0.05;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    CHECK((v.cwiseAbs().array() == half).all());
  }
  CHECK(mesh_properties(mesh).volume == Approx(8.0 * half * half * half).epsilon(1e-14));
}

std::string fault_of(const std::string& bytes, const std::string& name) {
  try {
    parse_mesh(bytes, name, kNoScale);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A cube of 0.1 has its corners at 0.05 exactly in every format that has doubles") {
  check_is_cube(parse_mesh(cube_obj(), "a.obj", kNoScale), false);
  check_is_cube(parse_mesh(cube_stl(), "a.STL", kNoScale), false);
  check_is_cube(parse_mesh(cube_ply(), "a.ply", kNoScale), false);
  check_is_cube(parse_mesh(cube_binary_ply(std::endian::little), "a.ply", kNoScale), false);
  check_is_cube(parse_mesh(cube_binary_ply(std::endian::big), "a.ply", kNoScale), false);
  // These two are single by their formats.
  check_is_cube(parse_mesh(cube_msh(), "a.msh", kNoScale), true);
  check_is_cube(parse_mesh(cube_binary_stl("binary"), "a.stl", kNoScale), true);
}

TEST_CASE("A binary STL file is one whatever its header says") {
  check_is_cube(parse_mesh(cube_binary_stl("solid made by a program"), "a.stl", kNoScale), true);
  check_is_cube(parse_mesh(cube_binary_stl("solid") + "trailing\0bytes", "a.stl", kNoScale), true);
}

TEST_CASE("An OBJ file may count back, name textures and normals, have groups and long lines") {
  std::string file = "# a cube\r\nmtllib cube.mtl\r\no first\r\ng sides\r\nvt 0 0\r\nvn 0 0 1\r\n";
  for (int i = 0; i < 8; ++i) file += "v\t" + text(corner(i)) + " 1.0  # corner\r\n";
  file += "usemtl red\r\ns off\r\n";
  const char* const endings[] = {"", "/1", "//1", "/1/1"};
  for (std::size_t q = 0; q < kQuads.size(); ++q) {
    if (q == 3) file += "o second\r\n";
    file += "f";
    for (const int v : kQuads[q]) {
      const int number = q % 2 == 0 ? v + 1 : v - 8;
      file += " " + std::to_string(number) + endings[q % 4] + (q == 5 ? " \\\r\n " : "");
    }
    file += "\r\n";
  }
  file += "l 1 2 3\r\np 1\r\n";
  check_is_cube(parse_mesh(file, "a.obj", kNoScale), false);
}

TEST_CASE("A polygon has the area of its triangles, convex or not") {
  // A comb of n teeth: 2 n + 2 corners of area n (1 + 1/2) - 1/2 ... by the shoelace formula.
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> height(0.2, 2.0);
  for (int n = 1; n <= 30; ++n) {
    std::vector<Eigen::Vector2d> outline{{0.0, -1.0}, {static_cast<double>(n), -1.0}};
    for (int i = n; i >= 0; --i) outline.emplace_back(i, i % 2 == 0 ? height(engine) : -0.9);
    double area = 0.0;
    std::string file, face = "f";
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Eigen::Vector2d &a = outline[i], &b = outline[(i + 1) % outline.size()];
      area += 0.5 * (a.x() * b.y() - a.y() * b.x());
      // The polygon's plane is oblique.
      file += "v " + text({a.x(), a.y(), a.x() + 2.0 * a.y()}) + "\n";
      face += " " + std::to_string(i + 1);
    }
    const TriangleMesh mesh = parse_mesh(file + face + "\n", "comb.obj", kNoScale);
    CHECK(mesh.triangles.size() == outline.size() - 2);
    double sum = 0.0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const auto flat = [&](int v) {
        return mesh.vertices[static_cast<std::size_t>(v)].head<2>().eval();
      };
      const Eigen::Vector2d u = flat(b) - flat(a), w = flat(c) - flat(a);
      const double twice = u.x() * w.y() - u.y() * w.x();
      CHECK(twice >= 0.0);
      sum += 0.5 * twice;
    }
    CHECK(sum == Approx(area).epsilon(1e-12));
  }
}

TEST_CASE(
    "Corners that differ by the rounding of the file are one, those that differ by more stay") {
  // Each facet of a text file has corners of its own, in seven digits that differ in the last.
  std::string rounded = cube_stl();
  const std::string from = "0.050000000000000003";
  for (std::size_t at = rounded.find(from), k = 0; at != std::string::npos;
       at = rounded.find(from, at), ++k) {
    rounded.replace(at, from.size(), k % 2 == 0 ? "0.05000001" : "0.05");
  }
  CHECK(parse_mesh(rounded, "a.stl", kNoScale).vertices.size() == 8);
  // A closed box thinner than single precision stays a box where the file has doubles.
  std::string thin;
  for (int i = 0; i < 8; ++i) {
    Eigen::Vector3d v = 20.0 * corner(i);
    v.z() = i & 4 ? 1.0 + 1e-9 : 1.0;
    thin += "v " + text(v) + "\n";
  }
  const std::string cube = cube_obj();
  CHECK(parse_mesh(thin + cube.substr(cube.find('f')), "a.obj", kNoScale).vertices.size() == 8);
}

TEST_CASE("A fault in a mesh file is found in its line or byte") {
  struct Fault {
    const char* name;
    std::string bytes, place, message;
  };
  const std::string obj = cube_obj(), stl = cube_stl(), ply = cube_ply();
  const std::string cut_stl = stl.substr(0, stl.size() / 2);
  // A square with a dent, around many times.
  std::string many_corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0\nf";
  for (int i = 0; i < 6000; ++i) many_corners += " " + std::to_string(i % 5 + 1);
  const std::vector<Fault> faults{
      {"a.obj", "v 0 0\nv 1 1 1\n", "a.obj:1: ", "three coordinates"},
      {"a.obj", obj + "\nf 1 2 9\n", "a.obj:16: ", "vertex 9 of 8"},
      {"a.obj", obj + "f 1 0 2\n", "a.obj:15: ", "vertex 0 of 8"},
      {"a.obj", obj + "f 1 2 -9\n", "a.obj:15: ", "vertex -9 of 8"},
      {"a.obj", obj + "f 1 two 3\n", "a.obj:15: ", "'two'"},
      {"a.obj", many_corners, "a.obj:6: ", "more than 5000 corners"},
      {"a.obj", "v 1 2 nan\n", "a.obj:1: ", "not finite"},
      {"a.obj", "v 1 2 3x\n", "a.obj:1: ", "'3x'"},
      {"a.obj", "v 1 2 1e999\n", "a.obj:1: ", "range"},
      {"a.obj", "hello\n", "a.obj: ", "no triangles"},
      {"a.stl", cut_stl, "a.stl:", "again"},
      {"a.stl", stl.substr(0, stl.rfind("endsolid")), "a.stl:86: ", "endsolid"},
      {"a.stl", "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0\n", "a.stl:5: ", ""},
      {"a.stl", cube_binary_stl("").substr(0, 400), "a.stl: byte 84: ", "cut short"},
      {"a.stl", cube_binary_stl("solid").substr(0, 400), "a.stl: byte 84: ", "cut short"},
      {"a.stl", "\x01\x02\x03", "a.stl: byte 0: ", "cut short"},
      {"a.ply", "plx\n", "a.ply:1: ", "starts with 'ply'"},
      {"a.ply", "ply\nformat binary 1.0\n", "a.ply:2: ", "'binary'"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex -1\n", "a.ply:3: ", "negative"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n", "a.ply:4: ", "quad"},
      {"a.ply", "ply\nformat ascii 1.0\nelement a 9\nend_header\n          ",
       "a.ply:5: ", "no properties"},
      {"a.ply", ply.substr(0, ply.size() - 30), "a.ply:", "cut short"},
      {"a.ply", cube_binary_ply(std::endian::big).substr(0, 300), "a.ply: byte ", "cut short"},
      {"a.msh", cube_msh().substr(0, 200), "a.msh: byte 16: ", "cut short"},
      {"a.msh", "$MeshFormat\n2.2 0 8\n", "a.msh:1: ", "Gmsh"},
      {"a.msh", "", "a.msh: ", "the file is empty"},
  };
  for (const Fault& fault : faults) {
    const std::string what = fault_of(fault.bytes, fault.name);
    CAPTURE(fault.bytes.substr(0, 60), what);
    CHECK(what.starts_with(fault.place));
    CHECK_THAT(what, Catch::Contains(fault.message));
  }
}

TEST_CASE("Any bytes are a mesh or one error") {
  std::mt19937 engine(17);
  const auto any = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine);
  };
  const std::vector<std::pair<const char*, std::string>> files{
      {"a.obj", cube_obj()},
      {"a.stl", cube_stl()},
      {"a.stl", cube_binary_stl("solid")},
      {"a.ply", cube_ply()},
      {"a.ply", cube_binary_ply(std::endian::big)},
      {"a.ply", cube_binary_ply(std::endian::little)},
      {"a.msh", cube_msh()}};
  for (const auto& [name, bytes] : files) {
    for (int k = 0; k < 300; ++k) {
      std::string changed = bytes;
      for (std::size_t n = any(4) + 1; n > 0; --n) {
        if (any(3) == 0) changed.erase(any(changed.size()), any(20));
        if (any(3) == 0)
          changed.insert(any(changed.size()), changed.substr(any(changed.size()), 9));
        changed[any(changed.size())] = static_cast<char>(any(256));
      }
      if (k % 5 == 0) changed.resize(any(changed.size()) + 1);
      try {
        const TriangleMesh mesh = parse_mesh(changed, name, kNoScale);
        for (const std::array<int, 3>& t : mesh.triangles) {
          for (const int v : t) REQUIRE(static_cast<std::size_t>(v) < mesh.vertices.size());
        }
      } catch (const ParseError& error) {
        CHECK(!error.message().empty());
      }
    }
  }
}

TEST_CASE("A cloud of points in MuJoCo's format is its hull") {
  std::string bytes;
  for (const int count : {8, 0, 0, 0}) append(bytes, std::int32_t{count});
  for (int i = 0; i < 8; ++i) {
    for (const double x : corner(i)) append(bytes, static_cast<float>(x));
  }
  check_is_cube(parse_mesh(bytes, "cloud.msh", kNoScale), true);
}

TEST_CASE("A cloud of points in OBJ is its hull") {
  std::ostringstream text;
  text.precision(17);
  for (int i = 0; i < 8; ++i) {
    text << "v";
    for (const double x : corner(i)) text << " " << x;
    text << "\n";
  }
  check_is_cube(parse_mesh(text.str(), "cloud.obj", kNoScale), false);
}
