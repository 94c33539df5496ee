#include "amontons/io/common/output_error.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/run/run_comparison.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_repair.h"
#include "amontons/io/run/run_table.h"
#include "amontons/io/verify/verify.h"
#include "fuzz/reading.h"

#include <filesystem>
#include <sstream>

namespace {

using namespace amontons;

/// Repairs the run, which it may refuse for want of a writable copy, too, and removes the original.
void repair(const std::string& path) {
  try {
    const io::RunRepair repaired = io::repair_run(path);
    if (!repaired.original.empty()) std::filesystem::remove(repaired.original);
  } catch (const io::OutputError&) {
  }
}

}  // namespace

/// Does with a run what the verbs do that read one: tables, comparison, page, verification, repair,
/// and all rows again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::file_of(data, size, "run.h5");
  fuzz::expect_error_of_reader([&] {
    io::RunReader run(path);
    std::ostringstream rows;
    io::write_row_table(run, rows);
  });
  fuzz::expect_error_of_reader([&] {
    io::RunReader run(path);
    std::ostringstream contacts;
    io::write_contact_table(run, contacts);
  });
  for (const double tolerance : {0.0, 1e-3}) {
    fuzz::expect_error_of_reader([&] {
      io::RunReader first(path), second(path);
      io::compare_runs(first, second, tolerance);
    });
  }
  fuzz::expect_error_of_reader([&] {
    io::RunReader run(path);
    io::replay_from_run(run);
  });
  fuzz::expect_error_of_reader([&] { io::verify_run(path); });
  fuzz::expect_error_of_reader([&] { repair(path); });
  fuzz::expect_error_of_reader([&] {
    io::RunReader run(path);
    for (std::size_t i = 0; i < run.num_rows(); ++i) run.row(i);
  });
  return 0;
}
