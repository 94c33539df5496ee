#include "amontons/io/scene/scene_format.h"

namespace amontons::io {
namespace {

// The words are in the order of the enums, because the reader takes their index.
const std::vector<std::string> kBases = {"fixed", "free", "planar"};
const std::vector<std::string> kCoordinates = {"reduced", "maximal"};
const std::vector<std::string> kCollisions = {"default", "all", "none"};

/// Returns the keys of a model: a robot or world file and its place in the scene.
FormatMap model() {
  return {
      "model",
      "an item of `models`",
      "Its links are `name/link`, its joints `name/joint`. By default links joined by a joint "
      "(other than a free one), or overlapping in the model's "
      "zero pose, do not collide. `collide` is one of `mesh`, `hull`, `parts` and `none`, or a map "
      "from links to these words, in which `*` is any text and a later line precedes those before "
      "it: `{\"*\": hull, finger_*: mesh, cable: none}`. `package://` is resolved by walking up "
      "from the file and by "
      "`--package NAME=DIR`.",
      {{"name", "text without /", "", kRequired, "Any but `world`."},
       {"file", "path", "", kRequired,
        "URDF, SDF or MJCF, a model or a world ([import](import.md))."},
       {"pose", "map", "", "the world's", "Pose of the root link at the start."},
       {"keyframe", "text", "", "`home`, if there is one",
        "Keyframe of an MJCF file that is the start: positions, rates, controls."},
       {"density", "number > 0", "kg/m^3", "none",
        "Links to which the file gives no mass have that of their collision shapes."},
       {"base", "word", "", "as the file says, else free", "Support of the root link.", kBases},
       {"coordinates", "word", "", "reduced", "`maximal`: joints are rows of J.", kCoordinates},
       {"collide", "word, or map from link to word", "", "as the scene, else as the format",
        "How meshes of the links collide: as they are, as convex hulls, as connected components. "
        "`none`: no shape collides."},
       {"max_hull_vertices", "integer >= 4, or -1, or map from link to these", "",
        "as the scene, else as the format",
        "Largest number of vertices of a convex polyhedron as which a mesh collides."},
       {"self_collide", "word", "", "default", "Collisions among the links of the model.",
        kCollisions},
       {"joint_positions", "map from joint to number", "m, rad", "as the file says, else 0",
        "Positions at the start; in a file of several models by `model/joint`."},
       {"joints", "map from joint to map", "", "as the file says",
        "Numbers of joints, loops and tendons in place of those of the file, such as `{elbow: "
        "{coulomb_friction: 0.2}}`."},
       {"links", "map from link to map", "", "as the file says",
        "Mass, inertia and material of links in place of those of the file."}}};
}

/// Returns the keys that say which bodies a joint connects, where, and in which coordinates.
std::vector<FormatKey> keys_of_place() {
  // Names and bodies first, then geometry, start and coordinates.
  return {
      {"name", "text without /", "", kRequired, "Actuators and couplings name it so."},
      {"type",
       "word",
       "",
       kRequired,
       "A joint that would close a loop becomes rows of J.",
       {"continuous", "distance", "fixed", "planar", "prismatic", "revolute", "screw", "spherical",
        "universal"}},
      {"parent", "a body, a link, `world`", "", kRequired,
       "A frame of a model, such as a site, stands for its link."},
      {"child", "a body or link that moves", "", kRequired, ""},
      {"axis", "[x, y, z]", "", "",
       "World axes, at the initial pose. `planar`: normal of the plane, y unless given."},
      {"axis2", "[x, y, z]", "", "", "`universal`: second axis, which the child carries."},
      {"at", "[x, y, z]", "m", "the child's origin",
       "Center, world axes, at the initial pose; required of joints that turn and of links. "
       "`distance`: point on the parent, or both points."},
      {"to", "[x, y, z]", "m", "", "`distance`: point on the child."},
      {"length", "number > 0", "m", "as at the start", "`distance`: length between the points."},
      {"pitch", "number", "m/rad", "", "`screw`: advance per angle."},
      {"position", "number", "m, rad", "0",
       "Position at the start of a joint of one coordinate; it places the child."},
      {"rate", "number or list", "m/s, rad/s", "0",
       "Rate at the start. `universal`: about both axes. `spherical`: angular velocity "
       "[x, y, z], axes as `axis`. `planar`: along the plane's two axes and about its normal. "
       "The child's `velocity` may give it instead, where it agrees with the joint."},
      {"coordinates", "word", "", "reduced", "`maximal`: rows of J.", kCoordinates},
      {"error", "[x, y, z]", "m", "[0, 0, 0]",
       "Initial offset of the child from a consistent pose, for joints that are rows of J."},
      {"attached", "true or false", "", "by `coordinates`",
       "Either makes it rows of J, which a program detaches and attaches (`sim.attach()`). "
       "`false`: it begins detached and does not place its child; no coupling, prescribed motion "
       "or "
       "tendon refers to it."},
  };
}

/// Returns the keys of the forces along a joint's coordinate.
std::vector<FormatKey> keys_of_dynamics() {
  return {
      {"limits", "[lower, upper]", "m, rad", "none",
       "Limits of `revolute`, `prismatic`, `screw`; solved with the contacts."},
      {"limit_restitution", "number in [0, 1]", "", "0",
       "Coefficient of restitution of the limits."},
      {"coulomb_friction", "number >= 0", "N, N m", "0",
       "Largest dry friction; solved with the contacts."},
      {"viscous_friction", "number >= 0", "N s/m, N m s", "0",
       "Coefficient of viscous friction, implicit."},
      {"stiffness", "number >= 0", "N/m, N m/rad", "0", "Stiffness of a spring, implicit."},
      {"rest_position", "number", "m, rad", "0", "Position without spring force."},
      {"armature", "number >= 0", "kg, kg m^2", "0", "Inertia of a rotor, on the diagonal of M."},
  };
}

/// Returns the keys that replace numbers of a model's joint.
FormatMap model_joint() {
  FormatMap map{"model_joint", "an item of `joints` of a model",
                "It has the name of a joint, of one that closes a loop, or of a tendon; in a file "
                "of several models it is `model/joint`. `*` is any text, and a later line precedes "
                "those before it: `{\"*\": {viscous_friction: 1}, elbow: {viscous_friction: 2}}`. "
                "What is not given stays as the file says, also single items of a list that "
                "`--set` changes: `--set models.arm.joints.elbow.limits.1=2`. A key must mean "
                "something to the joint, or to one of those that a pattern names. A joint "
                "of several axes has the same numbers along each.",
                keys_of_dynamics()};
  for (FormatKey& key : map.keys) key.otherwise = "the file's";
  return map;
}

/// Returns the keys that replace numbers of a model's link.
FormatMap model_link() {
  return {
      "model_link",
      "an item of `links` of a model",
      "Names are those of links, with patterns as in `joints`. Each number that is given "
      "replaces that of the file, and the others stay: a new mass leaves the inertia as it is. "
      "`density` comes first. Mass and inertia of a link that the world holds have no effect.",
      {{"mass", "number > 0", "kg", "the file's", ""},
       {"center_of_mass", "[x, y, z]", "m", "the file's", "In the frame of the link."},
       {"inertia", "[ixx, iyy, izz] or these and ixy, ixz, iyz", "kg m^2", "the file's",
        "About the center of mass, along the link's axes."},
       {"material", "a material", "", "the file's",
        "Material of the scene for all shapes of the link: the file's friction does not count."}}};
}

/// Returns the keys of a joint.
FormatMap joint() {
  FormatMap map{
      "joint", "an item of `joints`",
      "Joints of one coordinate have limits, friction, a spring and a rotor; `universal` has "
      "viscous friction, spring and rotor. Joints of one freedom that are rows of J (`revolute`, "
      "`continuous`, `prismatic`, `screw`) have all of them but the rotor, and take actuators and "
      "couplings. Their angle is measured between the two bodies and counted over whole turns, "
      "from "
      "its start, or in a closed loop from the middle of its limits, else from zero.",
      keys_of_place()};
  for (FormatKey& key : keys_of_dynamics()) map.keys.push_back(std::move(key));
  return map;
}

/// Returns the keys of a coupling.
FormatMap coupling() {
  return {
      "coupling",
      "an item of `couplings`",
      "It is one row of J between joints of one coordinate or tendons: position of `joint` = "
      "multiplier * position of `reference` + offset. A URDF `mimic` is a coupling. The joint "
      "starts at the "
      "position that the coupling gives, unless it has a `position`, and at the rate that the "
      "start rate of `reference` gives, unless a `rate` or `velocity` is given.",
      {{"name", "text", "", kRequired, ""},
       {"joint", "a joint or tendon", "", kRequired, "`name`, `model/joint` or `model/tendon`."},
       {"reference", "a joint or tendon", "", "none", "Without it the joint stays at `offset`."},
       {"multiplier", "number", "", "1", ""},
       {"offset", "number", "m, rad", "0", ""}}};
}

}  // namespace

std::vector<FormatMap> format_of_joints() {
  return {model(), model_joint(), model_link(), joint(), coupling()};
}

}  // namespace amontons::io
