#include "amontons/contact/certificate/missed_condition.h"

#include "amontons/contact/certificate/energy_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace amontons {
namespace {

/// Returns what is missed of contacts out of sight.
std::string missed_contacts_text(const Certificate& certificate) {
  const std::string count = std::to_string(certificate.missed_contacts);
  if (std::isnan(certificate.missed_overlap)) return count + " contacts out of sight, or passages";
  if (!(certificate.missed_overlap > 0.0)) return count + " pairs pass through each other";
  return count + " contacts out of sight, the deepest overlap " +
         scientific(certificate.missed_overlap) + " m";
}

}  // namespace

std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

MissedCondition missed_condition(const Certificate& certificate, double tolerance, double within) {
  const Certificate& c = certificate;
  // Impulses that cancel prove nothing, whatever the other residuals say.
  if (c.rounding.value > tolerance) {
    return {"cannot be certified: impulses cancel, and leave a rounding of " +
            scientific(c.rounding.value) + " above the tolerance"};
  }
  // The laws of joints' rows and of contacts.
  const double bound = std::max(tolerance, within);
  const double rows = std::max(c.limit.value, c.joint_friction.value);
  if (rows > bound) return {"law of joint limits and friction missed by " + scientific(rows)};
  const Residual& worst = c.normal.value >= c.friction.value ? c.normal : c.friction;
  if (worst.value > bound) return {"contact law missed by " + scientific(worst.value), worst.where};
  if (within > tolerance && c.inequality.value > tolerance) {
    return {"an inequality missed by " + scientific(c.inequality.value), c.inequality.where};
  }
  // Positions, which no law judges.
  if (c.missed_contacts > 0) return {missed_contacts_text(c)};
  if (c.overlap.value > kGrowthTolerance) {
    return {"an overlap deepened by " + scientific(c.overlap.value) + " of the smaller body",
            c.overlap.where};
  }
  if (c.loop.value > kGrowthTolerance) {
    return {"joint row " + std::to_string(c.loop.where) + " open by " + scientific(c.loop.value) +
            " of its lever"};
  }
  // Energy and motion.
  if (c.energy_created > 0.0) return {scientific(c.energy_created) + " J without a cause"};
  std::string missed;
  const auto add = [&missed](bool is_missed, const std::string& text) {
    if (is_missed) missed += (missed.empty() ? "" : ", ") + text;
  };
  add(!keeps_energy(c, tolerance, within),
      "energy bound missed by " + scientific(c.energy_gained) + " J");
  add(!(c.dynamics.value <= tolerance),
      "equation of motion missed by " + scientific(c.dynamics.value));
  add(!(c.joint.value <= tolerance),
      "joint row " + std::to_string(c.joint.where) + " missed by " + scientific(c.joint.value));
  return {missed.empty() ? "inertial forces left out, or an integrator replaced" : missed};
}

}  // namespace amontons
