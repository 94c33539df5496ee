#include "amontons/io/mjcf/actuators/mjcf_actuator_form.h"

#include <algorithm>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

// MuJoCo takes smaller numbers for this one where it divides.
constexpr double kSmallest = 1e-15;

/// Throws for curves that have no meaning.
void check(const MjcfElement& element, const MjcfMuscle& muscle) {
  if (!(muscle.range[0] < muscle.range[1])) {
    element.fail("the first number of its range must be smaller than the second");
  }
  if (!(muscle.lmin < 1.0 && muscle.lmax > 1.0)) element.fail("needs lmin < 1 < lmax");
  if (!(muscle.vmax > 0.0 && muscle.fvmax >= 1.0)) element.fail("needs vmax > 0 and fvmax >= 1");
  if (!(muscle.fpmax >= 0.0 && muscle.scale >= 0.0)) {
    element.fail("fpmax and scale must not be negative");
  }
}

/// Holds the default that all kinds of actuators share, as <general> writes it. Numbers that are
/// missing are zero.
struct Parameters {
  std::string dyntype = "none", gaintype = "fixed", biastype = "none";
  std::vector<double> dynprm{1.0}, gainprm{1.0}, biasprm{};
  std::optional<double> dampratio{};  ///< replaces the third number of biasprm

  void set_types(const char* dyn, const char* gain, const char* bias) {
    dyntype = dyn;
    gaintype = gain;
    biastype = bias;
  }
  void set_bias(const std::vector<double>& numbers) {
    biasprm = numbers;
    dampratio.reset();
  }
};

/// Returns a number that may be missing.
double at(const std::vector<double>& numbers, std::size_t index) {
  return index < numbers.size() ? numbers[index] : 0.0;
}

/// Sets one of the numbers; those beside it stay.
void set(std::vector<double>& numbers, std::size_t index, double value) {
  numbers.resize(std::max(numbers.size(), index + 1), 0.0);
  numbers[index] = value;
}

/// Replaces numbers from the index `first` on by those of an attribute.
void overlay(const MjcfElement& layer, const std::string& attribute, std::size_t most,
             std::vector<double>& numbers, std::size_t first = 0) {
  const std::vector<double> written = layer.numbers(attribute, 1, most);
  if (written.empty()) return;
  numbers.resize(std::max(numbers.size(), first + written.size()), 0.0);
  std::copy(written.begin(), written.end(), numbers.begin() + static_cast<std::ptrdiff_t>(first));
}

void apply_general(const MjcfElement& layer, Parameters& p) {
  p.dyntype = layer.text("dyntype", p.dyntype);
  p.gaintype = layer.text("gaintype", p.gaintype);
  p.biastype = layer.text("biastype", p.biastype);
  overlay(layer, "dynprm", 10, p.dynprm);
  overlay(layer, "gainprm", 10, p.gainprm);
  if (layer.has("biasprm")) p.dampratio.reset();
  overlay(layer, "biasprm", 10, p.biasprm);
}

/// Applies force = kp (u - length) - kv rate.
void apply_position(const MjcfElement& layer, bool is_integrated, Parameters& p) {
  const double kp = layer.number("kp", at(p.gainprm, 0));
  double rate = at(p.biasprm, 2);
  std::optional<double> dampratio = p.dampratio;
  const double kv = layer.number("kv", 0.0), ratio = layer.number("dampratio", 0.0);
  if (ratio < 0.0) layer.fail("dampratio", "must not be negative");
  if (ratio > 0.0 && kv != 0.0) layer.fail("dampratio", "and kv both damp; give one");
  if (layer.has("kv") || layer.has("dampratio")) {
    rate = -kv;
    dampratio.reset();
  }
  if (ratio > 0.0) dampratio = ratio;
  set(p.gainprm, 0, kp);
  p.set_bias({0.0, -kp, rate});
  p.dampratio = dampratio;
  // A filter of the class stays, but no other dynamics do.
  const std::string filter = p.dyntype == "filterexact" ? "filterexact" : "none";
  p.set_types(is_integrated ? "integrator" : filter.c_str(), "fixed", "affine");
  if (is_integrated || !layer.has("timeconst")) return;
  const double time_constant = layer.number("timeconst", 0.0);
  if (time_constant < 0.0) layer.fail("timeconst", "must not be negative");
  p.dyntype = time_constant > 0.0 ? "filterexact" : "none";
  if (time_constant > 0.0) p.dynprm = {time_constant};
}

/// Applies a cylinder: its area times a pressure that follows the control.
void apply_cylinder(const MjcfElement& layer, Parameters& p) {
  double area = layer.number("area", at(p.gainprm, 0));
  if (layer.has("diameter")) {
    const double diameter = layer.number("diameter", 0.0);
    area = 0.25 * std::numbers::pi * diameter * diameter;
  }
  set(p.gainprm, 0, area);
  p.dampratio.reset();
  overlay(layer, "bias", 3, p.biasprm);
  overlay(layer, "timeconst", 1, p.dynprm);
  p.set_types("filter", "fixed", "affine");
}

/// Applies a muscle. Numbers that are still those of <general> become those of a muscle.
void apply_muscle(const MjcfElement& layer, Parameters& p) {
  const auto replace = [](std::vector<double>& numbers, std::size_t index, double general,
                          double own) {
    numbers.resize(std::max(numbers.size(), index + 1), 0.0);
    if (numbers[index] == general) numbers[index] = own;
  };
  const MuscleTimes times = MjcfActuatorForm{}.muscle_times;
  replace(p.dynprm, 0, 1.0, times.activation);
  replace(p.dynprm, 1, 0.0, times.deactivation);
  const MjcfMuscle usual;
  replace(p.gainprm, 0, 1.0, usual.range[0]);
  const std::array<double, 8> others{usual.range[1], usual.force, usual.scale, usual.lmin,
                                     usual.lmax,     usual.vmax,  usual.fpmax, usual.fvmax};
  for (std::size_t i = 0; i < others.size(); ++i) replace(p.gainprm, i + 1, 0.0, others[i]);
  overlay(layer, "timeconst", 2, p.dynprm);
  overlay(layer, "tausmooth", 1, p.dynprm, 2);
  overlay(layer, "range", 2, p.gainprm);
  constexpr std::array<const char*, 7> kNames{"force", "scale", "lmin", "lmax",
                                              "vmax",  "fpmax", "fvmax"};
  for (std::size_t i = 0; i < kNames.size(); ++i) overlay(layer, kNames[i], 1, p.gainprm, i + 2);
  p.set_bias(p.gainprm);
  p.set_types("muscle", "muscle", "muscle");
}

/// Sets what an element of a class, or an actuator itself, sets by its kind.
void apply(const MjcfElement& layer, Parameters& p) {
  const std::string tag = layer.tag();
  if (tag == "general") apply_general(layer, p);
  if (tag == "position" || tag == "intvelocity") apply_position(layer, tag == "intvelocity", p);
  if (tag == "cylinder") apply_cylinder(layer, p);
  if (tag == "muscle") apply_muscle(layer, p);
  if (tag == "motor") {
    set(p.gainprm, 0, 1.0);
    p.set_types("none", "fixed", "none");
  }
  // force = kv (ctrl - rate)
  if (tag == "velocity") {
    const double kv = layer.number("kv", at(p.gainprm, 0));
    set(p.gainprm, 0, kv);
    p.set_bias({0.0, 0.0, -kv});
    p.set_types("none", "fixed", "affine");
  }
  // force = -kv ctrl times the rate
  if (tag == "damper") {
    const double kv = layer.number("kv", p.gaintype == "affine" ? -at(p.gainprm, 2) : 0.0);
    if (kv < 0.0) layer.fail("kv", "must not be negative");
    p.gainprm = {0.0, 0.0, -kv};
    p.set_types("none", "affine", "none");
  }
}

/// Notes that an actuator exerts nothing, and marks its form.
void refuse(const MjcfElement& element, const std::string& reason, MjcfActuatorForm& form) {
  element.leave_out(ImportFate::Refused, "it exerts nothing: " + reason);
  form.is_modeled = false;
}

void set_dynamics(const MjcfElement& element, const Parameters& p, MjcfActuatorForm& form) {
  if (p.dyntype == "none") return;
  form.num_activations = static_cast<std::size_t>(std::max(1, element.integer("actdim", 1)));
  if (p.dyntype == "integrator") {
    form.dynamics = MjcfDynamics::Integrator;
  } else if (p.dyntype == "filter" || p.dyntype == "filterexact") {
    form.dynamics = MjcfDynamics::Filter;
    form.time_constant = at(p.dynprm, 0);
  } else if (p.dyntype == "muscle") {
    form.dynamics = MjcfDynamics::Muscle;
    form.muscle_times = {at(p.dynprm, 0), at(p.dynprm, 1)};
    if (at(p.dynprm, 2) != 0.0) {
      element.note(element.has("tausmooth") ? "tausmooth" : "dynprm", ImportFate::Approximated,
                   "the time constants of activation and deactivation are not blended");
    }
  } else {
    refuse(element, "dynamics of the type '" + p.dyntype + "' are not modeled", form);
  }
}

/// Sets the parameters of a muscle from those of gain and bias, which must agree.
void set_muscle(const MjcfElement& element, const Parameters& p, MjcfActuatorForm& form) {
  const std::vector<double>& g = p.gainprm;
  const bool is_passive = p.biastype == "muscle";
  if (g.size() < 9) {
    refuse(element, "the gain of a muscle needs 9 numbers", form);
  } else if (is_passive && p.biasprm != g) {
    refuse(element, "a muscle whose bias has other numbers than its gain is not modeled", form);
  } else {
    form.muscle = MjcfMuscle{{g[0], g[1]}, g[2], g[3], g[4], g[5], g[6], g[7], g[8]};
    check(element, *form.muscle);
    if (!is_passive) form.muscle->fpmax = 0.0;
  }
}

/// Sets gain and bias of a form.
void set_force(const MjcfElement& element, const Parameters& p, MjcfActuatorForm& form) {
  if (p.gaintype == "muscle" && (p.biastype == "muscle" || p.biastype == "none")) {
    set_muscle(element, p, form);
  } else if (p.gaintype != "fixed" && p.gaintype != "affine") {
    refuse(element, "a gain of the type '" + p.gaintype + "' is not modeled", form);
  } else if (p.biastype != "none" && p.biastype != "affine") {
    refuse(element, "a bias of the type '" + p.biastype + "' is not modeled", form);
  } else {
    for (std::size_t i = 0; i < 3; ++i) {
      form.gain[i] = i == 0 || p.gaintype == "affine" ? at(p.gainprm, i) : 0.0;
      form.bias[i] = p.biastype == "affine" ? at(p.biasprm, i) : 0.0;
    }
    if (p.biastype == "affine") form.dampratio = p.dampratio;
  }
}

}  // namespace

Muscle MjcfMuscle::on(const std::array<double, 2>& lengths, double acceleration) const {
  Muscle muscle{.lmin = lmin, .lmax = lmax, .vmax = vmax, .fpmax = fpmax, .fvmax = fvmax};
  muscle.peak_force = force < 0.0 ? scale / std::max(kSmallest, acceleration) : force;
  muscle.optimal_length = (lengths[1] - lengths[0]) / (range[1] - range[0]);
  muscle.origin = lengths[0] - range[0] * muscle.optimal_length;
  return muscle;
}

MjcfActuatorForm read_mjcf_actuator_form(const MjcfElement& element) {
  const std::string tag = element.tag();
  constexpr std::array<std::string_view, 8> kModeled{
      "general", "motor", "position", "intvelocity", "velocity", "damper", "cylinder", "muscle"};
  MjcfActuatorForm form;
  if (std::find(kModeled.begin(), kModeled.end(), tag) == kModeled.end()) {
    refuse(element,
           tag == "adhesion" ? "adhesion is not modeled" : "actuators of this kind are not modeled",
           form);
    return form;
  }
  Parameters p;
  for (const MjcfElement& layer : element.layers()) apply(layer, p);
  set_dynamics(element, p, form);
  if (form.is_modeled) set_force(element, p, form);
  return form;
}

}  // namespace amontons::io
