#pragma once

#include "tools/amontons/live/request_receiver.h"

#include <httplib.h>

namespace amontons::live {

/// Gives httplib a request that has arrived, and sends the answer. It closes the connection.
class RequestStream : public httplib::Stream {
 public:
  explicit RequestStream(ReceivedRequest request) : request_(std::move(request)) {}
  ~RequestStream() override;
  RequestStream(const RequestStream&) = delete;
  RequestStream& operator=(const RequestStream&) = delete;

  bool is_readable() const override { return position_ < request_.text.size(); }
  bool is_writable() const override;
  /// Returns 0 at the end of the request.
  ssize_t read(char* bytes, std::size_t size) override;
  /// Returns -1 if the client has gone, or takes nothing for two seconds.
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override { name(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { name(ip, port); }
  socket_t socket() const override { return request_.socket; }

 private:
  /// Every client is on this machine.
  static void name(std::string& ip, int& port);

  ReceivedRequest request_;
  std::size_t position_ = 0;
};

}  // namespace amontons::live
