#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

namespace amontons {

/// Says when pivoting ends.
struct PlainLemkeSettings {
  double tolerance = 1e-8;  ///< bounds measure_residual() [-]
  int max_pivots = 0;       ///< per path; 0 means the published min(1000, 25 n)
  bool regularize = true;   ///< true: M + ridge I where no path solves the problem itself
};

/// Holds the solution, and what it took.
struct PlainLemkeSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged, RayTermination or IterationLimit
  Eigen::VectorXd z;                         ///< [n]; zero if not Converged
  int pivots = 0;                            ///< over all paths
  int paths = 0;                             ///< number of paths followed
  double ridge = 0.0;                        ///< ridge of the path that succeeded
};

/// Runs Lemke's method by the rules of the published routine `lemke` of Fackler and Miranda
/// [Miranda, Fackler 2002]: the baseline of experiments that used it [Drumwright, Shell 2010;
/// Drumwright 2015].
///
/// The basis starts from given complementary columns. An artificial variable z0 covers the rows
/// that are negative there. Each pivot solves for its column from the data. Entries above 1e-8
/// block. The ratio test has a slack of 1e-5: of all rows within it z0 leaves if it is one of them,
/// else the row with the largest entry. The routine draws among equal ones; here the first is
/// taken.
///
/// Paths start from two trivial bases, all w and then all z. If both fail, they follow on
/// M + ridge I (Tikhonov), ridge = 1e-16, 1e-12, ... 1e4 [Drumwright 2015, sec. VII-A]. The end of
/// a path counts if its residual on the problem itself is within the tolerance. There is no
/// lexicographic rule and no scaling: solve_lemke() is the method to use.
PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings = {});

}  // namespace amontons
