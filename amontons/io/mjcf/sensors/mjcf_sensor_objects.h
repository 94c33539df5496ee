#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

namespace amontons::io {

// What sensors measure besides single frames, joints and tendons. Each function returns why a
// sensor is not evaluated, or null.

/// Finds the margin of the limits of a sensor's joint or tendon, which `sensor.object` names.
/// @param limited  element of the joint or tendon.
const char* find_sensor_limits(const MjcfReader& reader, const MjcfElement& limited,
                               const JointDynamics& dynamics, ModelSensor& sensor);

/// Finds the camera of a projection, and its focal lengths.
const char* find_sensor_camera(MjcfReader& reader, const MjcfElement& element, ModelSensor& sensor);

/// Finds the shapes whose distance a sensor measures: those of two geoms or bodies.
const char* find_sensor_shapes(MjcfReader& reader, const MjcfElement& element, ModelSensor& sensor);

/// Finds which contacts a sensor reports, and what of each.
const char* find_sensor_contacts(MjcfReader& reader, const MjcfElement& element,
                                 ModelSensor& sensor);

/// Returns the link of a body of the file, by its index.
const ModelLink& link_of_body(const MjcfReader& reader, int body);

/// Throws a ParseError unless the file gives a name to an element of a kind.
void require_mjcf_name(const MjcfReader& reader, const MjcfElement& element,
                       const std::string& kind, const std::string& attribute);

/// Finds the frame of a geom or camera that an attribute names, or the reason why it has none.
/// @throws ParseError for a name that the file does not give.
MjcfMeasuredFrame find_measured(const MjcfReader& reader, const MjcfElement& element,
                                const std::string& kind, const std::string& attribute);

}  // namespace amontons::io
