#pragma once

namespace amontons::experiments {

class Context;
struct Findings;

/// The Barrett BH280 of ../shared/data, beside the project; without it a note says that this part
/// was skipped.
void check_real_hand(const Context& context, Findings& findings);

}  // namespace amontons::experiments
