#pragma once

#include "amontons/io/verify/verify.h"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// Names the quantities that are checked, in the order of the report.
enum class Check {
  Header,
  Initial,
  Chain,
  Times,
  Positions,
  BodyPoses,
  FreeVelocity,
  ContactSet,
  ContactPoint,
  Gap,
  Friction,
  Restitution,
  ContactVelocity,
  BoundedRows,
  Normal,
  FrictionLaw,
  JointLimit,
  JointFriction,
  AcceptableLaw,
  Joint,
  Dynamics,
  EnergyGained,
  Infeasibility,
  Claim,
  Law,
  Status,
  Modes,
  Witnesses,
  Events,
  Energy,
};

/// Keeps the worst value of each check, and counts the rows that fail it.
class VerificationChecks {
 public:
  /// @param tolerance             tolerance of the run's certificates [-].
  /// @param acceptable_tolerance  bound of steps that are Acceptable [-].
  VerificationChecks(double tolerance, double acceptable_tolerance);

  /// Begins the row that the following values belong to.
  void begin_row(std::int64_t step, double time);
  /// Records one value of a check. NaN counts as infinite.
  void record(Check check, double value, const std::string& where = "");

  /// Returns the checks, which are empty afterwards.
  std::vector<VerificationCheck> release() { return std::move(checks_); }

 private:
  std::vector<VerificationCheck> checks_;
  std::vector<char> failed_in_row_;
  std::int64_t step_ = 0;
  double time_ = 0.0;
};

/// Returns max |a - b| / (1 + max |b|), because rounding grows with the numbers. Without entries it
/// is 0.
double deviation(const Eigen::Ref<const Eigen::VectorXd>& a,
                 const Eigen::Ref<const Eigen::VectorXd>& b);
/// Returns |a - b| / (1 + |b|).
double deviation(double a, double b);

}  // namespace amontons::io
