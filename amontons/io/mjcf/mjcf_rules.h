#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Is what the ledger says of looks.
constexpr std::string_view kMjcfDrawn = "moves nothing; the replay draws it";

/// Holds what the ledger says of a part of a file that nobody has read.
struct MjcfReason {
  ImportFate fate = ImportFate::Ignored;
  std::string reason;
};

/// Says why an element of MJCF is left out, by its name and that of its parent. One that MuJoCo
/// does not know there, as far as is known here, is a finding, which names the nearest one.
MjcfReason reason_of_mjcf_element(const std::string& parent, const std::string& element);

/// Says why an attribute is left out though its element is not. Attributes that are applied where
/// they mean something are known too: they had no effect. All others are findings, as above.
MjcfReason reason_of_mjcf_attribute(const std::string& element, const std::string& attribute);

}  // namespace amontons::io
