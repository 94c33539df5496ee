#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numbers>

// <compiler> and <option>.

namespace amontons::io {
namespace {

/// Reads one <compiler>; later ones change only the settings that they give.
void read_compiler(MjcfCompiler& compiler, const MjcfElement& element) {
  compiler.degrees = element.word("angle", {"degree", "radian"},
                                  compiler.degrees ? "degree" : "radian") == "degree";
  compiler.autolimits = element.flag("autolimits").value_or(compiler.autolimits);
  compiler.strippath = element.flag("strippath").value_or(compiler.strippath);
  compiler.eulerseq = element.text("eulerseq", compiler.eulerseq);
  // Three letters, as euler has three angles.
  if (compiler.eulerseq.size() != 3 ||
      compiler.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos) {
    element.fail("eulerseq",
                 "must be three of the letters x, y, z, X, Y, Z, not '" + compiler.eulerseq + "'");
  }
  compiler.meshdir = element.text("meshdir", compiler.meshdir);
  compiler.assetdir = element.text("assetdir", compiler.assetdir);
  if (element.has("inertiafromgeom")) {
    compiler.inertiafromgeom = element.flag("inertiafromgeom");
  }
  // Only geoms of these groups give their bodies mass.
  const std::vector<double> groups = element.numbers("inertiagrouprange", 2, 2);
  if (!groups.empty()) {
    constexpr double kLast = std::numeric_limits<int>::max();
    compiler.first_group = static_cast<int>(std::clamp(groups[0], -kLast, kLast));
    compiler.last_group = static_cast<int>(std::clamp(groups[1], -kLast, kLast));
  }
  compiler.exactmeshinertia = element.flag("exactmeshinertia").value_or(compiler.exactmeshinertia);
  compiler.fitaabb = element.flag("fitaabb").value_or(compiler.fitaabb);
  compiler.balanceinertia = element.flag("balanceinertia").value_or(compiler.balanceinertia);
  compiler.boundmass = element.number("boundmass", compiler.boundmass);
  compiler.boundinertia = element.number("boundinertia", compiler.boundinertia);
  compiler.settotalmass = element.number("settotalmass", compiler.settotalmass);
  compiler.global = element.word("coordinate", {"local", "global"},
                                 compiler.global ? "global" : "local") == "global";
}

/// Refuses an attribute unless all its numbers are zero, which is its default.
void refuse_unless_zero(const MjcfElement& element, const std::string& attribute, std::size_t count,
                        const std::string& reason) {
  for (const double number : element.numbers(attribute, count, count)) {
    if (number != 0.0) element.note(attribute, ImportFate::Refused, reason);
  }
}

/// Reads one <flag>.
void read_flag(MjcfReader& reader, const MjcfElement& flag) {
  const auto read = [&](const std::string& name, bool& target) {
    const std::string value = flag.word(name, {"enable", "disable"}, target ? "enable" : "disable");
    target = value == "enable";
  };
  MjcfFlags& flags = reader.flags;
  read("contact", flags.contact);
  read("limit", flags.limit);
  read("frictionloss", flags.frictionloss);
  read("passive", flags.passive);
  read("spring", flags.spring);
  read("damper", flags.damper);
  read("actuation", flags.actuation);
  read("equality", flags.equality);
  read("filterparent", flags.filterparent);
  read("constraint", flags.constraint);
  read("gravity", flags.gravity);
  read("clampctrl", flags.clampctrl);
  read("override", flags.override);
}

/// Applies the flags, of which the last of each name counts, to what they switch off.
void apply_flags(MjcfReader& reader) {
  MjcfFlags& flags = reader.flags;
  // Constraints as a whole include contacts, limits, friction of joints and equalities.
  if (!flags.constraint) {
    flags.contact = flags.limit = flags.frictionloss = flags.equality = false;
  }
  // Passive forces as a whole are springs and dampers; without both there are no others, either.
  if (!flags.spring && !flags.damper) flags.passive = false;
  if (!flags.passive) flags.spring = flags.damper = false;
  if (!flags.gravity) reader.context.world.gravity = Eigen::Vector3d::Zero();
  if (!flags.override) reader.friction_override.reset();
}

/// Notes a distance at which all contacts act in MuJoCo. It counts where a flag says so.
void note_margin(const MjcfReader& reader, const MjcfElement& option) {
  const double margin = option.number("o_margin", 0.0);
  if (margin == 0.0) return;
  if (reader.flags.override) {
    option.note("o_margin", ImportFate::Refused, "contacts act at the surface");
  } else {
    option.note("o_margin", ImportFate::Ignored, "without effect unless `override` is enabled");
  }
}

// Reason given for gravity and step: a scene that imports the model has its own.
constexpr const char* kWhereScene = "counts where this file is the scene; a scene has its own";

// Number of groups of actuators in the format.
constexpr std::size_t kMostGroups = 31;

/// Reads one <option>.
void read_option(MjcfReader& reader, const MjcfElement& element) {
  WorldSettings& world = reader.context.world;
  if (element.has("gravity")) {
    world.gravity = element.vector3("gravity", Eigen::Vector3d::Zero());
    element.note("gravity", ImportFate::Applied, kWhereScene);
  }
  if (element.has("timestep")) {
    const double step = element.number("timestep", 0.0);
    if (!(step > 0.0)) element.fail("timestep", "must be positive, not " + shortest_text(step));
    if (step < kSmallestNumber) {
      element.fail("timestep", "is absurdly small: " + shortest_text(step));
    }
    world.step = step;
    element.note("timestep", ImportFate::Applied, kWhereScene);
  }
  if (element.has("magnetic")) {
    reader.magnetic_W = element.vector3("magnetic", Eigen::Vector3d::Zero());
    element.note("magnetic", ImportFate::Applied, "magnetometers measure it; it moves nothing");
  }
  // These count for all contacts, where the flag `override` is set.
  const std::vector<double> friction = element.numbers("o_friction", 1, 5);
  if (!friction.empty()) reader.friction_override = friction[0];
  if (reader.friction_override && !(*reader.friction_override >= 0.0)) {
    element.fail("o_friction", "must not be negative");
  }
  for (const double group : element.numbers("actuatorgroupdisable", 0, kMostGroups)) {
    reader.disabled_groups.push_back(static_cast<int>(group));
  }
  // Forces of a fluid are not modeled.
  refuse_unless_zero(element, "wind", 3, "there is no fluid");
  refuse_unless_zero(element, "density", 1, "there is no fluid: nothing drags");
  refuse_unless_zero(element, "viscosity", 1, "there is no fluid: nothing drags");
  if (element.has("collision") && element.text("collision") != "all") {
    element.note("collision", ImportFate::Refused,
                 "all pairs that their filters admit collide, and so do those of <contact>");
  }
}

}  // namespace

double MjcfCompiler::angle(double written) const {
  return degrees ? written * (std::numbers::pi / 180.0) : written;
}

void read_mjcf_compilers(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  for (int model = static_cast<int>(reader.compilers.size()); model < document.num_models();
       ++model) {
    reader.compilers.emplace_back();
    for (const auto* xml : document.children(document.root(model), "compiler")) {
      read_compiler(reader.compilers.back(), reader.element(*xml, ""));
    }
  }
}

void read_mjcf_options(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  for (const auto* xml : document.children(document.root(), "option")) {
    read_option(reader, reader.element(*xml, ""));
  }
  // The format has a step of its own where the file gives none.
  WorldSettings& world = reader.context.world;
  if (!world.step) {
    constexpr double kStep = 0.002;  // [s]
    world.step = kStep;
    reader.context.ledger.add(ImportFate::Applied, "<option>: timestep",
                              "it is not given: MJCF has 0.002 s; counts where this file is the "
                              "scene, a scene has its own",
                              reader.model.where);
  }
  // A flag can switch gravity off, so flags follow after all gravity has been read.
  for (const auto* xml : document.children(document.root(), "option")) {
    for (const auto* flag : document.children(*xml, "flag")) {
      read_flag(reader, reader.element(*flag, ""));
    }
  }
  apply_flags(reader);
  for (const auto* xml : document.children(document.root(), "option")) {
    note_margin(reader, reader.element(*xml, ""));
  }
}

}  // namespace amontons::io
