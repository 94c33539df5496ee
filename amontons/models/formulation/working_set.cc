#include "amontons/models/formulation/working_set.h"

#include "amontons/math/effort.h"
#include "amontons/models/formulation/lcp_assembly.h"
#include "amontons/optimization/lcp/lemke.h"

#include <algorithm>
#include <map>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

// Contacts added per pair of bodies and round. Two faces touch in a plane, which three points fix.
constexpr std::size_t kPerPair = 4;

// Share of the tolerance by which a contact outside the set may be violated [-].
constexpr double kViolationShare = 1e-3;

/// Solves one problem on growing working sets.
class WorkingSetSolver {
 public:
  WorkingSetSolver(const PolyhedralProblem& problem, const WorkingSetOptions& options)
      : problem_(problem), options_(options) {}

  /// Returns the solution of the whole problem.
  PolyhedralSolution solve() {
    const Index nc = static_cast<Index>(problem_.problem->num_contacts());
    polyhedral_solution_.impulses = Eigen::VectorXd::Zero(3 * nc);
    polyhedral_solution_.status = SolveStatus::Converged;
    in_set_.assign(static_cast<std::size_t>(nc), 0);
    update_velocities();
    // u of the given impulses alone is the b of every subset.
    given_velocities_ = velocities_;
    start_set();
    // The basis of a guess is tested on its own set first; otherwise violated contacts join at
    // once.
    bool guessed = options_.try_guess && !set_.empty();
    if (!guessed) add_violated();
    while (!set_.empty()) {
      const bool is_out_of_pivots =
          options_.max_pivots > 0 && polyhedral_solution_.pivots >= options_.max_pivots;
      if (is_out_of_pivots || !has_effort()) {
        polyhedral_solution_.status = SolveStatus::IterationLimit;
        break;
      }
      // A guessed basis may fail: then Lemke's method solves the same set.
      solve_subset(guessed);
      if (polyhedral_solution_.status != SolveStatus::Converged && !guessed) break;
      guessed = false;
      update_velocities();
      const bool complete = !add_violated();
      if (complete && polyhedral_solution_.status == SolveStatus::Converged) break;
    }
    return polyhedral_solution_;
  }

 private:
  bool active(Index i) const { return problem_.active[static_cast<std::size_t>(i)] != 0; }

  /// Computes u of the given and the present impulses.
  void update_velocities() {
    velocities_ =
        problem_.space->contact_velocities(problem_.given_impulses + polyhedral_solution_.impulses);
  }

  /// Starts with contacts that have friction in any case, by a given load or a friction_offset, and
  /// with those of the guess.
  void start_set() {
    const bool has_guess = options_.guess.size() == polyhedral_solution_.impulses.size();
    for (Index i = 0; i < static_cast<Index>(in_set_.size()); ++i) {
      const bool loaded = problem_.given_load(i) > 0.0 || problem_.friction_offset(i) > 0.0;
      if (active(i) && (loaded || (has_guess && options_.guess(3 * i + 2) > 0.0))) insert(i);
    }
  }

  /// Inserts a contact in the order of the set.
  void insert(Index i) {
    in_set_[static_cast<std::size_t>(i)] = 1;
    const int contact = static_cast<int>(i);
    const auto place = options_.reversed
                           ? std::upper_bound(set_.begin(), set_.end(), contact, std::greater<>())
                           : std::upper_bound(set_.begin(), set_.end(), contact);
    set_.insert(place, contact);
  }

  /// Returns the violation of the normal law by a contact without impulse [m/s], positive if
  /// violated.
  double violation(Index i) const {
    double opening = velocities_(3 * i + 2) + problem_.gap_speeds(i);
    if (problem_.convex) {
      opening -= problem_.friction(i) *
                 (problem_.directions.transpose() * velocities_.segment<2>(3 * i)).maxCoeff();
    }
    return -opening;
  }

  /// Adds violated contacts to the set; returns true if there were any.
  bool add_violated() {
    std::map<std::pair<int, int>, std::vector<Index>> violated;
    for (Index i = 0; i < static_cast<Index>(in_set_.size()); ++i) {
      if (!active(i) || in_set_[static_cast<std::size_t>(i)]) continue;
      // Violations are grouped by pairs of bodies, so that each pair gets contacts of its own.
      const double threshold = kViolationShare * problem_.tolerance * problem_.scales->speed(i);
      if (!(violation(i) > threshold)) continue;
      const Contact& contact = problem_.problem->contacts[static_cast<std::size_t>(i)];
      violated[{contact.body_a, contact.body_b}].push_back(i);
    }
    for (auto& [pair, contacts] : violated) {
      for (const Index i : spread_choice(contacts)) insert(i);
    }
    return !violated.empty();
  }

  /// Returns the most violated contact, then those farthest from all taken before; ties go to the
  /// first.
  std::vector<Index> spread_choice(const std::vector<Index>& contacts) const {
    if (contacts.size() <= kPerPair) return contacts;
    std::vector<Index> taken = {
        *std::max_element(contacts.begin(), contacts.end(),
                          [this](Index a, Index b) { return violation(a) < violation(b); })};
    std::vector<double> distance(contacts.size(), std::numeric_limits<double>::infinity());
    while (taken.size() < kPerPair) {
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        const double to_last = (position(contacts[c]) - position(taken.back())).squaredNorm();
        distance[c] = contacts[c] == taken.back() ? -1.0 : std::min(distance[c], to_last);
      }
      const auto farthest = std::max_element(distance.begin(), distance.end());
      taken.push_back(contacts[static_cast<std::size_t>(farthest - distance.begin())]);
    }
    return taken;
  }

  /// Returns the position of a contact in the world frame [m].
  const Eigen::Vector3d& position(Index i) const {
    return problem_.problem->contacts[static_cast<std::size_t>(i)].position_W;
  }

  /// Returns the contacts of the set in contact space, the ridge on the diagonal of their normals.
  ContactSubset subset() const {
    const Index k = static_cast<Index>(set_.size());
    ContactSubset result{problem_.space->delassus(set_),
                         Eigen::VectorXd(3 * k),
                         Eigen::VectorXd(k),
                         Eigen::VectorXd(k),
                         Eigen::VectorXd(k),
                         Eigen::VectorXd(k)};
    for (Index c = 0; c < k; ++c) {
      const Index i = set_[static_cast<std::size_t>(c)];
      result.A(3 * c + 2, 3 * c + 2) += problem_.ridge * problem_.scales->inverse_mass(i);
      result.b.segment<3>(3 * c) = given_velocities_.segment<3>(3 * i);
      result.gap_speeds(c) = problem_.gap_speeds(i);
      result.friction(c) = problem_.friction(i);
      result.given_load(c) = problem_.given_load(i);
      result.friction_offset(c) = problem_.friction_offset(i);
    }
    return result;
  }

  /// Solves the LCP of the set, by the basis of the guess or by Lemke's method.
  void solve_subset(bool test_guess) {
    // Lemke's method has the pivots that earlier rounds have left.
    const ContactSubset part = subset();
    const FrictionLcp lcp = assemble_lcp(part, problem_.directions, problem_.convex);
    LcpSolution solution;
    if (test_guess) {
      Eigen::VectorXd guess(3 * static_cast<Index>(set_.size()));
      for (std::size_t c = 0; c < set_.size(); ++c) {
        guess.segment<3>(3 * static_cast<Index>(c)) = options_.guess.segment<3>(3 * set_[c]);
      }
      solution = solve_with_basis(lcp.lcp, basis_from(lcp, part, problem_.directions, guess));
    } else {
      LemkeSettings lemke;
      if (options_.max_pivots > 0)
        lemke.max_pivots = options_.max_pivots - polyhedral_solution_.pivots;
      solution = solve_lemke(lcp.lcp, lemke);
    }
    polyhedral_solution_.status = solution.status;
    polyhedral_solution_.pivots += solution.pivots;
    const Eigen::VectorXd impulses = impulses_from(lcp, problem_.directions, solution.z);
    polyhedral_solution_.impulses.setZero();
    for (std::size_t c = 0; c < set_.size(); ++c) {
      polyhedral_solution_.impulses.segment<3>(3 * set_[c]) =
          impulses.segment<3>(3 * static_cast<Index>(c));
    }
  }

  const PolyhedralProblem& problem_;
  const WorkingSetOptions& options_;
  PolyhedralSolution polyhedral_solution_;
  std::vector<int> set_;              // ascending, or descending if reversed
  std::vector<char> in_set_;          // [nc]
  Eigen::VectorXd velocities_;        // u of the given and the present impulses [3 nc]
  Eigen::VectorXd given_velocities_;  // u of the given impulses alone [3 nc]
};

}  // namespace

PolyhedralSolution solve_by_working_set(const PolyhedralProblem& problem,
                                        const WorkingSetOptions& options) {
  return WorkingSetSolver(problem, options).solve();
}

}  // namespace amontons
