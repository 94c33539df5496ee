#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

#include <span>

namespace amontons {

/// Says when the sweeps end.
struct GaussSeidelSettings {
  double tolerance = 1e-8;  ///< bound of the residual [-]
  int max_sweeps = 12;      ///< limit of sweeps, forward and backward ones
  int check_every = 4;      ///< sweeps between evaluations of the residual
};

/// Runs nonsmooth Gauss-Seidel [Jourdan, Alart, Jean 1998]: one contact after the other, each
/// solved exactly (SingleCoulombContact), in order and then in reverse. It is a good start
/// everywhere and a poor finish on redundant stacks.
ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate);

/// Prepares the workspace for sweeps over a problem.
void prepare_sweeps(const ConeProblem& problem, ConeWorkspace& work);

/// Sets the reaction that sweeps change [3 n].
void begin_sweeps(const ConeProblem& problem, ConeWorkspace& work, const Eigen::VectorXd& r);
/// Returns what sweeps keep of the present reaction, linear in it (DelassusOperator::sweep_state).
Eigen::VectorXd& sweep_state(const ConeProblem& problem, ConeWorkspace& work);

/// Sweeps once over these contacts, each by the problem's law: Coulomb's exactly
/// (SingleCoulombContact), the associated one by SingleAssociatedContact. Needs prepare_sweeps()
/// and begin_sweeps() with that r.
/// @param forward  in order, else in reverse.
void sweep(const ConeProblem& problem, ConeWorkspace& work, std::span<const int> contacts,
           bool forward, Eigen::VectorXd& r);

}  // namespace amontons
