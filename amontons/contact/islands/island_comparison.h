#pragma once

#include "amontons/contact/islands/islands.h"

#include <Eigen/Core>

namespace amontons {

/// Returns true if an island's own problem is `part` and its share of `warm_start` [3 nc + nb, or
/// empty] is `part_warm_start`, bit by bit. Whatever is computed from them is then the same too.
/// Islands with joint rows count as different.
bool is_same_problem(const ContactProblem& problem, const Island& island,
                     const Eigen::VectorXd& warm_start, const ContactProblem& part,
                     const Eigen::VectorXd& part_warm_start);

}  // namespace amontons
