#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace amontons {

/// Makes a model with given settings.
using ModelMaker = std::function<std::unique_ptr<ContactModel>(const ModelSettings&)>;

/// Groups the models of the catalog by what they are for.
enum class ModelGroup {
  Laws,     ///< the models of steps to choose from, model_names()
  Impacts,  ///< models of impacts alone
  Methods   ///< a law by one method alone, to compare methods
};

/// Returns the names of a group, in the order of the documentation.
const std::vector<std::string>& model_names(ModelGroup group);

/// Returns the end of a message on an unknown model: the nearest name, and those of all groups.
std::string model_advice(std::string_view name);

/// Adds a model to those that make_model() and scenes know by name, in this process alone. It gets
/// the decorators of the catalog: joints' rows come to it as contacts, and viscous friction in M. A
/// name that was registered before gets the new model.
/// @param law  law that the model is asked for.
/// @throws std::invalid_argument for a name of the catalog, or an empty name or maker.
void register_model(const std::string& name, ModelMaker make, LawKind law = LawKind::Coulomb);

/// Returns the impulses p [3 nc] of a problem [N s], frame (t1, t2, n). With u = J_C v+ + bias they
/// obey the law at the gap speeds s [nc] [m/s], which contain restitution:
///
///   0 <= p_n  perp  u_n + s >= 0,    |p_t| <= mu p_n + friction_offset, and the friction law
///
/// Threads may call it at the same time, for different islands. Problems without contacts do not
/// come to it.
using ImpulseSolver = std::function<Eigen::VectorXd(const ContactProblem& problem,
                                                    const Eigen::VectorXd& gap_speeds)>;

/// Returns a model whose impulses a function finds. Its solution claims the law whatever they are:
/// Converged where the certificate holds, else IterationLimit, and the certificate says how far it
/// is. Restitution is Newton's. It is without decorators: for register_model() or
/// with_decorators().
/// @param name  name of the function in attempts and errors.
/// @throws std::invalid_argument for a law of impacts or of maximum dissipation, whose certificates
/// need more than impulses, or settings out of range.
std::unique_ptr<ContactModel> make_own_model(const std::string& name, ImpulseSolver solver,
                                             const ModelSettings& settings,
                                             LawKind law = LawKind::Coulomb);

/// Returns a model with the decorators that register_model() gives it.
std::unique_ptr<ContactModel> with_decorators(const ModelMaker& make, LawKind law,
                                              const ModelSettings& settings);

}  // namespace amontons
