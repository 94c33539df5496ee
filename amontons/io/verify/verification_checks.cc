#include "amontons/io/verify/verification_checks.h"

#include "amontons/contact/certificate/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::io {
namespace {

/// Bound for values that are computed twice by the same formulas: they differ by rounding alone,
/// also on another machine.
constexpr double kRebuildRounding = 1e-9;

}  // namespace

VerificationChecks::VerificationChecks(double tolerance, double acceptable_tolerance) {
  // The order is that of the enumerators of Check, which are indices into this list.
  const auto add = [this](const char* name, const char* meaning, double bound) {
    VerificationCheck check;
    check.name = name;
    check.meaning = meaning;
    check.tolerance = bound;
    checks_.push_back(check);
  };
  // The log itself: each row follows from the one before it and from the scene.
  add("header", "names, places of joints and seed against the scene", 0.0);
  add("initial state", "row 0 against the scene", kRebuildRounding);
  add("chain", "each step starts where the one before ended", 0.0);
  add("times", "time and step against the scene [s]", kRebuildRounding);
  add("positions", "q against q_start (+) h v", kRebuildRounding);
  add("body poses", "recorded against those of q", kRebuildRounding);
  add("free velocity", "v_free against the equations of motion", kRebuildRounding);
  // Contacts and bounded rows of the rebuilt problem.
  add("contact set", "contacts recorded but not found, or found but not recorded", 0.0);
  add("contact point", "position and normal against detection", kRebuildRounding);
  add("gap", "against detection [m]", kRebuildRounding);
  add("friction", "coefficients against the materials", kRebuildRounding);
  add("restitution", "against the materials", kRebuildRounding);
  add("contact velocity", "after and free, against J v", kRebuildRounding);
  add("bounded rows", "limits, joint friction and effort bounds against the scene",
      kRebuildRounding);
  // The certificate of the recorded impulses and velocities, within the tolerance of the scene.
  add("normal law", "0 <= p_n perp u_n + s >= 0", tolerance);
  add("friction law", "of the law claimed", tolerance);
  add("limit law", "0 <= f perp u + s >= 0 at joint limits", tolerance);
  add("joint friction law", "of dry friction and effort bounds", tolerance);
  add("acceptable law", "of the law asked, in steps that claim it within the acceptable tolerance",
      acceptable_tolerance);
  add("joint law", "J v + gamma Theta / h = 0", tolerance);
  add("dynamics", "M (v - v_free) = J'p", tolerance);
  add("energy gained", "by contact, beyond stabilization, over the allowance of rounding", 1.0);
  add("infeasibility", "recorded against overlaps and joint errors found [m]", kRebuildRounding);
  // The certificate and the energies as they were reported.
  add("claim", "steps that miss their certificate, or misreport it", 0.0);
  add("law", "kind, directions, restitution and activation gap against the model", 0.0);
  add("status", "of the solver, against the law that holds", 0.0);
  add("modes", "of contacts and bounded rows, against impulses and velocities", 0.0);
  add("witnesses", "multipliers and shares of restitution where the law has none", 0.0);
  add("events", "against the state at the start of the step", 0.0);
  add("energy", "ledger against the step's own work [J, relative]", kRebuildRounding);
  failed_in_row_.assign(checks_.size(), 0);
}

void VerificationChecks::begin_row(std::int64_t step, double time) {
  step_ = step;
  time_ = time;
  std::fill(failed_in_row_.begin(), failed_in_row_.end(), char{0});
}

void VerificationChecks::record(Check check, double value, const std::string& where) {
  // A row counts once per check, however many of its contacts fail.
  const auto index = static_cast<std::size_t>(check);
  VerificationCheck& own = checks_[index];
  if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  if (value > own.tolerance && failed_in_row_[index] == 0) {
    failed_in_row_[index] = 1;
    ++own.num_failed;
  }
  if (value <= own.worst) return;
  own.worst = value;
  own.step = step_;
  own.time = time_;
  own.where = where;
}

double deviation(const Eigen::Ref<const Eigen::VectorXd>& a,
                 const Eigen::Ref<const Eigen::VectorXd>& b) {
  if (a.size() == 0) return 0.0;
  return (a - b).lpNorm<Eigen::Infinity>() / (1.0 + b.lpNorm<Eigen::Infinity>());
}

double deviation(double a, double b) { return std::abs(a - b) / (1.0 + std::abs(b)); }

}  // namespace amontons::io
