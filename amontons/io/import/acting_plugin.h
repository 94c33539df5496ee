#pragma once

#include <string_view>

namespace amontons::io {

/// Returns true if a plugin of Gazebo, by its name or that of its library, drives joints or exerts
/// forces without a command.
bool acts_by_its_name(std::string_view name, std::string_view library);

}  // namespace amontons::io
