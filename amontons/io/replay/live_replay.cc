#include "amontons/io/replay/live_replay.h"

#include "amontons/io/replay/replay_encode.h"
#include "amontons/io/replay/replay_page.h"
#include "amontons/io/replay/replay_sections.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>

namespace amontons::io {
namespace {

/// Gathers numbers as the page reads them: single precision, little endian, base64.
class Floats {
 public:
  void add(double value) {
    static_assert(std::endian::native == std::endian::little);
    const auto single = static_cast<float>(value);
    char bytes[sizeof single];
    std::memcpy(bytes, &single, sizeof single);
    bytes_.append(bytes, sizeof single);
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
  Floats floats;
  for (const ReplayPose& pose : frame.poses) {
    floats.add(pose.position);
    for (const double component : pose.quat_wxyz) floats.add(component);
  }
  return floats.base64();
}

/// Encodes fourteen numbers per contact, in the order that the viewer expects.
std::string encode_contacts(const ReplayFrame& frame) {
  Floats floats;
  for (const ReplayContact& contact : frame.contacts) {
    floats.add(contact.body_a);
    floats.add(contact.body_b);
    floats.add(contact.position);
    floats.add(contact.normal);
    floats.add(contact.force);
    floats.add(contact.gap);
    floats.add(contact.friction);
    floats.add(static_cast<double>(contact.mode));
  }
  return floats.base64();
}

std::string encode_numbers(const std::vector<double>& values) {
  Floats floats;
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
                               {"contacts", encode_contacts(frame.frame)},
                               {"curves", encode_numbers(frame.curves)},
                               {"joints", encode_numbers(frame.joints)},
                               {"targets", encode_numbers(frame.targets)}};
  return json.dump();
}

}  // namespace amontons::io
