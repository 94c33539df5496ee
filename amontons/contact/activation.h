#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Whether a law looks at a contact. Its activation gap is one of contacts, not of joints' rows.
inline bool is_active(const ContactLaw& law, const Contact& contact) {
  return contact.is_joint_row || contact.gap <= law.activation_gap;
}

}  // namespace amontons
