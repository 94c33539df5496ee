#include "amontons/io/tables/png_image.h"

#include "amontons/io/common/parse_error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <png.h>
#include <vector>

namespace amontons::io {
namespace {

constexpr double kMostPixels = 1e8;

/// Holds what libpng reads, and what it says of a fault.
struct Source {
  std::string_view bytes;
  std::size_t at = 0;
  std::array<char, 200> fault{};
};

void read_bytes(png_structp png, png_bytep target, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (source->bytes.size() - source->at < count) png_error(png, "the file is cut short");
  std::memcpy(target, source->bytes.data() + source->at, count);
  source->at += count;
}

void keep_fault(png_structp png, png_const_charp message) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->fault.data(), message, source->fault.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

/// Holds the decoder, which is freed in any case.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit Decoder(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, keep_fault, ignore_warning)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

/// Holds the size of an image and its samples, row by row from the top.
struct Samples {
  std::uint32_t width = 0, height = 0, channels = 0, depth = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t*> rows;
};

/// Reads the header. @returns false where libpng reports a fault. Nothing here has a destructor,
/// since libpng leaves the function by a jump.
bool read_header(Decoder& decoder, Source& source, Samples& samples) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_set_read_fn(decoder.png, &source, read_bytes);
  png_read_info(decoder.png, decoder.info);
  // Palettes and fewer than 8 bits become samples of 8 bits, without transparency.
  png_set_expand(decoder.png);
  png_set_strip_alpha(decoder.png);
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  samples.width = png_get_image_width(decoder.png, decoder.info);
  samples.height = png_get_image_height(decoder.png, decoder.info);
  samples.channels = png_get_channels(decoder.png, decoder.info);
  samples.depth = png_get_bit_depth(decoder.png, decoder.info);
  return true;
}

/// Reads the samples. @returns false where libpng reports a fault.
bool read_rows(Decoder& decoder, Samples& samples) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_image(decoder.png, samples.rows.data());
  png_read_end(decoder.png, nullptr);
  return true;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

GrayImage parse_png(const std::string& bytes, const std::string& name) {
  Source source{bytes};
  Decoder decoder(source);
  if (decoder.info == nullptr) throw ParseError(name, 0, 0, "libpng cannot be started");
  const auto fail = [&](const std::string& fault) {
    throw ParseError(name, 0, 0, "the PNG image cannot be read: " + fault);
  };
  Samples samples;
  if (!read_header(decoder, source, samples)) fail(source.fault.data());
  const double pixels = static_cast<double>(samples.width) * samples.height;
  if (pixels > kMostPixels) fail("it has more than 10^8 pixels; use a smaller one");
  const std::size_t stride =
      std::size_t{samples.width} * samples.channels * (samples.depth == 16 ? 2 : 1);
  samples.bytes.resize(stride * samples.height);
  for (std::size_t r = 0; r < samples.height; ++r) {
    samples.rows.push_back(samples.bytes.data() + r * stride);
  }
  if (!read_rows(decoder, samples)) fail(source.fault.data());

  // Samples of 16 bits have their high byte first.
  const auto sample = [&](std::size_t r, std::size_t c, std::size_t channel) {
    const std::size_t index = c * samples.channels + channel;
    const std::uint8_t* row = samples.rows[r];
    if (samples.depth != 16) return static_cast<double>(row[index]);
    return 256.0 * row[2 * index] + row[2 * index + 1];
  };
  GrayImage image;
  image.largest = samples.depth == 16 ? 65535.0 : 255.0;
  image.values.resize(samples.height, samples.width);
  for (std::size_t r = 0; r < samples.height; ++r) {
    for (std::size_t c = 0; c < samples.width; ++c) {
      const double value = sample(r, c, 0);
      image.values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = value;
      for (std::size_t k = 1; k < samples.channels; ++k) {
        image.has_colors = image.has_colors || sample(r, c, k) != value;
      }
    }
  }
  return image;
}

}  // namespace amontons::io
