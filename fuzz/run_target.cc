#include "amontons/io/run/run_reader.h"
#include "fuzz/reading.h"

/// Reads every row of a run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  const std::string path = fuzz::file_of(data, size, "run.h5");
  fuzz::expect_error_of_reader([&] {
    io::RunReader run(path);
    for (std::size_t i = 0; i < run.num_rows(); ++i) run.row(i);
  });
  return 0;
}
