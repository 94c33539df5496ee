#include "amontons/models/acceleration/coulomb_acceleration.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/models/acceleration/acceleration_problem.h"
#include "amontons/models/acceleration/drag_of_forces.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/optimization/lcp/complementary_solutions.h"
#include "amontons/optimization/lcp/lemke.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

/// Number of sliding contacts up to which all 2^n sets of loaded contacts are tried.
constexpr Index kMaxEnumerated = 8;
constexpr double kEntryRounding = 1e-9;  // share of a problem's entries that is rounding
constexpr double kClosed = 1e-9;         // share of the accelerations below which one is zero
constexpr double kUnloaded = 1e-10;      // share of the forces below which a contact has none
constexpr int kMaxExchanges = 200;       // limit of exchanges between sliding and sticking contacts
constexpr double kExchanged = 1e-12;     // relative change at which they have converged
constexpr double kModelTolerance = 1e-9;  // tolerance of `coulomb` for the sticking contacts

/// Holds an island between forces and accelerations, and which of its contacts slide.
struct SlidingIsland {
  explicit SlidingIsland(const ContactProblem& problem)
      : instant(problem), system(problem), slip(problem.num_contacts(), Vector2d::Zero()) {}

  std::size_t size() const { return slip.size(); }
  double friction(std::size_t c) const { return instant.contacts[c].friction; }
  /// Returns true if the contact slides, or has neither load nor friction.
  bool slides(std::size_t c) const {
    return friction(c) == 0.0 || !slip[c].isZero(0.0) || has_blocked_normal(instant, c);
  }
  /// Returns a unit load of a contact that slides, with its friction.
  Eigen::Vector3d load(std::size_t c) const {
    return {-friction(c) * slip[c].x(), -friction(c) * slip[c].y(), 1.0};
  }
  /// Returns the contact accelerations of contact forces [3 nc] [m/s^2].
  VectorXd accelerations(const VectorXd& forces) const {
    return instant.contact_velocities(instant.free_velocity + system.response(forces));
  }
  /// Returns the largest term that accelerations are summed from [m/s^2].
  double scale(const VectorXd& forces) const {
    return std::max({system.largest_term(instant.free_velocity),
                     instant.contact_bias.lpNorm<Eigen::Infinity>(),
                     system.largest_term(system.compliance().cwiseAbs() * forces.cwiseAbs())});
  }

  const ContactProblem& instant;
  ForcesInModes system;
  std::vector<Vector2d> slip;  // unit, zero where a contact does not slide
};

/// Holds the forces of one island.
struct IslandForces {
  SolveStatus status = SolveStatus::Converged;
  SlidingLaw law = SlidingLaw::Determined;
  VectorXd forces;
  std::vector<ForceMode> modes;
};

/// Returns the modes that belong to forces and to the accelerations that they give.
std::vector<ForceMode> modes_of(const SlidingIsland& island, const VectorXd& forces) {
  const VectorXd a = island.accelerations(forces);
  const double closed = kClosed * island.scale(forces);
  const double unloaded = kUnloaded * forces.lpNorm<Eigen::Infinity>();
  std::vector<ForceMode> modes(island.size());
  for (std::size_t c = 0; c < island.size(); ++c) {
    const Index row = ContactProblem::row(c);
    ForceMode& own = modes[c];
    // A contact that accelerates away opens. A closed one slides on, begins to slide, or sticks.
    if (a(row + 2) > closed) continue;
    own.is_loaded = forces(row + 2) > unloaded;
    const Vector2d tangent = a.segment<2>(row);
    const bool begins = tangent.norm() > closed;
    own.mode = island.slides(c) || begins ? ContactMode::Slide : ContactMode::Stick;
    own.slip = island.slides(c) ? island.slip[c]
               : begins         ? Vector2d(tangent.normalized())
                                : Vector2d::Zero();
  }
  return modes;
}

/// Returns the least loads of contacts that stay closed, or those given where that would pull.
VectorXd least_loads(const SlidingIsland& island, const VectorXd& given,
                     std::vector<ForceMode>& modes) {
  const VectorXd free = island.instant.contact_velocities(island.instant.free_velocity);
  std::vector<ForceMode> tried = modes;
  // Start with all closed contacts; drop the one that pulls hardest until none pulls.
  for (ForceMode& own : tried) own.is_loaded = own.mode != ContactMode::Open;
  for (std::size_t round = 0; round < modes.size(); ++round) {
    const VectorXd forces = island.system.solve(tried, free);
    Index worst = 0;
    double least = 0.0;
    for (std::size_t c = 0; c < tried.size(); ++c) {
      const double load = forces(ContactProblem::row(c) + 2);
      if (!tried[c].is_loaded || load >= least) continue;
      least = load;
      worst = static_cast<Index>(c);
    }
    if (least >= -kUnloaded * forces.lpNorm<Eigen::Infinity>()) {
      // The result counts only if no closed contact moves along its normal.
      const VectorXd a = island.accelerations(forces);
      const double closed = kClosed * island.scale(forces);
      for (std::size_t c = 0; c < tried.size(); ++c) {
        const bool moves = std::abs(a(ContactProblem::row(c) + 2)) > closed;
        if (tried[c].mode != ContactMode::Open && moves) return given;
      }
      modes = tried;
      return forces;
    }
    tried[static_cast<std::size_t>(worst)].is_loaded = false;
  }
  return given;
}

/// Solves an island whose contacts all slide: 0 <= f perp K f + b >= 0, K = N M^-1 (N - mu D)'.
IslandForces solve_all_sliding(const SlidingIsland& island) {
  const auto n = static_cast<Index>(island.size());
  // K column by column: the normal accelerations of a unit load with its friction.
  MatrixXd N(n, island.system.jacobian().cols()), moved(island.system.compliance().rows(), n);
  for (Index i = 0; i < n; ++i) {
    N.row(i) = island.system.jacobian().row(3 * i + 2);
    moved.col(i) =
        island.system.compliance().middleCols<3>(3 * i) * island.load(static_cast<std::size_t>(i));
  }
  const VectorXd free = island.instant.contact_velocities(island.instant.free_velocity);
  VectorXd b(n);
  for (Index i = 0; i < n; ++i) b(i) = free(3 * i + 2);
  const SlidingSolution found = solve_sliding(N * moved, b);
  IslandForces result{found.status, found.law, VectorXd::Zero(3 * n), {}};
  result.modes.resize(island.size());
  // Loads become forces with the friction of each slip; redundant loads become the least ones.
  if (found.status != SolveStatus::Converged) return result;
  for (Index i = 0; i < n; ++i) {
    result.forces.segment<3>(3 * i) = found.loads(i) * island.load(static_cast<std::size_t>(i));
  }
  result.modes = modes_of(island, result.forces);
  if (found.law == SlidingLaw::Determined) {
    result.forces = least_loads(island, result.forces, result.modes);
  }
  return result;
}

/// Solves an island of sliding and sticking contacts by exchanging the friction of those that
/// slide.
IslandForces solve_with_sticking(const SlidingIsland& island, const ContactModel& model) {
  // In the problem of the sticking contacts the sliding ones have no friction of their own.
  ContactProblem part = island.instant;
  for (std::size_t c = 0; c < island.size(); ++c) {
    if (island.slides(c)) part.contacts[c].friction = 0.0;
  }
  VectorXd friction = VectorXd::Zero(3 * static_cast<Index>(island.size())), warm_start;
  IslandForces result{SolveStatus::Stalled, SlidingLaw::Determined, friction, {}};
  result.modes.resize(island.size());
  for (int exchange = 0; exchange < kMaxExchanges; ++exchange) {
    // `coulomb` solves for the loads with the friction of the sliding contacts prescribed.
    part.free_velocity = island.instant.free_velocity + island.system.response(friction);
    const CertifiedSolution found = solve_islands(part, model, warm_start, kModelTolerance);
    if (found.solution.status != SolveStatus::Converged) return result;
    warm_start = found.solution.impulses;
    // New loads give new friction, -mu f_n d, until it does not change.
    VectorXd next = VectorXd::Zero(friction.size());
    for (std::size_t c = 0; c < island.size(); ++c) {
      const Index row = ContactProblem::row(c);
      if (!island.slides(c)) continue;
      next.segment<2>(row) = warm_start(row + 2) * island.load(c).head<2>();
    }
    const double change = (next - friction).lpNorm<Eigen::Infinity>();
    friction = next;
    if (change > kExchanged * warm_start.lpNorm<Eigen::Infinity>()) continue;
    result.status = SolveStatus::Converged;
    result.forces = warm_start + friction;
    result.modes = modes_of(island, result.forces);
    return result;
  }
  return result;
}

/// Solves an instant whose viscous friction is given, island by island.
ContactForces solve_with_drag(const ContactProblem& problem, const AccelerationProblem& posed,
                              const ContactModel& sticking, double slip_speed) {
  // Forces take the part of impulses, and each island of that problem is solved alone.
  const VectorXd u = problem.contact_velocities(problem.velocity);
  ContactForces result;
  result.status = SolveStatus::Converged;
  result.forces = VectorXd::Zero(u.size());
  result.modes.resize(problem.num_contacts());
  for (const Island& island : find_islands(posed.instant)) {
    const ContactProblem part = extract(posed.instant, island);
    SlidingIsland own(part);
    bool all_slide = true;
    for (std::size_t k = 0; k < own.size(); ++k) {
      // The velocity decides which contacts slide, and in which direction.
      const Vector2d slip = u.segment<2>(3 * island.contacts[k]);
      const bool rubs = own.friction(k) > 0.0 && !has_blocked_normal(part, k);
      if (slip.norm() > slip_speed && rubs) own.slip[k] = slip.normalized();
      all_slide = all_slide && own.slides(k);
    }
    // Islands without sticking contacts have an LCP in their loads alone.
    const IslandForces found =
        all_slide ? solve_all_sliding(own) : solve_with_sticking(own, sticking);
    if (found.status != SolveStatus::Converged) result.status = found.status;
    result.law = std::max(result.law, found.law);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const int c = island.contacts[k];
      result.forces.segment<3>(3 * c) = found.forces.segment<3>(ContactProblem::row(k));
      result.modes[static_cast<std::size_t>(c)] = found.modes[k];
    }
  }
  // vdot = v_free + M^-1 J_C'f in the problem of the instant; the drag is in v_free already.
  result.acceleration =
      posed.instant.free_velocity + ForcesInModes(posed.instant).response(result.forces);
  result.forces += posed.drag;
  return result;
}

}  // namespace

SlidingSolution solve_sliding(const MatrixXd& K, const VectorXd& b) {
  SlidingSolution result;
  result.loads = VectorXd::Zero(b.size());
  if (b.size() > kMaxEnumerated) {
    // Too many contacts to enumerate: one solution, or none found, and no statement on ambiguity.
    const LcpSolution found = solve_lemke({K, b});
    result.status =
        found.status == SolveStatus::Converged ? SolveStatus::Converged : SolveStatus::Stalled;
    if (result.status == SolveStatus::Converged) result.loads = found.z;
    return result;
  }
  const std::vector<VectorXd> solutions =
      complementary_solutions(K, b, kEntryRounding, std::size_t{1} << kMaxEnumerated);
  if (solutions.empty()) {
    result.status = SolveStatus::Infeasible;
    result.law = SlidingLaw::Impossible;
    return result;
  }
  // The solution of least total load counts where there are several.
  result.status = SolveStatus::Converged;
  result.loads =
      *std::min_element(solutions.begin(), solutions.end(),
                        [](const VectorXd& x, const VectorXd& y) { return x.sum() < y.sum(); });
  // Loads that differ where no contact parts otherwise are redundancy, not ambiguity.
  for (const VectorXd& other : solutions) {
    const VectorXd difference = K * (other - result.loads);
    const VectorXd terms = K.cwiseAbs() * (other + result.loads);
    if (difference.lpNorm<Eigen::Infinity>() > kEntryRounding * terms.lpNorm<Eigen::Infinity>()) {
      result.law = SlidingLaw::Ambiguous;
    }
  }
  return result;
}

CoulombAcceleration::CoulombAcceleration()
    : sticking_(make_model("coulomb", {.tolerance = kModelTolerance})) {}

ContactForces CoulombAcceleration::solve(const ContactProblem& problem,
                                         const Eigen::Ref<const VectorXd>& forces,
                                         const Eigen::Ref<const VectorXd>& contact_rate,
                                         double slip_speed) const {
  if (problem.joint_jacobian.rows() > 0) {
    throw std::invalid_argument("Coulomb contact at acceleration level: joint rows are not taken");
  }
  ContactForces result;
  const auto solve_instant = [&](const VectorXd& shares) -> std::optional<VectorXd> {
    const AccelerationProblem posed =
        acceleration_problem(problem, forces, contact_rate, VectorXd(0), shares);
    result = solve_with_drag(problem, posed, *sticking_, slip_speed);
    if (result.status != SolveStatus::Converged) return std::nullopt;
    // A share of the drag may be what keeps a contact closed.
    for (std::size_t c = 0; c < result.modes.size(); ++c) {
      const double share = shares(static_cast<Index>(c));
      if (share > 0.0 && share < 1.0) result.modes[c] = dragged_mode();
    }
    const VectorXd dry = result.forces - posed.drag;
    const VectorXd rates = posed.instant.contact_velocities(result.acceleration);
    return loads_of_instant(problem, posed, ProblemScaling(posed.instant), shares, dry, rates,
                            kModelTolerance);
  };
  VectorXd shares;
  if (!find_shares_of_forces(problem, solve_instant, shares) &&
      result.status == SolveStatus::Converged) {
    result.status = SolveStatus::Stalled;
  }
  return result;
}

}  // namespace amontons
