#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amontons {

/// Settings shared by the contact models; each model reads those that concern it.
struct ModelSettings {
  double tolerance = 1e-8;  ///< of the certificate's residuals, dimensionless, > 0
  /// Of the friction polygon, even, in [4, 64]. Where it is not given the LCP family takes 4 and
  /// the convex relaxation the round cone; the models on the round cone do not read it.
  std::optional<int> friction_directions = std::nullopt;
  /// Where it is not given: Newton's, for impacts in sequence (`mirtich`) Stronge's.
  std::optional<RestitutionLaw> restitution = std::nullopt;

  /// Newton's where nothing else is asked for.
  RestitutionLaw restitution_of_steps() const {
    return restitution.value_or(RestitutionLaw::Newton);
  }
  /// Of all methods together that try one law on one island, >= 1; then the next law of the ladder
  /// is tried. The last one, normals alone by pivoting, is not limited: a step ends with an answer.
  std::optional<int> max_iterations = std::nullopt;
  /// Of the reactions that give the same velocity those of least norm (minimum_norm.h).
  bool minimum_norm = false;
  StickingList sticking = StickingList::Loaded;  ///< of no-slip
  /// Maximum dissipation claims the viscous bound as printed where its answer keeps it.
  bool literal_viscous_bound = false;
};

/// What must be known of a model before it is asked for an answer.
struct ModelTraits {
  std::optional<double> gamma = std::nullopt;  ///< the preset, where the model has one
  bool predicted_position = false;             ///< evaluates M, N, D at q + h v (Stewart-Trinkle)
  bool is_of_impacts = false;                  ///< takes impacts alone, problems whose step is 0
  /// Coulomb's, claimed by answers in closed form to islands of one contact; none: ask the model.
  std::optional<ContactLaw> closed_form = std::nullopt;
};

/// A problem's answer, and its certificate.
struct CertifiedSolution {
  ContactSolution solution;  ///< the answer
  Certificate certificate;   ///< what it is worth
};

/// Working memory of a model, kept from island to island and from step to step. What it holds never
/// shows in an answer.
class ModelMemory {
 public:
  virtual ~ModelMemory() = default;
};

/// One published way of turning a contact problem into impulses.
class ContactModel {
 public:
  virtual ~ContactModel() = default;

  /// Always returns an answer, with its status, the law it claims, and all attempts.
  /// @param scaling      of that problem.
  /// @param warm_start  impulses of the same contacts [3 nc], then of the same bounded rows [nb],
  /// in the last step; or empty.
  virtual ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                const Eigen::Ref<const Eigen::VectorXd>& warm_start) const = 0;

  /// With the scaling at hand: it is the same for model and judge.
  ContactSolution solve(const ContactProblem& problem,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
    return solve(problem, ProblemScaling(problem), warm_start);
  }

  /// The same, judged. A model that has asked the judge already need not ask again.
  /// @param memory  of make_memory(), for one thread at a time.
  virtual CertifiedSolution solve_certified(const ContactProblem& problem,
                                            const ProblemScaling& scaling,
                                            const Eigen::VectorXd& warm_start, double tolerance,
                                            ModelMemory& memory) const;

  /// Empty for a model that keeps none.
  virtual std::unique_ptr<ModelMemory> make_memory() const {
    return std::make_unique<ModelMemory>();
  }

  virtual ModelTraits traits() const { return {}; }  ///< What it is, apart from its settings.
};

/// @throws std::invalid_argument naming the nearest known model.
std::unique_ptr<ContactModel> make_model(std::string_view name, const ModelSettings& settings);

/// Whether make_model() knows the name.
bool has_model(std::string_view name);

/// The models of steps to choose from, in the order of the documentation; `mirtich`, for impacts
/// alone, and the baseline `lemke-plain` are not among them.
const std::vector<std::string>& model_names();

}  // namespace amontons
