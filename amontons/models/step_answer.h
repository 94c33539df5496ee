#pragma once

#include "amontons/contact/certificate.h"
#include "amontons/contact/problem_metric.h"
#include "amontons/models/contact_model.h"
#include "amontons/models/restitution.h"

#include <string>

namespace amontons {

/// Writes impulses, the velocity and joint impulses that belong to them, and modes into a solution.
void take_answer(const ContactProblem& problem, const ProblemMetric& metric,
                 const RestitutionAnswer& answer, ContactSolution& solution);

/// "contact law missed by 1.2e-07", or what else a certificate found.
std::string why_missed(const Certificate& certificate, double tolerance);

/// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
void check_settings(const ModelSettings& settings);

}  // namespace amontons
