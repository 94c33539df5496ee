#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {
namespace {

/// Returns the keys of a material.
FormatMap material() {
  // The defaults printed are those of the struct.
  const Material usual;
  return {"material",
          "an item of `materials`",
          "A material `default` is there without being written.",
          {{"name", "text", "", kRequired, "By which shapes ask for it."},
           {"friction", "number >= 0", "", shortest_text(usual.friction), "Coulomb's mu."},
           {"restitution", "number in [0, 1]", "", shortest_text(usual.restitution), "e."},
           {"viscous_friction", "number >= 0", "N s/m", shortest_text(usual.viscous_friction),
            "Per contact."}}};
}

/// Returns the keys of a pair of materials.
FormatMap pair() {
  return {"pair",
          "an item of `materials` with `pair`",
          "Of two materials that meet. What is not given, and every pair that is not listed: "
          "friction sqrt(a b), the others max(a, b).",
          {{"pair", "[name, name]", "", kRequired, "The two materials."},
           {"friction", "number >= 0", "", "sqrt(a b)", "Coulomb's mu."},
           {"restitution", "number in [0, 1]", "", "max(a, b)", "e."},
           {"viscous_friction", "number >= 0", "N s/m", "max(a, b)", "Per contact."}}};
}

/// Returns the keys of a body.
FormatMap body() {
  return {"body",
          "an item of `bodies`",
          "A body that moves needs one of `mass` and `density`.",
          {{"name", "text without /", "", kRequired, "Any but `world`."},
           {"shapes", "list of shapes", "", "none",
            "What collides, and what the inertia follows from."},
           {"fixed", "true or false", "", "false",
            "It never moves, unless an actuator prescribes its motion."},
           {"base", "word", "", "free", "`planar` keeps it in the x-z plane.", {"free", "planar"}},
           {"mass", "number > 0", "kg", "", "Of a body that moves."},
           {"density", "number > 0", "kg/m^3", "",
            "Instead of the mass; all shapes count, overlaps twice."},
           {"center_of_mass", "[x, y, z]", "m", "from the shapes", "In the body's frame."},
           {"inertia", "[ixx, iyy, izz] or these and ixy, ixz, iyz", "kg m^2", "from the shapes",
            "About the center of mass, along the body's axes."},
           {"pose", "map", "", "the world's", "At the start."},
           {"velocity", "map", "", "at rest", "At the start."}}};
}

/// Returns the keys of an initial velocity.
FormatMap velocity() {
  return {"velocity",
          "`velocity` of a body",
          "",
          {{"linear", "[x, y, z]", "m/s", "[0, 0, 0]", "Of the body's origin, world axes."},
           {"angular", "[x, y, z]", "rad/s", "[0, 0, 0]", "World axes."}}};
}

/// Returns the keys of a pose.
FormatMap pose() {
  return {"pose",
          "`pose` of a body, shape or model",
          "",
          {{"position", "[x, y, z]", "m", "[0, 0, 0]", "Of the origin."},
           {"rpy_deg", "[roll, pitch, yaw]", "degrees", "[0, 0, 0]",
            "Extrinsic x-y-z: first about x, then y, then z, all fixed."},
           {"quat_wxyz", "[w, x, y, z]", "", "[1, 0, 0, 0]", "Instead of `rpy_deg`; normalized."}}};
}

/// Returns the keys of a shape. All keys but `pose` and `material` are kinds of shapes
/// (scene_shapes.cc).
FormatMap shape() {
  return {"shape",
          "an item of `shapes`",
          "Exactly one of the first eight keys.",
          {{"box", "[x, y, z]", "m", "", "Full lengths."},
           {"sphere", "number > 0", "m", "", "Radius."},
           {"capsule", "[radius, length]", "m", "", "Along z; the length without the caps."},
           {"cylinder", "[radius, length]", "m", "", "Along z."},
           {"ellipsoid", "[a, b, c]", "m", "", "Semi-axes."},
           {"half_space", "map", "", "", "Solid on one side of a plane; fixed bodies only."},
           {"mesh", "map", "", "", "Triangles from a file."},
           {"heightfield", "map", "", "", "Terrain; fixed bodies only."},
           {"pose", "map", "", "the body's", "In the body's frame."},
           {"material", "a material", "", "default", "What it is made of."}}};
}

/// Returns the keys of a half-space.
FormatMap half_space() {
  return {"half_space",
          "`half_space`",
          "",
          {{"normal", "[x, y, z]", "", kRequired,
            "Out of the solid, of any length: solid where normal . x <= offset."},
           {"offset", "number", "m", "0", "As the equation says."}}};
}

/// Returns the keys of a mesh.
FormatMap mesh() {
  return {"mesh",
          "`mesh`",
          "What becomes of open and concave meshes: [Models and worlds](import.md).",
          {{"file", "path", "", kRequired, "STL, OBJ or DAE."},
           {"scale", "number or [x, y, z]", "", "1", "Negative ones mirror."},
           {"collide",
            "word",
            "",
            "mesh",
            "As it is, as its convex hull, or as its connected components.",
            {"mesh", "hull", "parts"}},
           {"parts", "list of paths", "", "none", "Files that collide in its place."}}};
}

/// Returns the keys of a height field.
FormatMap height_field() {
  return {"heightfield",
          "`heightfield`",
          "Exactly one of `file` and `noise`.",
          {{"size", "[x, y]", "m", kRequired, "Full lengths, centered."},
           {"file", "path", "", "", "A CSV table with rows along x, or a PGM image."},
           {"scale", "number", "", "1", "m per unit of the file."},
           {"noise", "map", "", "", "Seeded value noise."}}};
}

/// Returns the keys of the noise that generates terrain.
FormatMap noise() {
  return {"noise",
          "`noise` of a height field",
          "",
          {{"amplitude", "number >= 0", "m", kRequired, "Heights lie within it, up and down."},
           {"cells", "[along x, along y]", "", kRequired, "Integers, 1 to 10000."},
           {"wavelength", "number > 0", "m", kRequired, "Of the lattice that is interpolated."},
           {"seed", "integer >= 0", "", "`simulation.seed`", "Same seed, same terrain."}}};
}

/// Returns the keys of a grid of copies.
FormatMap repeat() {
  return {"repeat",
          "an item of `repeat`",
          "Copies `body/0`, `body/1`, ..., x fastest, from the body's own pose in +x, +y, +z.",
          {{"body", "a body", "", kRequired, "It is replaced by its copies."},
           {"grid", "[nx, ny, nz]", "", kRequired, "At most 100000 copies."},
           {"spacing", "[x, y, z]", "m", kRequired, "From copy to copy."},
           {"jitter", "number >= 0", "m", "0",
            "Uniform displacement of every copy along each axis, up to this, from "
            "`simulation.seed`."}}};
}

}  // namespace

std::vector<FormatMap> format_of_bodies() {
  return {material(),   pair(), body(),         velocity(), pose(),  shape(),
          half_space(), mesh(), height_field(), noise(),    repeat()};
}

}  // namespace amontons::io
