#include "amontons/io/picture/image.h"

#include <png.h>
#include <stdexcept>

namespace amontons::io {

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
  return bytes;
}

}  // namespace amontons::io
