#pragma once

namespace amontons::test {

/// Effort that a step of a scene may spend unless it says otherwise (`simulation.max_effort`).
/// Tests of many random problems solve each as a step would: a few would take minutes without a
/// limit.
inline constexpr double kStepEffort = 2000.0;

}  // namespace amontons::test
