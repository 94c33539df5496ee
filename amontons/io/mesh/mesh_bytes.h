#pragma once

#include "amontons/io/common/parse_error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace amontons::io {

/// Walks through the numbers of a binary mesh file, and knows their places.
class MeshBytes {
 public:
  /// The bytes must outlive the walk, which begins at `first`.
  MeshBytes(std::string_view bytes, std::size_t first, std::string name,
            std::endian order = std::endian::little)
      : bytes_(bytes), next_(first), name_(std::move(name)), order_(order) {}

  /// Returns the next number. @throws ParseError if the file ends within it.
  template <typename Number>
  Number read() {
    std::array<char, sizeof(Number)> raw{};
    need(1, raw.size(), "a number");
    std::memcpy(raw.data(), bytes_.data() + next_, raw.size());
    if (order_ != std::endian::native) std::reverse(raw.begin(), raw.end());
    next_ += raw.size();
    return std::bit_cast<Number>(raw);
  }

  /// Passes over bytes. @throws ParseError if the file has fewer.
  void skip(std::size_t count) {
    need(count, 1, "bytes");
    next_ += count;
  }

  /// Throws a ParseError unless the file has `count` more items of `size` bytes.
  void need(std::size_t count, std::size_t size, const std::string& what) const {
    if (count <= left() / size) return;
    fail("the file is cut short: it has " + std::to_string(left()) + " bytes for " +
         std::to_string(count) + " " + what + " of " + std::to_string(size) +
         " bytes; copy or export it again");
  }

  std::size_t left() const { return bytes_.size() - std::min(next_, bytes_.size()); }
  std::size_t place() const { return next_; }  ///< of the next number [bytes]
  /// Throws a ParseError that names the byte.
  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(name_, 0, 0, "byte " + std::to_string(next_) + ": " + message);
  }

 private:
  std::string_view bytes_;
  std::size_t next_;
  std::string name_;
  std::endian order_;
};

}  // namespace amontons::io
