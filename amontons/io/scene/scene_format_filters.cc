#include "amontons/io/scene/scene_format.h"

namespace amontons::io {

std::vector<FormatMap> format_of_filters() {
  return {
      {"collision_filter",
       "an item of `collision_filters`",
       "It has exactly one of `exclude`, `include`, `exclude_joined`, `include_joined`, `group` "
       "and "
       "`shapes`. The last item that names a pair decides; it precedes masks, joints and what a "
       "model's file says. A, B and members are each a name or a list of names: a body, a link "
       "`model/link`, a shape `body/shape` (by its index from 0 where it has no name), or a group. "
       "`*` in a name is any text, as in `\"robot/*\"`. `[A, A]` are all pairs within A. Shapes of "
       "one body, fixed ones and bodies that fixed joints hold together never collide.",
       {{"exclude", "[A, B]", "", "", "No shape of A collides with one of B."},
        {"include", "[A, B]", "", "", "Every shape of A collides with every one of B."},
        {"exclude_joined", "list of joints", "", "",
         "The two bodies that such a joint connects do not collide. `*` is any text."},
        {"include_joined", "list of joints", "", "", "They collide."},
        {"group", "text", "", "", "Name of a group, for the items below it."},
        {"members", "name or list of names", "", "", "Members of the group."},
        {"shapes", "name or list of names", "", "", "These shapes get `category` and `mask`."},
        {"category", "integer, 0 to 0xffffffff", "", "as before, else 1", "Bits of the shapes."},
        {"mask", "integer, 0 to 0xffffffff", "", "as before, else 1",
         "Two shapes collide if the category of one and the mask of the other share a bit, either "
         "way."}}}};
}

}  // namespace amontons::io
