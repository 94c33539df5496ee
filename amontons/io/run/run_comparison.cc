#include "amontons/io/run/run_comparison.h"

#include "amontons/io/run/run_fields.h"
#include "amontons/io/run/run_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

namespace amontons::io {
namespace {

/// Returns true for the times that differ from run to run on the same machine.
bool is_wall_time(std::string_view name) {
  return name == "/solver/step_time_s" || name == "/solver/solve_time_s";
}

/// Returns true for records of the solver, which may differ between equal motions.
bool is_solver_record(std::string_view name) {
  return name.starts_with("/solver/") || name.ends_with("/mode") || name.ends_with("witness") ||
         name == "/contacts/restitution_share";
}

/// Describes how the systems of two runs differ; empty if their rows can be compared.
std::string header_difference(const RunHeader& a, const RunHeader& b) {
  if (a.body_names != b.body_names) return "their bodies differ";
  if (a.joint_names != b.joint_names) return "their joints differ";
  if (a.joint_q_offset != b.joint_q_offset || a.joint_first_row != b.joint_first_row) {
    return "their joints have other coordinates";
  }
  if (!(a.sizes == b.sizes)) return "their datasets have other shapes";
  return "";
}

/// Returns true if |a - b| <= tolerance max(1, |a|, |b|), or for equal bits; NaN equals NaN.
bool same_number(double a, double b, double tolerance) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  if (tolerance == 0.0) return false;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Compares rows one after the other and adds each difference to a RunComparison.
class Comparer {
 public:
  Comparer(const RunHeader& header, double tolerance, RunComparison& result)
      : header_(header), tolerance_(tolerance), result_(result) {}

  void compare(const RunRow& a, const RunRow& b) {
    // Differences of this row are reported at the step and time of the first run.
    place_.step = a.step_count;
    place_.time = a.time;
    differs_ = false;
    compare_fields(row_fields(a), row_fields(b), "");
    // Rounding may add or remove a contact, so tolerant comparison matches contacts by key.
    if (tolerance_ > 0.0) {
      compare_matched(a, b);
    } else {
      compare_all(a.contacts, b.contacts, "/contacts/offset", contact_fields,
                  [this](const RunContact& contact) { return pair_name(contact); });
    }
    compare_all(a.bounded_rows, b.bounded_rows, "/bounded/offset", bounded_fields,
                [](const RunBoundedRow&) { return std::string(); });
    compare_all(a.commands, b.commands, "/commands/offset", command_fields,
                [](const RunCommand&) { return std::string(); });
    if (differs_) ++result_.rows_different;
    ++place_.row;
  }

 private:
  /// Compares two lists record by record, in their order. Lists of different length differ in that.
  template <typename Record, typename Fields, typename Name>
  void compare_all(const std::vector<Record>& a, const std::vector<Record>& b, const char* count,
                   const Fields& fields, const Name& name) {
    if (a.size() != b.size()) {
      note(count, "how many", static_cast<double>(a.size()), static_cast<double>(b.size()));
      return;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      compare_fields(fields(a[i]), fields(b[i]), name(a[i]));
    }
  }

  /// Compares contacts by key. Both lists are sorted by key, so one pass finds the pairs.
  void compare_matched(const RunRow& a, const RunRow& b) {
    std::size_t i = 0, j = 0;
    while (i < a.contacts.size() || j < b.contacts.size()) {
      const bool only_a = j == b.contacts.size() ||
                          (i < a.contacts.size() && a.contacts[i].key < b.contacts[j].key);
      const bool only_b =
          !only_a && (i == a.contacts.size() || b.contacts[j].key < a.contacts[i].key);
      // A contact in one run only matters if it carries an impulse [N s].
      if (only_a || only_b) {
        const RunContact& contact = only_a ? a.contacts[i++] : b.contacts[j++];
        const double load = contact.impulse.norm();
        if (load <= tolerance_) continue;
        note("/contacts/impulse", pair_name(contact) + ", in one run only", only_a ? load : 0.0,
             only_b ? load : 0.0);
        continue;
      }
      compare_fields(contact_fields(a.contacts[i]), contact_fields(b.contacts[j]),
                     pair_name(a.contacts[i]));
      ++i;
      ++j;
    }
  }

  void compare_fields(const std::vector<RunField>& a, const std::vector<RunField>& b,
                      const std::string& where) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (is_wall_time(a[k].name)) continue;
      if (tolerance_ > 0.0 && is_solver_record(a[k].name)) continue;
      if (a[k].values.size() != b[k].values.size()) {
        note(a[k].name, "numbers per row", static_cast<double>(a[k].values.size()),
             static_cast<double>(b[k].values.size()));
        continue;
      }
      for (Eigen::Index i = 0; i < a[k].values.size(); ++i) {
        const double x = a[k].values(i), y = b[k].values(i);
        if (same_number(x, y, tolerance_)) continue;
        note(a[k].name, where.empty() ? place_in(header_, a[k], i) : where, x, y);
      }
    }
  }

  /// Returns the names of the two bodies of a contact.
  std::string pair_name(const RunContact& contact) const {
    return header_.body_names[static_cast<std::size_t>(contact.body_a)] + " against " +
           header_.body_names[static_cast<std::size_t>(contact.body_b)];
  }

  /// Records a difference: the first of all, and the largest of each dataset.
  void note(const char* dataset, const std::string& where, double a, double b) {
    differs_ = true;
    RunDifference found = place_;
    found.dataset = dataset;
    found.where = where;
    found.first = a;
    found.second = b;
    if (!result_.first) result_.first = found;
    const auto known =
        std::find_if(result_.largest.begin(), result_.largest.end(),
                     [&](const RunDifference& other) { return other.dataset == dataset; });
    if (known == result_.largest.end()) {
      result_.largest.push_back(std::move(found));
    } else if (found.size() > known->size()) {
      *known = std::move(found);
    }
  }

  const RunHeader& header_;
  double tolerance_;
  RunComparison& result_;
  RunDifference place_;
  bool differs_ = false;
};

}  // namespace

double RunDifference::size() const {
  const double difference = std::abs(first - second);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

RunComparison compare_runs(RunReader& first, RunReader& second, double tolerance,
                           const std::function<void(double)>& progress) {
  RunComparison result;
  result.headers = header_difference(first.header(), second.header());
  result.rows_first = first.num_rows();
  result.rows_second = second.num_rows();
  if (!result.headers.empty()) return result;
  // Rows that only one run has are counted by rows_first and rows_second.
  const std::size_t common = std::min(result.rows_first, result.rows_second);
  Comparer comparer(first.header(), tolerance, result);
  for (std::size_t i = 0; i < common; ++i) {
    comparer.compare(first.row(i), second.row(i));
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(common));
  }
  return result;
}

}  // namespace amontons::io
