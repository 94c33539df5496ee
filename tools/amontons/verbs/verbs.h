#pragma once

namespace amontons::cli {

class CommandLine;

/// Adds one verb to the program, as the functions below do.
void add_run(CommandLine& line);
void add_resume(CommandLine& line);
void add_verify(CommandLine& line);
void add_replay(CommandLine& line);
void add_info(CommandLine& line);
void add_compare(CommandLine& line);
void add_export(CommandLine& line);
void add_repair(CommandLine& line);
void add_solve(CommandLine& line);
void add_contest(CommandLine& line);
void add_campaign(CommandLine& line);
void add_init(CommandLine& line);
void add_lint(CommandLine& line);
void add_reproduce(CommandLine& line);
void add_completion(CommandLine& line);
void add_manual(CommandLine& line);

}  // namespace amontons::cli
