#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Says what `amontons verify` does with a dataset or an attribute of a run: the checks of
/// which one finds a wrong value, in back quotes, or words that say that the value is taken as
/// recorded.
/// @throws std::logic_error for a name that the table lacks.
std::string judgement(std::string_view dataset);

/// Returns the names of the checks (verification_checks.h) of which one finds a wrong value of a
/// dataset; none if nothing does.
std::vector<std::string> judging_checks(std::string_view dataset);

}  // namespace amontons::io
