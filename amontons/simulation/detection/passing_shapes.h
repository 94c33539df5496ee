#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/simulation/detection/shape_velocity.h"

#include <array>
#include <span>

namespace amontons {

/// Describes a bounded convex shape at the start of a step.
struct ShapeInStep {
  const Shape& shape;
  const Pose& X_WG;
  const std::array<ShapeVelocity, 2>& velocities;  ///< at the start, and at the end without contact
  double thickness;  ///< half of its smallest extent along an own axis [m]
};

/// Returns true if two shapes pass each other within a step without touching, at both of their
/// velocities, although a gap of their contacts would close.
///
/// The condition u_n + s >= 0 holds a gap open along the normal at the start of the step: the plane
/// between the shapes goes on for ever. A ball that flies past a post at a distance of 1 cm would
/// be braked and turned by this plane, if it moves by a few radii in the step. Without the contact
/// it keeps its way. Shapes that move by less than a tenth of the thinner one's thickness keep
/// their contacts: so does what rests, and the plane is then near enough to the surface.
///
/// A caller keeps the contacts of what something else may push: impulses change its way.
/// @param contacts  those of the pair, with gaps less the layer.
/// @param h         step [s].
/// @param layer     by which every distance counts as smaller [m].
bool pass_without_touching(const ShapeInStep& A, const ShapeInStep& B,
                           std::span<const Contact> contacts, double h, double layer);

/// Returns true if contacts of two shapes would overlap, at the velocity at the start of the step,
/// by more than those of rest do: a thousandth of the thinner one's thickness.
bool meet_at_start(const ShapeInStep& A, const ShapeInStep& B, std::span<const Contact> contacts,
                   double h);

}  // namespace amontons
