#include "amontons/io/run/recorded_contacts.h"

#include <cmath>

namespace amontons::io {
namespace {

// Contacts above which a step belongs to a heap: its tables outweigh all else in the run.
constexpr int kManyContacts = 100;

// Frames for which contacts of heaps are recorded [1/s].
constexpr double kFrameRate = 60.0;

// Summed steps round, so that a time may fall short of its frame by this share of an interval.
constexpr double kTimeRounding = 1e-6;

/// Returns the number of frames that end by a time [s].
double frames_until(double time) { return std::floor(kFrameRate * time + kTimeRounding); }

}  // namespace

bool records_contacts(const OutputSettings& output, const std::string& method, const RunRow& row) {
  if (output.contacts != RecordedContacts::Automatic) {
    return output.contacts == RecordedContacts::All;
  }
  // Steps between events are repeated from the contacts that they sustain. Rows of output.every
  // are as few as the scene asks for.
  if (method != "time-stepping" || output.every > 0.0) return true;
  if (row.num_contacts <= kManyContacts || !row.certificate.holds) return true;
  if (row.status != SolveStatus::Converged && row.status != SolveStatus::Acceptable) return true;
  return frames_until(row.time_start) < frames_until(row.time);
}

}  // namespace amontons::io
