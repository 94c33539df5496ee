#pragma once

#include "amontons/simulation/events/event_evaluation.h"

#include <algorithm>

namespace amontons {

/// Chooses the lengths of the attempts of a motion that ends at its first event.
///
/// The event of an attempt ends the next one, until an attempt has none. Where rows of J move
/// bodies, velocities depend on the length, and the event moves with it: such attempts may come
/// nearer by a few percent each. From a number of events on, the length is bisected between the
/// longest attempt without an event and the last event.
class EventLength {
 public:
  /// Bounds the number of attempts of a motion.
  static constexpr int kMaxAttempts = 40;

  /// Returns the length of the next attempt [s], or `h` where that attempt is accepted.
  /// @param h        length of an attempt [s].
  /// @param event    its first event [s]; `h` or more where it has none.
  /// @param longest  length that may follow an attempt without an event; `h`: none.
  double next(double h, double event, double longest) {
    if (event < kSameInstantShare * h) {
      first_event_ = event;
      return ++num_events_ > kPlainAttempts && clear_ < event ? 0.5 * (clear_ + event) : event;
    }
    clear_ = std::max(clear_, h);
    if (longest != h) return longest;
    const bool is_near = first_event_ - h <= kNear * h;
    return num_events_ <= kPlainAttempts || is_near ? h : 0.5 * (h + first_event_);
  }

 private:
  static constexpr int kPlainAttempts = 8;  // that end at the event of the one before
  static constexpr double kNear = 1e-7;     // share of the length within which an event is found

  int num_events_ = 0;
  double clear_ = 0.0, first_event_ = 0.0;
};

}  // namespace amontons
