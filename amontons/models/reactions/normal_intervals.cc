#include "amontons/models/reactions/normal_intervals.h"

#include "amontons/models/reactions/island_reactions.h"
#include "amontons/models/reactions/reaction_face.h"
#include "amontons/optimization/cone_sets/cone_simplex.h"

#include <functional>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Computes the intervals of one island.
class IslandIntervals {
 public:
  IslandIntervals(const IslandReactions& reactions, const ContactLaw& law, double tolerance)
      : reactions_(reactions),
        face_(compute_reaction_face(reactions, law, tolerance)),
        result_(reactions.contacts.size()) {
    for (std::size_t k = 0; k < result_.size(); ++k) {
      if (!face_.holds(tolerance)) {
        result_[k].status = SolveStatus::Stalled;
      } else if (face_.cones[k].is_apex()) {
        result_[k] = {SolveStatus::Converged, 0.0, 0.0};
      } else {
        loaded_.push_back(k);
      }
    }
  }

  /// Returns the number of contacts that need a search.
  int num_contacts() const { return static_cast<int>(loaded_.size()); }
  const std::vector<NormalInterval>& result() const { return result_; }

  /// Finds the intervals of all loaded contacts.
  /// @param tick  called after every contact; returns false to end the search.
  void find(const std::function<bool()>& tick) {
    if (loaded_.empty()) return;
    // One tableau serves all contacts: each linear program starts from the last basis.
    ConeSimplex simplex(reactions_.X, polygons(), face_.r_0);
    for (const std::size_t k : loaded_) {
      const int block = static_cast<int>(k);
      constexpr ConeSimplex::End kRay{SolveStatus::Converged, kInfinity};
      constexpr ConeSimplex::End kNothing{SolveStatus::Converged, 0.0};
      // A ray found on the way makes the largest value infinite without a search.
      const ConeSimplex::End most = simplex.has_ray(block) ? kRay : simplex.largest(block);
      // No contact pulls, so that a value of zero met on the way is the least.
      const ConeSimplex::End least = simplex.has_vanished(block) ? kNothing : simplex.least(block);
      // p_n = r_n / sqrt(w).
      const bool is_known = most.status == SolveStatus::Converged;
      const double root = reactions_.roots(static_cast<Index>(k));
      result_[k] = {is_known ? least.status : most.status, least.value / root, most.value / root};
      if (!tick()) return;
    }
  }

 private:
  /// Returns the cones with discs replaced by polygons within them, which contain the present
  /// reaction.
  std::vector<GeneratedCone> polygons() const {
    std::vector<GeneratedCone> cones = face_.cones;
    for (std::size_t k = 0; k < cones.size(); ++k) {
      if (cones[k].kind != GeneratedCone::Kind::Disc) continue;
      cones[k] =
          polygon_within(cones[k], kDiscCorners, face_.r_0.segment<3>(3 * static_cast<Index>(k)));
    }
    return cones;
  }

  const IslandReactions& reactions_;
  const ReactionFace face_;
  std::vector<std::size_t> loaded_;
  std::vector<NormalInterval> result_;
};

/// Returns the intervals of all contacts, island by island.
std::vector<NormalInterval> intervals_of(const std::vector<IslandReactions>& islands,
                                         std::size_t num_contacts, const ContactLaw& law,
                                         double tolerance, const IntervalProgress& progress) {
  // Contacts of no island are between bodies that do not move.
  std::vector<NormalInterval> result(num_contacts, {SolveStatus::Converged, 0.0, kInfinity});
  std::vector<IslandIntervals> parts;
  // The sets come first: progress is a share of the contacts that need a search.
  int num_loaded = 0, num_done = 0;
  for (const IslandReactions& island : islands) {
    parts.emplace_back(island, law, tolerance);
    num_loaded += parts.back().num_contacts();
  }
  // After each contact the caller may end the search.
  bool continues = true;
  const auto tick = [&] {
    ++num_done;
    continues = continues && (!progress || progress(static_cast<double>(num_done) / num_loaded));
    return continues;
  };
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (continues) parts[k].find(tick);
    const std::vector<NormalInterval>& found = parts[k].result();
    for (std::size_t i = 0; i < found.size(); ++i) {
      result[static_cast<std::size_t>(islands[k].contacts[i])] = found[i];
    }
  }
  return result;
}

}  // namespace

std::vector<NormalInterval> normal_intervals(const ContactProblem& problem,
                                             const ContactSolution& solution, double tolerance,
                                             const IntervalProgress& progress) {
  const ProblemScaling scaling(problem);
  return intervals_of(island_reactions(problem, scaling, solution), problem.num_contacts(),
                      solution.law, tolerance, progress);
}

std::vector<NormalInterval> normal_intervals(const ContactSpaceProblem& problem,
                                             const ContactLaw& law, const VectorXd& impulses,
                                             double tolerance, const IntervalProgress& progress) {
  return intervals_of(island_reactions(problem, impulses),
                      static_cast<std::size_t>(problem.num_contacts()), law, tolerance, progress);
}

}  // namespace amontons
