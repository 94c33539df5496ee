#include "tools/amontons/live/live_requests.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace amontons::live {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto kPullLasts = 1000ms;
constexpr int kMaxSteps = 1000;
constexpr double kMaxSpeed = 1000.0;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

/// Returns a number that is not beyond what a scene can hold.
double finite_number(const json& value) {
  require(value.is_number(), "a number is missing");
  const double number = value.get<double>();
  require(std::isfinite(number) && std::abs(number) < 1e12, "a number is too large");
  return number;
}

Eigen::Vector3d vector_of(const json& value) {
  require(value.is_array() && value.size() == 3, "a point has three numbers");
  return {finite_number(value[0]), finite_number(value[1]), finite_number(value[2])};
}

std::size_t index_of(const json& value, std::size_t count) {
  require(value.is_number_unsigned() && value.get<std::uint64_t>() < count,
          "a body or joint is missing");
  return value.get<std::size_t>();
}

LivePull pull_of(const json& value, const std::vector<bool>& can_move) {
  LivePull pull;
  const std::size_t body = index_of(value.at("body"), can_move.size());
  require(can_move[body], "a fixed body cannot be pulled");
  pull.body = static_cast<int>(body);
  pull.at_B = vector_of(value.at("at"));
  pull.target_W = vector_of(value.at("target"));
  pull.rate = finite_number(value.at("rate"));
  require(pull.rate > 0.0, "the rate of a pull must be positive");
  return pull;
}

}  // namespace

LiveRequests::LiveRequests(const System& system, const LiveJoints& joints, const Start& start)
    : joints_(joints.list()), may_place_(start.may_place) {
  for (const Body& body : system.bodies()) can_move_.push_back(body.articulation >= 0);
  asked_.speed = start.speed;
  asked_.is_paused = start.is_paused;
}

std::string LiveRequests::add(const std::string& text) {
  const std::lock_guard lock(mutex_);
  Asked asked = asked_;
  try {
    const json request = json::parse(text);
    require(request.is_object() && !request.empty(), "a request is an object");
    for (const auto& [key, value] : request.items()) {
      if (key == "pause") {
        asked.is_paused = value.get<bool>();
        asked.steps = 0;
      } else if (key == "steps") {
        const auto steps = static_cast<int>(index_of(value, kMaxSteps + 1));
        asked.steps = std::min(asked.steps + steps, kMaxSteps);
      } else if (key == "speed") {
        asked.speed = finite_number(value);
        require(asked.speed >= 0.0 && asked.speed <= kMaxSpeed, "the speed is out of range");
      } else if (key == "restart") {
        asked.restarts = asked.restarts || value.get<bool>();
      } else if (key == "pull") {
        asked.pull.reset();
        if (!value.is_null()) asked.pull = pull_of(value, can_move_);
        pulled_ = Clock::now();
      } else if (key == "target") {
        const std::size_t joint = index_of(value.at("joint"), joints_.size());
        require(joints_[joint].servo >= 0, "the joint has no servo");
        asked.targets[joint] = finite_number(value.at("value"));
      } else if (key == "position") {
        const std::size_t joint = index_of(value.at("joint"), joints_.size());
        require(may_place_ && asked.is_paused && joints_[joint].can_be_placed(),
                "the joint cannot be placed");
        const double position = finite_number(value.at("value"));
        require(position >= joints_[joint].low && position <= joints_[joint].high,
                "the position is out of range");
        asked.positions[joint] = position;
      } else {
        require(false, "an unknown key");
      }
    }
  } catch (const json::exception&) {
    return "no valid request";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  asked_ = std::move(asked);
  is_new_ = true;
  changed_.notify_all();
  return "";
}

LiveRequests::Asked LiveRequests::take() {
  const std::lock_guard lock(mutex_);
  if (asked_.pull && Clock::now() - pulled_ > kPullLasts) asked_.pull.reset();
  Asked asked = asked_;
  asked_.restarts = false;
  asked_.targets.clear();
  asked_.positions.clear();
  is_new_ = false;
  return asked;
}

void LiveRequests::stop() {
  const std::lock_guard lock(mutex_);
  asked_.stops = true;
  is_new_ = true;
  changed_.notify_all();
}

void LiveRequests::count_step() {
  const std::lock_guard lock(mutex_);
  if (asked_.steps > 0) --asked_.steps;
}

void LiveRequests::release() {
  const std::lock_guard lock(mutex_);
  asked_.is_paused = false;
  asked_.steps = 0;
  asked_.pull.reset();
}

void LiveRequests::wait_until(Clock::time_point end) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, end, [this] { return is_new_; });
}

}  // namespace amontons::live
