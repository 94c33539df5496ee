#pragma once

namespace amontons::cli {

/// Names the exit codes. They are part of the interface: scripts rely on them.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,             ///< a comparison, certificate or expectation failed
  kUsage = 2,              ///< usage, or input that cannot be read
  kCertificateMissed = 3,  ///< completed, but a step missed its certificate or the law asked
  kImportRefused = 4,      ///< under --strict-import
  kOutputFailed = 5,       ///< output could not be written
  kInternalError = 70,
  kInterrupted = 130,  ///< by Ctrl-C or SIGTERM; log and checkpoint are intact
};

}  // namespace amontons::cli
