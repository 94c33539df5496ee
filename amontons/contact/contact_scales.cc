#include "amontons/contact/contact_scales.h"

namespace amontons {

Eigen::VectorXd approach_speeds(const ContactProblem& problem) {
  const Eigen::VectorXd u = problem.contact_jacobian * problem.velocity + problem.contact_bias;
  Eigen::VectorXd approach(static_cast<Eigen::Index>(problem.num_contacts()));
  for (Eigen::Index i = 0; i < approach.size(); ++i) approach(i) = -u(3 * i + 2);
  return approach;
}

}  // namespace amontons
