#pragma once

#include "amontons/contact/contact_problem.h"

#include <optional>
#include <vector>

namespace amontons {

/// Holds what a problem whose M contains viscous friction does not say itself
/// (ViscousFrictionModel). Whoever solves it finds this at ProblemScaling::damped.
struct DampedStep {
  /// The problem before its viscous friction became part of M. It has the same rows; kinetic
  /// energies are those of its M and of its free motion.
  const ContactProblem* problem = nullptr;
  /// Share of the rebound that is given back; none: the largest one that adds no energy [-].
  std::optional<double> restitution_share;
  /// Contacts that bounce if they may, whether they bear a load or not; empty: none.
  std::vector<char> bounces;
};

}  // namespace amontons
