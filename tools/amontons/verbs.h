#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace amontons::cli {

/// What the chosen verb does once the command line is read; returns the exit code.
using Action = std::function<int()>;

/// Each adds one verb to the program and sets `action` if that verb is chosen.
void add_run(CLI::App& program, Action& action);
void add_verify(CLI::App& program, Action& action);
void add_replay(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_repair(CLI::App& program, Action& action);
void add_solve(CLI::App& program, Action& action);
void add_lint(CLI::App& program, Action& action);
void add_reproduce(CLI::App& program, Action& action);

}  // namespace amontons::cli
