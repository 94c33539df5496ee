#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/impulse_cap.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amontons {

/// Returns the bound of Acceptable steps where none is given [-]: ten times the tolerance, at least
/// 1e-4.
inline double usual_acceptable_tolerance(double tolerance) {
  return std::max(1e-4, 10.0 * tolerance);
}

/// Holds settings shared by the contact models; each model reads those that concern it.
struct ModelSettings {
  double tolerance = 1e-8;  ///< bound of the certificate's residuals [-], > 0
  /// Bound up to which a step may end as Acceptable (solve_status.h) [-]; 0: none does.
  double acceptable_tolerance = 1e-4;
  /// Directions of the friction polygon, even, in [4, 64]. Where they are not given the LCP family
  /// takes 4 and the convex relaxation the round cone. The models on the round cone do not read
  /// them.
  std::optional<int> friction_directions = std::nullopt;
  /// Law of restitution. Where it is not given it is Newton's, for impacts in sequence (`mirtich`)
  /// Stronge's.
  std::optional<RestitutionLaw> restitution = std::nullopt;

  /// Returns the law of restitution of a step, Newton's where none is given.
  RestitutionLaw restitution_of_steps() const {
    return restitution.value_or(RestitutionLaw::Newton);
  }
  /// Iterations of all methods together that try one law on one island, >= 1; then the next weaker
  /// law is tried. The last one, normals alone by pivoting, has no limit, so that a step ends with
  /// a solution.
  std::optional<int> max_iterations = std::nullopt;
  /// Selects, of the reactions that give the same velocity, those of least norm (minimum_norm.h).
  bool minimum_norm = false;
  StickingList sticking = StickingList::Loaded;  ///< list of the law no-slip
  /// Lets maximum dissipation claim the viscous bound as printed where its solution keeps it.
  bool literal_viscous_bound = false;
  ImpulseCap impulse_cap = ImpulseCap::Island;  ///< contacts of one kappa, maximum dissipation
};

/// Describes a model to its callers before it solves.
struct ModelTraits {
  std::optional<double> gamma = std::nullopt;  ///< preset share of an overlap [-], where it has one
  bool predicted_position = false;             ///< evaluates N, D at q + h v (Stewart-Trinkle)
  bool resolves_impacts_only = false;          ///< takes impacts alone, problems whose step is 0
  /// Law claimed by closed-form solutions of islands of one contact, Coulomb's; none: call the
  /// model.
  std::optional<ContactLaw> closed_form = std::nullopt;
  ContactLaw law = {};         ///< the law that the model is asked for
  bool touching_only = false;  ///< its law's activation gap is touching_gap() of each problem
  /// Its law depends on limits and efforts that its solution does not reach: a problem needs all.
  bool needs_all_rows = false;
};

/// Holds a problem's solution, and its certificate.
struct CertifiedSolution {
  ContactSolution solution;  ///< the solution
  Certificate certificate;   ///< the certificate of the solution
};

/// Holds working memory of a model, kept from island to island and from step to step. Its content
/// never changes a solution.
class ModelMemory {
 public:
  virtual ~ModelMemory() = default;
  /// Is a solution that nobody needs any more, of which the next one may take the memory.
  ContactSolution spare;
};

/// Turns a contact problem into impulses, by one published method.
class ContactModel {
 public:
  virtual ~ContactModel() = default;

  /// Solves a problem. It always returns a solution, with its status, the law it claims, and all
  /// attempts.
  /// @param scaling     scaling of that problem.
  /// @param warm_start  impulses of the same contacts [3 nc], then of the same bounded rows [nb],
  /// in the last step; or empty.
  virtual ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                const Eigen::Ref<const Eigen::VectorXd>& warm_start) const = 0;

  /// Solves a problem whose scaling is not known yet. Model and certificate share the scaling.
  ContactSolution solve(const ContactProblem& problem,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
    return solve(problem, ProblemScaling(problem), warm_start);
  }

  /// Solves a problem and returns the certificate too. A model that has evaluated it already does
  /// not evaluate it again.
  /// @param memory  memory from make_memory(), for one thread at a time.
  virtual CertifiedSolution solve_certified(const ContactProblem& problem,
                                            const ProblemScaling& scaling,
                                            const Eigen::VectorXd& warm_start, double tolerance,
                                            ModelMemory& memory) const;

  /// Returns new working memory; empty for a model that keeps none.
  virtual std::unique_ptr<ModelMemory> make_memory() const {
    return std::make_unique<ModelMemory>();
  }

  virtual ModelTraits traits() const { return {}; }  ///< properties apart from the settings
};

/// Returns a model by its name.
/// @throws std::invalid_argument naming the nearest known model.
std::unique_ptr<ContactModel> make_model(std::string_view name, const ModelSettings& settings);

/// Returns true if make_model() knows the name.
bool has_model(std::string_view name);

/// Returns the models of steps to choose from, in the order of the documentation. Not among them
/// are `mirtich`, for impacts alone, and the baseline `lemke-plain`.
const std::vector<std::string>& model_names();

}  // namespace amontons
