#include "tools/amontons/support/foreign_output.h"

namespace amontons::cli {

void add_force(Verb& verb, bool& force) {
  verb.flag("--force", force, "Replace files that this program has not written");
}

}  // namespace amontons::cli
