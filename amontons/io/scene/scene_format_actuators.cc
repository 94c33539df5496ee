#include "amontons/io/scene/scene_format.h"

namespace amontons::io {
namespace {

// The words are in the order of the enum, because the reader takes their index.
const std::vector<std::string> kInterpolations = {"linear", "cubic"};

/// Returns the key that chooses a column of a CSV file.
FormatKey column() {
  return {"column", "text", "", "that of the joint's name, or the only one", "Column of the file."};
}

/// Returns the key that chooses an interpolation, with the default `defaults`.
FormatKey interpolation(const std::string& defaults) {
  return {"interpolation",
          "word",
          "",
          defaults,
          "`cubic`: interpolation with a continuous rate, never beyond the values on either side.",
          kInterpolations};
}

/// Returns the keys of an actuator of a joint.
FormatMap of_joint() {
  return {
      "actuator of a joint",
      "an item of `actuators` with `joint`",
      "It has exactly one of the other keys. The joint has one coordinate.",
      {{"joint", "a joint or tendon", "", kRequired, "`name`, `model/joint` or `model/tendon`."},
       {"position", "map", "", "", "Implicit servo of the position."},
       {"velocity", "map", "", "", "Implicit servo of the rate."},
       {"effort", "number, or a map", "N, N m", "", "Effort, constant or over time."},
       {"motion", "map", "", "",
        "Prescribed motion of any effort, as a row of J; the row `motion of JOINT` of a run "
        "holds its reaction. The joint starts with the position and rate of the motion."}}};
}

/// Returns the keys of a servo of the position.
FormatMap position_servo() {
  return {"position servo",
          "`position` of an actuator",
          "It has exactly one of `target` and `trajectory`. Servos follow a trajectory at the end "
          "of each step, with its rate as the target of `kd`.",
          {{"target", "number", "m, rad", "", "Position."},
           {"trajectory", "CSV file", "m, rad", "", "Positions over time."},
           column(),
           interpolation("cubic"),
           {"kp", "number > 0", "N/m, N m/rad", kRequired, ""},
           {"kd", "number >= 0", "N s/m, N m s", "0", ""},
           {"effort", "number > 0, or 2 numbers", "N, N m", "unlimited",
            "Largest effort of the servo both ways, or its least (<= 0) and largest (>= 0) one, in "
            "the solved step, contacts included."}}};
}

/// Returns the keys of a servo of the rate.
FormatMap velocity_servo() {
  return {"velocity servo",
          "`velocity` of an actuator",
          "It has exactly one of `target` and `trajectory`.",
          {{"target", "number", "m/s, rad/s", "", "Rate."},
           {"trajectory", "CSV file", "m/s, rad/s", "", "Rates over time."},
           column(),
           interpolation("cubic"),
           {"kd", "number > 0", "N s/m, N m s", kRequired, ""},
           {"effort", "number > 0, or 2 numbers", "N, N m", "unlimited", "As above."}}};
}

/// Returns the keys of an effort over time.
FormatMap effort() {
  return {"effort over time",
          "`effort` of an actuator, over time",
          "It acts with its mean over the step.",
          {{"table", "CSV file", "N, N m", kRequired, "Efforts over time."},
           column(),
           interpolation("linear")}};
}

/// Returns the keys of a prescribed motion of a joint.
FormatMap joint_motion() {
  return {"motion of a joint",
          "`motion` of a joint",
          "It has exactly one of `sinusoid` and `trajectory`, within the limits of the joint.",
          {{"sinusoid", "map", "", "", "offset + amplitude sin(2 pi t/period)."},
           {"trajectory", "CSV file", "m, rad", "",
            "Positions over time, met at the end of each step."},
           column(),
           interpolation("cubic")}};
}

/// Returns the keys of a sinusoid of a joint.
FormatMap joint_sinusoid() {
  return {"sinusoid of a joint",
          "`sinusoid` of a joint",
          "",
          {{"amplitude", "number", "m, rad", kRequired, ""},
           {"period", "number > 0", "s", kRequired, ""},
           {"offset", "number", "m, rad", "0", ""}}};
}

/// Returns the keys of an actuator of a body or link.
FormatMap of_body() {
  return {"actuator of a body",
          "an item of `actuators` with `body`",
          "It has `motion` (fixed bodies), a constant wrench, or a wrench over time. The latter "
          "comes from the columns time, fx, fy, fz, tx, ty, tz of `table` and acts with its mean "
          "over the step.",
          {{"body", "a body, link or frame", "", kRequired,
            "A body, `model/link`, or a frame `model/frame` of the file, such as a site."},
           {"motion", "map", "", "", "Prescribed motion of a fixed body."},
           {"force", "[x, y, z]", "N", "[0, 0, 0]", ""},
           {"torque", "[x, y, z]", "N m", "[0, 0, 0]", ""},
           {"axes", "a body or link, or `world`", "", "world",
            "Axes of force and torque, which turn with the body."},
           {"at", "[x, y, z]", "m", "[0, 0, 0]",
            "Point where the force acts, in the frame of what `body` names."},
           {"table", "CSV file", "N, N m", "", "Force and torque over time."},
           interpolation("linear")}};
}

/// Returns the keys of the control of a muscle.
FormatMap of_muscle() {
  return {
      "actuator of a muscle",
      "an item of `actuators` with `muscle`",
      "It replaces the control that the model's file gives at the start. The activation follows, "
      "from that of the file on.",
      {{"muscle", "a muscle", "", kRequired, "`model/actuator`, as in an MJCF file."},
       {"control", "number, or a map", "", kRequired,
        "Control within [0, 1], constant or over time."}}};
}

/// Returns the keys of a control over time.
FormatMap control() {
  return {"control over time",
          "`control` of a muscle, over time",
          "Each control holds until the next.",
          {{"table", "CSV file", "", kRequired, "Controls over time."}, column()}};
}

/// Returns the keys of a prescribed motion of a fixed body.
FormatMap body_motion() {
  return {"motion of a body",
          "`motion` of a fixed body",
          "",
          {{"sinusoid", "map", "", kRequired, "amplitude sin(2 pi t/period) along the axis."}}};
}

/// Returns the keys of a sinusoid of a fixed body.
FormatMap body_sinusoid() {
  return {"sinusoid of a body",
          "`sinusoid` of a fixed body",
          "",
          {{"axis", "[x, y, z]", "", kRequired, "World axes."},
           {"amplitude", "number", "m", kRequired, ""},
           {"period", "number > 0", "s", kRequired, ""}}};
}

}  // namespace

std::vector<FormatMap> format_of_actuators() {
  return {of_joint(),      position_servo(), velocity_servo(), effort(),
          joint_motion(),  joint_sinusoid(), of_body(),        body_motion(),
          body_sinusoid(), of_muscle(),      control()};
}

}  // namespace amontons::io
