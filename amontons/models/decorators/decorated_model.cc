#include "amontons/models/decorators/decorated_model.h"

#include "amontons/models/decorators/viscous_friction_model.h"

#include <utility>

namespace amontons {
namespace {

/// Holds the memory of both ways to the model; viscous friction keeps none.
struct DecoratedMemory : public ModelMemory {
  std::unique_ptr<ModelMemory> plain, with_rows;
};

}  // namespace

DecoratedModel::DecoratedModel(std::shared_ptr<const ContactModel> plain,
                               std::shared_ptr<const ContactModel> with_rows,
                               std::shared_ptr<const ContactModel> with_drag)
    : plain_(std::move(plain)),
      with_rows_(std::move(with_rows)),
      with_drag_(std::move(with_drag)) {}

/// Returns true if viscous friction acts and the model's law does not contain it.
bool DecoratedModel::needs_drag(const ContactProblem& problem) const {
  return with_drag_ != nullptr && has_viscous_friction(problem);
}

ContactSolution DecoratedModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  if (needs_drag(problem)) return with_drag_->solve(problem, scaling, warm_start);
  const ContactModel& model = problem.bounded_rows.empty() ? *plain_ : *with_rows_;
  return model.solve(problem, scaling, warm_start);
}

CertifiedSolution DecoratedModel::solve_certified(const ContactProblem& problem,
                                                  const ProblemScaling& scaling,
                                                  const Eigen::VectorXd& warm_start,
                                                  double tolerance, ModelMemory& memory) const {
  if (needs_drag(problem)) {
    return with_drag_->solve_certified(problem, scaling, warm_start, tolerance, memory);
  }
  DecoratedMemory& own = dynamic_cast<DecoratedMemory&>(memory);
  const bool has_rows = !problem.bounded_rows.empty();
  const ContactModel& model = has_rows ? *with_rows_ : *plain_;
  ModelMemory& of_model = has_rows ? *own.with_rows : *own.plain;
  std::swap(of_model.spare, own.spare);
  return model.solve_certified(problem, scaling, warm_start, tolerance, of_model);
}

std::unique_ptr<ModelMemory> DecoratedModel::make_memory() const {
  auto memory = std::make_unique<DecoratedMemory>();
  memory->plain = plain_->make_memory();
  memory->with_rows = with_rows_->make_memory();
  return memory;
}

}  // namespace amontons
