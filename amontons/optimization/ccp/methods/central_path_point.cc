#include "amontons/optimization/ccp/methods/central_path_point.h"

#include "amontons/math/elementary.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;

constexpr double kCompliancePower = 6.0;  // exponent of tau

}  // namespace

bool CentralPathPoint::supports(const ConeProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), CentralPathBlock::supports);
}

CentralPathPoint::CentralPathPoint(const ConeProblem& problem, const CentralPathSystem& system,
                                   ConeWorkspace& work)
    : problem_(problem), system_(system), work_(work) {
  // V: the blocks of q have the mean square V^2.
  const double n = std::max<double>(1.0, static_cast<double>(problem.cones.size()));
  speed_ = problem.q.norm() / std::sqrt(n);
  if (!(speed_ > 0.0)) speed_ = 1.0;
  q_ = problem.q / speed_;
  for (const Cone& cone : problem.cones) blocks_.emplace_back(cone, problem.law, speed_);
  linearized_.resize(blocks_.size());
  present_.z.setZero(problem.q.size());
  evaluate(present_);
}

double CentralPathPoint::compliance(const State& state) const {
  if (system_.compliance == 0.0) return 0.0;
  return system_.compliance * elementary::exp(kCompliancePower * state.log_tau);
}

void CentralPathPoint::evaluate(State& state) {
  const double tau = elementary::exp(state.log_tau);
  state.r.resize(state.z.size());
  state.u.resize(state.z.size());
  state.values.resize(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    state.values[k] = blocks_[k].evaluate(state.z.segment<3>(i), tau, state.r.segment<3>(i),
                                          state.u.segment<3>(i));
  }
  // F = u - (W + compliance) r - q.
  problem_.W->apply(state.r, state.F);
  state.F = state.u - state.F - compliance(state) * state.r - q_;
  const double n = std::max<double>(1.0, static_cast<double>(blocks_.size()));
  state.residual = state.F.norm() / std::sqrt(n);
  if (!std::isfinite(state.residual)) state.residual = std::numeric_limits<double>::infinity();
}

double CentralPathPoint::evaluate_trial(const Eigen::VectorXd& z, double log_tau) {
  trial_.z = z;
  trial_.log_tau = log_tau;
  evaluate(trial_);
  return trial_.residual;
}

void CentralPathPoint::accept_trial() { std::swap(present_, trial_); }

bool CentralPathPoint::factor() {
  const double tau = elementary::exp(present_.log_tau), softness = compliance(present_);
  work_.D.resize(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    linearized_[k] = blocks_[k].linearize(present_.values[k], present_.z.segment<3>(i), tau,
                                          system_.largest_gain);
    work_.D[k] = linearized_[k].D;
    if (softness == 0.0) continue;
    // dr = -D (b + W dr + softness dr), solved for what W adds.
    work_.D[k] = (Matrix3d::Identity() + softness * work_.D[k]).inverse() * work_.D[k];
  }
  return problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated);
}

/// Computes x = P^-1 b, where P is dF/dz with the bounded du/dz.
void CentralPathPoint::precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const double softness = compliance(present_);
  work_.c.resize(b.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    work_.c.segment<3>(i).noalias() = work_.D[k] * b.segment<3>(i);
  }
  // The kernel gives dr and W dr; dz = inverse (b + W dr + softness dr).
  problem_.W->solve(work_.c, work_.dr, work_.du);
  x.resize(b.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    x.segment<3>(i).noalias() = linearized_[k].inverse * (b.segment<3>(i) + work_.du.segment<3>(i) +
                                                          softness * work_.dr.segment<3>(i));
  }
}

/// Computes b = dF/dz x.
void CentralPathPoint::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& b) {
  image_.resize(x.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    image_.segment<3>(i).noalias() = linearized_[k].reaction * x.segment<3>(i);
  }
  problem_.W->apply(image_, b);
  b = -b - compliance(present_) * image_;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    b.segment<3>(i).noalias() += linearized_[k].velocity * x.segment<3>(i);
  }
}

/// Solves dF/dz x = b by a few steps of GMRES, preconditioned from the right.
void CentralPathPoint::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const int steps = system_.refinements;
  const double size = b.norm();
  if (steps == 0 || !(size > 0.0)) return precondition(b, x);
  basis_.resize(static_cast<std::size_t>(steps) + 1);
  directions_.resize(static_cast<std::size_t>(steps));
  basis_[0] = b / size;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(steps + 1, steps);
  int taken = 0;
  for (; taken < steps; ++taken) {
    const std::size_t j = static_cast<std::size_t>(taken);
    precondition(basis_[j], directions_[j]);
    multiply(directions_[j], basis_[j + 1]);
    // Arnoldi's step: the new vector at right angles to the others.
    for (std::size_t l = 0; l <= j; ++l) {
      H(static_cast<Index>(l), taken) = basis_[l].dot(basis_[j + 1]);
      basis_[j + 1] -= H(static_cast<Index>(l), taken) * basis_[l];
    }
    H(taken + 1, taken) = basis_[j + 1].norm();
    if (!(H(taken + 1, taken) > 1e-14)) {
      ++taken;
      break;
    }
    basis_[j + 1] /= H(taken + 1, taken);
  }
  // The combination of directions with the least residual.
  Eigen::VectorXd target = Eigen::VectorXd::Zero(taken + 1);
  target[0] = size;
  const Eigen::VectorXd y = H.topLeftCorner(taken + 1, taken).householderQr().solve(target);
  x.setZero(b.size());
  for (int j = 0; j < taken; ++j) x += y[j] * directions_[static_cast<std::size_t>(j)];
}

void CentralPathPoint::to_path(Eigen::VectorXd& x) {
  rhs_ = -present_.F;
  solve(rhs_, x);
}

void CentralPathPoint::along_path(Eigen::VectorXd& x) {
  // -dF/d(ln tau) = (W + compliance) dr + 6 compliance r - du at fixed z.
  const double tau = elementary::exp(present_.log_tau), softness = compliance(present_);
  along_r_.resize(present_.z.size());
  image_.resize(present_.z.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    blocks_[k].along_tau(present_.values[k], tau, along_r_.segment<3>(i), image_.segment<3>(i));
  }
  problem_.W->apply(along_r_, rhs_);
  rhs_ += softness * (along_r_ + kCompliancePower * present_.r) - image_;
  solve(rhs_, x);
}

double CentralPathPoint::inner(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = 3 * static_cast<Index>(k);
    sum += linearized_[k].weight * a.segment<3>(i).dot(b.segment<3>(i));
  }
  return sum / std::max<double>(1.0, static_cast<double>(blocks_.size()));
}

void CentralPathPoint::to_iterate(ConeIterate& iterate) const {
  iterate.r = speed_ * present_.r;
  project_on_cones(problem_, iterate.r);
  amontons::evaluate(problem_, iterate);
}

}  // namespace amontons
