#include "amontons/models/closed_form/planar_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

constexpr int kMaxUnknowns = 48;          // above, other methods cost less than dense elimination
constexpr int kMaxRounds = 10;            // where they end, mostly after 2 to 6
constexpr double kSmallestPivot = 1e-13;  // relative to the largest entry

}  // namespace

void PlanarContacts::clear() {
  starts.assign(1, 0);
  blocks.clear();
  q.clear();
  friction.clear();
}

/// Returns the mode of a contact that slides with a velocity.
PlanarModes::Mode PlanarModes::slide(double velocity) {
  return velocity > 0.0 ? Mode::SlideForward : Mode::SlideBackward;
}

/// Returns a contact's friction over its normal impulse: -mu, mu, or 0 where it does not slide.
double PlanarModes::slope(int contact) const {
  const std::size_t i = static_cast<std::size_t>(contact);
  if (modes_[i] == Mode::SlideForward) return -problem_->friction[i];
  return modes_[i] == Mode::SlideBackward ? problem_->friction[i] : 0.0;
}

bool PlanarModes::solve(const PlanarContacts& problem, std::vector<double>& impulses) {
  problem_ = &problem;
  modes_.assign(problem.friction.size(), Mode::Open);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    // First modes from the free motion: what closes slides if its tangential speed exceeds mu
    // |q_n|.
    const double q_t = problem.q[2 * i], q_n = problem.q[2 * i + 1];
    if (q_n >= 0.0) continue;
    modes_[i] = std::abs(q_t) > -q_n * problem.friction[i] ? slide(q_t) : Mode::Stick;
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    // Solve the linear equations of the present modes, then correct the modes that the solution
    // contradicts.
    const int size = number_unknowns();
    if (size > kMaxUnknowns) return false;
    assemble(size);
    if (!eliminate(size)) return false;
    set_impulses(impulses);
    if (!change_modes(impulses)) return true;
  }
  return false;
}

/// Numbers the unknowns and returns how many there are: one for each normal impulse, one more for
/// the friction of a sticking contact.
int PlanarModes::number_unknowns() {
  int size = 0;
  place_.assign(modes_.size(), -1);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    if (modes_[i] == Mode::Open) continue;
    place_[i] = size;
    size += modes_[i] == Mode::Stick ? 2 : 1;
  }
  return size;
}

/// Assembles the equations for p in which every contact has the velocities of its mode: u_n = 0,
/// and u_t = 0 where it sticks.
void PlanarModes::assemble(int size) {
  const std::size_t n = static_cast<std::size_t>(size);
  A_.assign(n * n, 0.0);
  x_.resize(n);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    if (place_[i] < 0) continue;
    // Rows of contact i: u_n = 0, followed by u_t = 0 where it sticks.
    const bool sticks = modes_[i] == Mode::Stick;
    double* normal = A_.data() + static_cast<std::size_t>(place_[i]) * n;
    double* tangent = normal + n;
    double* x = x_.data() + place_[i];
    x[0] = -problem_->q[2 * i + 1];
    if (sticks) x[1] = -problem_->q[2 * i];
    for (std::size_t b = problem_->starts[i]; b < problem_->starts[i + 1]; ++b) {
      const PlanarContacts::Block& block = problem_->blocks[b];
      const std::size_t l = static_cast<std::size_t>(block.column);
      if (place_[l] < 0) continue;
      const int column = place_[l];
      const bool other_sticks = modes_[l] == Mode::Stick;
      // A sliding contact l has p_t = slope p_n, so that its two columns of W merge into one.
      const double share = slope(block.column);
      normal[column] += block.W[1][1] + share * block.W[1][0];
      if (other_sticks) normal[column + 1] += block.W[1][0];
      if (!sticks) continue;
      tangent[column] += block.W[0][1] + share * block.W[0][0];
      if (other_sticks) tangent[column + 1] += block.W[0][0];
    }
  }
}

/// Solves x <- A^-1 x by Gaussian elimination with row pivoting; returns false if A is singular.
bool PlanarModes::eliminate(int size) {
  const auto row = [this, size](int r) { return A_.data() + r * size; };
  // The largest entry sets the size below which a pivot is rounding.
  double largest = 0.0;
  for (const double entry : A_) largest = std::max(largest, std::abs(entry));
  double* x = x_.data();
  for (int k = 0; k < size; ++k) {
    // The largest entry of the column becomes the pivot.
    int best = k;
    for (int r = k + 1; r < size; ++r) {
      if (std::abs(row(r)[k]) > std::abs(row(best)[k])) best = r;
    }
    if (!(std::abs(row(best)[k]) > kSmallestPivot * largest)) return false;
    if (best != k) {
      std::swap_ranges(row(k) + k, row(k) + size, row(best) + k);
      std::swap(x[k], x[best]);
    }
    // Eliminate the column from the rows below.
    const double* pivot = row(k);
    for (int r = k + 1; r < size; ++r) {
      double* other = row(r);
      if (other[k] == 0.0) continue;
      const double factor = other[k] / pivot[k];
      for (int c = k + 1; c < size; ++c) other[c] -= factor * pivot[c];
      x[r] -= factor * x[k];
    }
  }
  // Back substitution.
  for (int k = size; k-- > 0;) {
    for (int c = k + 1; c < size; ++c) x[k] -= row(k)[c] * x[c];
    x[k] /= row(k)[k];
  }
  return true;
}

/// Writes the impulses (t, n) of all contacts from the unknowns.
void PlanarModes::set_impulses(std::vector<double>& p) const {
  p.assign(2 * modes_.size(), 0.0);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    if (place_[i] < 0) continue;
    const double* x = x_.data() + place_[i];
    p[2 * i + 1] = x[0];
    p[2 * i] = modes_[i] == Mode::Stick ? x[1] : slope(static_cast<int>(i)) * x[0];
  }
}

/// Changes the modes that a solution contradicts.
/// @returns true if it contradicts any.
bool PlanarModes::change_modes(const std::vector<double>& p) {
  const auto velocity = [this, &p](std::size_t i, int row) {
    double u = problem_->q[2 * i + static_cast<std::size_t>(row)];
    for (std::size_t b = problem_->starts[i]; b < problem_->starts[i + 1]; ++b) {
      const PlanarContacts::Block& block = problem_->blocks[b];
      const double* other = p.data() + 2 * block.column;
      u += block.W[row][0] * other[0] + block.W[row][1] * other[1];
    }
    return u;
  };
  bool changed = false;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    // Open contacts must not close, closed ones not pull, sticking ones stay in the cone, sliding
    // ones keep their direction.
    const double p_t = p[2 * i], p_n = p[2 * i + 1];
    Mode mode = modes_[i];
    if (mode == Mode::Open) {
      if (velocity(i, 1) < 0.0) mode = Mode::Stick;
    } else if (p_n < 0.0) {
      mode = Mode::Open;
    } else if (mode == Mode::Stick) {
      if (std::abs(p_t) > problem_->friction[i] * p_n) mode = slide(-p_t);
    } else if (slide(velocity(i, 0)) != mode) {
      mode = Mode::Stick;
    }
    changed = changed || mode != modes_[i];
    modes_[i] = mode;
  }
  return changed;
}

}  // namespace amontons
