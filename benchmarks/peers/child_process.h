#pragma once

#include <string>
#include <vector>

namespace amontons::peers {

struct ChildResult {
  int exit_code = -1;      ///< exit code of a child that ended by itself
  int signal = 0;          ///< signal that ended it, else 0
  bool timed_out = false;  ///< killed at the limit
  double wall_s = 0.0;
  std::string output;  ///< all of standard output
  std::string errors;  ///< the end of standard error
};

/// Runs a program to its end, or kills it at the limit. Mathematics libraries are limited to one
/// thread, and memory to 6 GB.
/// @param arguments  the program first.
/// @throws std::runtime_error if no process can be started.
ChildResult run_child(const std::vector<std::string>& arguments, double wall_limit_s);

}  // namespace amontons::peers
