#pragma once

#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {

struct SolveOptions {
  std::string file;
  std::string model = "coulomb";
  double tolerance = 1e-8;
  std::optional<int> directions;  ///< of the friction polygon
};

/// What one model or solver made of a problem file.
struct SolveReport {
  std::string kind;   ///< "contact problem", "linear complementarity problem", "box QP"
  std::string model;  ///< contact model, or the method of an optimization problem
  std::string law;    ///< that the answer claims; empty for optimization problems
  SolveStatus status = SolveStatus::NotRun;
  bool claimed = false;   ///< every figure of the certificate is within the tolerance
  double residual = 0.0;  ///< worst figure of the laws, or measure_residual()
  double coulomb = -1.0;  ///< distance to the exact Coulomb law; negative where it has no meaning
  int iterations = 0;
  double time_s = 0.0;         ///< wall time without reading the file
  int rows_per_contact = 0;    ///< of impulses and velocities; 0 for optimization problems
  Eigen::VectorXd impulses;    ///< [N s] in the file's own row order; z or x of an LCP or QP
  Eigen::VectorXd velocities;  ///< [m/s] likewise; w of an LCP, gradient of a QP
  std::vector<SolveAttempt> attempts;
};

/// Whether the file holds a contact problem, which any contact model can solve.
bool is_contact_problem(const std::string& file);

/// Reads and solves. @throws io::ParseError, std::invalid_argument for an unknown model.
SolveReport solve_file(const SolveOptions& options);

}  // namespace amontons::cli
