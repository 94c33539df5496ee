#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace amontons::io {

/// One quantity that verification checks on every row, at its worst.
struct VerificationCheck {
  std::string name;            ///< as in the certificate
  std::string meaning;         ///< what is compared with what, or which residual
  double worst = 0.0;          ///< NaN counts as infinite
  double tolerance = 0.0;      ///< dimensionless unless the meaning says otherwise
  std::int64_t step = 0;       ///< where it is worst; 0: the initial state
  double time = 0.0;           ///< [s]
  std::string where;           ///< bodies and contact, or joint; empty where the step says all
  std::size_t num_failed = 0;  ///< rows beyond the tolerance

  bool passed() const { return num_failed == 0; }  ///< whether no step failed it
};

/// What came of judging a run again.
struct VerifyReport {
  std::string path;                ///< of the run
  std::size_t num_rows = 0;        ///< initial state included
  std::size_t num_contacts = 0;    ///< over all rows
  std::size_t num_commanded = 0;   ///< rows whose step a program commanded, besides the scene
  std::size_t num_set_starts = 0;  ///< rows whose step began in a state that a program set
  double time = 0.0;               ///< of the last row [s]
  bool unfinished = false;         ///< the writer was killed, or is still writing
  std::vector<VerificationCheck> checks;  ///< one per check of the certificate

  bool passed() const;  ///< whether every step passed every check
};

/// Checks a run against its own inputs, without trusting what it says of itself.
///
/// Scene and system are rebuilt from the recorded text, files and overrides. What a program
/// commanded, and states that it set, are taken as recorded, and counted. For each row the
/// configuration of its step is rebuilt from q_start, v_start and v_eval; contacts are found anew
/// and compared one by one (position, normal, gap, friction, restitution); v_free, contact
/// velocities, body poses, energies and q = q_start (+) h v are compared; M (v - v_free) = J'p and
/// the law that the step claims are judged by contact/certificate/certificate.h on the recorded
/// impulses and velocities.
///
/// @param progress  called now and then with the fraction done; may be empty.
/// @throws ParseError if the file is no run, or holds no contacts (output.contacts: false).
VerifyReport verify_run(const std::string& path, const std::function<void(double)>& progress = {});

}  // namespace amontons::io
