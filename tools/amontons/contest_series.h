#pragma once

#include "amontons/simulation/kinematics.h"
#include "amontons/simulation/step_report.h"
#include "amontons/simulation/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::cli {

/// A run over time, at most about two thousand instants [samples].
struct ContestSeries {
  std::vector<double> time;                             ///< [s]
  std::vector<double> normal_force, friction_force;     ///< summed over contacts [N]
  std::vector<double> energy;                           ///< kinetic and potential [J]
  std::vector<double> infeasibility;                    ///< [m or rad]
  std::vector<double> residual;                         ///< worst figure of the certificate
  std::vector<double> solve_time;                       ///< of the contact solve [s]
  std::vector<std::vector<Eigen::Vector3d>> positions;  ///< of every body's origin [m]
};

/// The worst of the figures by which a certificate is judged.
double worst_figure(const Certificate& certificate);

/// Keeps every so many steps of a run; impacts, which take no time, are left out.
class SeriesObserver : public Observer {
 public:
  /// @param duration, step  that the run is to have [s].
  SeriesObserver(const System& system, double duration, double step);

  void observe(const StepReport& report) override;
  ContestSeries take() { return std::move(series_); }

 private:
  const System* system_;
  SystemKinematics kinematics_;
  std::size_t stride_, count_ = 0;
  ContestSeries series_;
};

/// The largest distance of any body from where the other run has it, at the instants that both
/// have; to the reference's own series it is 0 throughout.
void distance_over_time(const ContestSeries& series, const ContestSeries& reference,
                        std::vector<double>& time, std::vector<double>& distance);

}  // namespace amontons::cli
