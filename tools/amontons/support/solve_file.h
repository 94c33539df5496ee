#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/optimization/lcp/linear_complementarity.h"
#include "amontons/optimization/lcp/mixed_complementarity.h"
#include "amontons/optimization/qp/box_qp.h"
#include "amontons/simulation/system/law_tally.h"

#include <Eigen/Core>

#include <string>
#include <variant>
#include <vector>

namespace amontons::cli {

/// Holds a contact problem with M and J, and how many rows its file gives a contact.
struct GlobalProblem {
  ContactProblem problem;
  int rows_per_contact = 3;
};

using SolvableProblem =
    std::variant<io::FclibLocalProblem, GlobalProblem, LinearComplementarityProblem,
                 MixedComplementarityProblem, BoxQuadraticProgram>;

/// Holds the result of one model or solver on a problem file.
struct SolveReport {
  std::string kind;           ///< as "contact problem" or "box QP"
  std::string model;          ///< contact model, or the method of an optimization problem
  std::string law;            ///< law that the solution claims; empty for optimization problems
  std::string law_asked;      ///< law that the model is asked for; empty likewise
  double law_distance = 0.0;  ///< residual of that law at the solution [-]
  SolveStatus status = SolveStatus::NotRun;
  bool holds = false;     ///< every deciding residual of the certificate is within the tolerance
  double residual = 0.0;  ///< worst residual of the laws, or measure_residual()
  /// Asymmetry of the W of a file without bodies (FclibLocalProblem) [-]; negative: there is none.
  double asymmetry = -1.0;
  double coulomb = -1.0;  ///< distance to the exact Coulomb law; negative where it has no meaning
  std::string remark;     ///< what a reader should know of a refused answer; empty: nothing
  int iterations = 0;
  double time_s = 0.0;       ///< wall time without reading the file; short solves: the best of some
  int rows_per_contact = 0;  ///< rows of impulses and velocities; 0 for optimization problems
  Eigen::VectorXd impulses;  ///< [N s] in the file's own row order; z or x of an LCP or QP
  Eigen::VectorXd velocities;  ///< [m/s] likewise; w of an LCP, gradient of a QP
  std::vector<SolveAttempt> attempts;
  /// Holds the solution of a contact problem, rows (t1, t2, n). Without bodies it has law and
  /// impulses alone.
  ContactSolution solution;
};

/// Returns true if the solution is certified, with an answer that is accepted.
bool is_accepted(const SolveReport& report, AcceptedAnswers accept);

/// Reads a problem file. @throws io::ParseError.
SolvableProblem load_solvable(const std::string& file);

/// Returns true if a contact model can solve it.
bool is_contact_problem(const SolvableProblem& problem);

/// Returns the methods of an optimization problem by their names; none of a contact problem, whose
/// methods are models.
std::vector<std::string> method_names(const SolvableProblem& problem);

/// Solves a problem.
/// @param model  name of a contact model, or of a method of an optimization problem, where empty
/// stands for the usual one.
/// @param max_effort  limit of the effort of one solve [equivalent factorizations].
/// @throws std::invalid_argument for an unknown name, and for a method that does not take the
/// problem.
SolveReport solve(const SolvableProblem& problem, const std::string& model,
                  const ModelSettings& settings, double max_effort);

/// Certifies impulses that another program has found, by the law of a model. They are the dataset
/// `impulses`, or `solution/r` (FCLIB), in rows (n, t1, t2) of each contact, or (n, t1) where the
/// problem has two.
/// @param answer  HDF5 file.
/// @throws io::ParseError  where it has no such impulses; std::invalid_argument for a law whose
/// certificate needs more than impulses, and for a problem without contacts.
SolveReport certify_answer(const SolvableProblem& problem, const std::string& answer,
                           const std::string& model, const ModelSettings& settings);

}  // namespace amontons::cli
