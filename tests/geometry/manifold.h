#pragma once

#include "amontons/geometry/contact_manifold.h"

#include <vector>

namespace amontons::test {

using Contacts = std::vector<ContactPoint>;

/// Returns the result of find_contact_manifold() as a value.
inline Contacts manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                         const ContactHorizon& horizon) {
  Contacts contacts;
  find_contact_manifold(A, X_WA, B, X_WB, horizon, contacts);
  return contacts;
}
inline Contacts manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                         double horizon) {
  return manifold(A, X_WA, B, X_WB, ContactHorizon{horizon});
}

}  // namespace amontons::test
