#include "amontons/io/picture/image.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <new>
#include <png.h>
#include <stdexcept>
#include <zlib.h>

namespace amontons::io {
namespace {

// Bytes of the signature and of the chunk IHDR, behind which other chunks may follow.
constexpr std::size_t kEndOfHeader = 8 + 25;

void append_big_endian(std::uint32_t value, std::string& bytes) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
}

/// Returns the chunk that names the program: length, type, keyword and text, CRC
/// [PNG Specification 1.2, sections 3.2 and 4.2.3].
std::string text_chunk() {
  using namespace std::string_literals;
  const std::string content = "tEXtSoftware\0Amontons"s;
  std::string bytes;
  append_big_endian(static_cast<std::uint32_t>(content.size() - 4), bytes);
  bytes += content;
  const uLong sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  append_big_endian(static_cast<std::uint32_t>(sum), bytes);
  return bytes;
}

constexpr int kRowsOfPart = 64;  // that are compressed without a look at the request to stop

/// Compresses an image row by row. libpng reports an error by a jump to where setjmp was called.
class PngWriter {
 public:
  /// @param bytes  receives the file. Its capacity suffices: it must not throw within libpng.
  explicit PngWriter(std::string& bytes)
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr)),
        info_(png_ == nullptr ? nullptr : png_create_info_struct(png_)) {
    if (info_ == nullptr) throw std::bad_alloc();
    png_set_write_fn(
        png_, &bytes,
        [](png_structp png, png_bytep data, std::size_t size) {
          static_cast<std::string*>(png_get_io_ptr(png))
              ->append(reinterpret_cast<const char*>(data), size);
        },
        nullptr);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  // Each returns false after an error. Objects with destructors would not survive the jump.
  bool begin(const Image& image) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    return true;
  }
  bool add(const Image& image, int first, int end) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const std::size_t width = 3 * static_cast<std::size_t>(image.width);
    for (int y = first; y < end; ++y) {
      png_write_row(png_, image.rgb.data() + width * static_cast<std::size_t>(y));
    }
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_write_end(png_, info_);
    return true;
  }

 private:
  png_structp png_;
  png_infop info_;
};

}  // namespace

std::string encode_png(const Image& image) {
  png_image sizes{};
  sizes.version = PNG_IMAGE_VERSION;
  sizes.width = static_cast<png_uint_32>(image.width);
  sizes.height = static_cast<png_uint_32>(image.height);
  sizes.format = PNG_FORMAT_RGB;
  std::string bytes;
  bytes.reserve(PNG_IMAGE_PNG_SIZE_MAX(sizes));
  PngWriter writer(bytes);
  bool is_written = writer.begin(image);
  for (int first = 0; first < image.height && is_written; first += kRowsOfPart) {
    check_stop();
    is_written = writer.add(image, first, std::min(image.height, first + kRowsOfPart));
  }
  if (!is_written || !writer.end()) throw std::runtime_error("libpng cannot write the picture");
  bytes.insert(kEndOfHeader, text_chunk());
  return bytes;
}

}  // namespace amontons::io
