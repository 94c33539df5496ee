#pragma once

#include "tools/amontons/live/live_channel.h"

#include <functional>
#include <memory>
#include <string>

namespace amontons::live {

/// Holds what pages may cause; a thread of the server calls it.
struct LiveActions {
  std::function<void()> stop;  ///< stops the simulation
  /// Takes a request (LiveRequests). Returns why it is refused; empty: it is not.
  std::function<std::string(const std::string&)> ask;
};

/// Gives a page, and to the page a stream of frames (server-sent events), to browsers on this
/// machine.
///
/// It listens on 127.0.0.1 alone and answers only requests that name it so: a page of another site
/// cannot reach it under a name of its own (DNS rebinding). It takes nothing but GET, and POST to
/// "STREAM/stop" and "STREAM/ask", which ask something of the simulation. The page alone knows
/// these addresses; a request that another site has caused is refused by its origin.
///
/// A request has a second to arrive. Slow clients wait apart (RequestReceiver); where too many come
/// at once, those that have waited longest are turned away.
class LiveServer {
 public:
  /// Opens the port.
  /// @param port  0: a free one.
  /// @throws io::ParseError if the port is taken or not allowed. @param owner  named by the error.
  LiveServer(int port, const std::string& owner, LiveChannel& channel);
  /// Ends the channel, gives browsers two seconds to take what is left, and stops.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  /// Returns the place of the stream, for the page. Each server has its own, so that a page that
  /// outlives its server takes no frames from the next one.
  const std::string& stream() const;
  /// Begins to serve requests.
  void start(std::string page, LiveActions actions);
  std::string address() const;  ///< "http://127.0.0.1:PORT/"
  int num_viewers() const;      ///< browsers that take the stream now

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons::live
