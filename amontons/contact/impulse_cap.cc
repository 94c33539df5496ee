#include "amontons/contact/impulse_cap.h"

#include <stdexcept>
#include <string>

namespace amontons {

ImpulseCap impulse_cap_named(std::string_view word) {
  if (word == "island") return ImpulseCap::Island;
  if (word == "system") return ImpulseCap::System;
  throw std::invalid_argument("the impulse cap is '" + std::string(word) +
                              "', it must be island or system");
}

}  // namespace amontons
