#pragma once

#include "amontons/io/replay/live_replay.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace amontons::cli {

/// Passes the newest frame of a simulation to any number of readers. Who is slow misses frames; the
/// writer waits for nobody.
class LiveChannel {
 public:
  void publish(io::LiveFrame frame);
  /// Announces that no further frame comes. @param reason  in words.
  void end(const std::string& reason);

  struct News {
    std::uint64_t number = 0;                  ///< number of the newest frame, from 1
    std::shared_ptr<const std::string> frame;  ///< encoded; null: none that the reader has not seen
    bool ended = false;
    std::string reason;
  };
  /// Waits until there is a frame beyond `seen` or the end, but not longer than `patience`.
  News wait(std::uint64_t seen, std::chrono::milliseconds patience);

 private:
  std::shared_ptr<const std::string> encoded(std::uint64_t number,
                                             const std::shared_ptr<const io::LiveFrame>& frame);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const io::LiveFrame> newest_;
  std::uint64_t number_ = 0;
  bool ended_ = false;
  std::string reason_;

  std::mutex encoding_;  // apart, so that the writer does not wait for it
  std::shared_ptr<const std::string> text_;
  std::uint64_t text_number_ = 0;
};

}  // namespace amontons::cli
