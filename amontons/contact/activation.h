#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Returns true if a law applies to a contact: its gap is within the law's activation gap. Joints'
/// rows in the form of contacts are always active.
inline bool is_active(const ContactLaw& law, const Contact& contact) {
  return contact.is_joint_row || contact.gap <= law.activation_gap;
}

/// Returns true if the law `NoSlip` may hold a contact's tangents: it touches, and has any
/// friction.
inline bool may_stick(const Contact& contact) {
  return !contact.is_joint_row && contact.friction > 0.0 && contact.gap <= kTouchingGap;
}

}  // namespace amontons
