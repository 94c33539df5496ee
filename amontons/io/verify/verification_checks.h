#pragma once

#include "amontons/io/verify/verify.h"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// What is checked. The order is that of the report.
enum class Check {
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
  Joint,
  Dynamics,
  EnergyGained,
  Infeasibility,
  Claim,
  Energy,
};

/// Keeps each check at its worst, and counts the rows that fail it.
class VerificationChecks {
 public:
  /// @param tolerance  of the run's certificates.
  explicit VerificationChecks(double tolerance);

  /// The row that the following values belong to.
  void begin_row(std::int64_t step, double time);
  void note(Check check, double value, const std::string& where = "");

  std::vector<VerificationCheck> take() { return std::move(checks_); }

 private:
  std::vector<VerificationCheck> checks_;
  std::vector<char> failed_in_row_;
  std::int64_t step_ = 0;
  double time_ = 0.0;
};

/// Largest difference of two vectors, relative to 1 and the size of `b`: rounding grows with the
/// numbers. 0 of vectors without entries.
double deviation(const Eigen::Ref<const Eigen::VectorXd>& a,
                 const Eigen::Ref<const Eigen::VectorXd>& b);
double deviation(double a, double b);

}  // namespace amontons::io
