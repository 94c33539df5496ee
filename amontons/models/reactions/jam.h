#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds reactions that balance each other without any load: N'c_n + D'beta + J'c + L'f = 0 inside
/// the friction cones, with sum c_n + sum f = 1. They can grow without bound, and friction with
/// them: bodies may jam, and a solution is not unique [Anitescu, Miller, Hart 2003, sec. 2.3].
struct Jam {
  std::vector<int> contacts;            ///< contacts that carry a reaction, ascending
  Eigen::Matrix3Xd reactions;           ///< of these, frame (t1, t2, n), sum of all c_n and f is 1
  std::vector<int> limits;              ///< bounded rows of limits that carry one, ascending
  std::vector<double> limit_reactions;  ///< f of these
};

/// Holds a velocity that proves the cone of an island's reactions pointed. It keeps the rows of J,
/// and every reaction of the cones works on it: u_n > mu |u_t| at each contact, and the speed at
/// each limit is positive. This is the constraint qualification of Mangasarian and Fromovitz for
/// the relaxed step; it exists if and only if there is no jam [Anitescu, Miller, Hart 2003,
/// sec. 2.3].
struct OpeningVelocity {
  std::vector<int> contacts;  ///< contacts that touch, ascending
  std::vector<int> limits;    ///< bounded rows of limits that touch, ascending
  Eigen::VectorXd velocity;   ///< v [nv] of the whole problem, v'M v = 1 J; zero off the island
};

/// Sets the search for jams.
struct JamSettings {
  /// Corners of the polygon within each friction disc with which the search starts, >= 3. Corners
  /// on the arcs between them are added where they matter.
  int directions = 8;
  /// Most velocities of an island that is examined; the linear program is dense.
  int max_velocities = 240;
  /// Most generators of its cones.
  int max_generators = 6000;
};

/// Holds the result of the search, island by island.
struct JamSearch {
  std::vector<Jam> jams;  ///< one of each island whose cone is not pointed, in the order of islands
  std::vector<OpeningVelocity> openings;  ///< one of each island whose cone is pointed
  int num_examined = 0;                   ///< islands with contacts that touch
  /// Islands beyond the limits of the settings, that the program failed, or whose cone is at the
  /// edge of being pointed.
  int num_skipped = 0;
};

/// Finds jams: islands whose friction cone is not pointed, with one set of reactions each. For all
/// others it finds a velocity that proves the round cone pointed. It needs a few linear programs an
/// island.
///
/// Contacts and limits count that touch: their gap is at most the way that the free motion closes
/// in the step, and the rounding of positions. Dry friction and servos are bounded and do not
/// count.
/// @throws std::invalid_argument for fewer than three directions.
JamSearch find_jams(const ContactProblem& problem, const JamSettings& settings = {});

}  // namespace amontons
