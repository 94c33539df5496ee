#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"
#include "amontons/optimization/qp/box_qp.h"

#include <string>

namespace amontons::io {

/// Reads `/lcp/M` [n x n] and `/lcp/q` [n]: 0 <= z perp M z + q >= 0.
/// @throws ParseError if a dataset is missing, or the sizes do not fit.
LinearComplementarityProblem load_lcp(const std::string& path);

/// Reads `/qp/H` [n x n], `/qp/g`, `/qp/lower`, `/qp/upper` [n]: min 1/2 x'H x + g'x in the box.
/// Bounds may be infinite.
/// @throws ParseError if a dataset is missing, or the sizes do not fit.
BoxQuadraticProgram load_box_qp(const std::string& path);

}  // namespace amontons::io
