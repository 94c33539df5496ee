#include "amontons/io/run/repeated_rows.h"

#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_visitors.h"

#include <cstring>
#include <utility>

namespace amontons::io {
namespace {

/// Compares bytes; the operator of vectors takes them one by one.
bool is_equal(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

RepeatedRows::Place RepeatedRows::place(const RunRow& row,
                                        const std::vector<RepeatedContacts::Place>& contacts) {
  // Equal bytes have equally many contacts, bounded rows and commands: their numbers come first.
  bytes_.clear();
  BytesAppender append(bytes_);
  for (const std::size_t size : {contacts.size(), row.bounded_rows.size(), row.commands.size()}) {
    append("", size);
  }
  visit_record_columns(row, append);
  for (const RepeatedContacts::Place& contact : contacts) append("", contact.record);
  for (const RunBoundedRow& bounded : row.bounded_rows) visit_bounded_columns(bounded, append);
  for (const RunCommand& command : row.commands) visit_command_columns(command, append);
  for (Kept& kept : kept_) {
    if (kept.record < 0 || !is_equal(kept.bytes, bytes_)) continue;
    std::swap(kept, kept_.front());
    return {kept_.front().record, false};
  }
  std::swap(kept_.front(), kept_.back());
  std::swap(kept_.front().bytes, bytes_);
  kept_.front().record = num_records_++;
  return {kept_.front().record, true};
}

}  // namespace amontons::io
