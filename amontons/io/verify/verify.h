#pragma once

#include "amontons/io/common/integration_tally.h"
#include "amontons/simulation/system/law_tally.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the worst value of one quantity that verification checks on every row.
struct VerificationCheck {
  std::string name;            ///< as in the certificate
  std::string meaning;         ///< the values that are compared, or the residual
  double worst = 0.0;          ///< NaN counts as infinite
  double tolerance = 0.0;      ///< dimensionless unless the meaning says otherwise
  std::int64_t step = 0;       ///< where it is worst; 0: the initial state
  double time = 0.0;           ///< [s]
  std::string where;           ///< bodies and contact, or joint; empty for the whole step
  std::size_t num_failed = 0;  ///< rows beyond the tolerance

  bool passed() const { return num_failed == 0; }  ///< true if no row failed it
};

/// Reports the verification of a run.
struct VerifyReport {
  std::string path;              ///< path of the run
  std::size_t num_rows = 0;      ///< initial state included
  std::size_t num_contacts = 0;  ///< recorded in all rows
  /// Rows without the contacts of their step: of these, motion and number of contacts are judged.
  std::size_t num_without_contacts = 0;
  std::size_t num_commanded = 0;   ///< rows whose step a program commanded, besides the scene
  std::size_t num_set_starts = 0;  ///< rows whose step began in a state that a program set
  double time = 0.0;               ///< time of the last row [s]
  bool unfinished = false;         ///< the writer was killed, or is still writing
  LawTally tally;                  ///< answers of the recorded steps to the law asked
  IntegrationTally integration;    ///< what the length of the steps changed of the energy
  AcceptedAnswers accept = AcceptedAnswers::Exact;  ///< answers that the recorded scene accepts
  std::vector<VerificationCheck> checks;            ///< one per check of the certificate

  bool passed() const;  ///< true if every row passed every check
};

/// Checks a run against its own inputs, without trust in its recorded certificates.
///
/// Scene and system are rebuilt from the recorded text, files and overrides. Commands of a program,
/// and states that it set, are taken as recorded, and counted. For each row:
/// - The configuration of its step is rebuilt from q_start, v_start and v_eval.
/// - Contacts are detected again and compared one by one (position, normal, gap, friction,
///   restitution).
/// - v_free, contact velocities, body poses, energies and q = q_start (+) h v are compared.
/// - M (v - v_free) = J'p and the claimed law are evaluated on the recorded impulses and velocities
///   (contact/certificate/certificate.h, docs/theory/certificate.md), where the row has them.
///
/// @param progress  called after each row with the fraction done; may be empty.
/// @throws ParseError if the file is no run, or holds no contacts (output.contacts: none).
VerifyReport verify_run(const std::string& path, const std::function<void(double)>& progress = {});

}  // namespace amontons::io
