#include "tools/amontons/support/json_output.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace amontons::cli {

void print_json(const nlohmann::ordered_json& document) {
  std::cout << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
            << std::endl;
}

}  // namespace amontons::cli
