#pragma once

#include "amontons/simulation/scene/scene.h"
#include "experiments/frame_strip.h"

namespace amontons::experiments {

/// An inline engine whose joints are made of contact alone: pins of n facets (inscribed) in rings
/// of n walls (circumscribed, clearance between), pistons in bores of n walls.
struct EngineParameters {
  int cylinders = 1;  ///< in line along y; crank phases 0, 180, 180, 0 degrees
  int facets = 32;    ///< facets of every round part, even
  double clearance =
      2e-4;              ///< difference of radii between a pin's vertices and its ring's walls [m]
  double crank = 0.05;   ///< throw [m]
  double rod = 0.15;     ///< between the pins' axes [m]
  double bore = 0.08;    ///< diameter [m]
  double torque = 1.0;   ///< on the crankshaft about y, constant [N m]
  double mass = 1.0;     ///< mass of each moving part [kg]
  double gravity = 9.8;  ///< along -z, the axis of the cylinders [m/s^2]
  double start_angle = 0.5;  ///< angle of the crank from the top dead center [rad]
};

/// Height of a piston's pin above the crank's axis at a crank angle [m].
double piston_height(const EngineParameters& engine, double angle);

/// How far play can carry a piston from that height [m]: the clearances of the three pins and what
/// their facets leave free beside them, along the rod where it leans most, and what the rod loses
/// where it tilts along the pins.
double height_play(const EngineParameters& engine);

/// Angle of the crank pin of a cylinder in the crank's frame: 0 or pi [rad].
double crank_phase(int cylinder);

/// Returns pistons and bores, rods, crank pins and throws as lines, seen along the crankshaft.
FrameStrip::Lines engine_lines(const EngineParameters& engine, const Simulator& simulator);

/// Without simulation settings. Bodies: case, crank, then piston and rod of each cylinder.
Scene engine_scene(const EngineParameters& engine);

}  // namespace amontons::experiments
