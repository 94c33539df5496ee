#include "tools/amontons/live/live_server.h"

#include "amontons/io/common/parse_error.h"
#include "tools/amontons/live/request_receiver.h"
#include "tools/amontons/live/request_stream.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <httplib.h>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace amontons::live {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHost = "127.0.0.1";
constexpr int kMaxViewers = 16;
constexpr int kNumThreads = kMaxViewers + 8;    // a stream keeps its thread
constexpr int kMaxRequests = kNumThreads + 40;  // served, or waiting for a thread
constexpr int kMaxBacklog = 512;                // connections that the system holds, to be told
constexpr auto kHeartbeat = 1000ms;             // so that a browser that has gone is noticed

std::string random_name() {
  std::random_device random;
  return fmt::format("frames-{:08x}{:08x}", random(), random());
}

// The library's own options would let a second program listen on the same port.
void set_socket_options(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

/// Answers requests that have arrived. The loop of httplib itself would give each connection a
/// thread before it has sent anything.
class AnsweringServer : public httplib::Server {
 public:
  ~AnsweringServer() override { ::close(svr_sock_); }

  /// Returns the socket, which does not wait for connections.
  int listen_without_waiting() {
    ::fcntl(svr_sock_, F_SETFL, ::fcntl(svr_sock_, F_GETFL) | O_NONBLOCK);
    ::listen(svr_sock_, kMaxBacklog);
    return svr_sock_;
  }

  void answer(ReceivedRequest request) {
    RequestStream stream(std::move(request));
    bool is_closed = false;
    process_request(stream, true, is_closed, nullptr);
  }
};

}  // namespace

class LiveServer::Impl {
 public:
  Impl(int port, const std::string& owner, LiveChannel& channel)
      : channel_(&channel), stream_(random_name()) {
    server_.set_socket_options(set_socket_options);
    server_.set_payload_max_length(RequestReceiver::kMaxBody);
    port_ = port == 0 ? server_.bind_to_any_port(kHost) : port;
    if (port == 0 ? port_ <= 0 : !server_.bind_to_port(kHost, port)) {
      throw io::ParseError(
          owner, 0, 0,
          fmt::format("port {} of {} is taken or not allowed; choose another with {}, or leave "
                      "it out for a free one",
                      port, kHost, owner == "view" ? "port=" : "--port"));
    }
  }

  ~Impl() {
    channel_->end("");
    const auto deadline = std::chrono::steady_clock::now() + 2s;
    while (num_viewers_ > 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(10ms);
    }
    stopping_ = true;
    receiver_.reset();
    if (threads_) threads_->shutdown();
  }

  void start(std::string page, LiveActions actions) {
    using httplib::Request, httplib::Response;
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Referrer-Policy", "no-referrer"}});
    server_.set_pre_routing_handler(
        [this](const Request& request, Response& response) { return refuse(request, response); });
    server_.Get("/", [page = std::move(page)](const Request&, Response& response) {
      response.set_content(page, "text/html; charset=utf-8");
    });
    server_.Get("/" + stream_,
                [this](const Request&, Response& response) { send_stream(response); });
    server_.Post(stop_path(), [stop = std::move(actions.stop)](const Request&, Response& response) {
      stop();
      response.status = 204;
    });
    server_.Post(ask_path(),
                 [ask = std::move(actions.ask)](const Request& request, Response& response) {
                   const std::string why = ask(request.body);
                   response.status = why.empty() ? 204 : 400;
                   if (!why.empty()) response.set_content(why + "\n", "text/plain");
                 });
    threads_ = std::make_unique<httplib::ThreadPool>(kNumThreads);
    receiver_ = std::make_unique<RequestReceiver>(
        server_.listen_without_waiting(),
        [this](ReceivedRequest request) { serve(std::move(request)); });
  }

  const std::string& stream() const { return stream_; }
  std::string address() const { return fmt::format("http://{}:{}/", kHost, port_); }
  int num_viewers() const { return num_viewers_; }

 private:
  /// Answers in a thread of its own. Where too many wait for one, the newest is turned away.
  void serve(ReceivedRequest request) {
    if (++num_requests_ > kMaxRequests) {
      --num_requests_;
      turn_away(request.socket);
      return;
    }
    threads_->enqueue([this, request = std::move(request)]() mutable {
      server_.answer(std::move(request));
      --num_requests_;
    });
  }

  httplib::Server::HandlerResponse refuse(const httplib::Request& request,
                                          httplib::Response& response) const {
    // A list of parts would make a copy of the page for each of them.
    if (!request.ranges.empty()) {
      response.status = 416;
      response.set_content("the whole page only\n", "text/plain");
      return httplib::Server::HandlerResponse::Handled;
    }
    const std::string host = request.get_header_value("Host");
    // Browsers name the site of the page that sends a POST.
    const bool is_asking =
        request.method == "POST" && (request.path == stop_path() || request.path == ask_path());
    const bool is_ours =
        is_our_name(host) && (!is_asking || request.get_header_value("Origin") == "http://" + host);
    // The length of a body in parts is not known beforehand.
    const bool has_length = !request.has_header("Transfer-Encoding");
    if (is_ours && has_length && (is_asking || request.method == "GET")) {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    response.status = is_ours ? 405 : 403;
    response.set_content(is_ours ? "only GET here; POST asks at addresses of its own\n"
                                 : "only for browsers on this machine\n",
                         "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  }

  std::string stop_path() const { return "/" + stream_ + "/stop"; }
  std::string ask_path() const { return "/" + stream_ + "/ask"; }
  bool is_our_name(const std::string& host) const {
    return host == fmt::format("{}:{}", kHost, port_) || host == fmt::format("localhost:{}", port_);
  }

  void send_stream(httplib::Response& response) {
    if (++num_viewers_ > kMaxViewers) {
      --num_viewers_;
      response.status = 503;
      response.set_content("too many browsers are connected\n", "text/plain");
      return;
    }
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen = LiveChannel::Seen()](std::size_t, httplib::DataSink& sink) mutable {
          return send_news(seen, sink);
        },
        [this](bool) { --num_viewers_; });
  }

  /// @returns false to hang up.
  bool send_news(LiveChannel::Seen& seen, httplib::DataSink& sink) {
    if (stopping_) return false;
    const LiveChannel::News news = channel_->wait(seen, kHeartbeat);
    std::string text;
    if (!news.status.empty()) text = "event: status\ndata: " + news.status + "\n\n";
    if (news.frame) text += "data: " + *news.frame + "\n\n";
    if (news.ended) text += "event: end\ndata: " + nlohmann::json(news.reason).dump() + "\n\n";
    if (text.empty()) text = ":\n\n";
    seen = news.number;
    if (!sink.write(text.data(), text.size())) return false;
    if (news.ended) sink.done();
    return true;
  }

  LiveChannel* channel_;
  std::string stream_;
  AnsweringServer server_;
  int port_ = 0;
  std::atomic<int> num_viewers_ = 0, num_requests_ = 0;
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<httplib::ThreadPool> threads_;
  std::unique_ptr<RequestReceiver> receiver_;
};

LiveServer::LiveServer(int port, const std::string& owner, LiveChannel& channel)
    : impl_(std::make_unique<Impl>(port, owner, channel)) {}
LiveServer::~LiveServer() = default;
const std::string& LiveServer::stream() const { return impl_->stream(); }
void LiveServer::start(std::string page, LiveActions actions) {
  impl_->start(std::move(page), std::move(actions));
}
std::string LiveServer::address() const { return impl_->address(); }
int LiveServer::num_viewers() const { return impl_->num_viewers(); }

}  // namespace amontons::live
