#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {
namespace {

/// Returns the keys of a material.
FormatMap material() {
  // The defaults printed are those of the struct.
  const Material defaults;
  return {"material",
          "an item of `materials`",
          "A material `default` exists in every scene.",
          {{"name", "text", "", kRequired, "Shapes name it so."},
           {"friction", "number >= 0", "", shortest_text(defaults.friction),
            "Coefficient of friction mu."},
           {"restitution", "number in [0, 1]", "", shortest_text(defaults.restitution),
            "Coefficient of restitution e."},
           {"viscous_friction", "number >= 0", "N s/m", shortest_text(defaults.viscous_friction),
            "Coefficient of viscous friction mu_v of one contact; 0 with "
            "`method: impulse-based`."}}};
}

/// Returns the keys of a pair of materials.
FormatMap pair() {
  return {"pair",
          "an item of `materials` with `pair`",
          "It sets the values of two materials that meet. A value that is not given, and every "
          "pair that is not listed, has friction sqrt(a b) and max(a, b) for the others.",
          {{"pair", "[name, name]", "", kRequired, "The two materials."},
           {"friction", "number >= 0", "", "sqrt(a b)", "Coefficient of friction mu."},
           {"restitution", "number in [0, 1]", "", "max(a, b)", "Coefficient of restitution e."},
           {"viscous_friction", "number >= 0", "N s/m", "max(a, b)",
            "Coefficient of viscous friction mu_v of one contact; 0 with "
            "`method: impulse-based`."}}};
}

/// Returns the keys of a body.
FormatMap body() {
  return {"body",
          "an item of `bodies`",
          "A body that moves needs one of `mass` and `density`.",
          {{"name", "text without / and *", "", kRequired, "Any but `world`."},
           {"shapes", "list of shapes", "", "none",
            "The shapes that collide, and that give the inertia."},
           {"fixed", "true or false", "", "false",
            "The body does not move, unless an actuator prescribes its motion."},
           {"base", "word", "", "free", "`planar` keeps it in the x-z plane.", {"free", "planar"}},
           {"mass", "number > 0", "kg", "", "Mass of a body that moves."},
           {"density", "number > 0", "kg/m^3", "",
            "Density in place of the mass; all shapes count, overlaps twice."},
           {"center_of_mass", "[x, y, z]", "m", "from the shapes", "In the frame of the body."},
           {"inertia", "[ixx, iyy, izz] or these and ixy, ixz, iyz", "kg m^2", "from the shapes",
            "About the center of mass, along the body's axes."},
           {"collide", "word", "", "as the scene, else `mesh`",
            "How its meshes collide, as the key of a mesh. `none`: no shape of it collides.",
            mesh_collisions()},
           {"max_hull_vertices", "integer >= 4, or -1", "", "as the scene, else -1",
            "Largest number of vertices of each convex polyhedron as which its meshes collide."},
           {"pose", "map", "", "the world's", "At the start."},
           {"velocity", "map", "", "at rest", "At the start."}}};
}

/// Returns the keys of an initial velocity.
FormatMap velocity() {
  return {
      "velocity",
      "`velocity` of a body",
      "",
      {{"linear", "[x, y, z]", "m/s", "[0, 0, 0]", "Velocity of the body's origin, world axes."},
       {"angular", "[x, y, z]", "rad/s", "[0, 0, 0]", "World axes."}}};
}

/// Returns the keys of a pose.
FormatMap pose() {
  return {"pose",
          "`pose` of a body, shape, frame or model",
          "",
          {{"position", "[x, y, z]", "m", "[0, 0, 0]", "Position of the origin."},
           {"rpy_deg", "[roll, pitch, yaw]", "degrees", "[0, 0, 0]",
            "Extrinsic x-y-z: about x, then y, then z, all fixed."},
           {"quat_wxyz", "[w, x, y, z]", "", "[1, 0, 0, 0]",
            "Quaternion in place of `rpy_deg`; it is normalized."}}};
}

/// Returns the keys of a frame.
FormatMap frame() {
  return {"frame",
          "an item of `frames`",
          "It is fixed to a body or to a link `model/link`. Programs read its pose, Jacobian, "
          "velocity and acceleration by its name ([Python](python.md)).",
          {{"name", "text without /", "", kRequired, "No body or frame has the same."},
           {"body", "a body", "", kRequired,
            "A body, `model/link`, or a frame `model/frame` of the file, such as a site."},
           {"pose", "map", "", "the body's", "In the frame of what `body` names."}}};
}

/// Returns the keys of a shape. All keys but `pose`, `material` and `name` are kinds of shapes
/// (scene_shapes.cc).
FormatMap shape() {
  return {"shape",
          "an item of `shapes`",
          "It has exactly one of the first eight keys.",
          {{"box", "[x, y, z]", "m", "", "Full lengths."},
           {"sphere", "number > 0", "m", "", "Radius."},
           {"capsule", "[radius, length]", "m", "", "Along z; the length without the caps."},
           {"cylinder", "[radius, length]", "m", "", "Along z."},
           {"ellipsoid", "[a, b, c]", "m", "", "Semi-axes."},
           {"half_space", "map", "", "", "Solid on one side of a plane; fixed bodies only."},
           {"mesh", "map", "", "", "Triangles from a file."},
           {"heightfield", "map", "", "", "Terrain; fixed bodies only."},
           {"pose", "map", "", "the body's", "In the frame of the body."},
           {"material", "a material", "", "default", "Material of the shape."},
           {"name", "text without / and *", "", "its index, from 0",
            "`collision_filters` name it so. No number, and no other shape of the body has it."}}};
}

/// Returns the keys of a half-space.
FormatMap half_space() {
  return {"half_space",
          "`half_space`",
          "",
          {{"normal", "[x, y, z]", "", kRequired,
            "Outward normal of any length: the solid is where normal . x <= offset."},
           {"offset", "number", "m", "0", "Offset in that equation."}}};
}

/// Returns the keys of a mesh.
FormatMap mesh() {
  return {
      "mesh",
      "`mesh`",
      "[Models and worlds](import.md) describes the treatment of open and concave meshes.",
      {{"file", "path", "", kRequired, "OBJ, STL, PLY, MSH or DAE."},
       {"scale", "number or [x, y, z]", "", "1", "Negative ones mirror."},
       {"collide", "word", "", "as the body",
        "The mesh collides as it is, as its convex hull, as its connected components, or not at "
        "all.",
        mesh_collisions()},
       {"max_hull_vertices", "integer >= 4, or -1", "", "as the body",
        "Largest number of vertices of a convex polyhedron as which it collides. -1: no limit."},
       {"parts", "list of paths", "", "none", "Files of meshes that collide in its place."}}};
}

/// Returns the keys of a height field.
FormatMap height_field() {
  return {
      "heightfield",
      "`heightfield`",
      "It has exactly one of `file` and `noise`.",
      {{"size", "[x, y]", "m", kRequired, "Full lengths, centered."},
       {"file", "path", "", "",
        "A CSV table, or a gray PNG or PGM image. The rows of a table follow each other along x, "
        "and the numbers in a row along y, each from the lowest coordinate: the rows `0,1,2` and "
        "`10,11,12` rise by 10 along x and by 1 from number to number along y. The columns of "
        "an image follow x; its lowest row has the lowest y."},
       {"scale", "number", "", "1", "m per unit of the file."},
       {"noise", "map", "", "", "Seeded value noise."}}};
}

/// Returns the keys of the noise that generates terrain.
FormatMap noise() {
  return {
      "noise",
      "`noise` of a height field",
      "",
      {{"amplitude", "number >= 0", "m", kRequired, "Heights lie within it, up and down."},
       {"cells", "[along x, along y]", "", kRequired, "Integers, 1 to 10000."},
       {"wavelength", "number > 0", "m", kRequired,
        "Wavelength of the lattice that is interpolated."},
       {"seed", "integer >= 0", "", "`simulation.seed`", "The same seed gives the same terrain."}}};
}

/// Returns the keys of a grid of copies.
FormatMap repeat() {
  return {
      "repeat",
      "an item of `repeat`",
      "The copies are `body/0`, `body/1`, ..., x fastest, from the body's own pose in +x, +y, +z.",
      {{"body", "a body", "", kRequired, "Body that the copies replace."},
       {"grid", "[nx, ny, nz]", "", kRequired, "At most 100000 copies."},
       {"spacing", "[x, y, z]", "m", kRequired, "Distance from copy to copy."},
       {"jitter", "number >= 0", "m", "0",
        "Largest uniform random displacement of every copy along each axis, from "
        "`simulation.seed`."}}};
}

}  // namespace

std::vector<FormatMap> format_of_bodies() {
  return {material(), pair(),       body(), velocity(),     pose(),  frame(),
          shape(),    half_space(), mesh(), height_field(), noise(), repeat()};
}

}  // namespace amontons::io
