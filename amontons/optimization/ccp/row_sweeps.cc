#include "amontons/optimization/ccp/row_sweeps.h"

#include "amontons/optimization/ccp/body_space_operator.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

// Share of W_ii within which it is isotropic. The projection has the solutions of the law for any
// inverse, so that the share only decides how fast the sweeps are.
constexpr double kIsotropic = 1e-9;

/// Returns true if W_ii is diagonal, with equal tangents that move.
bool is_isotropic(const Eigen::Matrix3d& W) {
  const double small = kIsotropic * W.trace();
  return std::abs(W(0, 1)) <= small && std::abs(W(0, 2)) <= small && std::abs(W(1, 2)) <= small &&
         std::abs(W(0, 0) - W(1, 1)) <= small && W(0, 0) > small && W(2, 2) > small;
}

/// Returns true if a block is a contact with a round cone at zero.
bool is_plain(const Cone& cone) {
  return cone.kind == ConeKind::Friction && cone.friction_offset == 0.0 && cone.polygon == nullptr;
}

/// Returns (Proj_disc(z_t), z_n) of z_n > 0 under Coulomb's law.
Vector3d on_disc(double mu, const Vector3d& z) {
  const double radius = mu * z.z(), square = z.x() * z.x() + z.y() * z.y();
  if (!(square > radius * radius)) return z;
  const double share = radius / std::sqrt(square);
  return {share * z.x(), share * z.y(), z.z()};
}

}  // namespace

bool RowSweeps::prepare(const ConeProblem& problem) {
  const auto* bodies = dynamic_cast<const BodySpaceOperator*>(problem.W);
  if (bodies == nullptr || problem.law != ConeLaw::Coulomb) return false;
  if (!std::all_of(problem.cones.begin(), problem.cones.end(), is_plain)) return false;
  if (!rows_.copy(*bodies)) return false;
  contacts_.resize(problem.cones.size());
  general_.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const int i = static_cast<int>(k);
    const Eigen::Matrix3d& W = rows_.diagonal(i);
    Contact& contact = contacts_[k];
    contact = {problem.q.segment<3>(3 * i), problem.cones[k].mu, problem.residual_scale(i)};
    if (is_isotropic(W)) {
      contact.inverse_t = 1.0 / W(0, 0);
      contact.inverse_n = 1.0 / W(2, 2);
      continue;
    }
    contact.general = static_cast<int>(general_.size());
    general_.emplace_back(W, problem.cones[k]);
  }
  work_scale_ = problem.work_scale;
  missed_ = 0;
  return true;
}

double RowSweeps::sweep(const Eigen::VectorXd& last, Eigen::VectorXd& r) {
  double progress = 0.0;
  const int n = static_cast<int>(contacts_.size());
  for (int i = 0; i < n; ++i) {
    const Contact& contact = contacts_[static_cast<std::size_t>(i)];
    double* own = r.data() + 3 * i;
    const Vector3d before(own[0], own[1], own[2]);
    Vector3d next = Vector3d::Zero();
    if (contact.general >= 0) {
      const Eigen::Matrix3d& W = rows_.diagonal(i);
      next = general_[static_cast<std::size_t>(contact.general)].solve(
          rows_.response(i) + contact.q - W.lazyProduct(before));
    } else {
      // An open contact needs its normal row alone.
      const double normal =
          before.z() - contact.inverse_n * (contact.q.z() + rows_.normal_response(i));
      if (normal > 0.0) {
        const Eigen::Vector2d u = rows_.tangential_response(i) + contact.q.head<2>();
        next = on_disc(contact.mu, {before.x() - contact.inverse_t * u.x(),
                                    before.y() - contact.inverse_t * u.y(), normal});
      }
    }
    const Vector3d change = next - before;
    // Contacts that do not change cost no update of the others' velocities.
    if (change.isZero(0.0)) continue;
    const double* from = last.data() + 3 * i;
    progress += change.dot(next - Vector3d(from[0], from[1], from[2]));
    rows_.add(i, change);
    own[0] = next.x();
    own[1] = next.y();
    own[2] = next.z();
  }
  return progress;
}

/// Returns true if the natural map of one contact exceeds the tolerance; adds its work r . u.
bool RowSweeps::misses(int i, const Eigen::VectorXd& r, double tolerance, double& work) const {
  const Contact& contact = contacts_[static_cast<std::size_t>(i)];
  const Vector3d own(r.data()[3 * i], r.data()[3 * i + 1], r.data()[3 * i + 2]);
  const double bound = tolerance / contact.scale;
  // An open contact needs its normal row alone.
  const double u_n = contact.q.z() + rows_.normal_response(i);
  if (own.isZero(0.0)) return -u_n > bound;
  const Eigen::Vector2d u_t = rows_.tangential_response(i) + contact.q.head<2>();
  const Vector3d u(u_t.x(), u_t.y(), u_n);
  work += own.dot(u);
  const Vector3d z = own - u;
  const Vector3d F = z.z() > 0.0 ? Vector3d(own - on_disc(contact.mu, z)) : own;
  return !(F.squaredNorm() <= bound * bound);
}

bool RowSweeps::may_be_within(int, const Eigen::VectorXd& r, double tolerance) {
  double work = 0.0;
  if (misses(missed_, r, tolerance, work)) return false;
  work = 0.0;
  const int n = static_cast<int>(contacts_.size());
  for (int i = 0; i < n; ++i) {
    if (!misses(i, r, tolerance, work)) continue;
    missed_ = i;
    return false;
  }
  return work_scale_ * work <= tolerance;
}

}  // namespace amontons
