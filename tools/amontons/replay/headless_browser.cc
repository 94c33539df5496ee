#include "tools/amontons/replay/headless_browser.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace amontons::cli {
namespace {

using nlohmann::json;

constexpr int kAnswerTime = 120'000;  // [ms]; software drawing on a busy machine is slow
constexpr auto kLoadTime = std::chrono::seconds(120);

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// RFC 4648; ends at the padding.
std::string decode_base64(const std::string& text) {
  std::string bytes;
  unsigned bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) break;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes.push_back(static_cast<char>((bits >> num_bits) & 0xffu));
  }
  return bytes;
}

std::vector<std::string> arguments_for(const std::string& profile, int width, int height) {
  std::vector<std::string> arguments = {
      "--headless=new",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--remote-debugging-pipe",
      "--no-first-run",
      "--disable-background-networking",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      "--user-data-dir=" + profile,
      "--window-size=" + std::to_string(width) + "," + std::to_string(height),
      "about:blank"};
  // Chromium's sandbox refuses to work for root; the page is our own.
  if (::geteuid() == 0) arguments.insert(arguments.begin(), "--no-sandbox");
  return arguments;
}

}  // namespace

HeadlessBrowser::HeadlessBrowser(const std::string& profile, int width, int height) {
  const std::string program = find_program({"chromium", "chromium-browser", "google-chrome"});
  if (program.empty()) {
    throw BrowserError(
        "pictures are drawn by Chromium, which is not in PATH: install the package chromium");
  }
  std::signal(SIGPIPE, SIG_IGN);  // a browser that has gone is an error of ours to report
  Pipe requests, solutions;
  try {
    // The browser reads descriptor 3 and writes descriptor 4.
    process_ = std::make_unique<ChildProcess>(
        program, arguments_for(profile, width, height),
        std::vector<ChildProcess::Connection>{{requests.read_end.number(), 3},
                                              {solutions.write_end.number(), 4}});
  } catch (const std::system_error& error) {
    throw BrowserError(std::string("Chromium does not start: ") + error.what());
  }
  to_browser_ = std::move(requests.write_end);
  from_browser_ = std::move(solutions.read_end);
  requests.read_end.close();
  solutions.write_end.close();

  const json targets = call("Target.getTargets").at("targetInfos");
  for (const json& target : targets) {
    if (target.at("type") != "page") continue;
    session_ =
        call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
            .at("sessionId");
    break;
  }
  if (session_.empty()) throw BrowserError("Chromium has opened no page");
  call("Page.enable");
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

json HeadlessBrowser::read_message() {
  std::size_t end = 0;
  while ((end = buffer_.find('\0')) == std::string::npos) {
    pollfd waiting{from_browser_.number(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kAnswerTime);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw BrowserError("Chromium does not answer");
    std::array<char, 1 << 16> chunk;
    const ssize_t count = ::read(from_browser_.number(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw BrowserError("Chromium has ended");
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  json message = json::parse(buffer_.substr(0, end));
  buffer_.erase(0, end + 1);
  return message;
}

json HeadlessBrowser::call(const std::string& method, json parameters) {
  const long id = next_id_++;
  json request = {{"id", id}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) request["sessionId"] = session_;
  if (!write_all(to_browser_, request.dump() + '\0')) throw BrowserError("Chromium has ended");
  // Bound: the wait for a message has a limit.
  while (true) {
    const json message = read_message();
    if (message.value("id", -1L) != id) continue;  // an event
    if (message.contains("error")) {
      throw BrowserError("Chromium refuses " + method + ": " +
                         message.at("error").value("message", ""));
    }
    return message.at("result");
  }
}

json HeadlessBrowser::evaluate(const std::string& expression) {
  const json result =
      call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (result.contains("exceptionDetails")) {
    throw BrowserError("the page fails: " + result.at("exceptionDetails").dump());
  }
  return result.at("result").value("value", json());
}

void HeadlessBrowser::open(const std::string& url) {
  call("Page.navigate", {{"url", url}});
  const auto deadline = std::chrono::steady_clock::now() + kLoadTime;
  while (std::chrono::steady_clock::now() < deadline) {
    const json state = evaluate(
        "document.body ? [document.body.dataset.amontonsReady ?? '', "
        "document.body.dataset.amontonsError ?? ''] : ['', '']");
    if (state.at(1) != "") throw BrowserError("the page fails: " + state.at(1).get<std::string>());
    if (state.at(0) == "true") return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw BrowserError("the page is not ready after two minutes");
}

std::string HeadlessBrowser::screenshot() {
  const json shot = call("Page.captureScreenshot", {{"format", "png"}, {"optimizeForSpeed", true}});
  return decode_base64(shot.at("data").get<std::string>());
}

}  // namespace amontons::cli
