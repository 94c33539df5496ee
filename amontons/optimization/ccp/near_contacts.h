#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <vector>

namespace amontons {

/// Share of the largest |q_i| [-] beyond which a contact that carries nothing is far open. In heaps
/// more than half of the contacts are; a smaller share would leave out contacts that close again.
inline constexpr double kFarOpen = 1e-2;

/// Lists the blocks that may carry something close to the point (r, u = W r + q), ascending: rows
/// of equalities, contacts with a friction_offset, contacts that carry something, and contacts that
/// separate by less than a share of the largest |q_i|. The separation is u_n, less the lift mu
/// |u_t| under the associated law.
void find_near_contacts(const ConeProblem& problem, const Eigen::VectorXd& r,
                        const Eigen::VectorXd& u, double share, std::vector<int>& near);

}  // namespace amontons
