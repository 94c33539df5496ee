#include "amontons/simulation/simulator.h"

#include "amontons/math/thread_pool.h"
#include "amontons/simulation/time_stepper.h"

#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

std::unique_ptr<ContactModel> model_of(const SimulationSettings& settings) {
  ModelSettings model;
  model.tolerance = settings.tolerance;
  model.friction_directions = settings.friction_directions;
  model.restitution = settings.restitution_law;
  model.max_iterations = settings.max_iterations;
  model.minimum_norm = settings.minimum_norm;
  return make_model(settings.model, model);
}

void check(const SimulationSettings& settings) {
  if (settings.method != "time-stepping") {
    throw std::invalid_argument("simulation.method '" + settings.method +
                                "' is not available in this version; use time-stepping");
  }
  if (settings.steps.empty()) throw std::invalid_argument("simulation.step is missing");
  for (const double step : settings.steps) {
    if (!(step > 0.0)) throw std::invalid_argument("simulation.step must be positive");
  }
}

}  // namespace

class Simulator::Impl {
 public:
  Impl(const Scene& scene, int num_threads)
      : settings_((check(scene.simulation), scene.simulation)),
        system_(scene),
        model_(model_of(settings_)),
        pool_(num_threads),
        stepper_(system_, *model_, TimeSteppingSettings::from(settings_, model_->traits()), &pool_),
        state_(system_.initial_state()) {}

  SimulationSettings settings_;
  System system_;
  std::unique_ptr<ContactModel> model_;
  ThreadPool pool_;
  TimeStepper stepper_;
  State state_;
  StepReport report_;
  std::vector<Observer*> observers_;
};

Simulator::Simulator(const Scene& scene, int num_threads)
    : impl_(std::make_unique<Impl>(scene, num_threads)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const System& Simulator::system() const { return impl_->system_; }
const State& Simulator::state() const { return impl_->state_; }
const TimeSteppingSettings& Simulator::settings() const { return impl_->stepper_.settings(); }

void Simulator::set_state(const State& state) {
  if (state.q.size() != impl_->state_.q.size() || state.v.size() != impl_->state_.v.size()) {
    throw std::invalid_argument("set_state: q must have " + std::to_string(impl_->state_.q.size()) +
                                " entries and v " + std::to_string(impl_->state_.v.size()));
  }
  if (!state.q.allFinite() || !state.v.allFinite()) {
    throw std::invalid_argument("set_state: q and v must be finite");
  }
  impl_->state_ = state;
  impl_->stepper_.reset();
}

bool Simulator::finished() const {
  const double duration = impl_->settings_.duration;
  // A step that would begin within rounding of the end is not taken.
  const double next = impl_->stepper_.settings().step_size(state().step_count);
  return time() >= duration - 1e-9 * next;
}

StepReport Simulator::initial_report() const {
  StepReport report;
  report.end = &impl_->state_;
  impl_->stepper_.report_initial(impl_->state_, report);
  return report;
}

const StepReport& Simulator::step() {
  impl_->stepper_.step(impl_->state_, impl_->report_);
  for (Observer* observer : impl_->observers_) observer->observe(impl_->report_);
  return impl_->report_;
}

void Simulator::add_observer(Observer& observer) { impl_->observers_.push_back(&observer); }

}  // namespace amontons
