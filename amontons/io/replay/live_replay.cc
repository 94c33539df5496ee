#include "amontons/io/replay/live_replay.h"

#include "amontons/io/replay/replay_encode.h"
#include "amontons/io/replay/replay_page.h"
#include "amontons/io/replay/replay_sections.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>

namespace amontons::io {
namespace {

/// Gathers numbers as the page reads them: in one precision, little endian, base64.
template <typename Number>
class Numbers {
 public:
  void add(double value) {
    static_assert(std::endian::native == std::endian::little);
    const auto number = static_cast<Number>(value);
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    bytes_.append(bytes, sizeof number);
  }
  void add(const Eigen::Vector3d& v) {
    for (const double component : v) add(component);
  }
  std::string base64() const { return encode_base64(bytes_); }

 private:
  std::string bytes_;
};

/// Encodes seven numbers per body: position [m] and quaternion w, x, y, z.
std::string encode_poses(const ReplayFrame& frame) {
  Numbers<double> numbers;
  for (const ReplayPose& pose : frame.poses) {
    numbers.add(pose.position);
    for (const double component : pose.quat_wxyz) numbers.add(component);
  }
  return numbers.base64();
}

/// Encodes six numbers per body: linear [m/s] and angular velocity [rad/s].
std::string encode_velocities(const ReplayFrame& frame) {
  Numbers<float> floats;
  for (const ReplayVelocity& velocity : frame.velocities) {
    floats.add(velocity.linear);
    floats.add(velocity.angular);
  }
  return floats.base64();
}

/// Encodes fourteen numbers per contact, in the order that the viewer expects.
std::string encode_contacts(const ReplayFrame& frame) {
  Numbers<double> numbers;
  for (const ReplayContact& contact : frame.contacts) {
    numbers.add(contact.body_a);
    numbers.add(contact.body_b);
    numbers.add(contact.position);
    numbers.add(contact.normal);
    numbers.add(contact.force);
    numbers.add(contact.gap);
    numbers.add(contact.friction);
    numbers.add(static_cast<double>(contact.mode));
  }
  return numbers.base64();
}

std::string encode_numbers(const std::vector<double>& values) {
  Numbers<float> floats;
  for (const double value : values) floats.add(value);
  return floats.base64();
}

}  // namespace

std::string make_live_replay_html(const ReplayRun& start, const std::string& stream) {
  check_replay_run(start);
  // One frame is small: every contact is kept.
  const auto encoded = encode_replay_run(start, 1.0, ReplaySettings{}.max_series_samples);
  return make_page({dump_for_script(encoded)}, stream);
}

std::string encode_live_frame(const LiveFrame& frame) {
  const nlohmann::json json = {{"time", frame.frame.time},
                               {"steps", frame.num_steps},
                               {"missed", frame.num_missed},
                               {"accepted", frame.accepted},
                               {"verdict", frame.verdict},
                               {"poses", encode_poses(frame.frame)},
                               {"velocities", encode_velocities(frame.frame)},
                               {"impact", frame.frame.is_impact},
                               {"contacts", encode_contacts(frame.frame)},
                               {"curves", encode_numbers(frame.curves)},
                               {"joints", encode_numbers(frame.joints)},
                               {"targets", encode_numbers(frame.targets)}};
  return json.dump();
}

}  // namespace amontons::io
