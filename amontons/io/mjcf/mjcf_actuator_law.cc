#include "amontons/io/mjcf/mjcf_actuator_law.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
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

/// Names how an activation follows its control.
enum class Dynamics {
  None,        ///< the control itself
  Integrator,  ///< its integral
  Filter,      ///< a filter of first order
  Muscle,      ///< a muscle, with one time constant for each direction
};

/// Holds the general form: force = (gain . (1, l, dl/dt)) u + bias . (1, l, dl/dt), for the control
/// or activation u; or the force of a muscle of activation u.
struct General {
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{};
  Dynamics dynamics = Dynamics::None;
  double time_constant = 1.0;            ///< of the filter [s]
  MuscleTimes muscle_times{0.01, 0.04};  ///< of a muscle's activation
  std::optional<MjcfMuscle> muscle{};
  std::optional<double> dampratio{};
};

/// Reads one actuator.
class LawReader {
 public:
  LawReader(MjcfReader& reader, const MjcfElement& element, std::size_t index,
            const std::optional<std::array<double, 2>>& limits)
      : reader_(reader), element_(element), index_(index), limits_(limits) {}

  /// Returns the general form of the actuator's kind, or nothing if it exerts nothing.
  std::optional<General> read_general_form() {
    const std::string tag = element_.tag();
    if (tag == "motor") return General{};
    if (tag == "position" || tag == "intvelocity") return read_position(tag == "intvelocity");
    // force = kv (ctrl - rate)
    if (tag == "velocity") {
      const double kv = element_.number("kv", 1.0);
      return General{{kv, 0.0, 0.0}, {0.0, 0.0, -kv}};
    }
    // force = -kv ctrl times the rate
    if (tag == "damper") return General{{0.0, 0.0, -element_.number("kv", 1.0)}};
    if (tag == "cylinder") return read_cylinder();
    if (tag == "general") return read_general();
    if (tag == "muscle") return read_muscle();
    if (tag == "adhesion") return refuse("adhesion is not modeled");
    return refuse("actuators of this kind are not modeled");
  }

  /// Returns the control over time, or the activation that follows it.
  MjcfSignal signal(const General& general, const MjcfControl& control) {
    const double ctrl = control.control, act = control.activation;
    if (general.dynamics == Dynamics::None) return {ctrl};
    if (general.dynamics == Dynamics::Integrator) return integrated(ctrl, act);
    if (general.dynamics == Dynamics::Muscle) return activated(control);
    return filtered(ctrl, act, general.time_constant);
  }

  /// Returns the control at the start, clamped to its range, with the activation.
  MjcfControl control(const General& general, std::size_t& next_act) {
    MjcfControl result;
    result.control = index_ < reader_.ctrl.size() ? reader_.ctrl[index_] : 0.0;
    if (const auto range = control_range()) result.range = *range;
    if (general.dynamics != Dynamics::None) {
      result.activation = next_act < reader_.act.size() ? reader_.act[next_act] : 0.0;
      ++next_act;
    }
    if (general.dynamics == Dynamics::Muscle) bound_by_muscle(general, result);
    result.control = std::clamp(result.control, result.range[0], result.range[1]);
    return result;
  }

 private:
  /// Notes that the actuator exerts nothing.
  std::optional<General> refuse(const std::string& reason) {
    element_.note(ImportFate::Refused, "it exerts nothing: " + reason);
    return std::nullopt;
  }

  /// Reads force = kp (u - length) - kv rate.
  std::optional<General> read_position(bool integrated) {
    const double kp = element_.number("kp", 1.0), kv = element_.number("kv", 0.0);
    General result{{kp, 0.0, 0.0}, {0.0, -kp, -kv}};
    if (integrated) result.dynamics = Dynamics::Integrator;
    const double time_constant = element_.number("timeconst", 0.0);
    if (time_constant < 0.0) element_.fail("timeconst", "must not be negative");
    if (time_constant > 0.0) {
      result.dynamics = Dynamics::Filter;
      result.time_constant = time_constant;
    }
    const double ratio = element_.number("dampratio", 0.0);
    if (ratio < 0.0) element_.fail("dampratio", "must not be negative");
    if (ratio > 0.0 && kv != 0.0) element_.fail("dampratio", "and kv both damp; give one");
    if (ratio > 0.0) result.dampratio = ratio;
    return result;
  }

  /// Reads a cylinder: its area times a pressure that follows the control.
  std::optional<General> read_cylinder() {
    General result{{element_.number("area", 1.0), 0.0, 0.0}};
    if (element_.has("diameter")) {
      const double diameter = element_.number("diameter", 0.0);
      result.gain[0] = 0.25 * std::numbers::pi * diameter * diameter;
    }
    const std::vector<double> bias = element_.numbers("bias", 1, 3);
    std::copy(bias.begin(), bias.end(), result.bias.begin());
    result.dynamics = Dynamics::Filter;
    result.time_constant = element_.number("timeconst", 1.0);
    return result;
  }

  /// Reads a muscle and the dynamics of its activation.
  std::optional<General> read_muscle() {
    General result;
    result.dynamics = Dynamics::Muscle;
    set_muscle_times(element_.numbers("timeconst", 1, 2), result);
    if (element_.number("tausmooth", 0.0) != 0.0) note_smoothed("tausmooth");
    result.muscle = read_mjcf_muscle(element_);
    return result;
  }

  /// Sets the time constants of a muscle from the first two numbers; missing ones are those of the
  /// format.
  static void set_muscle_times(const std::vector<double>& numbers, General& general) {
    if (!numbers.empty()) general.muscle_times.activation = numbers[0];
    if (numbers.size() > 1) general.muscle_times.deactivation = numbers[1];
  }

  /// Notes that a muscle switches its time constant at once.
  void note_smoothed(const std::string& attribute) {
    element_.note(attribute, ImportFate::Approximated,
                  "the time constants of activation and deactivation are not blended");
  }

  /// Reads <general>, from its types of dynamics, gain and bias.
  std::optional<General> read_general() {
    General result;
    const std::string dynamics = element_.text("dyntype", "none");
    const std::vector<double> parameters = element_.numbers("dynprm", 1, 10);
    if (dynamics == "integrator") {
      result.dynamics = Dynamics::Integrator;
    } else if (dynamics == "muscle") {
      result.dynamics = Dynamics::Muscle;
      set_muscle_times(parameters, result);
      if (parameters.size() > 2 && parameters[2] != 0.0) note_smoothed("dynprm");
    } else if (dynamics == "filter" || dynamics == "filterexact") {
      result.dynamics = Dynamics::Filter;
      result.time_constant = parameters.empty() ? 1.0 : parameters[0];
    } else if (dynamics != "none") {
      return refuse("dynamics of the type '" + dynamics + "' are not modeled");
    }
    const std::string gain = element_.text("gaintype", "fixed");
    const std::string bias = element_.text("biastype", "none");
    if (gain == "muscle" && (bias == "muscle" || bias == "none")) {
      return read_general_muscle(std::move(result), bias == "muscle");
    }
    if (gain != "fixed" && gain != "affine") {
      return refuse("a gain of the type '" + gain + "' is not modeled");
    }
    if (bias != "none" && bias != "affine") {
      return refuse("a bias of the type '" + bias + "' is not modeled");
    }
    // Missing numbers are those of the format: a gain of 1, a bias of 0.
    take("gainprm", gain == "fixed" ? 1 : 3, result.gain);
    if (bias == "affine") take("biasprm", 3, result.bias);
    return result;
  }

  /// Reads the parameters of a muscle from those of gain and bias, which must agree.
  std::optional<General> read_general_muscle(General result, bool is_passive) {
    const std::vector<double> gain = element_.numbers("gainprm", 1, 10);
    if (gain.size() < 9) return refuse("the gain of a muscle needs 9 numbers");
    if (is_passive && element_.numbers("biasprm", 1, 10) != gain) {
      return refuse("a muscle whose bias has other numbers than its gain is not modeled");
    }
    std::array<double, 9> parameters{};
    std::copy_n(gain.begin(), parameters.size(), parameters.begin());
    result.muscle = mjcf_muscle_of(element_, parameters);
    if (!is_passive) result.muscle->fpmax = 0.0;
    return result;
  }

  void take(const std::string& attribute, std::size_t count, std::array<double, 3>& numbers) {
    const std::vector<double> written = element_.numbers(attribute, 1, 10);
    std::copy_n(written.begin(), std::min(count, written.size()), numbers.begin());
  }

  /// Returns the range of its control, or nothing if there is none.
  std::optional<std::array<double, 2>> control_range() {
    std::optional<std::array<double, 2>> range = mjcf_actuator_range(reader_, element_, "ctrl");
    const double share = element_.number("inheritrange", 0.0);
    if (share > 0.0 && !range) {
      if (!limits_) element_.fail("inheritrange", "needs a joint or tendon with a range");
      const double middle = 0.5 * ((*limits_)[0] + (*limits_)[1]);
      const double half = 0.5 * share * ((*limits_)[1] - (*limits_)[0]);
      range = {{middle - half, middle + half}};
    }
    return range;
  }

  /// Sets the time constants of a muscle, which clamps its control and activation to [0, 1].
  void bound_by_muscle(const General& general, MjcfControl& control) {
    control.times = general.muscle_times;
    check_time_constant(control.times.activation);
    check_time_constant(control.times.deactivation);
    for (double& end : control.range) end = std::clamp(end, 0.0, 1.0);
    const double start = std::clamp(control.activation, 0.0, 1.0);
    if (start != control.activation) {
      element_.note(ImportFate::Approximated, "its activation starts within [0, 1]");
    }
    control.activation = start;
  }

  /// Returns an activation that grows with the control, within its range.
  MjcfSignal integrated(double ctrl, double act) {
    double least = -kInfinity, largest = kInfinity;
    if (const auto range = mjcf_actuator_range(reader_, element_, "act")) {
      least = (*range)[0];
      largest = (*range)[1];
    }
    act = std::clamp(act, least, largest);
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

std::optional<Trajectory> MjcfSignal::trajectory() const {
  if (!varies()) return std::nullopt;
  return Trajectory(times, values, interpolation);
}

std::optional<std::array<double, 2>> mjcf_actuator_range(const MjcfReader& reader,
                                                         const MjcfElement& element,
                                                         const std::string& what) {
  const std::vector<double> range = element.numbers(what + "range", 2, 2);
  const std::optional<bool> said = element.flag(what + "limited");
  // Without the flag, a range alone limits, unless autolimits is off.
  const bool autolimits = reader.compiler_of(element).autolimits && !range.empty();
  if (!said.value_or(autolimits)) return std::nullopt;
  if (range.empty() || !(range[0] < range[1])) {
    element.fail(what + "range", "must be two numbers, the smaller one first");
  }
  return std::array<double, 2>{range[0], range[1]};
}

std::optional<MjcfActuatorLaw> read_mjcf_actuator_law(
    MjcfReader& reader, const MjcfElement& element, std::size_t index, std::size_t& next_act,
    const std::optional<std::array<double, 2>>& limits) {
  LawReader law_reader(reader, element, index, limits);
  const std::optional<General> general = law_reader.read_general_form();
  if (!general) return std::nullopt;
  const MjcfControl control = law_reader.control(*general, next_act);
  const bool is_commanded =
      general->dynamics == Dynamics::None || general->dynamics == Dynamics::Muscle;
  if (general->muscle && is_commanded)
    return MjcfActuatorLaw{{}, 0.0, 0.0, general->muscle, control};
  const MjcfSignal u = law_reader.signal(*general, control);
  if (general->muscle) return MjcfActuatorLaw{u, 0.0, 0.0, general->muscle};
  const std::array<double, 3>&gain = general->gain, &bias = general->bias;
  if (u.varies() && (gain[1] != 0.0 || gain[2] != 0.0)) {
    element.note(ImportFate::Refused,
                 "it exerts nothing: a gain that depends on the length needs a constant control");
    return std::nullopt;
  }
  // At a constant control the law is affine in length and rate.
  MjcfActuatorLaw law;
  law.offset = u.mapped(gain[0], bias[0], -kInfinity, kInfinity);
  law.position = gain[1] * u.start + bias[1];
  law.rate = gain[2] * u.start + bias[2];
  law.dampratio = general->dampratio;
  return law;
}

}  // namespace amontons::io
