#include "amontons/contact/operators/contact_scales.h"

#include <algorithm>
#include <cmath>

namespace amontons {

Eigen::VectorXd contact_roots(const Eigen::Ref<const Eigen::MatrixXd>& delassus,
                              std::span<const int> contacts, const ContactScales& scales) {
  Eigen::VectorXd root(static_cast<Eigen::Index>(contacts.size()));
  for (Eigen::Index k = 0; k < root.size(); ++k) {
    // The joints may leave only rounding of a contact's inverse mass: a share of w without joints
    // bounds it.
    const double own = delassus.block<3, 3>(3 * k, 3 * k).trace() / 3.0;
    const double alone = scales.inverse_mass(contacts[static_cast<std::size_t>(k)]);
    root(k) = std::sqrt(std::max(own, kFixedByJoints * alone));
  }
  return root;
}

}  // namespace amontons
