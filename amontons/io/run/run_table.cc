#include "amontons/io/run/run_table.h"

#include "amontons/io/run/run_fields.h"
#include "amontons/io/run/run_header.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using Line = fmt::memory_buffer;

/// Writes the line to the stream and empties it; lines are built in memory, which is faster.
void end_line(Line& line, std::ostream& out) {
  line.push_back('\n');
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
  line.clear();
}

/// Appends a comma and the shortest text that reads back to the same bits.
void append_number(Line& line, double value) {
  fmt::format_to(std::back_inserter(line), ",{}", value);
}

/// Appends a comma and a text, in quotes if it holds a comma, a quote or a line end [RFC 4180].
void append_text(Line& line, std::string_view text) {
  line.push_back(',');
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line.append(text);
    return;
  }
  line.push_back('"');
  for (const char c : text) {
    if (c == '"') line.push_back('"');
    line.push_back(c);
  }
  line.push_back('"');
}

/// Appends the names of the columns: dataset without its slash, then body or joint.
void append_field_names(Line& line, const RunHeader& header, const std::vector<RunField>& fields) {
  for (const RunField& field : fields) {
    for (Eigen::Index i = 0; i < field.values.size(); ++i) {
      const std::string place = place_in(header, field, i);
      append_text(line, fmt::format("{}{}{}", field.name + 1, place.empty() ? "" : " ", place));
    }
  }
}

/// Appends the numbers of all fields.
void append_field_values(Line& line, const std::vector<RunField>& fields) {
  for (const RunField& field : fields) {
    for (const double value : field.values) append_number(line, value);
  }
}

/// Returns the fields of a row but /time, which is the first column.
std::vector<RunField> fields_without_time(const RunRow& row) {
  std::vector<RunField> fields = row_fields(row);
  std::erase_if(fields,
                [](const RunField& field) { return std::string_view(field.name) == "/time"; });
  return fields;
}

}  // namespace

void write_row_table(RunReader& run, std::ostream& out,
                     const std::function<void(double)>& progress) {
  Line line;
  for (std::size_t i = 0; i < run.num_rows(); ++i) {
    const RunRow row = run.row_without_contacts(i);
    const std::vector<RunField> fields = fields_without_time(row);
    // The first row gives the columns: every row has the same.
    if (i == 0) {
      line.append(std::string_view("time"));
      append_field_names(line, run.header(), fields);
      end_line(line, out);
    }
    fmt::format_to(std::back_inserter(line), "{}", row.time);
    append_field_values(line, fields);
    end_line(line, out);
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(run.num_rows()));
  }
}

void write_contact_table(RunReader& run, std::ostream& out,
                         const std::function<void(double)>& progress) {
  const std::vector<std::string>& bodies = run.header().body_names;
  Line line;
  // The columns follow from the datasets, so that a run without contacts has them, too.
  line.append(std::string_view("time,body_a_name,body_b_name"));
  append_field_names(line, run.header(), contact_fields(RunContact()));
  end_line(line, out);
  for (std::size_t i = 0; i < run.num_rows(); ++i) {
    const RunRow row = run.row(i);
    // A contact is known by the names of its bodies, which indices would not show.
    for (const RunContact& contact : row.contacts) {
      fmt::format_to(std::back_inserter(line), "{}", row.time);
      append_text(line, bodies[static_cast<std::size_t>(contact.body_a)]);
      append_text(line, bodies[static_cast<std::size_t>(contact.body_b)]);
      append_field_values(line, contact_fields(contact));
      end_line(line, out);
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(run.num_rows()));
  }
}

}  // namespace amontons::io
