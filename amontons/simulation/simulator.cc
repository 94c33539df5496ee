#include "amontons/simulation/simulator.h"

#include "amontons/math/effort.h"
#include "amontons/math/named_index.h"
#include "amontons/math/thread_pool.h"
#include "amontons/simulation/change_list.h"
#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/scene_sources.h"
#include "amontons/simulation/stepping_methods.h"
#include "amontons/simulation/system/orientations.h"
#include "amontons/simulation/system/parked_bodies.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

/// Throws std::invalid_argument unless every step is positive.
void check(const SimulationSettings& settings) {
  if (settings.steps.empty()) throw std::invalid_argument("simulation.step is missing");
  for (const double step : settings.steps) {
    if (!(step > 0.0)) throw std::invalid_argument("simulation.step must be positive");
  }
}

/// Throws std::invalid_argument if a published form of joint friction meets a joint that is rows of
/// J. These forms act on the coordinates of trees alone.
void check_joint_friction(const System& system, JointFriction mode) {
  if (mode == JointFriction::Coupled) return;
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    const bool has_dry_friction =
        own.dynamics.coulomb_friction > 0.0 || own.dynamics.viscous_friction > 0.0;
    if (own.loop < 0 || !has_dry_friction) continue;
    throw std::invalid_argument("joint '" + own.joint +
                                "' has friction and is rows of J: simulation.joint_friction must "
                                "be coupled");
  }
}

/// Throws std::invalid_argument for a command that is infinite or not a number.
void require_finite(bool finite) {
  if (!finite) throw std::invalid_argument("a command must be finite");
}

/// Says what step() does now: nothing, it calls controller or observers, or it solves.
enum class Phase { Idle, Calling, Solving };

}  // namespace

/// Owns everything that a simulation needs. The members are initialized in the order of their
/// dependence.
class Simulator::Impl {
 public:
  Impl(const Scene& scene, int num_threads)
      : settings_((check(scene.simulation), scene.simulation)),
        sources_(sources_of(scene)),
        system_(scene),
        model_(make_model(settings_.model, model_settings(settings_))),
        pool_(num_threads),
        stepper_(make_stepper(system_, *model_, settings_, &pool_)),
        state_(system_.initial_state()) {
    check_joint_friction(system_, settings_.joint_friction);
  }

  SimulationSettings settings_;
  SceneSources sources_;
  System system_;
  std::unique_ptr<ContactModel> model_;
  ThreadPool pool_;
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<Stepper>
      last_stepper_;  // that of the last report, if another; its start is there
  std::shared_ptr<const ContactModel> given_model_;  // in place of model_, or null
  State state_;
  bool state_was_set_ = false;  // true: a caller has set it since the last step
  // Report of the last step, and that of an earlier one for reuse; either may be null.
  std::shared_ptr<StepReport> report_, spare_;
  std::int64_t last_number_ = 0;  // of the last step's solution
  std::vector<Observer*> observers_;
  std::shared_ptr<const Controller> controller_;  // null: none; one may replace itself
  std::atomic<Phase> phase_ = Phase::Idle;        // solvers and other threads ask for it
  bool stopped_ = false;                          // true: stop_at_infeasibility has ended the run

  // Throws std::invalid_argument while a step is solved: the solver and other threads would change
  // what it works on.
  void require_not_solving() const {
    if (phase_ != Phase::Solving) return;
    throw std::invalid_argument(
        "a step is being taken: meanwhile a solver or another thread must neither step the "
        "simulator, nor change it, nor ask for its report");
  }

  // Returns the system for a change of its commands. The prepared evaluation of the next step
  // predates the change, so it is discarded.
  System& change_commands() {
    require_not_solving();
    stepper_->forget_commands();
    return system_;
  }

  // Makes the stepper again, after a change of what it takes from system and model.
  void remake_stepper() {
    check_joint_friction(system_, settings_.joint_friction);
    const ContactModel& model = given_model_ ? *given_model_ : *model_;
    std::unique_ptr<Stepper> made = make_stepper(system_, model, settings_, &pool_);
    made->number_after(last_number_);
    if (!last_stepper_) last_stepper_ = std::move(stepper_);
    stepper_ = std::move(made);
  }

  // Replaces the changes of properties.
  void set_changes(const std::vector<PropertyChange>& changes) {
    require_not_solving();
    if (changes == system_.commands().changes) return;
    // Steppers take controls of muscles from the system in each step.
    const std::vector<PropertyChange> before = system_.commands().changes;
    const bool is_control = without_controls(changes) == without_controls(before);
    system_.set_changes(changes);
    if (is_control) {
      stepper_->forget_commands();
    } else {
      try {
        remake_stepper();
      } catch (...) {
        system_.set_changes(before);
        throw;
      }
    }
    end_parked_commands(system_);
    end_detached_efforts(system_);
    state_.changes = changes;
  }

  /// Returns the report that the next step fills, which no caller holds.
  StepReport& writable_report() {
    if (report_.use_count() != 1) std::swap(report_, spare_);
    if (report_.use_count() != 1) report_ = std::make_shared<StepReport>();
    // Orders the reads of another thread that released the report ahead of the writes to come.
    std::atomic_thread_fence(std::memory_order_acquire);
    return *report_;
  }

  // Ends the run if the step's infeasibility has reached its limit.
  void update_stopped(const Certificate& certificate) {
    const std::optional<double>& limit = settings_.stop_at_infeasibility;
    stopped_ = limit && certificate.infeasibility >= *limit;
  }

  // Returns the joint of that name, or throws std::invalid_argument.
  const JointCoordinate& joint_named(const std::string& joint) const {
    const int index = index_of_named("joint", system_.joints(), joint, &JointCoordinate::name);
    return system_.joints()[static_cast<std::size_t>(index)];
  }
};

Simulator::Simulator(const Scene& scene, int num_threads)
    : impl_(std::make_unique<Impl>(scene, num_threads)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const System& Simulator::system() const { return impl_->system_; }
bool Simulator::simulates(const Scene& scene) const { return impl_->sources_ == sources_of(scene); }
const State& Simulator::state() const { return impl_->state_; }
const SimulationSettings& Simulator::scene_settings() const { return impl_->settings_; }
const TimeSteppingSettings& Simulator::settings() const { return impl_->stepper_->settings(); }

void Simulator::set_state(const State& state) {
  if (state.q.size() != impl_->state_.q.size() || state.v.size() != impl_->state_.v.size()) {
    throw std::invalid_argument("set_state: q must have " + std::to_string(impl_->state_.q.size()) +
                                " entries and v " + std::to_string(impl_->state_.v.size()) +
                                ", not " + std::to_string(state.q.size()) + " and " +
                                std::to_string(state.v.size()));
  }
  if (!state.q.allFinite() || !state.v.allFinite()) {
    throw std::invalid_argument("set_state: q and v must be finite");
  }
  // The stepper drops the evaluation that it has prepared for the old state.
  require_orientations(impl_->system_, state.q);
  impl_->set_changes(state.changes);
  impl_->state_ = state;
  impl_->state_was_set_ = true;
  impl_->stopped_ = false;
  impl_->stepper_->reset();
  // The report would show the new state as the end of its step.
  impl_->report_.reset();
}

void Simulator::resume(const State& state) {
  set_state(state);
  impl_->state_was_set_ = false;
  // The initial report gives the infeasibility of the state at which the run may have stopped.
  if (state.step_count > 0) impl_->update_stopped(initial_report().certificate);
}

void Simulator::set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  require_parked_still(impl_->system_, v, "set_state: a velocity moves");
  State state = impl_->state_;
  state.q = q;
  state.v = v;
  // Impulses and events of the old motion are no guess for the new one.
  state.warm_start.clear();
  state.contact_impulse.resize(0);
  state.events = {};
  set_state(state);
}

void Simulator::reset() {
  impl_->set_changes({});
  impl_->change_commands().set_commands(impl_->system_.no_commands());
  set_state(impl_->system_.initial_state());
}

void Simulator::set_effort(const std::string& joint, double effort) {
  const JointCoordinate& coordinate = impl_->joint_named(joint);
  require_finite(std::isfinite(effort));
  // Joints that are rows of J have loop coordinates, those of trees entries of v.
  if (coordinate.loop >= 0) {
    require_attached(impl_->system_, coordinate);
    impl_->change_commands().commanded_loop_effort()[coordinate.loop] = effort;
    return;
  }
  if (coordinate.num_v != 1) {
    throw std::invalid_argument(
        "joint '" + joint + "' has no single coordinate to drive" +
        (coordinate.first_row >= 0 && num_velocities(coordinate.type) == 1
             ? "; it is rows of J: give it an actuator, limits or friction in the scene"
             : ""));
  }
  impl_->change_commands().commanded_effort()[coordinate.v_offset] = effort;
}

void Simulator::set_efforts(const Eigen::VectorXd& efforts) {
  if (efforts.size() != impl_->state_.v.size()) {
    throw std::invalid_argument("set_efforts: " + std::to_string(efforts.size()) +
                                " entries, but " + std::to_string(impl_->state_.v.size()) +
                                " are needed, one per entry of v");
  }
  require_finite(efforts.allFinite());
  require_parked_still(impl_->system_, efforts, "set_efforts: an effort acts on");
  impl_->change_commands().commanded_effort() = efforts;
}

void Simulator::set_servo_target(const std::string& joint, double target, double target_rate) {
  const JointCoordinate& coordinate = impl_->joint_named(joint);
  require_finite(std::isfinite(target) && std::isfinite(target_rate));
  const std::vector<ServoDrive>& servos = impl_->system_.servos();
  // A servo acts on a loop coordinate or on an entry of v.
  const auto servo = std::find_if(servos.begin(), servos.end(), [&](const ServoDrive& drive) {
    return coordinate.loop >= 0 ? drive.loop == coordinate.loop
                                : drive.loop < 0 && drive.v_index == coordinate.v_offset;
  });
  if (servo == servos.end()) {
    throw std::invalid_argument("joint '" + joint + "' has no servo; give it one in the scene");
  }
  if (servo->trajectory) {
    throw std::invalid_argument("the servo of joint '" + joint +
                                "' follows a trajectory; give it a constant target in the scene");
  }
  // A servo without kp has no position to follow: its target is a rate.
  const bool is_rate = servo->kp == 0.0;
  if (is_rate && target != 0.0 && target_rate != 0.0 && target != target_rate) {
    throw std::invalid_argument("the servo of joint '" + joint +
                                "' has no kp, so that its target is a rate: give one of both");
  }
  const double rate = is_rate && target_rate == 0.0 ? target : target_rate;
  impl_->change_commands().set_servo_target(static_cast<int>(servo - servos.begin()), target, rate);
}

void Simulator::set_control(const std::string& muscle, double control) {
  const int index =
      index_of_named("muscle", impl_->system_.muscles(), muscle,
                     [](const MuscleDrive& own) -> const std::string& { return own.law.name; });
  require_finite(std::isfinite(control));
  System& system = impl_->change_commands();
  system.set_muscle_control(index, control, time());
  impl_->state_.changes = system.commands().changes;
}

void Simulator::set_wrench(const std::string& body, const Eigen::Vector3d& force_W,
                           const Eigen::Vector3d& torque_W, const Eigen::Vector3d& at_B) {
  const int index = index_of_named("body", impl_->system_.bodies(), body, &Body::name);
  if (impl_->system_.bodies()[static_cast<std::size_t>(index)].articulation < 0) {
    throw std::invalid_argument("'" + body + "' is fixed; a force cannot move it");
  }
  require_finite(force_W.allFinite() && torque_W.allFinite() && at_B.allFinite());
  const bool is_none = force_W.isZero(0.0) && torque_W.isZero(0.0);
  if (!is_none && impl_->system_.is_parked(index)) {
    throw std::invalid_argument("'" + body + "' is parked; release it before a force moves it");
  }
  std::vector<WrenchDrive>& wrenches = impl_->change_commands().commanded_wrenches();
  // A body has one commanded wrench; the new one replaces the old. One of zero is none.
  std::erase_if(wrenches, [index](const WrenchDrive& wrench) { return wrench.body == index; });
  if (is_none) return;
  wrenches.push_back({index, force_W, torque_W, at_B});
}

void Simulator::change(const PropertyChange& change) {
  require_parking(impl_->system_, change);
  const PropertyChange own = change_of_tree(impl_->system_, change);
  impl_->set_changes(with_change(impl_->system_.commands().changes, own));
  const bool parks = change.kind == PropertyKind::Parked && change.values[0] == 1.0;
  if (parks) set_state(state().q, stop_parked(impl_->system_, state().v));
}

void Simulator::set_model(std::shared_ptr<const ContactModel> model) {
  impl_->require_not_solving();
  if (model == impl_->given_model_) return;
  std::swap(model, impl_->given_model_);
  try {
    impl_->remake_stepper();
  } catch (...) {
    std::swap(model, impl_->given_model_);
    throw;
  }
}

void Simulator::set_controller(Controller controller) {
  impl_->require_not_solving();
  impl_->controller_ =
      controller ? std::make_shared<const Controller>(std::move(controller)) : nullptr;
}

bool Simulator::finished() const {
  const double duration = impl_->settings_.duration;
  // A step that would begin within rounding of the end is not taken.
  const double next = impl_->stepper_->settings().step_size(state().step_count);
  return impl_->stopped_ || time() >= duration - 1e-9 * next;
}

bool Simulator::stopped_at_infeasibility() const { return impl_->stopped_; }

StepReport Simulator::initial_report() const {
  StepReport report;
  report.end = &impl_->state_;
  report.start_was_set = impl_->state_was_set_;
  report.commands.changes = impl_->system_.commands().changes;
  impl_->stepper_->report_initial(impl_->state_, report);
  return report;
}

const StepReport& Simulator::step() {
  impl_->require_not_solving();
  Phase before = Phase::Idle;
  if (!impl_->phase_.compare_exchange_strong(before, Phase::Calling)) {
    throw std::invalid_argument(
        "a controller must not step: it reads the state and gives commands, and the step that "
        "called it follows");
  }
  const std::unique_ptr<std::atomic<Phase>, void (*)(std::atomic<Phase>*)> ends(
      &impl_->phase_, [](std::atomic<Phase>* phase) { *phase = Phase::Idle; });
  // The controller may change commands, which the step then uses.
  if (const auto controller = impl_->controller_) (*controller)(*this);
  impl_->phase_ = Phase::Solving;
  StepReport& report = impl_->writable_report();
  const EffortBudget budget(impl_->settings_.max_effort);
  try {
    impl_->stepper_->step(impl_->state_, report);
  } catch (...) {
    impl_->report_.reset();  // it mixes two steps
    throw;
  }
  impl_->phase_ = Phase::Calling;
  impl_->last_stepper_.reset();
  impl_->last_number_ = report.solution_number;
  report.work = budget.spent();
  // The log needs the commands of each step to verify it without the controller.
  report.commands = impl_->system_.commands();
  report.start_was_set = impl_->state_was_set_;
  impl_->state_was_set_ = false;
  impl_->update_stopped(report.certificate);
  for (Observer* observer : impl_->observers_) observer->observe(report);
  return report;
}

std::shared_ptr<const StepReport> Simulator::last_report() const {
  impl_->require_not_solving();
  return impl_->report_;
}

StepKinematics Simulator::last_kinematics() const {
  // Within a step they change, and other threads may ask.
  if (impl_->phase_ == Phase::Solving) return {};
  return impl_->stepper_->last_kinematics();
}

void Simulator::add_observer(Observer& observer) {
  impl_->require_not_solving();
  impl_->observers_.push_back(&observer);
}

}  // namespace amontons
