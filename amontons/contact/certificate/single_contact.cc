#include "amontons/contact/certificate/single_contact.h"

#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/operators/contact_scales.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

/// Returns true if only the law itself acts: no restitution, viscous friction or friction offset.
bool is_plain(const Contact& contact) {
  return !contact.is_joint_row && contact.restitution == 0.0 && contact.viscous_friction == 0.0 &&
         contact.friction_offset == 0.0;
}

using MassMap = Eigen::Map<const BlockDiagonalFactor::FreeMatrix>;
using RowsMap = BlockSparseMatrix::FreeBlockMap;
using VelocityMap = Eigen::Map<const SingleContact::Vector6>;

/// Computes G = J L^-1; the second factor is a lower triangle.
void multiply_by_lower(const RowsMap& J, const BlockDiagonalFactor::FreeMatrix& lower,
                       Eigen::Matrix<double, 3, 6>& G) {
  for (int j = 0; j < 6; ++j) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (int i = j; i < 6; ++i) {
      x += J(0, i) * lower(i, j);
      y += J(1, i) * lower(i, j);
      z += J(2, i) * lower(i, j);
    }
    G.col(j) << x, y, z;
  }
}

// The sums below are scalars and stay in registers; Eigen's products of three rows use memory.

/// Returns J v for three rows.
template <typename Rows, typename Vector>
Vector3d product(const Rows& J, const Vector& v) {
  double x = 0.0, y = 0.0, z = 0.0;
  for (int j = 0; j < 6; ++j) {
    x += J(0, j) * v(j);
    y += J(1, j) * v(j);
    z += J(2, j) * v(j);
  }
  return {x, y, z};
}

/// Returns the Gram matrix G G' of three rows.
Eigen::Matrix3d gram_matrix(const Eigen::Matrix<double, 3, 6>& G) {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
  for (int j = 0; j < 6; ++j) {
    const double x = G(0, j), y = G(1, j), z = G(2, j);
    xx += x * x;
    xy += x * y;
    xz += x * z;
    yy += y * y;
    yz += y * z;
    zz += z * z;
  }
  Eigen::Matrix3d A;
  A << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return A;
}

/// Returns sqrt of x'Mx, which rounding may put below zero.
double length(double square) { return square > 0.0 ? std::sqrt(square) : 0.0; }

}  // namespace

std::span<const SingleContactIsland> SingleContactFinder::find(const ContactProblem& problem) {
  // Map each velocity coordinate to its block of M.
  const BlockDiagonalMatrix& M = problem.mass_matrix;
  block_of_column_.resize(static_cast<std::size_t>(M.size()));
  for (std::size_t b = 0; b < M.num_blocks(); ++b) {
    const auto first = block_of_column_.begin() + M.block(b).offset;
    std::fill(first, first + M.block(b).matrix.rows(), b);
  }
  const auto block_of = [this](const BlockSparseMatrix::Block& block) {
    return block_of_column_[static_cast<std::size_t>(block.col)];
  };
  // Count the rows of all Jacobians that act on each block.
  rows_on_.assign(M.num_blocks(), 0);
  for (const BlockSparseMatrix* jacobian :
       {&problem.contact_jacobian, &problem.joint_jacobian, &problem.bounded_jacobian}) {
    for (std::size_t r = 0; r < jacobian->num_block_rows(); ++r) {
      for (const BlockSparseMatrix::Block& block : jacobian->block_row(r)) {
        ++rows_on_[block_of(block)];
      }
    }
  }
  // A contact is an island of its own if no other row acts on its free bodies.
  islands_.clear();
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const std::span<const BlockSparseMatrix::Block> row = problem.contact_jacobian.block_row(i);
    const bool alone = std::all_of(row.begin(), row.end(), [&](const auto& block) {
      const std::size_t b = block_of(block);
      return rows_on_[b] == 1 && M.is_free(b) && block.num_cols == 6;
    });
    if (row.empty() || row.size() > 2 || !alone || !is_plain(problem.contacts[i])) continue;
    islands_.push_back({static_cast<int>(i), {block_of(row.front()), block_of(row.back())}});
  }
  return islands_;
}

SingleContact::SingleContact(const ContactProblem& problem, const SingleContactIsland& island)
    : contact_(problem.contacts[static_cast<std::size_t>(island.contact)]),
      index_(island.contact),
      bias_(problem.contact_bias.segment<3>(3 * Index{island.contact})),
      s_(problem.stabilized_gap(static_cast<std::size_t>(island.contact))) {
  // A = sum G G', u_free = bias + sum J v_free, and the absolute terms of that sum.
  const auto row = problem.contact_jacobian.block_row(static_cast<std::size_t>(island.contact));
  num_bodies_ = row.size();
  A_.setZero();
  u_free_ = bias_;
  Vector3d terms = bias_.cwiseAbs();
  terms.z() += std::abs(s_);
  for (std::size_t k = 0; k < num_bodies_; ++k) {
    Body& body = bodies_[k];
    // The matrices are read in place: their columns are contiguous.
    body.block = island.blocks[k];
    body.offset = row[k].col;
    body.M = problem.mass_matrix.block(body.block).matrix.data();
    body.J = problem.contact_jacobian.values(row[k]).data();
    body.v_free = problem.free_velocity.data() + body.offset;
    const RowsMap J(body.J);
    const VelocityMap v_free(body.v_free);
    BlockDiagonalFactor::invert_free(problem.mass_matrix, body.block, body.inverse_factor);
    multiply_by_lower(J, body.inverse_factor, body.G);
    body.free_momentum = MassMap(body.M).lazyProduct(v_free);
    body.free_length = length(v_free.dot(body.free_momentum));
    A_ += gram_matrix(body.G);
    u_free_ += product(J, v_free);
    terms += product(J.cwiseAbs(), v_free.cwiseAbs());
  }
  // w [1/kg] and V [m/s], as in ProblemScaling.
  w_ = A_.trace() / 3.0;
  V_ = std::max({u_free_.norm(), -s_, kMinScaleShare * terms.maxCoeff()});
}

SingleContact::Response SingleContact::respond(const Vector3d& impulse, double rest) const {
  Response response{impulse, {}, bias_};
  for (std::size_t k = 0; k < num_bodies_; ++k) {
    const Body& body = bodies_[k];
    Vector6& v = response.velocity[k];
    // v+ = v_free + L^-1 G'p.
    const Vector6 whitened = body.G.transpose().lazyProduct(impulse);
    v = VelocityMap(body.v_free) + body.inverse_factor.lazyProduct(whitened);
    const Vector6 momentum = MassMap(body.M).lazyProduct(v);
    // A velocity that is rounding of the free motion becomes exactly zero.
    if (length(v.dot(momentum)) <= rest * body.free_length) v.setZero();
    response.contact_velocity += product(RowsMap(body.J), v);
  }
  return response;
}

bool SingleContact::is_at_rest(const Response& response) const {
  return std::all_of(response.velocity.begin(),
                     response.velocity.begin() + static_cast<std::ptrdiff_t>(num_bodies_),
                     [](const Vector6& v) { return v.isZero(0.0); });
}

Certificate SingleContact::certify(const ContactLaw& law, const Response& response,
                                   double tolerance) const {
  Certificate result;
  // Joints and bounded rows are absent, so that their laws hold.
  for (Residual* residual :
       {&result.normal, &result.friction, &result.limit, &result.joint_friction, &result.joint,
        &result.dynamics, &result.dissipation, &result.coulomb, &result.inequality,
        &result.law_distance}) {
    residual->value = 0.0;
  }
  // Equations of motion and energy, body by body: M (v+ - v_free) = J'p.
  const Vector3d& p = response.impulse;
  const Vector3d& u = response.contact_velocity;
  result.energy_gained = p.dot(bias_);
  for (std::size_t k = 0; k < num_bodies_; ++k) {
    const Body& body = bodies_[k];
    const Vector6& v = response.velocity[k];
    const Vector6 change = v - VelocityMap(body.v_free);
    const Vector6 gained = MassMap(body.M).lazyProduct(change);
    const Vector6 missing = gained - RowsMap(body.J).transpose().lazyProduct(p);
    const double speeds = length(v.dot(body.free_momentum + gained)) + body.free_length;
    const double pushed = body.G.transpose().lazyProduct(p).norm();
    result.dynamics.update(body.inverse_factor.transpose().lazyProduct(missing).norm(),
                           std::max(speeds, kMinScaleShare * pushed), static_cast<int>(body.block));
    result.energy_gained += v.dot(gained);
    result.change_energy += 0.5 * change.dot(gained);
    result.kinetic_energy += 0.5 * body.free_length * body.free_length;
  }
  // Removing an overlap may inject p_n |s| [J].
  if (s_ < 0.0) result.stabilization_work = std::max(0.0, p.z()) * -s_;
  result.energy_gained -= result.stabilization_work;

  // Dissipation left out, the claimed law, and the distance to Coulomb's law.
  const double gap = contact_.friction * p.z() * u.head<2>().norm() + p.head<2>().dot(u.head<2>());
  result.dissipation.update(gap, 1.0 + result.kinetic_energy, index_);
  const ContactState point{p, u, s_, contact_.friction, w_};
  const LawResidual residual = law_residual(law.kind, directions_of(law), point);
  result.normal.update(residual.normal, V_, index_);
  result.friction.update(residual.friction, V_, index_);
  result.coulomb.update(de_saxce_residual(point), V_, index_);
  result.law_distance.merge_worst(result.normal);
  result.law_distance.merge_worst(result.friction);
  result.set_holds(tolerance);
  return result;
}

void SingleContact::scatter(const Response& response, Eigen::VectorXd& velocity) const {
  for (std::size_t k = 0; k < num_bodies_; ++k) {
    velocity.segment<6>(bodies_[k].offset) = response.velocity[k];
  }
}

}  // namespace amontons
