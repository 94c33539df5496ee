#include "amontons/io/run/contact_records.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_visitors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace amontons::io {

std::vector<RepeatedContacts::Place> RepeatedContacts::place(
    const std::vector<RunContact>& contacts) {
  std::vector<Place> places;
  if (contacts.empty()) return places;
  current_.keys.clear();
  current_.records.clear();
  current_.bytes.clear();
  for (const RunContact& contact : contacts) {
    current_.keys.push_back(contact.key);
    visit_contact_columns(contact, BytesAppender(current_.bytes));
  }
  // Both rows are sorted by key: one pass over the last row finds all of its contacts.
  const std::size_t size = current_.bytes.size() / contacts.size();
  std::size_t k = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    while (k < last_.keys.size() && last_.keys[k] < contacts[i].key) ++k;
    const bool repeats = k < last_.keys.size() && last_.keys[k] == contacts[i].key &&
                         std::memcmp(&last_.bytes[k * size], &current_.bytes[i * size], size) == 0;
    places.push_back({repeats ? last_.records[k] : num_records_++, !repeats});
    current_.records.push_back(places.back().record);
  }
  std::swap(last_, current_);
  return places;
}

ContactRecords::ContactRecords(const Hdf5Handle& file, const std::string& path,
                               std::size_t num_bodies)
    : path_(path), num_bodies_(num_bodies), size_(std::numeric_limits<std::size_t>::max()) {
  visit_contact_columns(RunContact(), ColumnOpener(file, path_, columns_));
  for (const ColumnReader& column : columns_) size_ = std::min(size_, column.num_rows());
}

std::vector<RunContact> ContactRecords::read(const std::vector<std::int64_t>& records,
                                             std::size_t row) {
  // Ascending records are next to each other in the file.
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return records[a] < records[b]; });
  std::vector<RunContact> contacts(records.size()), ascending(records.size());
  std::vector<std::int64_t> ascending_records(records.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t record = records[order[i]];
    while (k < last_records_.size() && last_records_[k] < record) ++k;
    const bool is_known = k < last_records_.size() && last_records_[k] == record;
    ascending[i] = is_known ? last_contacts_[k] : read_record(record, row);
    ascending_records[i] = record;
    contacts[order[i]] = ascending[i];
  }
  last_records_ = std::move(ascending_records);
  last_contacts_ = std::move(ascending);
  return contacts;
}

RunContact ContactRecords::read_record(std::int64_t record, std::size_t row) {
  RunContact contact;
  const auto index = static_cast<std::size_t>(record);
  visit_contact_columns(contact, ColumnFiller(columns_, index));
  check_columns(columns_, index, row);
  const auto num_bodies = static_cast<int>(num_bodies_);
  if (std::min(contact.body_a, contact.body_b) < 0 ||
      std::max(contact.body_a, contact.body_b) >= num_bodies) {
    throw ParseError(
        path_, 0, 0,
        "a contact of row " + std::to_string(row) + " names a body that is not in /bodies");
  }
  return contact;
}

}  // namespace amontons::io
