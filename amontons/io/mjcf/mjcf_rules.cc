#include "amontons/io/mjcf/mjcf_rules.h"

#include "amontons/io/mjcf/mjcf_defaults.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

// Only what is *not* applied has a line here (MuJoCo's documentation, "XML Reference").

/// Says why an element is left out.
struct ElementReason {
  std::string_view parent, element;  // an empty parent: anywhere
  std::string_view reason;
};
/// Says why an attribute is left out.
struct AttributeReason {
  std::string_view element;  // empty: any
  std::string_view attribute;
  std::string_view reason;
};

// Reasons that several rules share; they appear in the ledger.
constexpr std::string_view kUnknown = "not part of the format";
constexpr std::string_view kNewer = "of a newer version of the format, and not carried out here";
constexpr std::string_view kLooks = "looks only; the replay does not draw it";
constexpr std::string_view kSoft = "softens a constraint; constraints are rigid here";
constexpr std::string_view kNoEffect = "without effect here";
constexpr std::string_view kSolver = "a setting of MuJoCo's own solver";
constexpr std::string_view kOrganizes = "organizes the file; it moves nothing";

// The first rule that fits counts.
constexpr ElementReason kElements[] = {
    {"", "light", kLooks},
    {"", "camera", kLooks},
    {"asset", "texture", kLooks},
    {"asset", "mesh", "no geom that collides, has mass or is drawn needs it"},
    {"asset", "hfield", "no geom that collides needs it"},
    {"asset", "material", kMjcfDrawn},
    {"asset", "skin", kLooks},
    {"asset", "model", "nothing attaches it"},
    {"default", "material", kMjcfDrawn},
    {"", "visual", kLooks},
    {"", "statistic", "describes the model to a viewer"},
    {"", "size", "sizes of MuJoCo's memory"},
    {"", "custom", "data of the user's own programs"},
    {"", "extension", "plugins of another simulator"},
    {"", "plugin", "a plugin of another simulator"},
    {"", "skin", kLooks},
    {"compiler", "lengthrange", "a simulation of MuJoCo that finds the lengths of muscles"},
    {"body", "inertial", "masses come from the geoms (compiler inertiafromgeom)"},
    {"keyframe", "key", "another start than the one used"},
};

// A rule for an element precedes one for any element, whatever their order.
constexpr AttributeReason kAttributes[] = {
    {"", "rgba", kMjcfDrawn},
    {"", "material", kMjcfDrawn},
    {"", "user", "data of the user's own programs"},
    {"", "nsample", kOrganizes},
    {"", "interp", kOrganizes},
    {"", "interval", kOrganizes},
    {"", "noise", "readings have no noise"},
    {"", "objtype", kNoEffect},
    {"", "objname", kNoEffect},
    {"", "reftype", kNoEffect},
    {"", "refname", kNoEffect},
    {"", "cutoff", kNoEffect},
    {"", "joint", kNoEffect},
    {"", "site", kNoEffect},
    {"", "tendon", kNoEffect},
    {"", "actuator", kNoEffect},
    {"", "body", kNoEffect},
    {"", "geom", kNoEffect},
    {"", "geom1", kNoEffect},
    {"", "geom2", kNoEffect},
    {"", "body1", kNoEffect},
    {"", "body2", kNoEffect},
    {"", "subtree1", kNoEffect},
    {"", "subtree2", kNoEffect},
    {"", "camera", kNoEffect},
    {"", "dim", kNoEffect},
    {"", "needstage", kNoEffect},
    {"", "datatype", kNoEffect},
    {"", "num", kNoEffect},
    {"", "data", kNoEffect},
    {"", "reduce", kNoEffect},
    {"", "enclosed", kNoEffect},
    {"", "plugin", kNoEffect},
    {"", "instance", kNoEffect},
    {"tendon", "width", kLooks},
    {"", "group", "chooses what a viewer draws"},
    {"", "solref", kSoft},
    {"", "solimp", kSoft},
    {"", "solreflimit", kSoft},
    {"", "solimplimit", kSoft},
    {"", "solreffriction", kSoft},
    {"", "solimpfriction", kSoft},
    {"", "solreffix", kSoft},
    {"", "solimpfix", kSoft},
    {"geom", "solmix", kSoft},
    {"", "margin", "constraints act at the surface and at the limit itself"},
    {"", "gap", "constraints act at the surface and at the limit itself"},
    {"geom", "fluidshape", "there is no fluid"},
    {"geom", "fluidcoef", "there is no fluid"},
    {"geom", "hfield", "the shape of the geom is not needed"},
    {"geom", "mesh", "the shape of the geom is not needed"},
    {"mesh", "texcoord", kLooks},
    {"mesh", "normal", kLooks},
    {"mesh", "smoothnormal", kLooks},
    {"mesh", "content_type", "the content of the file tells its type"},
    {"hfield", "content_type", "the content of the file tells its type"},
    {"compiler", "texturedir", kLooks},
    {"compiler", "discardvisual",
     "geoms that touch nothing are no shapes anyhow; their mass stays"},
    {"compiler", "fusestatic", "bodies without joints become one with their parents anyhow"},
    {"compiler", "usethread", "speed only"},
    {"compiler", "convexhull", "meshes have hulls anyhow"},
    {"compiler", "alignfree", "no body frame is moved"},
    {"compiler", "saveinertial", "writes files only"},
    {"compiler", "conflict", kOrganizes},
    {"body", "sleep", "speed only"},
    {"body", "simple", "speed only"},
    {"body", "fuse", "bodies without joints become one with their parents anyhow"},
    {"freejoint", "align", "no body frame is moved"},
    {"option", "sleep_tolerance", kSolver},
    {"flag", "sleep", kSolver},
    {"flag", "autoreset", kSolver},
    {"flag", "diagexact", kSolver},
    {"site", "mesh", kLooks},
    {"camera", "target", "its camera does not turn"},
    {"camera", "ipd", kLooks},
    {"camera", "output", kLooks},
    {"camera", "principal", "projections are from the middle of the picture, as in MuJoCo"},
    {"camera", "principalpixel", "projections are from the middle of the picture, as in MuJoCo"},
    {"model", "content_type", "the content of the file tells its type"},
    {"option", "apirate", kSolver},
    {"option", "impratio", kSolver},
    {"option", "tolerance", kSolver},
    {"option", "ls_tolerance", kSolver},
    {"option", "noslip_tolerance", kSolver},
    {"option", "ccd_tolerance", kSolver},
    {"option", "mpr_tolerance", kSolver},
    {"option", "integrator", "time stepping is that of the scene"},
    {"option", "cone", "the contact model of the scene says what the friction cone is"},
    {"option", "jacobian", kSolver},
    {"option", "solver", kSolver},
    {"option", "iterations", kSolver},
    {"option", "ls_iterations", kSolver},
    {"option", "noslip_iterations", kSolver},
    {"option", "ccd_iterations", kSolver},
    {"option", "mpr_iterations", kSolver},
    {"option", "sdf_iterations", kSolver},
    {"option", "sdf_initpoints", kSolver},
    {"option", "o_margin", kSolver},
    {"option", "o_solref", kSolver},
    {"option", "o_solimp", kSolver},
    {"flag", "warmstart", kSolver},
    {"flag", "refsafe", kSoft},
    {"flag", "sensor", kOrganizes},
    {"flag", "midphase", kSolver},
    {"flag", "eulerdamp", "time stepping is that of the scene"},
    {"flag", "energy", "the record of a run holds energies anyhow"},
    {"flag", "fwdinv", kSolver},
    {"flag", "invdiscrete", kSolver},
    {"flag", "sensornoise", kOrganizes},
    {"flag", "multiccd", kSolver},
    {"flag", "nativeccd", kSolver},
    {"flag", "island", kSolver},
    {"flag", "solverstat", kSolver},
    {"actuator", "lengthrange", "a length of muscles, which no other actuator has"},
    {"body", "user", kOrganizes},
    {"mujoco", "model", kOrganizes},
    {"key", "time", "the clock starts at zero"},
};

/// Names an attribute that acts in newer versions of the format.
struct Newer {
  std::string_view element, attribute;  // an empty element: any
};
constexpr Newer kNewerAttributes[] = {
    {"geom", "surfacevel"},
    {"geom", "adhesion"},
    {"pair", "adhesion"},
    {"", "delay"},
    {"actuator", "input"},
    {"actuator", "damping"},
    {"actuator", "armature"},
    {"actuator", "posrange"},
    {"actuator", "velrange"},
    {"actuator", "ffrange"},
    {"actuator", "ki"},
    {"actuator", "imax"},
    {"actuator", "slewmax"},
    {"actuator", "motorconst"},
    {"actuator", "resistance"},
    {"actuator", "nominal"},
    {"actuator", "saturation"},
    {"actuator", "inductance"},
    {"actuator", "cogging"},
    {"actuator", "controller"},
    {"actuator", "thermal"},
    {"actuator", "lugre"},
    {"flag", "ipc"},
};

/// Lists attributes that are applied where they mean something, with a space around each.
struct Known {
  std::string_view element, attributes;
};
// Such an attribute without an effect had no meaning in its place, which the ledger says.
constexpr Known kAppliedAttributes[] = {
    {"geom",
     " name class type contype conaffinity condim priority size friction mass density pos quat "
     "fitscale shellinertia "
     "axisangle xyaxes zaxis euler fromto "},
    {"joint",
     " name class type pos axis springdamper stiffness range limited ref springref armature "
     "damping "
     "frictionloss actuatorfrcrange actuatorfrclimited actuatorgravcomp active joint1 joint2 "
     "polycoef "},
    {"freejoint", " name "},
    {"tendon",
     " name class range limited frictionloss springlength stiffness damping armature active "
     "actuatorfrcrange actuatorfrclimited tendon1 tendon2 polycoef "},
    {"site", " name class pos quat axisangle xyaxes zaxis euler fromto type size "},
    {"camera",
     " name class mode pos quat axisangle xyaxes zaxis euler fovy resolution focal focalpixel "
     "sensorsize orthographic projection "},
    {"frame", " name childclass pos quat axisangle xyaxes zaxis euler "},
    {"replicate", " count sep offset euler childclass "},
    {"attach", " model body frame prefix "},
    {"model", " name file "},
    {"inertial", " pos quat mass diaginertia fullinertia axisangle xyaxes zaxis euler "},
    {"body", " name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp "},
    {"mesh",
     " name class file vertex face scale refpos refquat maxhullvert inertia builtin params "},
    {"hfield", " name file nrow ncol size elevation "},
    {"actuator",
     " name class joint jointinparent tendon site refsite body cranksite slidersite cranklength "
     "ctrllimited ctrlrange forcelimited forcerange actlimited actrange gear kp kv dampratio "
     "timeconst dyntype "
     "gaintype biastype dynprm gainprm biasprm actdim actearly kv diameter area bias gain "
     "inheritrange range force scale lmin "
     "lmax vmax fpmax fvmax tausmooth plugin instance "},
    {"connect", " name class active body1 body2 anchor site1 site2 "},
    {"weld", " name class active body1 body2 anchor relpose site1 site2 torquescale "},
    {"pair", " name class geom1 geom2 condim friction "},
    {"exclude", " name body1 body2 "},
    {"composite", " type count spacing offset prefix size initial curve vertex quat flatinertia "},
    {"key", " name time qpos qvel act ctrl mpos mquat "},
    {"compiler",
     " autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
     "eulerseq meshdir assetdir inertiafromgeom inertiagrouprange fitaabb exactmeshinertia "},
    {"option",
     " timestep gravity magnetic wind density viscosity collision o_friction "
     "actuatorgroupdisable "},
    {"flag",
     " constraint equality frictionloss limit contact passive spring damper gravity filterparent "
     "actuation "
     "clampctrl override "},
};

// Elements of the format, with a space around each.
constexpr std::string_view kElementNames =
    " compiler option size statistic visual default extension asset worldbody body frame replicate "
    "attach inertial joint freejoint geom site camera light composite flexcomp deformable contact "
    "pair exclude tendon spatial fixed equality actuator sensor custom keyframe key flag mesh "
    "material hfield texture skin model include plugin general motor position velocity intvelocity "
    "orientation pid damper cylinder muscle adhesion dcmotor ";

/// Returns the words of a list.
std::vector<std::string> words_of(std::string_view list) {
  std::istringstream words{std::string(list)};
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

}  // namespace

MjcfReason reason_of_mjcf_element(const std::string& parent, const std::string& element) {
  if (parent == "body" && element == "plugin") {
    return {ImportFate::Refused,
            "the forces of a plugin, such as those of an elastic cable, do "
            "not act here"};
  }
  const auto found =
      std::find_if(std::begin(kElements), std::end(kElements), [&](const auto& rule) {
        return rule.element == element && (rule.parent.empty() || rule.parent == parent);
      });
  if (found != std::end(kElements)) return {ImportFate::Ignored, std::string(found->reason)};
  const std::vector<std::string> known = words_of(kElementNames);
  const bool is_known = std::find(known.begin(), known.end(), element) != known.end();
  // A default of a known kind may have no element that takes it.
  if (parent == "default" && is_known) return {ImportFate::Ignored, "nothing takes this default"};
  const std::string hint = is_known ? " here" : did_you_mean(element, known);
  return {ImportFate::Refused, std::string(kUnknown) + hint};
}

MjcfReason reason_of_mjcf_attribute(const std::string& element, const std::string& attribute) {
  // All actuators share their attributes.
  const std::string kind = MjcfDefaults::kind_of(element);
  for (const AttributeReason& rule : kAttributes) {
    if (rule.attribute == attribute && rule.element == kind) {
      return {ImportFate::Ignored, std::string(rule.reason)};
    }
  }
  for (const AttributeReason& rule : kAttributes) {
    if (rule.attribute == attribute && rule.element.empty()) {
      return {ImportFate::Ignored, std::string(rule.reason)};
    }
  }
  for (const Newer& newer : kNewerAttributes) {
    if (newer.attribute == attribute && (newer.element.empty() || newer.element == kind)) {
      return {ImportFate::Refused, std::string(kNewer)};
    }
  }
  std::vector<std::string> known;
  for (const Known& own : kAppliedAttributes) {
    if (own.element == kind) known = words_of(own.attributes);
  }
  if (std::find(known.begin(), known.end(), attribute) != known.end()) {
    return {ImportFate::Ignored, std::string(kNoEffect)};
  }
  for (const AttributeReason& rule : kAttributes) {
    if (rule.element == kind) known.emplace_back(rule.attribute);
  }
  return {ImportFate::Refused, std::string(kUnknown) + did_you_mean(attribute, known)};
}

}  // namespace amontons::io
