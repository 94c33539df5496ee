#include "amontons/io/tables/motion_file.h"
#include "amontons/io/tables/timed_table.h"
#include "fuzz/reading.h"

/// Reads a table of quantities over time: with any columns, with two that it must have, and as a
/// measured motion.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  const std::string text = fuzz::text_of(data, size);
  fuzz::expect_error_of_reader([&] {
    const io::TimedTable table(text, "motion.csv");
    for (std::size_t i = 0; i < table.names().size(); ++i) {
      table.trajectory(i, Interpolation::Linear);
      table.trajectory(i, Interpolation::Cubic);
    }
  });
  fuzz::expect_error_of_reader([&] { io::TimedTable(text, "motion.csv", {"position", "speed"}); });
  fuzz::expect_error_of_reader([&] { io::parse_motion_csv(text, "motion.csv", "body"); });
  fuzz::expect_error_of_reader([&] { io::parse_tum(text, "motion.tum", "body"); });
  fuzz::expect_error_of_reader([&] { io::is_tum(text, "motion"); });
  return 0;
}
