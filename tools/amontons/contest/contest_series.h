#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::cli {

/// Holds a run over time, at most about two thousand instants [samples].
struct ContestSeries {
  std::vector<double> time;                          ///< [s]
  std::vector<double> normal_force, friction_force;  ///< summed over contacts [N]
  /// Efforts along all velocity coordinates [nv] [N or N m]: servos, springs, dampers, dry friction
  /// and limits of joints, and efforts of the scene.
  std::vector<Eigen::VectorXd> joint_efforts;
  std::vector<double> energy;                           ///< kinetic and potential [J]
  std::vector<double> infeasibility;                    ///< [m or rad]
  std::vector<double> residual;                         ///< worst residual of the certificate
  std::vector<double> solve_time;                       ///< wall time of the contact solve [s]
  std::vector<std::vector<Eigen::Vector3d>> positions;  ///< positions of every body's origin [m]
};

/// Returns the worst of the residuals that decide a certificate.
double worst_residual(const Certificate& certificate);

/// Keeps every so many steps of a run; impacts, which take no time, are left out.
class SeriesObserver : public Observer {
 public:
  /// Chooses the steps to keep. @param duration, step  that the run is to have [s].
  SeriesObserver(const System& system, double duration, double step);

  void observe(const StepReport& report) override;
  ContestSeries take() { return std::move(series_); }

 private:
  const System* system_;
  SystemKinematics kinematics_;
  std::size_t stride_, count_ = 0;
  ContestSeries series_;
};

/// Holds the distance between two runs at one instant.
struct Separation {
  double time = 0.0;            ///< [s]
  double distance = 0.0;        ///< the largest of any body [m]
  double normal_force = 0.0;    ///< between the sums over contacts [N]
  double friction_force = 0.0;  ///< the same [N]
  double joint_effort = 0.0;    ///< the largest along any velocity coordinate [N or N m]
};

/// Returns the separation at the instants that both have; that of the reference from itself is 0.
std::vector<Separation> separation_over_time(const ContestSeries& series,
                                             const ContestSeries& reference);

/// Returns each entry at its largest over the run; the entries need not be of one time.
Separation largest_separation(const ContestSeries& series, const ContestSeries& reference);

}  // namespace amontons::cli
