#pragma once

#include "amontons/models/formulation/drag_system.h"
#include "amontons/models/formulation/regularized_drag.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Finds a solution of a DragSystem by letting contacts go one after the other.
///
/// First contacts that bear a load with their whole drag join, until none joins. Those that their
/// drag holds open are wrong. Each is let down to its place on a path of solutions along which the
/// contacts that have been let go before obey the law (drag_path_trace.h). All others keep their
/// whole drag, so that a path has few turns and reaches few bodies.
class DragRelease {
 public:
  /// The operator of the problem must outlive the object.
  explicit DragRelease(const DragProblem& problem) : regularized_(problem) {}

  /// Finds a solution at a small eps. Contacts that the system gives their whole drag keep it
  /// unless they open.
  /// @param dead_band  minus z_0 of open contacts [-].
  /// @returns false where a path does not arrive, or the effort is spent.
  bool find(DragSystem& system, double dead_band);
  int num_steps() const { return regularized_.num_steps(); }  ///< factorizations to join

 private:
  bool join(const DragSystem& system);
  void hold(DragSystem& system, double dead_band);
  Eigen::Index next_contact(const DragSystem& system) const;
  bool let_go(DragSystem& system, Eigen::Index contact);
  bool free_loaded(DragSystem& system);

  RegularizedDrag regularized_;
  std::vector<char> given_;   // contacts that have their whole drag whatever their load [n]
  std::vector<char> failed_;  // contacts whose path did not arrive [n]
  Eigen::VectorXd shares_;    // of contacts that have joined, 1 [n]
};

}  // namespace amontons
