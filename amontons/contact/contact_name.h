#pragma once

#include "amontons/contact/contact_problem.h"

#include <cstddef>
#include <string>

namespace amontons {

/// Names a contact of a problem in a message, "contact 0 (bodies 1, 2)".
inline std::string contact_name(const ContactProblem& problem, std::size_t contact) {
  const Contact& named = problem.contacts[contact];
  return "contact " + std::to_string(contact) + " (bodies " + std::to_string(named.body_a) + ", " +
         std::to_string(named.body_b) + ")";
}

}  // namespace amontons
