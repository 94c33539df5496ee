#pragma once

namespace amontons {

/// Says why a solver stopped. Only Converged means that the requested accuracy was reached for the
/// problem that was asked. Every other value says what the solution satisfies instead. Runs store
/// the codes of the enumerators, so that new ones come last.
enum class SolveStatus {
  NotRun,            ///< nothing has been solved yet
  Converged,         ///< every residual is within its tolerance
  IterationLimit,    ///< stopped by its budget: inexact, read the residual first
  Stalled,           ///< no further progress; more iterations will not help
  Infeasible,        ///< proved that the problem has no solution
  RayTermination,    ///< a complementary pivoting method met a ray; this alone proves nothing
  Convexified,       ///< the convex relaxation was solved in place of the law that was asked
  Safe,              ///< a fallback that keeps nonpenetration and energy, but not friction's law
  NumericalFailure,  ///< a factorization failed or a value was not finite: do not use
  /// The law that was asked, within ContactLaw::within in place of the tolerance. All inequalities
  /// hold: nothing overlaps, pulls, leaves its cone or adds energy.
  Acceptable,
};
/// The last status; readers of files reject larger codes.
inline constexpr SolveStatus kLastSolveStatus = SolveStatus::Acceptable;

/// Returns true for the statuses of the law that was asked: Converged and Acceptable.
bool answers_law_asked(SolveStatus status);

/// Returns the enumerator's name, e.g. "Converged". The string is a literal and lives forever.
/// @throws std::invalid_argument if the value is none of the enumerators.
const char* to_string(SolveStatus status);

}  // namespace amontons
