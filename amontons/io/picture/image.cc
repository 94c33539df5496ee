#include "amontons/io/picture/image.h"

#include <cstdint>
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

}  // namespace

std::string encode_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    throw std::runtime_error(std::string("libpng: ") + header.message);
  }
  bytes.resize(size);
  bytes.insert(kEndOfHeader, text_chunk());
  return bytes;
}

}  // namespace amontons::io
