#include "amontons/io/replay/replay_sections.h"

#include "amontons/math/elementary.h"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <zlib.h>

namespace amontons::io {

template <typename Integer>
void ReplaySections::add_differences(const std::string& name, const char* type,
                                     std::span<const Integer> values, std::size_t row_length) {
  const std::size_t row = row_length == 0 ? values.size() : row_length;
  directory_[name] = {
      {"at", bytes_.size()}, {"count", values.size()}, {"type", type}, {"row", row}};
  // Differences wrap around, and so does the decoder: no value is lost.
  using Signed = std::make_signed_t<Integer>;
  std::vector<std::uint64_t> folded(values.size());
  Integer previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % row == 0) previous = 0;
    const auto difference = static_cast<Signed>(static_cast<Integer>(values[i] - previous));
    // d >= 0 becomes 2 d, d < 0 becomes -2 d - 1.
    const bool is_negative = difference < 0;
    const auto doubled = static_cast<Integer>(static_cast<Integer>(difference) << 1);
    folded[i] = static_cast<Integer>(is_negative ? ~doubled : doubled);
    previous = values[i];
  }
  append_planes(folded, sizeof(Integer));
}

void ReplaySections::append_planes(const std::vector<std::uint64_t>& values, int width) {
  // The high bytes of small numbers are long rows of zeros, which deflate shortens best.
  for (int plane = 0; plane < width; ++plane) {
    for (const std::uint64_t value : values) {
      bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * plane))));
    }
  }
}

void ReplaySections::add(const std::string& name, std::span<const std::uint8_t> values,
                         std::size_t row_length) {
  add_differences(name, "u8", values, row_length);
}

void ReplaySections::add(const std::string& name, std::span<const std::uint16_t> values,
                         std::size_t row_length) {
  add_differences(name, "u16", values, row_length);
}

void ReplaySections::add(const std::string& name, std::span<const std::uint32_t> values,
                         std::size_t row_length) {
  add_differences(name, "u32", values, row_length);
}

void ReplaySections::add(const std::string& name, std::span<const float> values,
                         std::size_t row_length) {
  std::vector<std::uint32_t> patterns(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    patterns[i] = std::bit_cast<std::uint32_t>(values[i]);
  }
  add_differences(name, "f32", std::span<const std::uint32_t>(patterns), row_length);
}

void ReplaySections::add(const std::string& name, std::span<const double> values) {
  directory_[name] = {{"at", bytes_.size()}, {"count", values.size()}, {"type", "f64"}, {"row", 0}};
  std::vector<std::uint64_t> patterns(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    patterns[i] = std::bit_cast<std::uint64_t>(values[i]);
  }
  append_planes(patterns, sizeof(double));
}

std::string deflate_bytes(const std::string& bytes) {
  // compressBound() gives the size in the worst case.
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("zlib could not compress the replay data");
  result.resize(size);
  return result;
}

std::string encode_base64(const std::string& bytes) {
  // libcrypto counts in int. Pieces of whole groups of three bytes have no padding between them.
  constexpr std::size_t kPiece = std::size_t{3} << 28;
  std::string result((bytes.size() + 2) / 3 * 4, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data() + at / 3 * 4),
                    reinterpret_cast<const unsigned char*>(bytes.data() + at),
                    static_cast<int>(std::min(bytes.size() - at, kPiece)));
  }
  return result;
}

std::uint16_t encode_short_float(double value) {
  if (std::isnan(value)) return 0x7fc0;  // rounding below could carry a NaN into the sign
  // Half of the last kept bit is added before the lower 16 bits are cut: rounding to nearest.
  const auto pattern = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint16_t>((pattern + 0x8000u) >> 16);
}

std::uint16_t encode_half(double value) {
  const double size = std::min(std::abs(value), 1.0);
  if (size == 0.0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  const int biased = std::max(exponent + 30, 0);
  // A mantissa that is rounded up to 1024 carries into the exponent.
  const long mantissa =
      biased > 0 ? std::lround((2.0 * fraction - 1.0) * 1024.0) : std::lround(std::ldexp(size, 40));
  return static_cast<std::uint16_t>((value < 0.0 ? 0x8000 : 0) + biased * 1024 + mantissa);
}

OctahedralCode encode_direction(double x, double y, double z) {
  // The sphere is projected on the octahedron |x| + |y| + |z| = 1, whose lower half is folded out.
  const double sum = std::abs(x) + std::abs(y) + std::abs(z);
  double u = x / sum, v = y / sum;
  if (z < 0.0) {
    const double folded_u = (1.0 - std::abs(v)) * (u < 0.0 ? -1.0 : 1.0);
    v = (1.0 - std::abs(u)) * (v < 0.0 ? -1.0 : 1.0);
    u = folded_u;
  }
  // 4095 codes, -2047 .. 2047, so that the axes are exact.
  return {static_cast<std::uint16_t>(std::lround(u * 2047.0) + 2047),
          static_cast<std::uint16_t>(std::lround(v * 2047.0) + 2047)};
}

QuaternionCode encode_quaternion(const double (&wxyz)[4]) {
  // The largest component follows from the unit length, so that it need not be stored.
  unsigned largest = 0;
  double norm = 0.0;
  for (unsigned i = 0; i < 4; ++i) {
    norm = elementary::hypot(norm, wxyz[i]);
    if (std::abs(wxyz[i]) > std::abs(wxyz[largest])) largest = i;
  }
  // q and -q are one rotation: the sign is chosen so that the largest component is positive.
  const double scale = (wxyz[largest] < 0.0 ? -1.0 : 1.0) / norm * std::sqrt(2.0) * 16383.0;
  QuaternionCode code;
  unsigned slot = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (i == largest) continue;
    // |c| <= 1/sqrt(2) holds to rounding for the three smaller components.
    const long part = std::lround(wxyz[i] * scale) + 16384;
    code.parts[slot++] = static_cast<std::uint16_t>(part);
  }
  // The index of the largest component, in the two free top bits.
  code.parts[0] = static_cast<std::uint16_t>(code.parts[0] | ((largest & 1u) << 15));
  code.parts[1] = static_cast<std::uint16_t>(code.parts[1] | ((largest >> 1) << 15));
  return code;
}

}  // namespace amontons::io
