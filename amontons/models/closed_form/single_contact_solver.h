#pragma once

#include "amontons/contact/certificate/single_contact.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// p of a single contact under Coulomb's law, u = W p + q (single_coulomb_contact.h), in the units
/// of cone_assembly.h, in which light and heavy bodies look alike.
/// @param W  [1/kg], of a positive trace; symmetric but for what files have lost.
/// @param q  free velocity with s in its normal component [m/s].
Eigen::Vector3d coulomb_impulse(const Eigen::Matrix3d& W, const Eigen::Vector3d& q,
                                double friction);

/// Answers islands of one contact under Coulomb's law in closed form (single_coulomb_contact.h),
/// each judged, right into the answer of the whole problem. One that is not certified is left to
/// the model.
class SingleContactSolver {
 public:
  /// @param warm_start  of the whole problem, or empty: a contact that has one keeps to the model,
  /// which continues from it.
  /// @param law  that is claimed, Coulomb's.
  /// @param whole  sized, the certificate that of the islands answered before.
  /// @param num_solved  islands answered before; is counted on.
  /// @returns for each contact [nc] whether it is answered; valid until the next call.
  const std::vector<char>& solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                                 const ContactLaw& law, double tolerance, CertifiedSolution& whole,
                                 std::size_t& num_solved);

 private:
  SingleContactFinder finder_;
  std::vector<char> solved_;
};

}  // namespace amontons
