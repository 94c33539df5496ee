#include "amontons/models/islands/scaled_island.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace amontons {

using Eigen::Index;

void ScaledIsland::reset(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                         std::size_t island, ConeLaw law, double tolerance) {
  const std::span<const int> contacts = islands.contacts(island);
  const Index n = static_cast<Index>(contacts.size());
  set_roots(problem, islands, island);
  // W_ij / sqrt(w_i w_j), in contact space.
  W_.reset(static_cast<int>(n));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      const int column = islands.place(block.column);
      W_.add_entry(static_cast<int>(k), column,
                   block.value / (root_(static_cast<Index>(k)) * root_(column)));
    }
  }
  W_.finish();
  // q / sqrt(w), and the units of the residual: V is the largest free speed of the island.
  cones_.W = &W_;
  cones_.law = law;
  cones_.q.resize(3 * n);
  cones_.cones.clear();
  cones_.residual_scale = root_;
  double speed = 0.0, work = 0.0;
  for (Index k = 0; k < n; ++k) {
    const int i = contacts[static_cast<std::size_t>(k)];
    const Eigen::Vector3d q = problem.q.segment<3>(3 * i);
    speed = std::max(speed, q.norm());
    cones_.q.segment<3>(3 * k) = q / root_(k);
    work = std::max(work, cones_.q.segment<3>(3 * k).squaredNorm());
    cones_.cones.push_back({ConeKind::Friction, problem.friction(i), 0.0});
  }
  // Without bodies there is no energy bound: the largest |q|^2 / w [J] takes its place.
  if (speed > 0.0) cones_.residual_scale /= speed;
  cones_.work_scale = work > 0.0 ? tolerance / work : 0.0;
}

/// Computes sqrt(w_i), w_i = trace(W_ii)/3; 1 where a contact has none.
void ScaledIsland::set_roots(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                             std::size_t island) {
  const std::span<const int> contacts = islands.contacts(island);
  root_.setZero(static_cast<Index>(contacts.size()));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    double& root = root_(static_cast<Index>(k));
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      if (block.row == block.column) root += block.value.trace() / 3.0;
    }
    root = root > 0.0 ? std::sqrt(root) : 1.0;
  }
}

}  // namespace amontons
