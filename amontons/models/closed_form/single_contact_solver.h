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
/// Each solution is certified and written right into that of the whole problem. What rests keeps
/// the impulse of the last step. Left to the model is an island that is not certified, that opens
/// an overlap fast, or that may have several solutions and continues from the last step.
class SingleContactSolver {
 public:
  /// Solves all islands of one contact.
  /// @param warm_start  impulses of the whole problem, or empty.
  /// @param law  claimed law, Coulomb's.
  /// @param limits_openings  true if openings of overlaps may be slowed down. Contacts that open
  /// one fast (kSmallOpening) are then left to the model.
  /// @param whole  solution, sized; its certificate is that of the islands solved before.
  /// @param num_solved  number of islands solved before; the new ones are added.
  /// @returns for each contact [nc] whether it is solved; valid until the next call.
  const std::vector<char>& solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                                 const ContactLaw& law, double tolerance, bool limits_openings,
                                 CertifiedSolution& whole, std::size_t& num_solved);

 private:
  /// Holds the answer to one island.
  struct Answer {
    enum class Kind { Rest, FreeMotion, Contact };
    Kind kind = Kind::Contact;
    SingleContact::Response response;
    Certificate certificate;
  };

  /// Solves one island; returns false where it is left to the model.
  static bool solve(const SingleContact& contact, const Eigen::Vector3d& warm_start,
                    const ContactLaw& law, double tolerance, Answer& answer);
  static void write(const SingleContact& contact, const Answer& answer, ContactSolution& solution);

  SingleContactFinder finder_;
  std::vector<char> solved_;
};

}  // namespace amontons
