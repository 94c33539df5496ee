#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/io/problem/optimization_problem_file.h"
#include "fuzz/reading.h"

/// Reads a contact problem with its solution, one without bodies, and both optimization problems.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  const std::string path = fuzz::file_of(data, size, "problem.h5");
  fuzz::expect_error_of_reader([&] { io::load_contact_problem(path); });
  fuzz::expect_error_of_reader([&] { io::load_contact_solution(path); });
  fuzz::expect_error_of_reader([&] { io::load_fclib_local(path); });
  fuzz::expect_error_of_reader([&] { io::load_lcp(path); });
  fuzz::expect_error_of_reader([&] { io::load_mixed_lcp(path); });
  fuzz::expect_error_of_reader([&] { io::load_box_qp(path); });
  return 0;
}
