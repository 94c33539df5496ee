#include "tools/amontons/contest/contest_series.h"

#include <algorithm>
#include <cmath>

namespace amontons::cli {
namespace {

constexpr double kMaxSamples = 2000.0;

}  // namespace

double worst_residual(const Certificate& c) {
  return std::max({c.normal.value, c.friction.value, c.limit.value, c.joint_friction.value,
                   c.joint.value, c.dynamics.value});
}

SeriesObserver::SeriesObserver(const System& system, double duration, double step)
    : system_(&system),
      stride_(static_cast<std::size_t>(std::max(1.0, std::ceil(duration / step / kMaxSamples)))) {}

void SeriesObserver::observe(const StepReport& report) {
  if (report.start == nullptr || report.step <= 0.0 || count_++ % stride_ != 0) return;
  const State& state = *report.end;
  double normal = 0.0, friction = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Vector3d p = report.solution.impulses.segment<3>(ContactProblem::row(i));
    normal += p.z() / report.step;
    friction += p.head<2>().norm() / report.step;
  }
  series_.time.push_back(state.time);
  series_.normal_force.push_back(normal);
  series_.friction_force.push_back(friction);
  Eigen::VectorXd joints =
      report.problem.bounded_jacobian.transpose_times(report.solution.bounded_impulses);
  if (report.drive_impulse.size() == joints.size()) joints += report.drive_impulse;
  series_.joint_efforts.push_back(joints / report.step);
  series_.energy.push_back(report.energy.kinetic + report.energy.potential);
  series_.infeasibility.push_back(report.certificate.infeasibility);
  series_.residual.push_back(worst_residual(report.certificate));
  series_.solve_time.push_back(report.solve_time_s);
  compute_kinematics(*system_, state.q, state.v, state.time, kinematics_);
  std::vector<Eigen::Vector3d>& positions = series_.positions.emplace_back();
  for (const Pose& pose : kinematics_.X_WB) positions.push_back(pose.translation);
}

std::vector<Separation> separation_over_time(const ContestSeries& series,
                                             const ContestSeries& reference) {
  std::vector<Separation> result;
  std::size_t k = 0;
  for (std::size_t i = 0; i < series.time.size(); ++i) {
    const double slack = 1e-9 * std::max(1.0, series.time[i]);
    while (k < reference.time.size() && reference.time[k] < series.time[i] - slack) ++k;
    if (k == reference.time.size()) break;
    if (reference.time[k] > series.time[i] + slack) continue;
    Separation& apart = result.emplace_back();
    apart.time = series.time[i];
    for (std::size_t body = 0; body < series.positions[i].size(); ++body) {
      apart.distance = std::max(apart.distance,
                                (series.positions[i][body] - reference.positions[k][body]).norm());
    }
    apart.normal_force = std::abs(series.normal_force[i] - reference.normal_force[k]);
    apart.friction_force = std::abs(series.friction_force[i] - reference.friction_force[k]);
    apart.joint_effort =
        (series.joint_efforts[i] - reference.joint_efforts[k]).lpNorm<Eigen::Infinity>();
  }
  return result;
}

Separation largest_separation(const ContestSeries& series, const ContestSeries& reference) {
  Separation largest;
  for (const Separation& apart : separation_over_time(series, reference)) {
    largest.distance = std::max(largest.distance, apart.distance);
    largest.normal_force = std::max(largest.normal_force, apart.normal_force);
    largest.friction_force = std::max(largest.friction_force, apart.friction_force);
    largest.joint_effort = std::max(largest.joint_effort, apart.joint_effort);
  }
  return largest;
}

}  // namespace amontons::cli
