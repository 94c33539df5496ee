#include "amontons/io/common/overwriting.h"
#include "amontons/io/run/run_table.h"
#include "amontons/math/stop.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/interrupt.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/support/write_text_file.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct ExportOptions {
  std::string file, output;
  bool csv = false, contacts = false, quiet = false, json = false, force = false;
};

void write(io::RunReader& run, const ExportOptions& options, std::ostream& out) {
  Progress progress("export", options.quiet);
  const auto show = [&](double fraction) {
    check_stop();
    progress.update(fraction);
  };
  if (options.contacts) {
    io::write_contact_table(run, out, show);
  } else {
    io::write_row_table(run, out, show);
  }
}

int export_run(const ExportOptions& options) {
  if (options.json && options.output == "-") {
    throw Failure(kUsage, "amontons: export: --json and --output - both use the terminal");
  }
  io::RunReader run(options.file);
  if (options.output == "-") {
    write(run, options, std::cout);
    return kOk;
  }
  const std::string path = !options.output.empty()
                               ? options.output
                               : std::filesystem::path(options.file)
                                     .replace_extension(options.contacts ? ".contacts.csv" : ".csv")
                                     .string();
  io::refuse_overwriting(path, {options.file});
  refuse_foreign_output(path, io::kTableOutput, options.force);
  require_writable(path);
  // A stop takes the unfinished table away.
  const InterruptGuard interrupt;
  write_file(path, [&](std::ostream& out) { write(run, options, out); });
  const auto lines = options.contacts ? run.num_contacts() : run.num_rows();
  const std::string of = options.contacts ? "contacts" : "rows";
  if (options.json) {
    print_json({{"file", options.file}, {"table", path}, {"lines", lines}, {"of", of}});
  } else {
    std::cout << path << ": " << lines << " " << of << "\n";
  }
  return kOk;
}

}  // namespace

void add_export(CommandLine& line) {
  const auto options = std::make_shared<ExportOptions>();
  Verb verb = line.add_verb("export", "Write time series of a run as a table for spreadsheets",
                            [options] { return export_run(*options); });
  verb.argument("RUN.h5", options->file, "Run to export");
  verb.flag("--csv", options->csv, "Comma-separated values (the only form)");
  verb.flag("--contacts", options->contacts, "One line per contact, in place of one per row");
  verb.option("-o,--output", options->output, "Table to write, - for the terminal [RUN.csv]",
              "FILE");
  add_force(verb, options->force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli
