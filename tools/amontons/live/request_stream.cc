#include "tools/amontons/live/request_stream.h"

#include <algorithm>
#include <array>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace amontons::live {
namespace {

constexpr int kTimeToTake = 2000;  // for a client that takes nothing [ms]
constexpr int kMaxLeftOver = 64;   // reads of what nobody has asked for

}  // namespace

RequestStream::~RequestStream() {
  ::shutdown(request_.socket, SHUT_WR);
  // Bytes that are left unread would make the client lose the answer.
  std::array<char, 4096> bytes;
  for (int i = 0; i < kMaxLeftOver; ++i) {
    if (::recv(request_.socket, bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) break;
  }
  ::close(request_.socket);
}

bool RequestStream::is_writable() const {
  pollfd polled{request_.socket, POLLOUT, 0};
  return ::poll(&polled, 1, kTimeToTake) == 1 && (polled.revents & POLLOUT) != 0;
}

ssize_t RequestStream::read(char* bytes, std::size_t size) {
  const std::size_t count = std::min(size, request_.text.size() - position_);
  std::copy_n(request_.text.data() + position_, count, bytes);
  position_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t RequestStream::write(const char* bytes, std::size_t size) {
  if (!is_writable()) return -1;
  return ::send(request_.socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void RequestStream::name(std::string& ip, int& port) {
  ip = "127.0.0.1";
  port = 0;
}

}  // namespace amontons::live
