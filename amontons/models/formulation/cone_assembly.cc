#include "amontons/models/formulation/cone_assembly.h"

#include "amontons/contact/activation.h"
#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

// Largest number of contacts in contact space, where W is dense.
constexpr std::size_t kMaxContactsInContactSpace = 100;

}  // namespace

bool ConeAssembly::prefers_contact_space(const ContactProblem& problem) {
  const std::size_t contacts = problem.num_contacts();
  const bool few = 3 * contacts < static_cast<std::size_t>(problem.mass_matrix.size());
  const bool jointed = problem.joint_jacobian.rows() > 0;
  return (few || jointed) && contacts <= kMaxContactsInContactSpace;
}

void ConeAssembly::reset(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSpace* space, const ContactLaw& law) {
  problem_ = &problem;
  scaling_ = &scaling;
  const ContactScales& scales = scaling.scales;
  // Contacts beyond the activation gap, or without a moving body, carry nothing.
  members_.clear();
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (is_active(law, problem.contacts[i]) && scales.inverse_mass(static_cast<Index>(i)) > 0.0) {
      members_.push_back(static_cast<int>(i));
    }
  }
  // W, root_ and free_speed_ in the space that costs less.
  if (prefers_contact_space(problem)) {
    build_in_contact_space(space);
  } else {
    build_in_body_space();
  }
  cones_.law = lifts(law.kind) ? ConeLaw::Associated : ConeLaw::Coulomb;
  const bool on_polygon = has_polygon(law.kind);
  if (on_polygon) directions_ = polygon_directions(law.directions);
  // Cones and units of the residual: contacts first, then equalities of the joint rows.
  cones_.cones.assign(static_cast<std::size_t>(root_.size()), Cone{});
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
    cone.mu = has_coulomb_friction(law.kind) ? mu : 0.0;
    if (on_polygon) cone.polygon = &directions_;
    // In the certificate's unit w, which does not include the joints.
    const double ratio = scales.inverse_mass(contact) / root_(k);
    cones_.residual_scale(k) = std::max(ratio, root_(k)) / scales.speed(contact);
  }
}

/// Computes A = G G' of the members by sums over the articulations that both rows touch, each
/// ascending.
void ConeAssembly::compute_delassus() {
  const BlockSparseMatrix& G = scaling_->contact_rows;
  const Index n = static_cast<Index>(members_.size());
  A_.setZero(3 * n, 3 * n);
  for (Index i = 0; i < n; ++i) {
    const auto row = G.block_row(static_cast<std::size_t>(members_[static_cast<std::size_t>(i)]));
    for (Index j = i; j < n; ++j) {
      auto A_ij = A_.block<3, 3>(3 * i, 3 * j);
      auto own = row.begin();
      for (const BlockSparseMatrix::Block& other :
           G.block_row(static_cast<std::size_t>(members_[static_cast<std::size_t>(j)]))) {
        while (own != row.end() && own->col < other.col) ++own;
        if (own == row.end()) break;
        if (own->col != other.col) continue;
        // Blocks of free bodies have a fixed size.
        if (other.num_cols == 6) {
          using FreeBlock = BlockSparseMatrix::FreeBlockMap;
          A_ij.noalias() += FreeBlock(G.values(*own).data())
                                .lazyProduct(FreeBlock(G.values(other).data()).transpose());
        } else {
          A_ij.noalias() += G.values(*own).lazyProduct(G.values(other).transpose());
        }
      }
      if (j > i) A_.block<3, 3>(3 * j, 3 * i) = A_ij.transpose();
    }
  }
}

/// Builds W in contact space: dense blocks A_ij / sqrt(w_i w_j).
void ConeAssembly::build_in_contact_space(const ContactSpace* space) {
  if (space != nullptr) {
    // A contact that the joints hold at rest carries nothing: no reaction of it moves anything, so
    // that a method may leave one of any size.
    std::erase_if(members_, [space](int contact) {
      return space->free_contact_velocity().segment<3>(3 * contact).isZero(0.0) &&
             space->is_held(contact);
    });
    A_ = space->delassus(members_);
  } else {
    compute_delassus();
  }
  // Without loop joints the scaling has the free contact velocities already.
  const Eigen::VectorXd& speeds =
      space != nullptr ? space->free_contact_velocity() : scaling_->free_contact_velocity;
  const int n = static_cast<int>(members_.size());
  free_speed_.resize(3 * n);
  root_ = contact_roots(A_, members_, scaling_->scales);
  for (int i = 0; i < n; ++i) {
    free_speed_.segment<3>(3 * i) = speeds.segment<3>(3 * members_[static_cast<std::size_t>(i)]);
  }
  // Blocks that are exactly zero stay out of the operator.
  contact_space_.reset(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (A_.block<3, 3>(3 * i, 3 * j).isZero(0.0)) continue;
      contact_space_.add_entry(i, j, A_.block<3, 3>(3 * i, 3 * j) / (root_(i) * root_(j)));
    }
  }
  contact_space_.finish();
  cones_.W = &contact_space_;
}

/// Builds W = G G' in body space, with the rows of J as equalities.
void ConeAssembly::build_in_body_space() {
  const BlockDiagonalFactor& factor = scaling_->mass_factor;
  // One body of the operator per articulation.
  sizes_.clear();
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    sizes_.push_back(static_cast<int>(factor.block(b).matrix.rows()));
  }
  BodySpaceOperator& W = body_space_;
  W.reset(sizes_);
  // Adds rows [first, first + count) of a block row, padded to three.
  const auto add = [&](const BlockSparseMatrix& G, std::size_t row, Index first, Index count) {
    W.add_block();
    for (const BlockSparseMatrix::Block& block : G.block_row(row)) {
      const int body = static_cast<int>(factor.block_of_row(block.col));
      double* own = W.add_part(body);
      const double* values = G.values(block).data();
      if (block.num_rows == 3) {
        std::copy(values, values + 3 * block.num_cols, own);
        continue;
      }
      Eigen::Map<Eigen::Matrix3Xd> part(own, 3, block.num_cols);
      if (count < 3) part.setZero();
      part.topRows(count) = G.values(block).middleRows(first, count);
    }
  };
  const BlockSparseMatrix& J = problem_->joint_jacobian;
  // A block row of J becomes blocks of three rows, as many as it needs.
  Index num_blocks = static_cast<Index>(members_.size());
  for (std::size_t row = 0; row < J.num_block_rows(); ++row)
    num_blocks += (J.num_rows(row) + 2) / 3;
  free_speed_.setZero(3 * num_blocks);
  Index next = 0;
  // Contacts come first, with their free velocities.
  for (const int contact : members_) {
    add(scaling_->contact_rows, static_cast<std::size_t>(contact), 0, 3);
    free_speed_.segment<3>(next) = scaling_->free_contact_velocity.segment<3>(3 * contact);
    next += 3;
  }
  // The equalities ask for J v = target: their free speed is J v_free - target.
  Eigen::VectorXd rate;
  if (J.rows() > 0) rate = J * problem_->free_velocity - problem_->joint_target();
  for (std::size_t row = 0; row < J.num_block_rows(); ++row) {
    for (Index first = 0; first < J.num_rows(row); first += 3) {
      const Index count = std::min<Index>(3, J.num_rows(row) - first);
      add(scaling_->joint_rows, row, first, count);
      free_speed_.segment(next, count) = rate.segment(J.first_row(row) + first, count);
      next += 3;
    }
  }
  W.finish();
  // Scale each block to trace 3; a block that moves nothing keeps its unit.
  root_.resize(W.num_blocks());
  for (int i = 0; i < W.num_blocks(); ++i) {
    root_(i) = std::sqrt(W.diagonal(i).trace() / 3.0);
    if (!(root_(i) > 0.0)) root_(i) = 1.0;
    W.scale_block(i, 1.0 / root_(i));
  }
  cones_.W = &W;
}

const ConeProblem& ConeAssembly::phase(const ContactPhase& phase, double tolerance,
                                       double energy_tolerance) {
  const Index n = static_cast<Index>(members_.size());
  cones_.q = free_speed_;
  given_.setZero(3 * root_.size());
  for (Index k = 0; k < n; ++k) {
    const int contact = members_[static_cast<std::size_t>(k)];
    // q gets s in the normal; the friction offset r_offset = sqrt(w) (mu given_load +
    // friction_offset).
    cones_.q(3 * k + 2) += phase.gap_speeds(contact);
    Cone& cone = cones_.cones[static_cast<std::size_t>(k)];
    cone.friction_offset =
        root_(k) * (cone.mu * phase.given_load(contact) + phase.friction_offset(contact));
    given_.segment<3>(3 * k) = root_(k) * phase.given_impulses.segment<3>(3 * contact);
  }
  // q / sqrt(w), plus the velocities W r of impulses given before this phase.
  for (Index k = 0; k < root_.size(); ++k) cones_.q.segment<3>(3 * k) /= root_(k);
  if (!given_.isZero(0.0)) {
    Eigen::VectorXd u;
    cones_.W->apply(given_, u);
    cones_.q += u;
  }
  // Where nothing moves, no work is asked for.
  cones_.work_scale = energy_tolerance > 0.0 ? tolerance / energy_tolerance : 0.0;
  return cones_;
}

void ConeAssembly::to_reactions(const Eigen::VectorXd& impulses, Eigen::VectorXd& reactions) const {
  reactions.setZero(3 * root_.size());
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Index i = static_cast<Index>(k);
    reactions.segment<3>(3 * i) = root_(i) * impulses.segment<3>(3 * members_[k]);
  }
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
