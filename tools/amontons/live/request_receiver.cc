#include "tools/amontons/live/request_receiver.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace amontons::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeToArrive = 1000ms;        // for a whole request
constexpr int kPatience = 100;                // of a poll [ms], after which deadlines are looked at
constexpr std::size_t kMaxConnections = 256;  // whose requests arrive at a time
constexpr std::size_t kMaxHead = 16384;       // of a request [bytes]
constexpr std::string_view kEndOfHead = "\r\n\r\n";

/// Returns the length of the body that a head announces [bytes]; 0 if it announces none.
std::size_t announced_body(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kName = "\r\ncontent-length:";
  std::size_t begin = head.find(kName);
  if (begin == std::string::npos) return 0;
  begin = head.find_first_not_of(' ', begin + kName.size());
  if (begin == std::string::npos) return 0;
  std::size_t length = 0;
  std::from_chars(head.data() + begin, head.data() + head.size(), length);
  return length;
}

/// Returns true if a head has arrived with its body, of which kMaxBody bytes and one suffice.
bool is_whole(const std::string& text) {
  const std::size_t end = text.find(kEndOfHead);
  if (end == std::string::npos) return false;
  const std::size_t body = announced_body(text.substr(0, end));
  return text.size() - end - kEndOfHead.size() >= std::min(body, RequestReceiver::kMaxBody + 1);
}

}  // namespace

void turn_away(int socket) {
  constexpr std::string_view kAnswer =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  // A client that does not take it gets no answer.
  [[maybe_unused]] const ssize_t sent =
      ::send(socket, kAnswer.data(), kAnswer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::close(socket);
}

RequestReceiver::RequestReceiver(int listening, std::function<void(ReceivedRequest)> hand_on)
    : listening_(listening), hand_on_(std::move(hand_on)), thread_([this] { run(); }) {}

RequestReceiver::~RequestReceiver() {
  stopping_ = true;
  thread_.join();
  for (const Connection& connection : connections_) ::close(connection.request.socket);
}

void RequestReceiver::run() {
  // Bound: each turn lasts at most kPatience, and the destructor ends them.
  while (!stopping_) {
    std::vector<pollfd> polled{{listening_, POLLIN, 0}};
    for (const Connection& connection : connections_) {
      polled.push_back({connection.request.socket, POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), kPatience);

    // Connections whose request has arrived, or will not, leave the list.
    std::vector<Connection> waiting;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      Connection& connection = connections_[i];
      if (polled[i + 1].revents != 0 && !receive(connection)) continue;
      if (Clock::now() < connection.deadline) {
        waiting.push_back(std::move(connection));
      } else {
        ::close(connection.request.socket);
      }
    }
    connections_ = std::move(waiting);
    accept_connections();
  }
}

void RequestReceiver::accept_connections() {
  // Bound: one turn takes no more than may be waiting, so that what it takes has a chance to
  // arrive. Beyond, those that have waited longest for their request are turned away.
  std::size_t num_oldest = 0;
  for (std::size_t i = 0; i < kMaxConnections; ++i) {
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) break;
    connections_.push_back({{socket, ""}, Clock::now() + kTimeToArrive});
    if (connections_.size() - num_oldest > kMaxConnections) {
      turn_away(connections_[num_oldest++].request.socket);
    }
  }
  connections_.erase(connections_.begin(),
                     connections_.begin() + static_cast<std::ptrdiff_t>(num_oldest));
}

bool RequestReceiver::receive(Connection& connection) {
  ReceivedRequest& request = connection.request;
  std::array<char, 4096> bytes;
  const ssize_t count = ::recv(request.socket, bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count > 0) request.text.append(bytes.data(), static_cast<std::size_t>(count));
  if (count > 0 && is_whole(request.text)) {
    hand_on_(std::move(request));
    return false;
  }
  // The client has gone, or sends more than any browser does.
  if (count <= 0 || request.text.size() > kMaxHead + kMaxBody) {
    ::close(request.socket);
    return false;
  }
  return true;
}

}  // namespace amontons::live
