#include "amontons/io/problem/bounded_rows_file.h"

#include "amontons/io/problem/contact_problem_group.h"

#include <cstdint>
#include <string>

namespace amontons::io {
namespace {

/// Calls visit(name, member) for each number that a row holds, so that writer and reader agree.
template <typename Visitor>
void visit_row_numbers(std::int64_t format, Visitor visit) {
  visit("lower", &BoundedRow::lower);
  visit("upper", &BoundedRow::upper);
  visit("gap", &BoundedRow::gap);
  visit("offset", &BoundedRow::offset);
  visit("compliance", &BoundedRow::compliance);
  visit("restitution", &BoundedRow::restitution);
  if (format >= kFirstWithOpeningSpeeds) visit("opening_speed", &BoundedRow::opening_speed);
}

}  // namespace

void write_bounded_rows(const Hdf5Handle& parent, const std::vector<BoundedRow>& rows) {
  const Hdf5Handle group = create_group(parent, "bounded_rows");
  // The key of a row: its kind, the joint coordinate or servo, and if it is an upper limit.
  std::vector<std::int64_t> names;  // kind, index, which limit
  for (const BoundedRow& row : rows) {
    names.insert(names.end(), {static_cast<std::int64_t>(row.kind), row.index, row.is_upper});
  }
  write_vector(group, "names", names);
  visit_row_numbers(kFirstWithOpeningSpeeds, [&](const char* name, double BoundedRow::*member) {
    // Each quantity is a dataset of its own, with one number per row.
    std::vector<double> values;
    for (const BoundedRow& row : rows) values.push_back(row.*member);
    write_vector(group, name, values);
  });
}

std::vector<BoundedRow> read_bounded_rows(const Hdf5Handle& parent, std::int64_t format) {
  const Hdf5Handle group = open_group(parent, "bounded_rows");
  // Three integers name a row, as in a run; a kind beyond the last one is of a newer program.
  const std::vector<std::int64_t> names = read_long_ints(group, "names");
  std::vector<BoundedRow> rows(names.size() / 3);
  if (names.size() != 3 * rows.size()) fail_in_problem(group, "bounded rows are incomplete");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (names[3 * i] < 0 || names[3 * i] > static_cast<std::int64_t>(kLastBoundedRowKind)) {
      fail_in_problem(group, "unknown kind of bounded row");
    }
    rows[i].kind = static_cast<BoundedRowKind>(names[3 * i]);
    rows[i].index = narrowed<std::int32_t>(group, "bounded_rows/names", names[3 * i + 1]);
    rows[i].is_upper = names[3 * i + 2] != 0;
  }
  visit_row_numbers(format, [&](const char* name, double BoundedRow::*member) {
    const std::vector<double> values = read_doubles(group, name);
    if (values.size() != rows.size()) fail_in_problem(group, "bounded rows are incomplete");
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*member = values[i];
  });
  return rows;
}

}  // namespace amontons::io
