#pragma once

#include <Eigen/Core>

#include <array>
#include <cstddef>

namespace amontons {

/// Takes explicit Runge-Kutta steps of y' = f(t, y); memory is kept from step to step.
///
/// `f(t, y, rate)` writes y' into `rate`, which has its size.
class RungeKutta {
 public:
  /// Takes a step of the classical method of fourth order.
  template <typename Rate>
  void step_rk4(const Rate& f, double t, const Eigen::VectorXd& y, double h,
                Eigen::VectorXd& y_next) {
    resize(y.size());
    f(t, y, k_[0]);
    stage_ = y + 0.5 * h * k_[0];
    f(t + 0.5 * h, stage_, k_[1]);
    stage_ = y + 0.5 * h * k_[1];
    f(t + 0.5 * h, stage_, k_[2]);
    stage_ = y + h * k_[2];
    f(t + h, stage_, k_[3]);
    y_next = y + h / 6.0 * (k_[0] + 2.0 * (k_[1] + k_[2]) + k_[3]);
  }

  /// Takes a step of the pair of orders 5 and 4 [Dormand, Prince 1980], advanced with the fifth
  /// order.
  /// @param error  replaced by the difference of the two, an estimate of the lower one's error.
  template <typename Rate>
  void step_dormand_prince(const Rate& f, double t, const Eigen::VectorXd& y, double h,
                           Eigen::VectorXd& y_next, Eigen::VectorXd& error) {
    resize(y.size());
    for (std::size_t i = 0; i < kStages; ++i) {
      stage_ = y;
      for (std::size_t j = 0; j < i; ++j) {
        if (kA[i][j] != 0.0) stage_ += h * kA[i][j] * k_[j];
      }
      // The last stage is at the end: its coefficients are the weights of the fifth order.
      if (i + 1 == kStages) y_next = stage_;
      f(t + kC[i] * h, stage_, k_[i]);
    }
    error.setZero(y.size());
    for (std::size_t i = 0; i < kStages; ++i) {
      if (kE[i] != 0.0) error += h * kE[i] * k_[i];
    }
  }

 private:
  // Butcher tableau: nodes c_i, coefficients a_ij, and the weights of the error.
  static constexpr std::size_t kStages = 7;
  static constexpr std::array<double, kStages> kC = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
  static constexpr std::array<std::array<double, 6>, kStages> kA = {
      {{},
       {1.0 / 5.0},
       {3.0 / 40.0, 9.0 / 40.0},
       {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
       {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
       {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
       {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}}};
  /// Weights of the fifth order less those of the fourth.
  static constexpr std::array<double, kStages> kE = {35.0 / 384.0 - 5179.0 / 57600.0,
                                                     0.0,
                                                     500.0 / 1113.0 - 7571.0 / 16695.0,
                                                     125.0 / 192.0 - 393.0 / 640.0,
                                                     -2187.0 / 6784.0 + 92097.0 / 339200.0,
                                                     11.0 / 84.0 - 187.0 / 2100.0,
                                                     -1.0 / 40.0};

  /// Gives the stages the size of y.
  void resize(Eigen::Index size) {
    for (Eigen::VectorXd& k : k_) k.resize(size);
    stage_.resize(size);
  }

  std::array<Eigen::VectorXd, kStages> k_;
  Eigen::VectorXd stage_;
};

}  // namespace amontons
