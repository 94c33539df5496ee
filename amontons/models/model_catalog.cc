#include "amontons/math/named_index.h"
#include "amontons/math/nearest_name.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/cone_models.h"
#include "amontons/models/decorators/bounded_row_model.h"
#include "amontons/models/decorators/decorated_model.h"
#include "amontons/models/decorators/minimum_norm.h"
#include "amontons/models/decorators/viscous_friction_model.h"
#include "amontons/models/dissipation_model.h"
#include "amontons/models/lcp_method_model.h"
#include "amontons/models/lcp_models.h"
#include "amontons/models/mirtich_model.h"
#include "amontons/models/model_registration.h"
#include "amontons/models/no_slip_model.h"
#include "amontons/optimization/ccp/methods/single_methods.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
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
  ModelGroup group = ModelGroup::Laws;
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

/// Makes Coulomb's law by one method alone.
template <const SingleConeMethod& kMethod>
std::unique_ptr<ContactModel> make_alone(const ModelSettings& settings) {
  return std::make_unique<ConeModel>(LawKind::Coulomb, settings, &kMethod);
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

/// Names of the methods of LCPs as models, for make_lcp_method().
constexpr char kLemke[] = "lemke", kLemkePlain[] = "lemke-plain", kPpm[] = "ppm",
               kBlockPivoting[] = "block-pivoting", kGradientProjection[] = "gradient-projection";

/// Makes a polygonal law, or normals alone, by one method of LCPs.
template <const char* kMethod, LawKind kLaw>
std::unique_ptr<ContactModel> make_lcp_method(const ModelSettings& settings) {
  return std::make_unique<LcpMethodModel>(kMethod, kLaw, settings);
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
    {"mirtich", make_mirtich, LawKind::Impact, ModelGroup::Impacts},
    {"gauss-seidel", make_alone<kGaussSeidelAlone>, LawKind::Coulomb, ModelGroup::Methods},
    {"newton", make_alone<kNewtonAlone>, LawKind::Coulomb, ModelGroup::Methods},
    {"interior-point", make_alone<kInteriorPointAlone>, LawKind::Coulomb, ModelGroup::Methods},
    {"central-path", make_alone<kCentralPathAlone>, LawKind::Coulomb, ModelGroup::Methods},
    {kLemke, make_lcp_method<kLemke, LawKind::Pyramid>, LawKind::Pyramid, ModelGroup::Methods},
    {kLemkePlain, make_lcp_method<kLemkePlain, LawKind::Pyramid>, LawKind::Pyramid,
     ModelGroup::Methods},
    {kPpm, make_lcp_method<kPpm, LawKind::Frictionless>, LawKind::Frictionless,
     ModelGroup::Methods},
    {kBlockPivoting, make_lcp_method<kBlockPivoting, LawKind::Frictionless>, LawKind::Frictionless,
     ModelGroup::Methods},
    {kGradientProjection, make_lcp_method<kGradientProjection, LawKind::Frictionless>,
     LawKind::Frictionless, ModelGroup::Methods},
};

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
std::unique_ptr<ContactModel> decorate(const ModelMaker& make, LawKind law,
                                       const ModelSettings& settings, SharedModel with_drag) {
  const SharedModel plain = make(settings);
  return std::make_unique<DecoratedModel>(
      with_chosen_reactions(plain, law, settings),
      with_chosen_reactions(std::make_shared<BoundedRowModel>(plain, settings.tolerance), law,
                            settings),
      std::move(with_drag));
}

/// Returns the model with its decorators, among them viscous friction where its law has drag.
/// @param continues  as in ViscousFrictionModel: false where the model's own method, or its choice
///                   of reactions, is asked for.
std::unique_ptr<ContactModel> with_drag(const ModelMaker& make, LawKind law,
                                        const ModelSettings& settings, bool continues) {
  if (law_traits(law).viscous != ViscousFriction::Drag) {
    return decorate(make, law, settings, nullptr);
  }
  ModelSettings tighter = settings;
  tighter.tolerance *= kTighterShare;
  return decorate(make, law, settings,
                  std::make_shared<ViscousFrictionModel>(decorate(make, law, settings, nullptr),
                                                         decorate(make, law, tighter, nullptr),
                                                         settings.tolerance, continues));
}

/// Holds a model that a program has registered.
struct RegisteredModel {
  ModelMaker make;
  LawKind law = LawKind::Coulomb;
};

/// Holds all models that a program has registered, for any thread.
class Registry {
 public:
  /// Returns a model, without a maker if there is none.
  RegisteredModel find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(name);
    return found == models_.end() ? RegisteredModel{} : found->second;
  }
  void set(const std::string& name, RegisteredModel model) {
    const std::lock_guard lock(mutex_);
    models_[name] = std::move(model);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, RegisteredModel, std::less<>> models_;
};

Registry& registry() {
  static Registry models;
  return models;
}

/// Returns the entry of the catalog, or null.
const Entry* entry_of(std::string_view name) {
  const auto found = std::find_if(std::begin(kCatalog), std::end(kCatalog),
                                  [name](const Entry& entry) { return name == entry.name; });
  return found == std::end(kCatalog) ? nullptr : found;
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

const std::vector<std::string>& model_names(ModelGroup group) {
  static const auto groups = [] {
    std::map<ModelGroup, std::vector<std::string>> result;
    for (const Entry& entry : kCatalog) result[entry.group].emplace_back(entry.name);
    return result;
  }();
  return groups.at(group);
}

const std::vector<std::string>& model_names() { return model_names(ModelGroup::Laws); }

std::string model_advice(std::string_view name) {
  std::vector<std::string> known;
  for (const Entry& entry : kCatalog) known.emplace_back(entry.name);
  return did_you_mean(name, known) + " (one of: " + joined_names(model_names(ModelGroup::Laws)) +
         "; of impacts: " + joined_names(model_names(ModelGroup::Impacts)) +
         "; by one method alone: " + joined_names(model_names(ModelGroup::Methods)) + ")";
}

bool has_model(std::string_view name) {
  return entry_of(name) != nullptr || registry().find(name).make;
}

void register_model(const std::string& name, ModelMaker make, LawKind law) {
  if (name.empty() || !make) throw std::invalid_argument("a model needs a name and a maker");
  if (entry_of(name) != nullptr) {
    throw std::invalid_argument("'" + name + "' is a model of the catalog; take another name");
  }
  registry().set(name, {std::move(make), law});
}

std::unique_ptr<ContactModel> with_decorators(const ModelMaker& make, LawKind law,
                                              const ModelSettings& settings) {
  return with_drag(make, law, settings, false);
}

std::unique_ptr<ContactModel> make_model(std::string_view name, const ModelSettings& settings) {
  if (const Entry* entry = entry_of(name)) {
    const bool continues = entry->group == ModelGroup::Laws && !settings.minimum_norm;
    return with_drag(entry->make, entry->law, settings, continues);
  }
  if (const RegisteredModel own = registry().find(name); own.make) {
    return with_decorators(own.make, own.law, settings);
  }
  throw UnknownNameError("unknown contact model '" + std::string(name) + "'" + model_advice(name));
}

}  // namespace amontons
