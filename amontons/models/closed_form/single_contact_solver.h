#pragma once

#include "amontons/contact/certificate/single_contact.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns p of a single contact under Coulomb's law, u = W p + q (single_coulomb_contact.h) [N s].
/// It is computed in the units of cone_assembly.h, in which light and heavy bodies look alike.
/// @param W  Delassus block [1/kg], of a positive trace; symmetric up to the digits that files
/// drop.
/// @param q  free velocity with s in its normal component [m/s].
Eigen::Vector3d coulomb_impulse(const Eigen::Matrix3d& W, const Eigen::Vector3d& q,
                                double friction);

/// Solves islands of one contact under Coulomb's law in closed form (single_coulomb_contact.h).
/// Each solution is certified and written right into that of the whole problem. An island that is
/// not certified is left to the model.
class SingleContactSolver {
 public:
  /// Solves all islands of one contact.
  /// @param warm_start  impulses of the whole problem, or empty. A contact that has one is left to
  /// the model, which continues from it.
  /// @param law  claimed law, Coulomb's.
  /// @param whole  solution, sized; its certificate is that of the islands solved before.
  /// @param num_solved  number of islands solved before; the new ones are added.
  /// @returns for each contact [nc] whether it is solved; valid until the next call.
  const std::vector<char>& solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                                 const ContactLaw& law, double tolerance, CertifiedSolution& whole,
                                 std::size_t& num_solved);

 private:
  SingleContactFinder finder_;
  std::vector<char> solved_;
};

}  // namespace amontons
