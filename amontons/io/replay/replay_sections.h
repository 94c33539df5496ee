#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace amontons::io {

/// Gathers the binary part of a replay page: named arrays of numbers, arranged so that deflate
/// finds their repetitions.
///
/// An array of integers is cut into rows. Within a row every number is replaced by its difference
/// from the previous one (modulo its width). Differences are folded so that small ones of either
/// sign are small numbers (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). The bytes then lie plane by
/// plane: the lowest byte of every number, then the next (little endian).
class ReplaySections {
 public:
  /// Adds an array of integers.
  /// @param row_length  numbers per row, dividing the count; 0: the whole array is one row.
  void add(const std::string& name, std::span<const std::uint8_t> values,
           std::size_t row_length = 0);
  void add(const std::string& name, std::span<const std::uint16_t> values,
           std::size_t row_length = 0);
  void add(const std::string& name, std::span<const std::uint32_t> values,
           std::size_t row_length = 0);
  /// Adds numbers in single precision, by the differences of their bit patterns.
  void add(const std::string& name, std::span<const float> values, std::size_t row_length = 0);
  /// Adds numbers in double precision, exactly and without differences.
  void add(const std::string& name, std::span<const double> values);

  /// Returns where each array lies:
  /// {name: {"at": first byte, "count": numbers, "type": "u8|u16|u32|f32|f64", "row": numbers}}.
  const nlohmann::ordered_json& directory() const { return directory_; }
  const std::string& bytes() const { return bytes_; }

 private:
  /// Appends integers as folded differences, and records them in the directory.
  template <typename Integer>
  void add_differences(const std::string& name, const char* type, std::span<const Integer> values,
                       std::size_t row_length);
  /// Appends numbers of `width` bytes plane by plane, lowest byte first.
  void append_planes(const std::vector<std::uint64_t>& values, int width);

  nlohmann::ordered_json directory_ = nlohmann::ordered_json::object();
  std::string bytes_;
};

/// Returns the zlib stream (RFC 1950) of the bytes.
///
/// The level is zlib's default: its highest takes several times as long for 1 %.
/// @throws std::runtime_error if zlib refuses, which only lack of memory can cause.
std::string deflate_bytes(const std::string& bytes);

/// Returns the bytes as padded base64 (RFC 4648).
std::string encode_base64(const std::string& bytes);

/// Returns the nearest number with 8 significant bits, as the upper half of its single precision
/// pattern. Infinite values stay infinite.
std::uint16_t encode_short_float(double value);

/// Returns a number in [-1, 1] with 11 significant bits: sign, 5 bits of exponent e and 10 of
/// mantissa m, for (1 + m / 1024) 2^(e - 31), or m 2^-40 where e is 0.
std::uint16_t encode_half(double value);

/// Holds two numbers of 12 bits that give a unit vector to 1e-3: the octahedral map
/// [Cigolle et al. 2014, section 3.2].
struct OctahedralCode {
  std::uint16_t u = 0, v = 0;
};
/// Returns the code of a direction of any length; it must not be zero.
OctahedralCode encode_direction(double x, double y, double z);

/// Holds three numbers for a unit quaternion (w, x, y, z).
///
/// They are its smallest three components, in the order of w, x, y, z and with the sign that makes
/// the largest positive. Each takes 15 bits, round(c sqrt(2) 16383) + 16384, so that zero is exact.
/// The top bits of the first two numbers give the index of the largest (low bit first).
struct QuaternionCode {
  std::uint16_t parts[3] = {0, 0, 0};
};
/// Returns the code of a quaternion of any length and sign; it must not be zero.
QuaternionCode encode_quaternion(const double (&wxyz)[4]);

}  // namespace amontons::io
