#include "amontons/models/formulation/drag_release.h"

#include "amontons/contact/marks.h"
#include "amontons/math/effort.h"
#include "amontons/models/formulation/drag_path_trace.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Eps of the paths: overlaps of 1e-6 change the shares of a long row, whose contacts pass on what
// they miss [-].
constexpr double kPathEps = 1e-7;
// Load that is rounding of the regularized problem [-].
constexpr double kRounding = 1e-8;
// Gap that is none, and drag that is too small to ask for a share, in units of V [-].
constexpr double kNoGap = 1e-9, kNoDrag = 1e-10;
// Steps of one path, and times that all loaded contacts are let go where a path does not arrive.
constexpr int kMaxTraced = 200, kMaxPasses = 1;

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

bool DragRelease::find(DragSystem& system, double dead_band) {
  given_ = system.whole;
  if (!join(system)) return false;
  hold(system, dead_band);
  if (!system.find_zero()) return false;
  system.eps = kPathEps;
  system.move_to(VectorXd(system.at.r));
  if (!system.find_zero()) return false;
  // Bound: each contact is let go once, and once more after a path that did not arrive.
  int passes = 0;
  while (has_effort()) {
    const Index next = next_contact(system);
    if (next < 0) {
      if (!any_marked(failed_)) return free_loaded(system);
      if (++passes > kMaxPasses || !free_loaded(system)) return false;
      std::fill(failed_.begin(), failed_.end(), 0);
    } else if (!let_go(system, next)) {
      failed_[place(next)] = 1;
    }
  }
  return false;
}

/// Solves with the whole drag of all contacts that bear a load with it.
bool DragRelease::join(const DragSystem& system) {
  const Index n = system.num_contacts();
  shares_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const bool closes = system.problem().q(3 * i + 2) < 0.0;
    shares_(i) = closes || system.whole[place(i)] ? 1.0 : 0.0;
  }
  // Bound: each contact joins once.
  for (bool joins = true; joins;) {
    if (!regularized_.solve(shares_, {})) return false;
    const VectorXd loads = regularized_.loads();
    joins = false;
    for (Index i = 0; i < n; ++i) {
      if (shares_(i) != 0.0 || !(loads(i) > kRounding)) continue;
      shares_(i) = 1.0;
      joins = true;
    }
  }
  return true;
}

/// Gives the contacts that have joined their whole drag for good, until they are let go.
void DragRelease::hold(DragSystem& system, double dead_band) {
  const VectorXd loads = regularized_.loads();
  const DragProblem& problem = system.problem();
  for (Index i = 0; i < system.num_contacts(); ++i) {
    const double slip = regularized_.velocities().segment<2>(3 * i).norm();
    const bool is_loaded = loads(i) > kRounding;
    const bool has_drag = problem.drag_numbers(i) * slip > kNoDrag * problem.speeds(i);
    const bool is_held =
        system.whole[place(i)] != 0 || (shares_(i) > 0.0 && (is_loaded || has_drag));
    system.whole[place(i)] = is_held;
    system.base(i) = is_held ? 0.0 : is_loaded ? 1.0 : -dead_band;
  }
  failed_.assign(place(system.num_contacts()), 0);
  system.eps = RegularizedDrag::kEps;
  system.move_to(regularized_.reactions());
}

/// Returns the contact with the smallest gap of those that are held open, or -1.
Index DragRelease::next_contact(const DragSystem& system) const {
  Index next = -1;
  for (Index i = 0; i < system.num_contacts(); ++i) {
    const double z = system.at.z(i);
    if (!system.whole[place(i)] || failed_[place(i)] || z * system.eps > -kNoGap) continue;
    if (next < 0 || z > system.at.z(next)) next = i;
  }
  return next;
}

/// Lets one contact go; where its path does not arrive all stays as it was.
bool DragRelease::let_go(DragSystem& system, Index contact) {
  const DragSystem::Point before = system.at;
  system.whole[place(contact)] = 0;
  system.base(contact) = 1.0 - before.z(contact);
  system.move_to(before.r);
  if (trace_path(system, contact, 1.0, kMaxTraced)) return true;
  system.whole[place(contact)] = 1;
  system.base(contact) = 0.0;
  system.at = before;
  return false;
}

/// Lets all contacts go that bear a load with their whole drag, which changes nothing.
bool DragRelease::free_loaded(DragSystem& system) {
  for (Index i = 0; i < system.num_contacts(); ++i) {
    const bool is_closed = system.at.z(i) * system.eps > -kNoGap;
    if (!system.whole[place(i)] || given_[place(i)] || !is_closed) continue;
    system.whole[place(i)] = 0;
    system.base(i) = 1.0;
  }
  system.move_to(VectorXd(system.at.r));
  return system.find_zero();
}

}  // namespace amontons
