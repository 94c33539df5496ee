#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace amontons::live {

/// Holds a connection and what its client has sent.
struct ReceivedRequest {
  int socket = -1;
  std::string text;
};

/// Refuses a connection with the status 503, without waiting for its client, and closes it.
void turn_away(int socket);

/// Accepts connections and receives one request from each. One thread receives all of them, and a
/// request has a second to arrive whole: clients that are slow or silent delay nobody. Of too many
/// those that have waited longest are turned away.
class RequestReceiver {
 public:
  /// Bytes of a body at most; a longer one is handed on cut, to be refused.
  static constexpr std::size_t kMaxBody = 4096;

  /// Begins to accept.
  /// @param listening  a socket that listens and does not wait; the caller closes it afterwards.
  /// @param hand_on    takes over each connection whose request has arrived.
  RequestReceiver(int listening, std::function<void(ReceivedRequest)> hand_on);
  /// Ends, and closes what has not been handed on.
  ~RequestReceiver();
  RequestReceiver(const RequestReceiver&) = delete;
  RequestReceiver& operator=(const RequestReceiver&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    ReceivedRequest request;
    Clock::time_point deadline;
  };

  void run();
  void accept_connections();
  /// Takes what has arrived, and hands on or closes what has ended. Returns false if it has.
  bool receive(Connection& connection);

  int listening_;
  std::function<void(ReceivedRequest)> hand_on_;
  std::vector<Connection> connections_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace amontons::live
