#include "amontons/io/common/sha256.h"
#include "amontons/io/run/checkpoint.h"
#include "fuzz/reading.h"

/// Reads a checkpoint whose digest is right: the bytes are what it protects.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  const std::string payload = fuzz::text_of(data, size);
  const std::string bytes = "AMONTONS-CHECKPOINT-5\n" + io::sha256(payload) + payload;
  const std::string path = fuzz::file_of(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         bytes.size(), "run.checkpoint");
  fuzz::expect_error_of_reader([&] { io::read_checkpoint(path); });
  return 0;
}
