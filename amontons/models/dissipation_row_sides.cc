#include "amontons/models/dissipation_row_sides.h"

#include "amontons/contact/rows_as_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

DissipationRowSides::DissipationRowSides(const ContactProblem& problem, const ContactScales& scales,
                                         const VectorXd& gap_speeds, const VectorXd& offsets)
    : scales_(&scales), gap_speeds_(&gap_speeds), offsets_(&offsets) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (!problem.contacts[i].is_joint_row) continue;
    slots_.push_back(ContactProblem::row(i) + component_of_joint_row(problem, i));
  }
  sides_.assign(slots_.size(), Side::AtLower);
}

double DissipationRowSides::shift(std::size_t row) const {
  return is_limit(row) ? (*gap_speeds_)(slot(row) / 3) : 0.0;
}

double DissipationRowSides::lower(std::size_t row) const {
  return is_limit(row) ? 0.0 : -(*offsets_)(slot(row) / 3);
}

double DissipationRowSides::upper(std::size_t row) const {
  return is_limit(row) ? std::numeric_limits<double>::infinity() : (*offsets_)(slot(row) / 3);
}

double DissipationRowSides::missed(std::size_t row, double impulse, double speed) const {
  const double w = scales_->inverse_mass(slot(row) / 3), point = w * impulse;
  if (!(w > 0.0)) return 0.0;
  return std::abs(point - std::clamp(point - speed, w * lower(row), w * upper(row)));
}

void DissipationRowSides::choose(const VectorXd& impulses, const VectorXd& velocities) {
  for (std::size_t row = 0; row < size(); ++row) {
    const double w = scales_->inverse_mass(slot(row) / 3);
    const double moved = w * impulses(slot(row)) - velocities(slot(row)) - shift(row);
    sides_[row] = moved <= w * lower(row)   ? Side::AtLower
                  : moved >= w * upper(row) ? Side::AtUpper
                                            : Side::Holds;
  }
  visited_ = {present()};
}

/// Returns the present sides as a text, to compare them.
std::string DissipationRowSides::present() const {
  std::string text;
  for (const Side side : sides_) text += static_cast<char>('0' + static_cast<char>(side));
  return text;
}

bool DissipationRowSides::cross(const VectorXd& impulses,
                                const std::vector<RowMultipliers>& multipliers, double tolerance) {
  std::vector<Crossing> crossings;
  for (std::size_t row = 0; row < size(); ++row) {
    const Index contact = slot(row) / 3;
    const double least = tolerance * scales_->speed(contact), w = scales_->inverse_mass(contact);
    const RowMultipliers& own = multipliers[row];
    if (!holds(row)) {
      // At rest at a bound: less energy where the multipliers move the row the way that its bound
      // opposes.
      const double promise = sign(row) * own.change;
      if (std::abs(own.speed) <= least && promise > least) {
        crossings.push_back({promise / least, row, Side::Holds});
      }
      continue;
    }
    // Held by the impulse of a bound: less energy where the row would rather slip.
    const double f = impulses(static_cast<Index>(row));
    for (const Side side : {Side::AtLower, Side::AtUpper}) {
      const double bound = side == Side::AtLower ? lower(row) : upper(row);
      const double promise = side == Side::AtLower ? -own.answer : own.answer;
      if (w * std::abs(f - bound) <= least && promise > least) {
        crossings.push_back({promise / least, row, side});
      }
    }
  }
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.promise > b.promise; });
  for (const Crossing& crossing : crossings) {
    const Side before = sides_[crossing.row];
    sides_[crossing.row] = crossing.side;
    if (visited_.insert(present()).second) return true;
    sides_[crossing.row] = before;
  }
  return false;
}

}  // namespace amontons
