#pragma once

#include "amontons/contact/certificate.h"
#include "amontons/contact/islands.h"
#include "amontons/math/thread_pool.h"
#include "amontons/models/contact_model.h"

namespace amontons {

/// A whole problem's answer, and its certificate.
struct CertifiedSolution {
  ContactSolution solution;
  Certificate certificate;  ///< contact indices are those of the whole problem
};

/// Solves a problem island by island, each with its own answer and judged by itself; the answer has
/// the worst status, and the certificate the worst figure of all.
/// @param warm_start  impulses [3 nc], or empty.
/// @param pool  shares the islands, large ones first; the same bits for any number of threads.
CertifiedSolution solve_islands(const ContactProblem& problem, const ContactModel& model,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ThreadPool* pool = nullptr);

/// The certificate of a step without contacts, where every law holds.
Certificate vacuous_certificate();

/// Turns the indices of contacts and joint rows of an island's certificate into those of the whole
/// problem.
void name_in_whole(const ContactProblem& problem, const Island& island, Certificate& certificate);

}  // namespace amontons
