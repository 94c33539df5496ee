#include "amontons/io/tables/pgm_image.h"

#include "amontons/io/common/parse_error.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace amontons::io {
namespace {

// Largest width or height of an image that is accepted [pixels].
constexpr int kLargestSide = 65536;
// Largest value of a pixel: the format has two bytes per pixel at most.
constexpr int kLargestValue = 65535;

/// Returns true for a character of white space.
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Reads whole numbers between blanks and comments, and knows the line.
class PgmReader {
 public:
  PgmReader(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// Returns the next number.
  /// @throws ParseError if it is missing or not within [smallest, largest].
  int read_number(const char* what, int smallest, int largest) {
    skip_blanks();
    const char* begin = bytes_.data() + position_;
    const char* end = bytes_.data() + bytes_.size();
    int number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (stop == begin) fail(std::string(what) + " is missing or not a whole number");
    if (error != std::errc() || number < smallest || number > largest) {
      fail(std::string(what) + " must be from " + std::to_string(smallest) + " to " +
           std::to_string(largest) + ", is " + std::string(begin, stop));
    }
    position_ += static_cast<std::size_t>(stop - begin);
    return number;
  }

  /// Skips the one blank that ends the header of a binary image.
  void skip_header_end() {
    if (position_ >= bytes_.size() || !is_blank(bytes_[position_])) {
      fail("a blank is missing after the image's header");
    }
    ++position_;
  }

  std::size_t num_left() const { return bytes_.size() - position_; }
  int read_byte() { return static_cast<unsigned char>(bytes_[position_++]); }

  /// Throws a ParseError at the current line.
  [[noreturn]] void fail(const std::string& message) const {
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(position_);
    const auto line = 1 + std::count(bytes_.begin(), end, '\n');
    throw ParseError(name_, static_cast<int>(line), 0, message);
  }

 private:
  /// Skips blanks and comments, which reach from a # to the end of the line.
  void skip_blanks() {
    while (position_ < bytes_.size()) {
      if (bytes_[position_] == '#') {
        position_ = std::min(bytes_.find('\n', position_), bytes_.size());
      } else if (is_blank(bytes_[position_])) {
        ++position_;
      } else {
        return;
      }
    }
  }

  const std::string& bytes_;
  const std::string& name_;
  std::size_t position_ = 2;  // after the magic number
};

}  // namespace

bool is_pgm(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5') &&
         (is_blank(bytes[2]) || bytes[2] == '#');
}

GrayImage parse_pgm(const std::string& bytes, const std::string& name) {
  // Header: width, height and the value of white, as decimal numbers in either variant.
  const bool is_plain = bytes[1] == '2';
  PgmReader reader(bytes, name);
  const int width = reader.read_number("the image's width", 1, kLargestSide);
  const int height = reader.read_number("the image's height", 1, kLargestSide);
  const int largest = reader.read_number("the image's largest value", 1, kLargestValue);
  if (!is_plain) reader.skip_header_end();

  // The size is checked ahead of the allocation, so that a wrong header cannot exhaust the memory.
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t bytes_per_pixel = !is_plain && largest > 255 ? 2 : 1;
  if (reader.num_left() < num_pixels * bytes_per_pixel) {
    throw ParseError(name, 0, 0,
                     "the image ends early: " + std::to_string(width) + " x " +
                         std::to_string(height) + " pixels do not fit the file");
  }
  GrayImage image{Eigen::MatrixXd(height, width), static_cast<double>(largest)};
  // Binary pixels of two bytes have the most significant byte first.
  for (Eigen::Index row = 0; row < height; ++row) {
    for (Eigen::Index column = 0; column < width; ++column) {
      int value = is_plain ? reader.read_number("a pixel", 0, largest) : reader.read_byte();
      if (bytes_per_pixel == 2) value = 256 * value + reader.read_byte();
      if (value > largest) {
        throw ParseError(name, 0, 0,
                         "pixel (" + std::to_string(row) + ", " + std::to_string(column) + ") is " +
                             std::to_string(value) + ", more than " + std::to_string(largest));
      }
      image.values(row, column) = value;
    }
  }
  return image;
}

}  // namespace amontons::io
