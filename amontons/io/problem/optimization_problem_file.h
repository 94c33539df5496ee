#pragma once

#include "amontons/io/common/foreign_output.h"
#include "amontons/optimization/lcp/linear_complementarity.h"
#include "amontons/optimization/lcp/mixed_complementarity.h"
#include "amontons/optimization/qp/box_qp.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Reads `/lcp/M` [n x n] and `/lcp/q` [n]: 0 <= z perp M z + q >= 0. In place of q the file may
/// have `/lcp/N` [n x m] and `/lcp/f` [m] of contacts without friction, with M [m x m] the mass
/// matrix: 0 <= z perp N M^-1 (N'z + f) >= 0 [Drumwright 2015, sec. V].
/// @throws ParseError if a dataset is missing, the sizes do not fit, or a mass matrix is not
/// positive definite.
LinearComplementarityProblem load_lcp(const std::string& path);

/// Reads `/lcp/M`, `/lcp/q` and `/lcp/free` [n], 1 where z_i is free and w_i is zero.
/// @throws ParseError if a dataset is missing, the sizes do not fit, or the block of M on the free
/// variables is singular.
MixedComplementarityProblem load_mixed_lcp(const std::string& path);

/// Checks a problem that a file or a caller gives: its sizes, and that its numbers are finite and
/// of at most 1e100, infinite bounds aside; H must be convex.
/// @throws std::invalid_argument with what is wrong.
void require_valid(const LinearComplementarityProblem& problem);
void require_valid(const MixedComplementarityProblem& problem);
void require_valid(const BoxQuadraticProgram& problem);

/// Writes `/lcp/M` and `/lcp/q`, and `/lcp/rows` where its rows have names [n].
/// @throws OutputError if the file cannot be written.
void save_lcp(const std::string& path, const LinearComplementarityProblem& problem,
              const std::vector<std::string>& row_names = {});

/// Returns true if a file has a linear complementarity problem. @throws ParseError if HDF5 cannot
/// read it.
bool is_lcp_file(const std::string& path);

/// Describes the files of save_lcp().
inline const OutputKind kLcpOutput{"linear complementarity problem", &is_lcp_file};

/// Reads `/qp/H` [n x n], `/qp/g`, `/qp/lower`, `/qp/upper` [n]: min 1/2 x'H x + g'x in the box.
/// Bounds may be infinite.
/// @throws ParseError if a dataset is missing, or the sizes do not fit.
BoxQuadraticProgram load_box_qp(const std::string& path);

}  // namespace amontons::io
