#pragma once

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace amontons::test {

/// Returns the data of a replay page, as JSON.
inline nlohmann::json page_data(const std::string& html) {
  const std::string open = R"(<script type="application/json" id="amontons-data">)";
  const std::size_t begin = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

inline std::string decode_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int available = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<std::uint32_t>(digits.find(c));
    available += 6;
    if (available >= 8) {
      available -= 8;
      bytes.push_back(static_cast<char>((bits >> available) & 0xffu));
    }
  }
  return bytes;
}

inline std::string inflate_all(const std::string& packed) {
  std::string bytes(64 * packed.size() + 1024, '\0');
  for (;;) {
    uLongf size = bytes.size();
    const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (status != Z_OK && status != Z_BUF_ERROR) throw std::runtime_error("not a zlib stream");
    if (status == Z_OK) {
      bytes.resize(size);
      return bytes;
    }
    bytes.resize(2 * bytes.size());
  }
}

/// Reads what the page's script reads, written from the description in replay_sections.h.
class PageRun {
 public:
  explicit PageRun(const nlohmann::json& run)
      : run_(run), bytes_(inflate_all(decode_base64(run["data"]))) {}

  std::vector<std::uint64_t> integers(const std::string& name) const {
    const nlohmann::json& section = run_["sections"][name];
    const std::map<std::string, int> widths = {
        {"u8", 1}, {"u16", 2}, {"u32", 4}, {"f32", 4}, {"f64", 8}};
    const int width = widths.at(section["type"]);
    const std::size_t at = section["at"], count = section["count"], row = section["row"];
    const std::uint64_t mask = width == 8 ? ~0ull : (1ull << (8 * width)) - 1;
    std::vector<std::uint64_t> values(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < width; ++k) {
        const auto byte =
            static_cast<unsigned char>(bytes_.at(at + static_cast<std::size_t>(k) * count + i));
        values[i] |= static_cast<std::uint64_t>(byte) << (8 * k);
      }
      if (row == 0) continue;
      const std::uint64_t difference = (values[i] >> 1) ^ (~(values[i] & 1) + 1);
      values[i] = ((i % row == 0 ? 0 : values[i - 1]) + difference) & mask;
    }
    return values;
  }

  std::vector<double> reals(const std::string& name) const {
    std::vector<double> values;
    for (const std::uint64_t pattern : integers(name)) {
      values.push_back(run_["sections"][name]["type"] == "f64"
                           ? std::bit_cast<double>(pattern)
                           : std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
    }
    return values;
  }

  std::vector<double> short_floats(const std::string& name) const {
    std::vector<double> values;
    for (const std::uint64_t code : integers(name)) {
      values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(code << 16)));
    }
    return values;
  }

 private:
  nlohmann::json run_;
  std::string bytes_;
};

/// Holds the poses of a page, by frame and body.
struct PagePoses {
  explicit PagePoses(const PageRun& page, std::size_t num_frames_in)
      : num_frames(num_frames_in),
        ranges(page.reals("pose_ranges")),
        codes(page.integers("poses")) {}

  Eigen::Vector3d position(std::size_t frame, std::size_t body) const {
    Eigen::Vector3d p;
    for (std::size_t k = 0; k < 3; ++k) {
      const double low = ranges[6 * body + 2 * k], high = ranges[6 * body + 2 * k + 1];
      p[static_cast<Eigen::Index>(k)] =
          low +
          (high - low) * static_cast<double>(codes[(6 * body + k) * num_frames + frame]) / 65535.0;
    }
    return p;
  }

  Eigen::Vector3d range(std::size_t body) const {
    const double* r = &ranges[6 * body];
    return {r[1] - r[0], r[3] - r[2], r[5] - r[4]};
  }

  Eigen::Quaterniond rotation(std::size_t frame, std::size_t body) const {
    std::uint64_t parts[3];
    for (std::size_t k = 0; k < 3; ++k) parts[k] = codes[(6 * body + 3 + k) * num_frames + frame];
    const std::size_t largest = (parts[0] >> 15) | ((parts[1] >> 15) << 1);
    double wxyz[4], sum = 0.0;
    std::size_t slot = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == largest) continue;
      wxyz[i] =
          (static_cast<double>(parts[slot++] & 0x7fffu) - 16384.0) / (std::sqrt(2.0) * 16383.0);
      sum += wxyz[i] * wxyz[i];
    }
    wxyz[largest] = std::sqrt(1.0 - sum);
    return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
  }

  std::size_t num_frames;
  std::vector<double> ranges;
  std::vector<std::uint64_t> codes;
};

}  // namespace amontons::test
