#include "amontons/models/planar_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

constexpr int kMostRows = 2 * kMostPlanarContacts;
constexpr int kMostRounds = 10;
constexpr double kSmallestPivot = 1e-13;  // relative to the largest entry

enum class Mode { Open, Stick, SlideForward, SlideBackward };

/// The contact's friction over its normal impulse.
double slope(Mode mode, double friction) {
  if (mode == Mode::SlideForward) return -friction;
  return mode == Mode::SlideBackward ? friction : 0.0;
}

Mode slide(double velocity) { return velocity > 0.0 ? Mode::SlideForward : Mode::SlideBackward; }

class PlanarModes {
 public:
  explicit PlanarModes(const PlanarContacts& problem) : problem_(problem) {
    for (int i = 0; i < problem.num_contacts; ++i) {
      const double q_t = problem.q[2 * i], q_n = problem.q[2 * i + 1];
      if (q_n >= 0.0) continue;
      modes_[i] = std::abs(q_t) > -q_n * problem.friction[i] ? slide(q_t) : Mode::Stick;
    }
  }

  bool solve(double* p) {
    for (int round = 0; round < kMostRounds; ++round) {
      if (!solve_linear(p)) return false;
      if (!change_modes(p)) return true;
    }
    return false;
  }

 private:
  /// p such that every contact has the velocities that its mode says.
  bool solve_linear(double* p) {
    // One unknown for each normal impulse, one more for the friction of what sticks.
    int size = 0;
    for (int i = 0; i < problem_.num_contacts; ++i) {
      if (modes_[i] == Mode::Open) continue;
      rows_[size++] = 2 * i + 1;
      if (modes_[i] == Mode::Stick) rows_[size++] = 2 * i;
    }
    for (int r = 0; r < size; ++r) {
      const double* W = problem_.W[rows_[r]];
      for (int c = 0; c < size; ++c) {
        const int row = rows_[c], contact = row / 2;
        A_[r][c] = W[row];
        if (row % 2 == 1)
          A_[r][c] += slope(modes_[contact], problem_.friction[contact]) * W[row - 1];
      }
      x_[r] = -problem_.q[rows_[r]];
    }
    if (!eliminate(size)) return false;
    std::fill_n(p, 2 * problem_.num_contacts, 0.0);
    for (int r = 0; r < size; ++r) {
      const int row = rows_[r], contact = row / 2;
      p[row] = x_[r];
      if (row % 2 == 1 && modes_[contact] != Mode::Stick) {
        p[row - 1] = slope(modes_[contact], problem_.friction[contact]) * x_[r];
      }
    }
    return true;
  }

  /// x <- A^-1 x.
  bool eliminate(int size) {
    double largest = 0.0;
    for (int r = 0; r < size; ++r) {
      for (int c = 0; c < size; ++c) largest = std::max(largest, std::abs(A_[r][c]));
    }
    for (int k = 0; k < size; ++k) {
      int best = k;
      for (int r = k + 1; r < size; ++r) {
        if (std::abs(A_[r][k]) > std::abs(A_[best][k])) best = r;
      }
      if (!(std::abs(A_[best][k]) > kSmallestPivot * largest)) return false;
      std::swap(A_[k], A_[best]);
      std::swap(x_[k], x_[best]);
      for (int r = k + 1; r < size; ++r) {
        const double factor = A_[r][k] / A_[k][k];
        if (factor == 0.0) continue;
        for (int c = k + 1; c < size; ++c) A_[r][c] -= factor * A_[k][c];
        x_[r] -= factor * x_[k];
      }
    }
    for (int k = size; k-- > 0;) {
      for (int c = k + 1; c < size; ++c) x_[k] -= A_[k][c] * x_[c];
      x_[k] /= A_[k][k];
    }
    return true;
  }

  double velocity(int row, const double* p) const {
    double u = problem_.q[row];
    for (int c = 0; c < 2 * problem_.num_contacts; ++c) {
      u += problem_.W[row][c] * p[c];
    }
    return u;
  }

  /// @returns whether the answer contradicts one.
  bool change_modes(const double* p) {
    bool changed = false;
    for (int i = 0; i < problem_.num_contacts; ++i) {
      const double p_t = p[2 * i];
      const double p_n = p[2 * i + 1];
      Mode mode = modes_[i];
      if (mode == Mode::Open) {
        if (velocity(2 * i + 1, p) < 0.0) mode = Mode::Stick;
      } else if (p_n < 0.0) {
        mode = Mode::Open;
      } else if (mode == Mode::Stick) {
        if (std::abs(p_t) > problem_.friction[i] * p_n) mode = slide(-p_t);
      } else if (slide(velocity(2 * i, p)) != mode) {
        mode = Mode::Stick;
      }
      changed = changed || mode != modes_[i];
      modes_[i] = mode;
    }
    return changed;
  }

  const PlanarContacts& problem_;
  Mode modes_[kMostPlanarContacts] = {};
  int rows_[kMostRows];  // of the unknowns
  double A_[kMostRows][kMostRows], x_[kMostRows];
};

}  // namespace

bool solve_planar_contacts(const PlanarContacts& problem, double* impulses) {
  return PlanarModes(problem).solve(impulses);
}

}  // namespace amontons
