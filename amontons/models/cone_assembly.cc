#include "amontons/models/cone_assembly.h"

#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

// In contact space W is dense: only for so many contacts.
constexpr std::size_t kMostContactsInContactSpace = 100;

}  // namespace

bool ConeAssembly::prefers_contact_space(const ContactProblem& problem) {
  const std::size_t contacts = problem.num_contacts();
  const bool few = 3 * contacts < static_cast<std::size_t>(problem.mass_matrix.size());
  const bool jointed = problem.joint_jacobian.rows() > 0;
  return (few || jointed) && contacts <= kMostContactsInContactSpace;
}

ConeAssembly::ConeAssembly(const ContactProblem& problem, const ProblemMetric& metric,
                           const ContactSpace* space, const ContactLaw& law)
    : problem_(&problem), metric_(&metric) {
  const ContactScales& scales = metric.scales;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const bool active = problem.contacts[i].gap <= law.activation_gap;
    if (active && scales.inverse_mass(static_cast<Index>(i)) > 0.0) {
      members_.push_back(static_cast<int>(i));
    }
  }
  if (space != nullptr) {
    build_in_contact_space(*space);
  } else {
    build_in_body_space();
  }
  cones_.law = law.kind == LawKind::ConvexCone ? ConeLaw::Associated : ConeLaw::Coulomb;
  const bool on_polygon = law.kind == LawKind::Pyramid;
  if (on_polygon) directions_ = polygon_directions(law.directions);
  cones_.cones.resize(static_cast<std::size_t>(root_.size()));
  cones_.residual_scale.resize(root_.size());
  const Index n = static_cast<Index>(members_.size());
  const double joint_speed = n > 0 ? scales.speed(members_.front()) : 1.0;
  for (Index k = 0; k < root_.size(); ++k) {
    Cone& cone = cones_.cones[static_cast<std::size_t>(k)];
    if (k >= n) {
      cone.kind = ConeKind::Equality;
      cones_.residual_scale(k) = root_(k) / joint_speed;
      continue;
    }
    const int contact = members_[static_cast<std::size_t>(k)];
    const double mu = problem.contacts[static_cast<std::size_t>(contact)].friction;
    cone.mu = law.kind == LawKind::Frictionless ? 0.0 : mu;
    if (on_polygon) cone.polygon = &directions_;
    // In the certificate's unit w, which the joints do not enter.
    const double ratio = scales.inverse_mass(contact) / root_(k);
    cones_.residual_scale(k) = std::max(ratio, root_(k)) / scales.speed(contact);
  }
}

void ConeAssembly::build_in_contact_space(const ContactSpace& space) {
  const Eigen::MatrixXd A = space.delassus(members_);
  const int n = static_cast<int>(members_.size());
  free_speed_.resize(3 * n);
  root_ = contact_roots(A, members_, metric_->scales);
  ContactSpaceOperator& W = contact_space_.emplace();
  W.reset(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (A.block<3, 3>(3 * i, 3 * j).isZero(0.0)) continue;
      W.add_entry(i, j, A.block<3, 3>(3 * i, 3 * j) / (root_(i) * root_(j)));
    }
    free_speed_.segment<3>(3 * i) = space.free_contact_velocity().segment<3>(
        ContactProblem::row(static_cast<std::size_t>(members_[static_cast<std::size_t>(i)])));
  }
  W.finish();
  cones_.W = &W;
}

void ConeAssembly::build_in_body_space() {
  const BlockDiagonalFactor& factor = metric_->mass_factor;
  std::vector<int> sizes;
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    sizes.push_back(static_cast<int>(factor.block(b).matrix.rows()));
  }
  BodySpaceOperator& W = body_space_.emplace();
  W.reset(sizes);
  // Rows [first, first + count) of a block row, padded to three.
  const auto add = [&](const BlockSparseMatrix& G, std::size_t row, Index first, Index count) {
    W.add_block();
    for (const BlockSparseMatrix::Block& block : G.block_row(row)) {
      const int body = static_cast<int>(factor.block_of_row(block.col));
      Eigen::Map<Eigen::Matrix3Xd> part(W.add_part(body), 3, block.num_cols);
      if (count < 3) part.setZero();
      part.topRows(count) = G.values(block).middleRows(first, count);
    }
  };
  std::vector<double> speeds;
  for (const int contact : members_) {
    const std::size_t row = static_cast<std::size_t>(contact);
    add(metric_->contact_rows, row, 0, 3);
    const double* own = metric_->free_contact_velocity.data() + ContactProblem::row(row);
    speeds.insert(speeds.end(), own, own + 3);
  }
  const BlockSparseMatrix& J = problem_->joint_jacobian;
  const Eigen::VectorXd rate = J * problem_->free_velocity - problem_->joint_target();
  for (std::size_t row = 0; row < J.num_block_rows(); ++row) {
    for (Index first = 0; first < J.num_rows(row); first += 3) {
      const Index count = std::min<Index>(3, J.num_rows(row) - first);
      add(metric_->joint_rows, row, first, count);
      Vector3d own = Vector3d::Zero();
      own.head(count) = rate.segment(J.first_row(row) + first, count);
      speeds.insert(speeds.end(), own.data(), own.data() + 3);
    }
  }
  W.finish();
  root_.resize(W.num_blocks());
  for (int i = 0; i < W.num_blocks(); ++i) {
    root_(i) = std::sqrt(W.diagonal(i).trace() / 3.0);
    if (!(root_(i) > 0.0)) root_(i) = 1.0;
    W.scale_block(i, 1.0 / root_(i));
  }
  free_speed_ = Eigen::Map<const Eigen::VectorXd>(speeds.data(), static_cast<Index>(speeds.size()));
  cones_.W = &W;
}

const ConeProblem& ConeAssembly::phase(const ContactPhase& phase, double tolerance,
                                       double energy_tolerance) {
  const Index n = static_cast<Index>(members_.size());
  cones_.q = free_speed_;
  Eigen::VectorXd given(3 * root_.size());
  given.setZero();
  for (Index k = 0; k < n; ++k) {
    const int contact = members_[static_cast<std::size_t>(k)];
    cones_.q(3 * k + 2) += phase.gap_speeds(contact);
    Cone& cone = cones_.cones[static_cast<std::size_t>(k)];
    cone.offset = cone.mu * root_(k) * phase.given_load(contact);
    given.segment<3>(3 * k) = root_(k) * phase.given_impulses.segment<3>(3 * contact);
  }
  for (Index k = 0; k < root_.size(); ++k) cones_.q.segment<3>(3 * k) /= root_(k);
  if (!given.isZero(0.0)) {
    Eigen::VectorXd u;
    cones_.W->apply(given, u);
    cones_.q += u;
  }
  cones_.work_scale = tolerance / energy_tolerance;
  return cones_;
}

Eigen::VectorXd ConeAssembly::to_reactions(const Eigen::VectorXd& impulses) const {
  Eigen::VectorXd r = Eigen::VectorXd::Zero(3 * root_.size());
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Index i = static_cast<Index>(k);
    r.segment<3>(3 * i) = root_(i) * impulses.segment<3>(3 * members_[k]);
  }
  return r;
}

Eigen::VectorXd ConeAssembly::to_impulses(const Eigen::VectorXd& reactions) const {
  Eigen::VectorXd p = Eigen::VectorXd::Zero(problem_->contact_jacobian.rows());
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Index i = static_cast<Index>(k);
    p.segment<3>(3 * members_[k]) = reactions.segment<3>(3 * i) / root_(i);
  }
  return p;
}

}  // namespace amontons
