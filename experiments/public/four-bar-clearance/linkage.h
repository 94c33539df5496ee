#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/simulator.h"

#include <Eigen/Core>

#include <array>

// A planar four-bar linkage: a crank at the origin, a coupler, and a rocker on the x axis. The
// plane is x-z, and angles count from x towards z.

namespace amontons::experiments {

inline constexpr double kClearance = 0.005;      ///< radius of a bearing less its journal's [m]
inline constexpr double kLinkageFriction = 0.1;  ///< mu of the joints with clearance [-]
inline constexpr int kClearJoints = 3;           ///< joints with clearance

/// Holds a quantity of the three links, such as their angles [rad].
struct OfLinks {
  double crank = 0.0, coupler = 0.0, rocker = 0.0;
};

/// Returns the angles of the linkage without clearance, with the rocker's end above [rad].
OfLinks ideal_angles(double crank);

/// Returns its rates at a rate of the crank [rad/s].
OfLinks ideal_rates(const OfLinks& angles, double crank_rate);

/// Returns its energy [J].
double ideal_energy(const OfLinks& angles, double crank_rate);

/// Returns the largest differences of the angles of coupler and rocker from those of the ideal
/// linkage that three clearances allow, to the first order in these [rad].
OfLinks largest_differences(const OfLinks& ideal);

/// Returns the linkage with three clearances. Its crank turns by 6 sin(0.75 pi t) [rad].
/// @param step, duration  [s].
Scene linkage_with_clearance(double step, double duration);

/// Holds what is measured of the linkage with clearance at one instant.
struct LinkageState {
  OfLinks angles;                              ///< [rad]
  double crank_rate = 0.0;                     ///< [rad/s]
  double energy = 0.0;                         ///< kinetic and of gravity [J]
  std::array<double, kClearJoints> offsets{};  ///< of journals from their bearings' axes [m]
};

/// Measures the linkage at the end of the last step.
LinkageState measure_linkage(const Simulator& simulator);

}  // namespace amontons::experiments
