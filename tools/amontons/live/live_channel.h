#pragma once

#include "amontons/io/replay/live_replay.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace amontons::live {

/// Passes the newest frame and status of a simulation to any number of readers. Who is slow misses
/// frames; the writer waits for nobody.
class LiveChannel {
 public:
  void publish(io::LiveFrame frame);
  /// Sets what changes rarely, for all readers, also those to come. @param status  JSON in one
  /// line.
  void set_status(std::string status);
  /// Announces that no further frame comes. @param reason  in words.
  void end(const std::string& reason);

  /// Counts what a reader has seen: the numbers of the newest frame and status, from 1.
  struct Seen {
    std::uint64_t frame = 0, status = 0;
  };
  struct News {
    Seen number;
    std::shared_ptr<const std::string> frame;  ///< encoded; null: none that the reader has not seen
    std::string status;                        ///< empty: none that the reader has not seen
    bool ended = false;
    std::string reason;
  };
  /// Waits until there is something beyond `seen` or the end, but not longer than `patience`.
  News wait(const Seen& seen, std::chrono::milliseconds patience);

 private:
  std::shared_ptr<const std::string> encoded(std::uint64_t number,
                                             const std::shared_ptr<const io::LiveFrame>& frame);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const io::LiveFrame> newest_;
  Seen number_;
  std::string status_;
  bool ended_ = false;
  std::string reason_;

  std::mutex encoding_;  // apart, so that the writer does not wait for it
  std::shared_ptr<const std::string> text_;
  std::uint64_t text_number_ = 0;
};

}  // namespace amontons::live
