#include "amontons/io/mjcf/actuators/mjcf_actuator_law.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// The forces of actuators, by their kinds.

namespace amontons::io {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A control that is integrated without bound is known until then [s].
constexpr double kLongest = 1e5;
// Pieces of a shorter time constant [s] are no longer apart in double precision.
constexpr double kShortest = 1e6 * std::numeric_limits<double>::min();

/// Follows the activation of one actuator.
class ActivationReader {
 public:
  ActivationReader(MjcfReader& reader, const MjcfElement& element, std::size_t index,
                   const std::optional<std::array<double, 2>>& limits)
      : reader_(reader), element_(element), index_(index), limits_(limits) {}

  /// Returns the control over time, or the activation that follows it, within its range.
  MjcfSignal signal(const MjcfActuatorForm& form, const MjcfControl& control) {
    const double ctrl = control.control;
    if (form.dynamics == MjcfDynamics::None) return {ctrl};
    const auto range = mjcf_range(reader_, element_, "act");
    const double least = range ? (*range)[0] : -kInfinity, most = range ? (*range)[1] : kInfinity;
    const double act = std::clamp(control.activation, least, most);
    if (act != control.activation) {
      element_.note("actrange", ImportFate::Approximated,
                    "its activation starts at " + shortest_text(act) + ", not at " +
                        shortest_text(control.activation) +
                        ", which lies outside; in MuJoCo that acts for one step");
    }
    if (form.dynamics == MjcfDynamics::Integrator) return integrated(ctrl, act, least, most);
    MjcfControl own = control;
    own.activation = act;
    const MjcfSignal free = form.dynamics == MjcfDynamics::Muscle
                                ? activated(own)
                                : filtered(ctrl, act, form.time_constant);
    return range ? free.mapped(1.0, 0.0, least, most) : free;
  }

  /// Returns the control at the start, clamped to its range, with the activation.
  /// @param first_act  number of the activation.
  MjcfControl control(const MjcfActuatorForm& form, std::size_t first_act) {
    MjcfControl result;
    result.control = index_ < reader_.ctrl.size() ? reader_.ctrl[index_] : 0.0;
    const auto range = control_range();
    if (range && reader_.flags.clampctrl) result.range = *range;
    if (form.num_activations > 0 && first_act < reader_.act.size()) {
      result.activation = reader_.act[first_act];
    }
    if (form.dynamics == MjcfDynamics::Muscle) bound_by_muscle(form, result);
    result.control = std::clamp(result.control, result.range[0], result.range[1]);
    return result;
  }

  /// Notes a range of the activation that a muscle, which follows commands, does not have.
  void note_muscle_range() const {
    const auto range = mjcf_range(reader_, element_, "act");
    if (!range || ((*range)[0] <= 0.0 && (*range)[1] >= 1.0)) return;
    element_.note("actrange", ImportFate::Refused,
                  "the activation of a muscle lies in [0, 1] and has no other range here");
  }

 private:
  /// Returns the range of its control, or nothing if there is none.
  std::optional<std::array<double, 2>> control_range() {
    if (always_has_range()) return damper_range();
    std::optional<std::array<double, 2>> range = mjcf_range(reader_, element_, "ctrl");
    const double share = element_.number("inheritrange", 0.0);
    if (share > 0.0 && !range) {
      if (!limits_) element_.fail("inheritrange", "needs a joint or tendon with a range");
      const double middle = 0.5 * ((*limits_)[0] + (*limits_)[1]);
      const double half = 0.5 * share * ((*limits_)[1] - (*limits_)[0]);
      range = {{middle - half, middle + half}};
    }
    return range;
  }

  /// Returns true if a damper, be it the default of a class, makes the range of the control count;
  /// what is nearer to the actuator may say otherwise.
  bool always_has_range() const {
    bool result = false;
    for (const MjcfElement& layer : element_.layers()) {
      if (layer.has("ctrllimited")) result = false;
      if (layer.tag() == "damper") result = true;
    }
    return result;
  }

  /// Returns the range of a damper's control, which it must have.
  std::array<double, 2> damper_range() const {
    if (element_.tag() == "damper") {
      element_.note("ctrllimited", ImportFate::Ignored, "a damper keeps to its range always");
    }
    const std::vector<double> range = element_.numbers("ctrlrange", 2, 2);
    if (range.empty()) element_.fail("a damper needs the attribute 'ctrlrange'");
    if (!(range[0] < range[1])) {
      element_.fail("ctrlrange", "must be two numbers, the smaller one first");
    }
    if (element_.tag() == "damper" && range[0] < 0.0) {
      element_.fail("ctrlrange", "of a damper must not be negative");
    }
    return {range[0], range[1]};
  }

  /// Sets the time constants of a muscle, which clamps its control and activation to [0, 1].
  void bound_by_muscle(const MjcfActuatorForm& form, MjcfControl& control) {
    control.times = form.muscle_times;
    check_time_constant(control.times.activation);
    check_time_constant(control.times.deactivation);
    for (double& end : control.range) end = std::clamp(end, 0.0, 1.0);
    const double start = std::clamp(control.activation, 0.0, 1.0);
    if (start != control.activation) {
      element_.note(ImportFate::Approximated, "its activation starts within [0, 1]");
    }
    control.activation = start;
  }

  /// Returns an activation that grows with the control, within [least, largest].
  static MjcfSignal integrated(double ctrl, double act, double least, double largest) {
    if (ctrl == 0.0) return {act};
    const double end = ctrl > 0.0 ? largest : least;
    double time = (end - act) / ctrl;
    if (time <= 0.0) return {act};
    // A bound that is absent, or so far that its time overflows, is not met.
    if (!std::isfinite(time)) time = kLongest;
    return {act, {0.0, time}, {act, act + ctrl * time}, Interpolation::Linear};
  }

  void check_time_constant(double time_constant) const {
    if (!(time_constant > 0.0)) element_.fail("a time constant must be positive");
    if (time_constant >= kShortest) return;
    element_.fail("a time constant must be at least " + rounded_text(kShortest) + " s, but is " +
                  shortest_text(time_constant) + " s");
  }

  /// Returns an activation that approaches the control.
  MjcfSignal filtered(double ctrl, double act, double time_constant) {
    check_time_constant(time_constant);
    if (act == ctrl) return {act};
    // After 36 time constants the rest is below rounding; pieces of 1/256 interpolate to 1e-9.
    constexpr int kPieces = 36 * 256;
    std::vector<double> times, values;
    for (int i = 0; i <= kPieces; ++i) {
      const double t = static_cast<double>(i) / 256.0;
      times.push_back(t * time_constant);
      values.push_back(ctrl + (act - ctrl) * elementary::exp(-t));
    }
    return {act, std::move(times), std::move(values), Interpolation::Cubic};
  }

  /// Returns the activation of a muscle that drives something else than a muscle.
  static MjcfSignal activated(const MjcfControl& control) {
    const MuscleControl own{0.0, control.control, control.activation};
    if (own.activation == own.control) return {own.activation};
    // The slowest rate is half of 1/T, so that the rest is below rounding after 72 T; pieces of
    // T/512 interpolate to 1e-9.
    constexpr int kPieces = 72 * 512;
    const double piece =
        (own.control > own.activation ? control.times.activation : control.times.deactivation) /
        512.0;
    std::vector<double> times, values;
    for (int i = 0; i <= kPieces; ++i) {
      times.push_back(static_cast<double>(i) * piece);
      values.push_back(muscle_activation(control.times, own, times.back()));
    }
    return {own.activation, std::move(times), std::move(values), Interpolation::Cubic};
  }

  MjcfReader& reader_;
  const MjcfElement& element_;
  std::size_t index_;
  const std::optional<std::array<double, 2>>& limits_;
};

}  // namespace

MjcfSignal MjcfSignal::mapped(double factor, double offset, double least, double largest) const {
  const auto clamped = [&](double value) { return std::clamp(value, least, largest); };
  MjcfSignal result{clamped(offset + factor * start), {}, {}, interpolation};
  // Points whose instants are one after rounding are a jump, which lasts as short as numbers can
  // tell.
  const auto add = [&result](double time, double value) {
    if (!result.times.empty()) {
      time = std::max(time, std::nextafter(result.times.back() + kShortest, kInfinity));
    }
    result.times.push_back(time);
    result.values.push_back(value);
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double value = offset + factor * values[i];
    // A line has a corner where it meets a bound; finer curves meet it between their points.
    if (i > 0 && interpolation == Interpolation::Linear) {
      const double before = offset + factor * values[i - 1];
      for (const double bound : {factor < 0.0 ? largest : least, factor < 0.0 ? least : largest}) {
        const double share = (bound - before) / (value - before);
        if (!(share > 0.0 && share < 1.0)) continue;
        add(times[i - 1] + share * (times[i] - times[i - 1]), bound);
      }
    }
    add(times[i], clamped(value));
  }
  return result;
}

MjcfSignal MjcfSignal::scaled(double factor) const {
  return mapped(factor, 0.0, -kInfinity, kInfinity);
}

std::optional<Trajectory> MjcfSignal::trajectory() const {
  if (!varies()) return std::nullopt;
  return Trajectory(times, values, interpolation);
}

std::optional<MjcfActuatorLaw> read_mjcf_actuator_law(
    MjcfReader& reader, const MjcfElement& element, std::size_t index, std::size_t& next_act,
    const std::optional<std::array<double, 2>>& limits) {
  ActivationReader activation(reader, element, index, limits);
  const MjcfActuatorForm form = read_mjcf_actuator_form(element);
  const std::size_t first_act = next_act;
  next_act += form.num_activations;
  if (!form.is_modeled) return std::nullopt;
  const MjcfControl control = activation.control(form, first_act);
  const bool is_commanded =
      form.dynamics == MjcfDynamics::None || form.dynamics == MjcfDynamics::Muscle;
  if (form.muscle && is_commanded) {
    activation.note_muscle_range();
    return MjcfActuatorLaw{{}, 0.0, 0.0, form.muscle, control};
  }
  const MjcfSignal u = activation.signal(form, control);
  if (form.muscle) return MjcfActuatorLaw{u, 0.0, 0.0, form.muscle};
  const std::array<double, 3>&gain = form.gain, &bias = form.bias;
  if (u.varies() && (gain[1] != 0.0 || gain[2] != 0.0)) {
    element.leave_out(
        ImportFate::Refused,
        "it exerts nothing: a gain that depends on the length needs a constant control");
    return std::nullopt;
  }
  // At a constant control the law is affine in length and rate.
  MjcfActuatorLaw law;
  law.offset = u.mapped(gain[0], bias[0], -kInfinity, kInfinity);
  law.position = gain[1] * u.start + bias[1];
  law.rate = gain[2] * u.start + bias[2];
  law.dampratio = form.dampratio;
  return law;
}

}  // namespace amontons::io
