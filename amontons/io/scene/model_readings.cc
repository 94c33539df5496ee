#include "amontons/io/scene/model_readings.h"

#include "amontons/io/common/parse_error.h"

#include <utility>

namespace amontons::io {

const ModelReading& ModelReadings::get(const std::string& settings,
                                       const std::function<ModelReading()>& read) {
  auto known = readings_.find(settings);
  if (known == readings_.end()) {
    ModelReading reading;
    try {
      reading = read();
    } catch (const ParseError&) {
      reading.fault = std::current_exception();
    }
    known = readings_.emplace(settings, std::move(reading)).first;
  }
  if (known->second.fault) std::rethrow_exception(known->second.fault);
  return known->second;
}

}  // namespace amontons::io
