#include "amontons/io/mjcf/mjcf_assets.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/mesh_file.h"
#include "amontons/io/mjcf/mjcf_builtin_mesh.h"
#include "amontons/io/tables/png_image.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>

// <asset>: meshes and height fields.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// Most numbers of a mesh or height field in the file itself, which bounds memory.
constexpr std::size_t kMostNumbers = 30000000;

/// Lists assets by name only: an asset counts if a geom needs it.
void list(MjcfReader& reader, const std::string& tag,
          std::map<std::string, const XMLElement*>& assets) {
  for (const XMLElement* xml : reader.file.document.section("asset")) {
    if (xml->Name() == tag) assets.emplace(name_of_mjcf_asset(*xml), xml);
  }
}

/// Returns the asset that a geom names. @throws ParseError if there is none.
MjcfElement find(MjcfReader& reader, const MjcfElement& geom, const std::string& tag,
                 const std::map<std::string, const XMLElement*>& assets) {
  if (!geom.has(tag)) geom.fail("needs the attribute '" + tag + "'");
  const std::string name = geom.text(tag);
  const auto found = assets.find(name);
  if (found == assets.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : assets) names.push_back(known);
    geom.fail(tag, "names no " + tag + " of <asset>: '" + name + "'" + did_you_mean(name, names));
  }
  return reader.element(*found->second, MjcfDefaults::kMain);
}

/// Returns the file of a mesh or height field, relative to the main file.
std::string path_of(const MjcfReader& reader, const MjcfElement& asset) {
  const MjcfCompiler& compiler = reader.compiler_of(asset);
  const std::string& folder = compiler.meshdir.empty() ? compiler.assetdir : compiler.meshdir;
  std::filesystem::path file = asset.text("file");
  if (compiler.strippath) file = file.filename();
  return (std::filesystem::path(folder) / file).string();
}

/// Returns the main file of the model of an asset, relative to the scene.
const std::string& model_file_of(const MjcfReader& reader, const MjcfElement& asset) {
  const MjcfDocument& document = reader.file.document;
  return document.model_file(document.model_of(asset.xml()));
}

/// Scales a mesh. One that mirrors turns triangles inside out, so their corners are reversed.
TriangleMesh scaled(TriangleMesh mesh, const Eigen::Vector3d& scale) {
  for (Eigen::Vector3d& v : mesh.vertices) v = scale.cwiseProduct(v);
  for (std::array<int, 3>& t : mesh.triangles) {
    if (scale.prod() < 0.0) std::swap(t[1], t[2]);
  }
  return mesh;
}

/// Reads a mesh from the attributes vertex and face, or from builtin and params.
TriangleMesh read_inline_mesh(const MjcfElement& mesh, const Eigen::Vector3d& scale) {
  if (mesh.has("builtin")) return scaled(make_builtin_mesh(mesh), scale);
  // At least four vertices [m], three numbers each.
  const std::vector<double> numbers = mesh.numbers("vertex", 12, kMostNumbers);
  if (numbers.size() % 3 != 0) mesh.fail("vertex", "must hold three numbers for each vertex");
  TriangleMesh result;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    result.vertices.push_back(
        scale.cwiseProduct(Eigen::Vector3d(numbers[i], numbers[i + 1], numbers[i + 2])));
  }
  // A scale that mirrors turns triangles inside out, so their corners are taken in reverse.
  const std::vector<double> corners = mesh.numbers("face", 3, kMostNumbers);
  const bool mirrored = scale.prod() < 0.0;
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double corner = i + k < corners.size() ? corners[i + k] : -1.0;
      if (corner != std::floor(corner) || corner < 0.0 ||
          corner >= static_cast<double>(result.vertices.size())) {
        mesh.fail("face", "must hold three indices of vertices for each triangle");
      }
      triangle[mirrored ? 2 - k : k] = static_cast<int>(corner);
    }
    result.triangles.push_back(triangle);
  }
  return result;
}

/// Returns how a mesh collides: as its hull of at most `maxhullvert` vertices, or by default as
/// `usual` says, unless the scene says otherwise.
MeshChoice choice_of_mesh(const MjcfReader& reader, const MjcfElement& mesh,
                          const std::string& link, MeshCollision usual) {
  const int limit = mesh.integer("maxhullvert", kNoVertexLimit);
  if (limit != kNoVertexLimit && limit < kFewestVertices) {
    mesh.fail("maxhullvert",
              "must be at least 4, or -1 for no limit, but is " + std::to_string(limit));
  }
  // The limit is of the hull, which the scene may replace.
  const MeshCollision collision = reader.context.collide.of(link, {usual}).collision;
  const bool is_hull = collision == MeshCollision::Hull;
  const MeshChoice choice =
      reader.context.collide.of(link, {collision, is_hull ? limit : kNoVertexLimit});
  if (mesh.has("maxhullvert") && choice.max_hull_vertices != limit) {
    mesh.note("maxhullvert", ImportFate::Ignored, "the scene says how the mesh collides");
  }
  return choice;
}

/// Takes the shapes and the solid of a mesh; none where its triangles have no area.
void take_shapes(const MeshShape& mesh, MjcfShape& result) {
  result.shapes = mesh.shapes;
  result.solid = mesh.solid;
}

/// Returns the reference frame of a mesh, in which MuJoCo scales it: v -> scale R^T (v - p).
Pose reference_frame_of(const MjcfElement& mesh) {
  Pose frame{Eigen::Matrix3d::Identity(), mesh.vector3("refpos", Eigen::Vector3d::Zero())};
  const std::vector<double> wxyz = mesh.numbers("refquat", 4, 4);
  if (wxyz.empty()) return frame;
  const Eigen::Vector4d written(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (!(written.norm() > 1e-14)) mesh.fail("refquat", "has no length: it cannot be normalized");
  frame.rotation = quaternion_from_wxyz(written.normalized()).toRotationMatrix();
  return frame;
}

/// Returns the pose that maps scaled vertices to their place; nothing where R^T and scales that
/// differ do not commute, so that no rigid pose does.
std::optional<Pose> reference_of(const MjcfElement& mesh, const Eigen::Vector3d& scale) {
  const Pose frame = reference_frame_of(mesh);
  const Eigen::Matrix3d R = frame.rotation;
  if (R.isIdentity(0.0)) return Pose{R, -scale.cwiseProduct(frame.translation)};
  if (scale.x() != scale.y() || scale.x() != scale.z()) return std::nullopt;
  return Pose{R.transpose(), -scale.x() * (R.transpose() * frame.translation)};
}

/// Reads the triangles of a mesh, scaled along the axes of its file.
TriangleMesh read_triangles(MjcfReader& reader, const MjcfElement& mesh,
                            const Eigen::Vector3d& scale) {
  if (!mesh.has("file")) return read_inline_mesh(mesh, scale);
  const std::string file = path_of(reader, mesh);
  return parse_mesh(reader.context.inputs.read_model_file_text(file, model_file_of(reader, mesh),
                                                               mesh.where("file")),
                    file, scale);
}

/// Returns heights [m] from 0 to the elevation, as MuJoCo normalizes them.
Eigen::MatrixXd normalized_heights(const MjcfElement& field, Eigen::MatrixXd heights,
                                   double elevation) {
  const double lowest = heights.minCoeff(), range = heights.maxCoeff() - lowest;
  if (!heights.allFinite()) field.fail("its heights must be finite numbers");
  heights.array() -= lowest;
  if (range > 1e-10) heights *= elevation / range;
  return heights;
}

/// Reads MuJoCo's own format: int32 rows and columns, then single precision numbers row by row.
Eigen::MatrixXd read_custom_heights(const MjcfElement& field, const std::string& bytes) {
  std::int32_t size[2] = {0, 0};
  // A size that disagrees with the header shows a file of another format.
  if (bytes.size() >= sizeof size) std::memcpy(size, bytes.data(), sizeof size);
  const auto rows = static_cast<std::size_t>(std::max(0, size[0]));
  const auto columns = static_cast<std::size_t>(std::max(0, size[1]));
  if (rows < 2 || columns < 2 || rows * columns != (bytes.size() - sizeof size) / sizeof(float) ||
      bytes.size() % sizeof(float) != 0) {
    field.fail("file", "is no height field in MuJoCo's own format (two int32, then floats)");
  }
  Eigen::MatrixXd heights(size[1], size[0]);  // rows of the file run along x
  for (std::size_t i = 0; i < rows * columns; ++i) {
    float height = 0.0F;
    std::memcpy(&height, bytes.data() + sizeof size + i * sizeof height, sizeof height);
    heights(static_cast<Eigen::Index>(i % columns), static_cast<Eigen::Index>(i / columns)) =
        static_cast<double>(height);
  }
  return heights;
}

/// Reads the heights of a PNG image with y upwards. As in MuJoCo the red values count, of 16 bits
/// the upper 8.
Eigen::MatrixXd read_png_heights(const MjcfElement& field, const std::string& bytes,
                                 const std::string& name) {
  GrayImage image;
  try {
    image = parse_png(bytes, name);
  } catch (const ParseError& error) {
    field.fail("file", std::string("names a damaged image: ") + error.what());
  }
  if (image.values.rows() < 2 || image.values.cols() < 2) {
    field.fail("file", "must have at least 2 x 2 pixels");
  }
  if (image.has_colors) {
    field.note("file", ImportFate::Approximated, "an image with colors: its red values count");
  }
  const double unit = image.largest > 255.0 ? 256.0 : 1.0;
  return (image.values / unit).array().floor().matrix().colwise().reverse().transpose();
}

/// Reads the heights of the attribute elevation; without it the field is flat.
Eigen::MatrixXd read_inline_heights(const MjcfElement& field) {
  const int rows = field.integer("nrow", 0), columns = field.integer("ncol", 0);
  if (rows < 2 || columns < 2) field.fail("needs a file, or nrow and ncol of at least 2");
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (count > kMostNumbers) {
    field.fail("nrow", "times ncol is " + std::to_string(count) + ", and " +
                           std::to_string(kMostNumbers) + " is the limit");
  }
  Eigen::MatrixXd heights = Eigen::MatrixXd::Zero(columns, rows);
  const std::vector<double> numbers = field.numbers("elevation", count, count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // The first row written is the one of the largest y.
    const auto column = static_cast<Eigen::Index>(i) % columns;
    heights(column, rows - 1 - static_cast<Eigen::Index>(i) / columns) = numbers[i];
  }
  return heights;
}

}  // namespace

std::string name_of_mjcf_asset(const XMLElement& asset) {
  if (const char* name = asset.Attribute("name")) return name;
  const char* file = asset.Attribute("file");
  return std::filesystem::path(file ? file : "").stem().string();
}

void list_mjcf_assets(MjcfReader& reader) {
  list(reader, "mesh", reader.meshes);
  list(reader, "hfield", reader.hfields);
}

MjcfElement find_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom) {
  return find(reader, geom, "mesh", reader.meshes);
}

TriangleMesh read_mjcf_triangles(MjcfReader& reader, const MjcfElement& mesh,
                                 const Eigen::Vector3d& scale) {
  if (reference_of(mesh, scale)) return read_triangles(reader, mesh, scale);
  const Pose frame = reference_frame_of(mesh);
  TriangleMesh triangles = read_triangles(reader, mesh, Eigen::Vector3d::Ones());
  for (Eigen::Vector3d& v : triangles.vertices) {
    v = frame.rotation.transpose() * (v - frame.translation);
  }
  return scaled(std::move(triangles), scale);
}

MjcfShape load_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom, const std::string& link,
                         std::optional<MeshCollision> forced) {
  const MjcfElement mesh = find_mjcf_mesh(reader, geom);
  const Eigen::Vector3d scale = mesh.vector3("scale", Eigen::Vector3d::Ones());
  if ((scale.array() == 0.0).any()) mesh.fail("scale", "must not be zero");
  const MeshCollision usual =
      geom.text("type") == "sdf" ? MeshCollision::Mesh : MeshCollision::Hull;
  const MeshChoice choice =
      forced ? MeshChoice{*forced} : choice_of_mesh(reader, mesh, link, usual);
  MjcfShape result;
  const std::string name = name_of_mjcf_asset(mesh.xml());
  if (!mesh.has("file") && !mesh.has("vertex") && !mesh.has("builtin")) {
    mesh.fail("needs the attribute 'file', 'vertex' or 'builtin'");
  }
  // Triangles that no rigid pose places, and those in attributes, are not those of a file.
  const std::optional<Pose> reference = reference_of(mesh, scale);
  if (reference) result.X_GS = *reference;
  ImportLedger said;
  const char* usual_hull = usual == MeshCollision::Hull ? "MuJoCo" : nullptr;
  const SourceLocation where = mesh.has("file") ? mesh.where("file") : mesh.where();
  if (mesh.has("file") && reference) {
    const std::string file = path_of(reader, mesh);
    const std::string& bytes =
        reader.context.inputs.read_model_file_text(file, model_file_of(reader, mesh), where);
    const MeshShape& shape = reader.context.meshes.make(file, bytes, scale, choice, where);
    note_mesh(said, shape, "", where, usual_hull);
    take_shapes(shape, result);
  } else {
    const TriangleMesh triangles = read_mjcf_triangles(reader, mesh, scale);
    if (triangles.vertices.empty()) return result;
    const MeshShape& shape = reader.context.meshes.make(model_file_of(reader, mesh) + ":" + name,
                                                        triangles, choice, where);
    note_mesh(said, shape, "", where, usual_hull);
    take_shapes(shape, result);
  }
  apply_mjcf_mesh_inertia(reader, mesh, scale, result);
  // The ledger notes the loss at the geom that uses the mesh.
  if (!forced) result.collides_as = {said.entries.at(0).fate, said.entries.at(0).reason};
  return result;
}

MjcfShape load_mjcf_sdf(MjcfReader& reader, const MjcfElement& geom, const std::string& link) {
  const MjcfElement mesh = find_mjcf_mesh(reader, geom);
  if (mesh.has("file") || mesh.has("vertex") || mesh.has("builtin")) {
    return load_mjcf_mesh(reader, geom, link);
  }
  geom.note(ImportFate::Refused,
            "signed distances of a plugin are not modeled: it touches nothing, and has the mass of "
            "a ball of radius 0.1 m");
  MjcfShape result;
  result.solid = shape_properties(Sphere{0.1});
  return result;
}

bool has_mjcf_mesh_file(const MjcfReader& reader, const MjcfElement& mesh) {
  return !mesh.has("file") ||
         reader.context.inputs.knows_look(path_of(reader, mesh), model_file_of(reader, mesh));
}

void add_mjcf_mesh_visual(MjcfReader& reader, const MjcfElement& geom, const Pose& X_BP,
                          ModelVisual part) {
  const MjcfElement mesh = find_mjcf_mesh(reader, geom);
  part.scale = mesh.vector3("scale", Eigen::Vector3d::Ones());
  const std::optional<Pose> reference = reference_of(mesh, part.scale);
  const bool is_file = mesh.has("file");
  // A run does not record the file of a mesh that is only drawn.
  if (is_file && !reference &&
      !reader.context.inputs.knows(path_of(reader, mesh), model_file_of(reader, mesh))) {
    reader.context.visuals->missing.push_back(path_of(reader, mesh));
    return;
  }
  if (!is_file || !reference) {
    // Triangles that are not those of a file, in place.
    const MjcfShape shape = load_mjcf_mesh(reader, geom, part.link, MeshCollision::Mesh);
    part.X_LV = X_BP * read_mjcf_pose(reader, geom) * shape.X_GS;
    for (const Shape& own : shape.shapes) {
      part.shape = own;
      reader.context.visuals->parts.push_back(part);
    }
    return;
  }
  part.X_LV = X_BP * read_mjcf_pose(reader, geom) * *reference;
  add_mesh_visual(std::move(part), path_of(reader, mesh), model_file_of(reader, mesh),
                  reader.context.inputs, *reader.context.visuals);
}

Shape load_mjcf_height_field(MjcfReader& reader, const MjcfElement& geom) {
  const MjcfElement field = find(reader, geom, "hfield", reader.hfields);
  // Half-lengths along x and y, the elevation, and the depth of the ground below zero [m].
  const std::vector<double> size = field.numbers("size", 4, 4);
  if (size.empty()) field.fail("needs the attribute 'size'");
  for (const double length : size) {
    if (!(length > 0.0)) field.fail("size", "must be four positive numbers");
  }
  field.note("size", ImportFate::Applied,
             "the ground reaches down without end, not only by the last number");
  Eigen::MatrixXd heights;
  if (field.has("file")) {
    const std::string file = path_of(reader, field);
    const std::string& bytes = reader.context.inputs.read_model_file_text(
        file, model_file_of(reader, field), field.where("file"));
    heights =
        is_png(bytes) ? read_png_heights(field, bytes, file) : read_custom_heights(field, bytes);
  } else {
    heights = read_inline_heights(field);
  }
  // A height field here has full lengths.
  return std::make_shared<const HeightField>(normalized_heights(field, heights, size[2]),
                                             2.0 * size[0], 2.0 * size[1]);
}

}  // namespace amontons::io
