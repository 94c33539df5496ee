#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/decorators/prescribed_impulse_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Impulses of a tangential impact: contacts touch and slide, nothing approaches, and Coulomb's law
/// between forces and accelerations has no answer or several (Painleve). Between impulses and
/// velocities there is one that stops the slip [Stewart, Trinkle 1996; Genot, Brogliato 1999]. With
/// nothing that approaches no impulse at all obeys the law as well; the one sought is the limit of
/// the answers for contacts that approach ever slower.
///
/// `coulomb` solves the impact with an approach of a thousandth of the slip; the modes that this
/// has and the velocities without it give the impulses.
///
/// @param impact    what touches, h = 0.
/// @param contacts  [sorted] concerned.
/// @param slip_speed  below which a contact counts as without slip [m/s].
/// @returns impulses of those contacts, sorted by key; none where the law has none.
std::vector<PrescribedImpulseModel::Entry> tangential_impulses(
    const ContactProblem& impact, const Eigen::VectorXd& v, const std::vector<ContactKey>& contacts,
    double slip_speed);

}  // namespace amontons
