#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace amontons {
namespace {

/// Returns the text with ASCII letters in lower case.
std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Returns the distance of optimal string alignment, by dynamic programming.
std::size_t count_typing_errors(std::string_view a, std::string_view b) {
  // Three rows of the alignment table: the one before the last is needed for swaps.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    // Each entry is the least cost of an insertion, a deletion, a substitution or a swap.
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = lower_case(name);
  const bool has_slash = wanted.find('/') != std::string::npos;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const auto compare = [&](std::string_view known) {
      const std::size_t errors = count_typing_errors(wanted, known);
      // A beginning of two letters or more counts as near: it is often an abbreviation.
      const bool begins_it = wanted.size() >= 2 && known.starts_with(wanted);
      const bool is_near = begins_it || 2 * errors <= std::max(wanted.size(), known.size());
      if (is_near && errors < fewest) {
        fewest = errors;
        nearest = candidate;
      }
    };
    const std::string known = lower_case(candidate);
    compare(known);
    const std::size_t slash = known.rfind('/');
    if (!has_slash && slash != std::string::npos) {
      compare(std::string_view(known).substr(slash + 1));
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string name_advice(std::string_view name, const std::vector<std::string>& known) {
  return did_you_mean(name, known) + " (one of: " + joined_names(known) + ")";
}

}  // namespace amontons
