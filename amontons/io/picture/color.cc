#include "amontons/io/picture/color.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace amontons::io {
namespace {

// The palette of the replay page, viewer/src/palette.ts.
constexpr std::array<unsigned, 10> kBodyColors = {0x4f8fe0, 0xee8a3c, 0x35b597, 0xd4628f, 0x9179dc,
                                                  0xe0b53a, 0x4cb9d6, 0xe0604f, 0x86b545, 0xb58a66};
constexpr unsigned kFixedColor = 0x8e959e;
// Differences in lightness of the links of one model.
constexpr std::array<float, 4> kShades = {0.0f, -0.09f, 0.08f, -0.045f};
constexpr float kLeastLuminance = 0.05f;
constexpr std::size_t kTableSize = 4096;

float linear_component(double stored) {
  return static_cast<float>(stored <= 0.04045 ? stored / 12.92
                                              : elementary::pow((stored + 0.055) / 1.055, 2.4));
}

/// Returns the stored value of linear values k / (kTableSize - 1), in [0, 255].
std::array<float, kTableSize> make_table() {
  std::array<float, kTableSize> table;
  for (std::size_t k = 0; k < kTableSize; ++k) {
    const double linear = static_cast<double>(k) / (kTableSize - 1);
    const double stored =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * elementary::pow(linear, 1.0 / 2.4) - 0.055;
    table[k] = static_cast<float>(255.0 * stored);
  }
  return table;
}

/// Returns a color with its lightness (of hue, saturation and lightness) changed.
Eigen::Vector3f lightened(const Eigen::Vector3f& color, float change) {
  const float low = color.minCoeff(), high = color.maxCoeff();
  const float lightness = 0.5f * (low + high);
  const float wanted = std::clamp(lightness + change, 0.0f, 1.0f);
  const float reach = std::min(lightness, 1.0f - lightness);
  if (reach <= 0.0f) return Eigen::Vector3f::Constant(wanted);
  // Saturation is the share of the reach that the components take.
  const float scale = std::min(wanted, 1.0f - wanted) / reach;
  return Eigen::Vector3f::Constant(wanted) + scale * (color - Eigen::Vector3f::Constant(lightness));
}

std::string model_of(const ReplayBody& body) {
  const std::size_t slash = body.name.rfind('/');
  return slash == std::string::npos ? std::string() : body.name.substr(0, slash);
}

}  // namespace

Eigen::Vector3f stored_color(unsigned hex) {
  return {static_cast<float>(hex >> 16 & 255u), static_cast<float>(hex >> 8 & 255u),
          static_cast<float>(hex & 255u)};
}

Eigen::Vector3f linear_color(unsigned hex) {
  const Eigen::Vector3f stored = stored_color(hex) / 255.0f;
  return {linear_component(stored.x()), linear_component(stored.y()), linear_component(stored.z())};
}

Eigen::Vector3f stored_from_linear(const Eigen::Vector3f& linear) {
  static const std::array<float, kTableSize> table = make_table();
  Eigen::Vector3f stored;
  for (int k = 0; k < 3; ++k) {
    const float place = std::clamp(linear[k], 0.0f, 1.0f) * static_cast<float>(kTableSize - 1);
    stored[k] = table[static_cast<std::size_t>(place + 0.5f)];
  }
  return stored;
}

Eigen::Vector3f tone_mapped(const Eigen::Vector3f& light) {
  constexpr float kStart = 0.8f - 0.04f, kDesaturation = 0.15f;
  const float least = light.minCoeff();
  const float offset = least < 0.08f ? least - 6.25f * least * least : 0.04f;
  const Eigen::Vector3f color = light - Eigen::Vector3f::Constant(offset);
  const float peak = color.maxCoeff();
  if (peak < kStart) return color;
  constexpr float kRest = 1.0f - kStart;
  const float new_peak = 1.0f - kRest * kRest / (peak + kRest - kStart);
  const float white = 1.0f - 1.0f / (kDesaturation * (peak - new_peak) + 1.0f);
  return (1.0f - white) * (new_peak / peak) * color + Eigen::Vector3f::Constant(white * new_peak);
}

Eigen::Vector3f own_color(const std::array<float, 3>& srgb) {
  const Eigen::Vector3f color(linear_component(srgb[0]), linear_component(srgb[1]),
                              linear_component(srgb[2]));
  const float luminance = color.dot(Eigen::Vector3f(0.2126f, 0.7152f, 0.0722f));
  const float white = std::max(0.0f, kLeastLuminance - luminance);
  return (1.0f - white) * color + Eigen::Vector3f::Constant(white);
}

std::vector<Eigen::Vector3f> body_colors(const std::vector<ReplayBody>& bodies) {
  std::set<std::string> models;
  for (const ReplayBody& body : bodies) models.insert(model_of(body));
  models.erase("");
  std::map<std::string, std::size_t> places, num_links;
  std::size_t next = 0;
  std::vector<Eigen::Vector3f> colors;
  for (const ReplayBody& body : bodies) {
    const std::string model = models.size() > 1 ? model_of(body) : std::string();
    if (body.fixed) {
      colors.push_back(linear_color(kFixedColor));
    } else if (model.empty()) {
      colors.push_back(linear_color(kBodyColors[next++ % kBodyColors.size()]));
    } else {
      const auto [entry, is_new] = places.try_emplace(model, next);
      if (is_new) ++next;
      colors.push_back(lightened(linear_color(kBodyColors[entry->second % kBodyColors.size()]),
                                 kShades[num_links[model]++ % kShades.size()]));
    }
  }
  return colors;
}

}  // namespace amontons::io
