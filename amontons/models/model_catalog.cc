#include "amontons/math/nearest_name.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/cone_models.h"
#include "amontons/models/decorators/bounded_row_model.h"
#include "amontons/models/decorators/decorated_model.h"
#include "amontons/models/decorators/minimum_norm.h"
#include "amontons/models/decorators/viscous_friction_model.h"
#include "amontons/models/dissipation_model.h"
#include "amontons/models/lcp_models.h"
#include "amontons/models/mirtich_model.h"
#include "amontons/models/no_slip_model.h"
#include "amontons/models/plain_lemke_model.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

using Maker = std::unique_ptr<ContactModel> (*)(const ModelSettings&);

/// Holds one model of the catalog: its name, its maker, and the law that it is asked for.
struct Entry {
  const char* name;
  Maker make;
  LawKind law;
  bool listed = true;  ///< a model of steps to choose, not a baseline to compare with
};

/// Makes a complementarity model with the settings of its law.
template <LawKind kLaw>
std::unique_ptr<ContactModel> make_lcp(const ModelSettings& settings) {
  return std::make_unique<LcpModel>(LcpModelOptions{.law = kLaw, .gamma = std::nullopt}, settings);
}

std::unique_ptr<ContactModel> make_anitescu_potra(const ModelSettings& settings) {
  return std::make_unique<LcpModel>(
      LcpModelOptions{.gamma = 0.0, .predicted_position = false, .touching_only = true}, settings);
}

std::unique_ptr<ContactModel> make_stewart_trinkle(const ModelSettings& settings) {
  return std::make_unique<LcpModel>(LcpModelOptions{.gamma = 1.0, .predicted_position = true},
                                    settings);
}

std::unique_ptr<ContactModel> make_coulomb(const ModelSettings& settings) {
  return std::make_unique<ConeModel>(LawKind::Coulomb, settings);
}

/// Makes the relaxation on the round cone, unless a polygon was asked for.
std::unique_ptr<ContactModel> make_convex_relaxation(const ModelSettings& settings) {
  if (settings.friction_directions) return make_lcp<LawKind::ConvexPyramid>(settings);
  return std::make_unique<ConeModel>(LawKind::ConvexCone, settings);
}

std::unique_ptr<ContactModel> make_maximum_dissipation(const ModelSettings& settings) {
  return std::make_unique<DissipationModel>(settings);
}

std::unique_ptr<ContactModel> make_no_slip(const ModelSettings& settings) {
  return std::make_unique<NoSlipModel>(settings);
}

std::unique_ptr<ContactModel> make_mirtich(const ModelSettings& settings) {
  return std::make_unique<MirtichModel>(settings);
}

std::unique_ptr<ContactModel> make_lemke_plain(const ModelSettings& settings) {
  return std::make_unique<PlainLemkeModel>(settings);
}

constexpr Entry kCatalog[] = {
    {"coulomb", make_coulomb, LawKind::Coulomb},
    {"anitescu-potra", make_anitescu_potra, LawKind::Pyramid},
    {"stewart-trinkle", make_stewart_trinkle, LawKind::Pyramid},
    {"anitescu-hart", make_lcp<LawKind::Pyramid>, LawKind::Pyramid},
    {"convex-relaxation", make_convex_relaxation, LawKind::ConvexCone},
    {"maximum-dissipation", make_maximum_dissipation, LawKind::MaximumDissipation},
    {"frictionless", make_lcp<LawKind::Frictionless>, LawKind::Frictionless},
    {"viscous", make_lcp<LawKind::Viscous>, LawKind::Viscous},
    {"no-slip", make_no_slip, LawKind::NoSlip},
    {"mirtich", make_mirtich, LawKind::Impact, false},
    {"lemke-plain", make_lemke_plain, LawKind::Pyramid, false},
};

/// Returns the end of a message on an unknown name: the nearest name and all names.
std::string advice(std::string_view name) {
  const std::string nearest = nearest_name(name, model_names());
  std::string text = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  const char* separator = " (one of: ";
  for (const std::string& known : model_names()) {
    text += separator + known;
    separator = ", ";
  }
  return text + ")";
}

// Share of the tolerance for a second solve, where strong drag turns an error of velocity into one
// of impulse [-].
constexpr double kTighterShare = 0.01;

using SharedModel = std::shared_ptr<const ContactModel>;

/// Returns the model, with reactions of least norm where the settings ask for them.
SharedModel with_chosen_reactions(SharedModel model, LawKind law, const ModelSettings& settings) {
  if (!settings.minimum_norm || is_collision_law(law)) return model;
  return std::make_shared<MinimumNormModel>(std::move(model), settings.tolerance);
}

/// Returns the model with its decorators.
/// @param with_drag  the same model with viscous friction, or null.
std::unique_ptr<ContactModel> decorate(const Entry& entry, const ModelSettings& settings,
                                       SharedModel with_drag) {
  const SharedModel plain = entry.make(settings);
  return std::make_unique<DecoratedModel>(
      with_chosen_reactions(plain, entry.law, settings),
      with_chosen_reactions(std::make_shared<BoundedRowModel>(plain, entry.law, settings.tolerance),
                            entry.law, settings),
      std::move(with_drag));
}

}  // namespace

CertifiedSolution ContactModel::solve_certified(const ContactProblem& problem,
                                                const ProblemScaling& scaling,
                                                const Eigen::VectorXd& warm_start, double tolerance,
                                                ModelMemory& /*memory*/) const {
  CertifiedSolution certified;
  certified.solution = solve(problem, scaling, warm_start);
  certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  return certified;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Entry& entry : kCatalog) {
      if (entry.listed) result.emplace_back(entry.name);
    }
    return result;
  }();
  return names;
}

bool has_model(std::string_view name) {
  return std::any_of(std::begin(kCatalog), std::end(kCatalog),
                     [name](const Entry& entry) { return name == entry.name; });
}

std::unique_ptr<ContactModel> make_model(std::string_view name, const ModelSettings& settings) {
  for (const Entry& entry : kCatalog) {
    if (name != entry.name) continue;
    if (law_traits(entry.law).viscous != ViscousFriction::Drag) {
      return decorate(entry, settings, nullptr);
    }
    ModelSettings tighter = settings;
    tighter.tolerance *= kTighterShare;
    return decorate(entry, settings,
                    std::make_shared<ViscousFrictionModel>(decorate(entry, settings, nullptr),
                                                           decorate(entry, tighter, nullptr),
                                                           settings.tolerance));
  }
  throw std::invalid_argument("unknown contact model '" + std::string(name) + "'" + advice(name));
}

}  // namespace amontons
