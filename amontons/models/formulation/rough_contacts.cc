#include "amontons/models/formulation/rough_contacts.h"

#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/formulation/limited_effort.h"
#include "amontons/models/formulation/sticking_list_search.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLargeFriction = 1e6;

// Largest number of iterations: a proposal that takes more is not worth it.
constexpr int kMaxIterationsForList = 600;

}  // namespace

RoughContacts find_rough_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                  ModelSettings settings, std::optional<int> max_iterations) {
  ContactProblem rough = problem;
  for (std::size_t c = 0; c < rough.num_contacts(); ++c) {
    rough.contacts[c].friction = can_hold(problem, scaling, c) ? kLargeFriction : 0.0;
  }
  settings.minimum_norm = false;
  settings.max_iterations =
      std::clamp(max_iterations.value_or(kMaxIterationsForList), 1, kMaxIterationsForList);
  // The lists keep the other half of the effort.
  const Stopwatch watch;
  ContactSolution found;
  with_half_of_effort([&] { found = make_model("coulomb", settings)->solve(rough, VectorXd()); });
  RoughContacts result{std::vector<char>(rough.num_contacts(), 0),
                       {"list of coulomb", found.status, found.iterations, watch.seconds(), {}}};
  for (std::size_t c = 0; c < rough.num_contacts(); ++c) {
    result.loaded[c] =
        can_hold(problem, scaling, c) &&
        bears_load(scaling, static_cast<Index>(c), found.impulses, settings.tolerance);
  }
  return result;
}

}  // namespace amontons
