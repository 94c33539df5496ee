#include "tools/amontons/live/live_channel.h"

#include <utility>

namespace amontons::live {

void LiveChannel::publish(io::LiveFrame frame) {
  auto shared = std::make_shared<const io::LiveFrame>(std::move(frame));
  {
    const std::lock_guard lock(mutex_);
    newest_.swap(shared);
    ++number_.frame;
  }
  changed_.notify_all();
}

void LiveChannel::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    status_.swap(status);
    ++number_.status;
  }
  changed_.notify_all();
}

void LiveChannel::end(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    reason_ = reason;
  }
  changed_.notify_all();
}

LiveChannel::News LiveChannel::wait(const Seen& seen, std::chrono::milliseconds patience) {
  News news;
  std::shared_ptr<const io::LiveFrame> frame;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] {
      return number_.frame > seen.frame || number_.status > seen.status || ended_;
    });
    news.number = number_;
    news.ended = ended_;
    news.reason = reason_;
    if (number_.frame > seen.frame) frame = newest_;
    if (number_.status > seen.status) news.status = status_;
  }
  if (frame) news.frame = encoded(news.number.frame, frame);
  return news;
}

std::shared_ptr<const std::string> LiveChannel::encoded(
    std::uint64_t number, const std::shared_ptr<const io::LiveFrame>& frame) {
  const std::lock_guard lock(encoding_);
  if (text_number_ == number) return text_;
  auto text = std::make_shared<const std::string>(io::encode_live_frame(*frame));
  // A reader that was overtaken must not put an old frame in a newer one's place.
  if (number > text_number_) {
    text_ = text;
    text_number_ = number;
  }
  return text;
}

}  // namespace amontons::live
