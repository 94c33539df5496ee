#include "tools/amontons/live/live_session.h"

#include "amontons/io/replay/live_replay.h"
#include "amontons/math/stop.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace amontons::live {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kPart = 50ms;  // of a wait, so that an interrupt is heard
constexpr auto kReturn = 2s;  // time for a browser to load its page again

}  // namespace

LiveSession::LiveSession(LiveSettings settings)
    : settings_(std::move(settings)),
      server_(std::make_unique<LiveServer>(settings_.port, settings_.owner, channel_)) {}

LiveSession::~LiveSession() = default;

void LiveSession::begin(const Simulator& sim, const std::string& file,
                        const io::ModelVisuals& visuals) {
  feed_ = std::make_unique<LiveFeed>(sim, file, visuals, channel_);
  const LiveRequests::Start start{.speed = settings_.speed,
                                  .is_paused = settings_.begins_paused,
                                  .may_place = static_cast<bool>(settings_.restart)};
  requests_ = std::make_unique<LiveRequests>(sim.system(), feed_->joints(), start);
  publish_status(requests_->take());
  const auto stop = [this] {
    if (settings_.stop) settings_.stop();
    requests_->stop();
  };
  server_->start(
      io::make_live_replay_html(feed_->start(), server_->stream()),
      {.stop = stop, .ask = [this](const std::string& text) { return requests_->add(text); }});
}

bool LiveSession::await_step(Simulator& sim) {
  LiveRequests::Asked asked;
  // Bound: a pause ends two seconds after the last browser has gone, a wait by the clock.
  while (true) {
    check_stop();
    asked = requests_->take();
    obey(sim, asked);
    if (asked.stops) return false;
    const bool is_watched = this->is_watched();
    const bool awaits_first = settings_.begins_paused && !was_watched_;
    if (!is_watched && !awaits_first && (asked.is_paused || asked.pull)) {
      requests_->release();
      continue;
    }
    if (asked.is_paused) {
      feed_->publish_last();
      pace_.restart();
      if (asked.steps > 0) {
        requests_->count_step();
        break;
      }
      requests_->wait_until(Clock::now() + kPart);
      continue;
    }
    if (asked.speed == 0.0 || !(is_watched || settings_.waits_alone)) break;
    const Clock::time_point now = Clock::now(), due = pace_.due(sim.time(), asked.speed);
    if (due <= now) break;
    requests_->wait_until(std::min<Clock::time_point>(due, now + kPart));
  }
  pull_.apply(sim, asked.pull);
  return true;
}

void LiveSession::obey(Simulator& sim, const LiveRequests::Asked& asked) {
  if (asked.restarts && settings_.restart) {
    pull_.apply(sim, {});
    for (const auto& [joint, target] : targets_before_) {
      sim.set_servo_target(feed_->joints().list()[joint].name, target);
    }
    targets_before_.clear();
    settings_.restart(sim);
    feed_->restart(sim);
    pace_.restart();
  }
  for (const auto& [joint, target] : asked.targets) {
    const LiveJoints::Joint& own = feed_->joints().list()[joint];
    const double before = sim.system().servos()[static_cast<std::size_t>(own.servo)].target;
    targets_before_.try_emplace(joint, before);
    sim.set_servo_target(own.name, target);
  }
  if (!asked.positions.empty()) {
    place_joints(sim, feed_->joints(), asked.positions);
    feed_->show(sim);
  }
  publish_status(asked);
}

bool LiveSession::is_watched() {
  const Clock::time_point now = Clock::now();
  if (server_->num_viewers() > 0) {
    was_watched_ = true;
    watched_ = now;
  }
  return was_watched_ && now - watched_ < kReturn;
}

void LiveSession::publish_status(const LiveRequests::Asked& asked) {
  if (has_status_ && asked.is_paused == shown_paused_ && asked.speed == shown_speed_) return;
  has_status_ = true;
  shown_paused_ = asked.is_paused;
  shown_speed_ = asked.speed;
  const nlohmann::json status = {{"paused", asked.is_paused},
                                 {"speed", asked.speed},
                                 {"restarts", static_cast<bool>(settings_.restart)},
                                 {"joints", feed_->joints().json()},
                                 {"joints_in_all", feed_->joints().num_all()}};
  // A name that is not UTF-8 is shown with marks.
  channel_.set_status(status.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void LiveSession::end(const std::string& reason) {
  if (feed_) feed_->publish_last();
  channel_.end(reason);
}

}  // namespace amontons::live
