#include "amontons/models/mirtich_model.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/impact/bounded_row_answers.h"
#include "amontons/models/impact/collision_path.h"

#include <Eigen/Core>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of the speed V below which nothing approaches, and of an approach within which two are
// equal [-].
constexpr double kNoApproach = 1e-12, kEqual = 1e-9;

/// Default limit of collisions: a constant, and a number for each contact.
constexpr int kMaxCollisions = 1000, kMaxPerContact = 100;

/// Runs one call of solve(): collisions one after the other.
class Propagation {
 public:
  Propagation(const ContactProblem& problem, const ProblemScaling& scaling,
              const ModelSettings& settings)
      : problem_(problem), scaling_(scaling), settings_(settings), space_(problem, scaling) {
    for (Index i = 0; i < scaling.scales.inverse_mass.size(); ++i) {
      if (scaling.scales.inverse_mass(i) > 0.0) contacts_.push_back(static_cast<int>(i));
    }
    // A column of A is the velocity change of all contacts by one collision.
    A_ = space_.delassus(contacts_);
    u_.resize(A_.rows());
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      u_.segment<3>(row(k)) = space_.free_contact_velocity().segment<3>(3 * contacts_[k]);
    }
    restitution_.total.impulses = VectorXd::Zero(problem.contact_jacobian.rows());
    restitution_.bounces.assign(problem.num_contacts(), 0);
    rows_.emplace(problem, contacts_, A_);
    solution_.law = {LawKind::Impact, 4, *settings.restitution};
    // In a step a gap may close at this speed; overlaps have no force.
    reach_.resize(static_cast<Index>(contacts_.size()));
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      reach_(static_cast<Index>(k)) = std::max(0.0, scaling.gap_speeds(contacts_[k]));
    }
  }

  /// Returns the certified result of all collisions.
  CertifiedSolution solve() {
    const Stopwatch watch;
    SolveAttempt attempt{"collisions in sequence", SolveStatus::Converged, 0, 0.0, {}};
    const int limit = settings_.max_iterations.value_or(
        kMaxCollisions + kMaxPerContact * static_cast<int>(contacts_.size()));
    // The fastest approach collides, until nothing approaches or the limit is reached. Dry friction
    // and servos of joints answer the free motion and each collision.
    answer_rows();
    for (int k = fastest(); k >= 0; k = fastest()) {
      if (attempt.iterations == limit) {
        attempt.status = SolveStatus::IterationLimit;
        attempt.remark = "after " + std::to_string(limit) + " collisions the rest was stopped";
        break;
      }
      ++attempt.iterations;
      count_pivot();
      if (collide(static_cast<std::size_t>(k))) {
        answer_rows();
        continue;
      }
      attempt.status = SolveStatus::Infeasible;
      attempt.remark =
          "no impulse parts contact " + std::to_string(contacts_[static_cast<std::size_t>(k)]);
      break;
    }
    attempt.time_s = watch.seconds();
    solution_.iterations = attempt.iterations;
    solution_.attempts.push_back(attempt);
    // A contact that no impulse parts ends the sequence; approaches beyond the limit are stopped at
    // once.
    if (attempt.status == SolveStatus::Infeasible) return without_friction();
    if (attempt.status == SolveStatus::IterationLimit) stop_the_rest();
    write_solution(problem_, scaling_, &space_, restitution_, solution_);
    solution_.status = attempt.status;
    return certified();
  }

 private:
  static Index row(std::size_t k) { return 3 * static_cast<Index>(k); }

  /// Returns the contact that approaches fastest, or -1. The first of equal ones counts.
  int fastest() const {
    int result = -1;
    double most = 0.0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      if (rows_->is_row(k)) continue;
      const double approach = -u_(row(k) + 2) - reach_(static_cast<Index>(k));
      if (!(approach > kNoApproach * scaling_.scales.speed(contacts_[k]))) continue;
      if (approach <= most * (1.0 + kEqual)) continue;
      most = approach;
      result = static_cast<int>(k);
    }
    return result;
  }

  /// Gives dry friction and servos of joints the impulses that answer the present velocities.
  void answer_rows() { rows_->answer(u_, restitution_.total.impulses); }

  /// Lets a contact collide as if it were alone, with the joints' rows that hold; returns false if
  /// no impulse parts it.
  bool collide(std::size_t k) {
    const auto contact = static_cast<std::size_t>(contacts_[k]);
    const Collision collision = collision_of(problem_, contact, A_.block<3, 3>(row(k), row(k)),
                                             u_.segment<3>(row(k)), solution_.law.restitution);
    const CollisionOutcome outcome = rows_->follow(collision, k, restitution_.total.impulses);
    if (!outcome.is_resolved) return false;
    // u <- u + A p: the collision changes the velocities of all contacts.
    u_ += A_.middleCols<3>(row(k)) * outcome.impulse;
    restitution_.total.impulses.segment<3>(ContactProblem::row(contact)) += outcome.impulse;
    restitution_.bounces[contact] = 1;
    return true;
  }

  /// Stops the approaches that are left after the limit, by normal impulses at once. Rows of joints
  /// answer again, from none of their impulses, so that they keep their bounds.
  void stop_the_rest() {
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      if (!rows_->is_row(k)) continue;
      restitution_.total.impulses
          .segment<3>(ContactProblem::row(static_cast<std::size_t>(contacts_[k])))
          .setZero();
    }
    ContactProblem rest = problem_;
    VectorXd velocity, joint_impulses;
    space_.apply(restitution_.total.impulses, velocity, joint_impulses);
    rest.velocity = rest.free_velocity = velocity;
    for (Contact& contact : rest.contacts) contact.restitution = 0.0;
    const ProblemScaling scaling(rest);
    const ContactSolution stopped = frictionless_fallback(rest, scaling, settings_);
    restitution_.total.impulses += stopped.impulses;
    solution_.attempts.insert(solution_.attempts.end(), stopped.attempts.begin(),
                              stopped.attempts.end());
    for (std::size_t c = 0; c < restitution_.bounces.size(); ++c) {
      if (stopped.impulses(ContactProblem::row(c) + 2) > 0.0) restitution_.bounces[c] = 1;
    }
  }

  /// Returns the frictionless fallback, certified.
  CertifiedSolution without_friction() const {
    CertifiedSolution certified;
    certified.solution =
        fallback_after(solution_, frictionless_fallback(problem_, scaling_, settings_));
    certified.certificate = certify(problem_, scaling_, certified.solution, settings_.tolerance);
    return certified;
  }

  /// Returns the solution if its certificate holds, else the fallback.
  CertifiedSolution certified() {
    const Certificate certificate = certify(problem_, scaling_, solution_, settings_.tolerance);
    SolveAttempt& attempt = solution_.attempts.front();
    if (!certificate.holds) {
      attempt.status = SolveStatus::NumericalFailure;
      attempt.remark = missed_condition(certificate, settings_.tolerance).text;
      return without_friction();
    }
    return {solution_, certificate};
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  const ContactSpace space_;
  std::vector<int> contacts_;              // contacts on moving bodies
  Eigen::MatrixXd A_;                      // Delassus operator of these
  VectorXd u_;                             // their velocities
  std::optional<BoundedRowAnswers> rows_;  // dry friction and servos of joints
  VectorXd reach_;  // [contacts] speeds that close their gaps just in this step [m/s]
  RestitutionSolution restitution_;
  ContactSolution solution_;
};

}  // namespace

MirtichModel::MirtichModel(const ModelSettings& settings) : CertifyingModel(settings) {
  settings_.restitution = settings.restitution.value_or(RestitutionLaw::Stronge);
  ModelSettings others = settings;
  others.restitution = std::nullopt;
  check_settings(others);
}

CertifiedSolution MirtichModel::solve_and_certify(const ContactProblem& problem,
                                                  const ProblemScaling& scaling,
                                                  const Eigen::Ref<const VectorXd>&,
                                                  ModelMemory&) const {
  return Propagation(problem, scaling, settings_).solve();
}

}  // namespace amontons
