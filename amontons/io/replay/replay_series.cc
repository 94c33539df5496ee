#include "amontons/io/replay/replay_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the least and the greatest finite value of an interval, the earlier one first. Both are
/// NaN where no value is finite.
std::pair<double, double> extremes_in_order(const std::vector<double>& values, std::size_t begin,
                                            std::size_t end) {
  std::size_t least = end, greatest = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::isfinite(values[i])) continue;
    if (least == end || values[i] < values[least]) least = i;
    if (greatest == end || values[i] > values[greatest]) greatest = i;
  }
  if (least == end) return {std::nan(""), std::nan("")};
  return {values[std::min(least, greatest)], values[std::max(least, greatest)]};
}

/// Returns the begin of interval k of `num_intervals` nearly equal ones over `count` samples.
std::size_t interval_begin(std::size_t k, std::size_t num_intervals, std::size_t count) {
  return k * count / num_intervals;
}

/// Returns the value in single precision. Values beyond its range become NaN, a gap in the chart.
float to_single(double value) {
  const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  return fits ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

nlohmann::ordered_json encode_replay_series(const ReplayRun& run, std::size_t max_samples,
                                            ReplaySections& sections) {
  // An interval gives two samples, so that an envelope has max_samples at most.
  const std::size_t count = run.series_time.size();
  const bool shorten = count > max_samples;
  const std::size_t num_intervals = std::max<std::size_t>(max_samples / 2, 1);
  std::vector<double> times;
  std::vector<float> values;
  if (!shorten) {
    // Short curves are kept as they are.
    times = run.series_time;
  } else {
    for (std::size_t k = 0; k < num_intervals; ++k) {
      // The two samples of an interval lie at its first and last time.
      const std::size_t begin = interval_begin(k, num_intervals, count);
      const std::size_t end = interval_begin(k + 1, num_intervals, count);
      times.insert(times.end(), {run.series_time[begin], run.series_time[end - 1]});
    }
  }
  // All curves share the times; each adds a row of values.
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ReplaySeries& series : run.series) {
    nlohmann::ordered_json entry = {{"name", series.name},
                                    {"unit", series.unit},
                                    {"chart", series.chart},
                                    {"log", series.log_scale}};
    if (std::isfinite(series.limit)) entry["limit"] = series.limit;
    list.push_back(std::move(entry));
    if (!shorten) {
      for (const double value : series.values) values.push_back(to_single(value));
      continue;
    }
    for (std::size_t k = 0; k < num_intervals; ++k) {
      const auto [first, second] =
          extremes_in_order(series.values, interval_begin(k, num_intervals, count),
                            interval_begin(k + 1, num_intervals, count));
      values.insert(values.end(), {to_single(first), to_single(second)});
    }
  }
  sections.add("series_times", std::span<const double>(times));
  sections.add("series_values", std::span<const float>(values), times.size());
  return {{"samples", count}, {"curves", std::move(list)}};
}

}  // namespace amontons::io
