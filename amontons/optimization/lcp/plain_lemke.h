#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Names the row that leaves where several are within the slack of the ratio test.
enum class PlainLemkeRule {
  LargestEntry,  ///< as the routine's comments describe it: drawn among the rows of largest entry
  /// As its published code does it: a row drawn among the first k of all within the slack, k the
  /// number of rows of largest entry, which makes it the first row almost always.
  FirstRow
};

/// Says when pivoting ends.
struct PlainLemkeSettings {
  /// Bounds max_i |min(z_i, w_i)| of an answer, in the units of the problem as all tolerances of
  /// the routine; by default its own slack.
  double tolerance = 1e-5;
  int max_pivots = 0;      ///< per path; 0 means the published min(1000, 25 n)
  bool regularize = true;  ///< true: M + ridge I where no path solves the problem itself
  PlainLemkeRule rule = PlainLemkeRule::LargestEntry;
  std::uint64_t seed = 1;  ///< of the draws; they are the same for the same seed
};

/// Holds the answer, and what it took.
struct PlainLemkeSolution {
  /// Converged, or how the last path ended: Stalled with an answer beyond the tolerance, else
  /// RayTermination or IterationLimit.
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd z;      ///< [n] answer of least error of all paths; zero if that is better
  double error = 0.0;     ///< max_i |min(z_i, w_i)| on the problem itself, in its units
  double residual = 0.0;  ///< measure_residual() of z on the problem itself [-]
  int pivots = 0;         ///< over all paths
  int paths = 0;          ///< number of paths followed
  double ridge = 0.0;     ///< ridge of the path that z comes from
};

/// Runs Lemke's method by the rules of the published routine `lemke` of Fackler and Miranda
/// [Miranda, Fackler 2002]: the baseline of experiments that used it [Drumwright, Shell 2010;
/// Drumwright 2015].
///
/// The basis starts from given complementary columns. An artificial variable z0 covers the rows
/// that are negative there. Each pivot solves for its column from the data. Entries above 1e-8
/// block. The ratio test has a slack of 1e-5: of all rows within it z0 leaves if it is one of them,
/// else one that the rule draws.
///
/// Paths start from two trivial bases, all w and then all z. If both fail, they follow on
/// M + ridge I (Tikhonov), ridge = 1e-16, 1e-12, ... 1e4 [Drumwright 2015, sec. VII-A]. The routine
/// calls an answer solved once z0 has left. Its slack leaves errors of 1e-5 in it: one within that
/// ends the search; else the best is returned with its error. There is no
/// lexicographic rule and no scaling: solve_lemke() is the method to use.
PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings = {});

}  // namespace amontons
