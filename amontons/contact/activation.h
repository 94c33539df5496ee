#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Whether a law looks at a contact. Its activation gap is one of contacts, not of joints' rows.
inline bool is_active(const ContactLaw& law, const Contact& contact) {
  return contact.is_joint_row || contact.gap <= law.activation_gap;
}

/// Whether the law `NoSlip` may hold a contact's tangents: it touches, and has any friction.
inline bool may_stick(const Contact& contact) {
  return !contact.is_joint_row && contact.friction > 0.0 && contact.gap <= kTouchingGap;
}

}  // namespace amontons
