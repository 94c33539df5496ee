#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/decorators/prescribed_impulse_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Computes the impulses of a tangential impact. Contacts touch and slide, nothing approaches, and
/// Coulomb's law between forces and accelerations has no solution or several (Painleve). Between
/// impulses and velocities one solution stops the slip
/// [Stewart, Trinkle 1996; Genot, Brogliato 1999]. Zero impulses satisfy that law as well, because
/// nothing approaches. The solution sought is the limit of those for contacts that approach ever
/// slower.
///
/// `coulomb` solves the impact with an approach of a thousandth of the slip. The modes of that
/// solution, with the velocities without the approach, give the impulses.
///
/// @param impact    problem of all touching contacts, h = 0.
/// @param contacts  contacts whose law is undetermined, sorted.
/// @param slip_speed  speed below which a contact counts as without slip [m/s].
/// @returns impulses of those contacts [N s], sorted by key; none where the law has none.
std::vector<PrescribedImpulseModel::Entry> tangential_impulses(
    const ContactProblem& impact, const Eigen::VectorXd& v, const std::vector<ContactKey>& contacts,
    double slip_speed);

}  // namespace amontons
