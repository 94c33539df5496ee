#include "amontons/io/mjcf/mjcf_touching.h"

#include "amontons/io/common/parse_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

// Which geoms of a file touch each other, and what of their contacts is not carried out.

namespace amontons::io {
namespace {

/// Holds geoms that agree in all that decides their contacts, by one of them.
struct Kind {
  const MjcfGeom* geom = nullptr;
  std::array<int, 2> bodies{-1, -1};  ///< two of their rigid bodies; -1: there is no other
};

bool same_contacts(const MjcfGeom& a, const MjcfGeom& b) {
  return a.category == b.category && a.mask == b.mask && a.condim == b.condim &&
         a.priority == b.priority && a.torsion == b.torsion && a.rolling == b.rolling;
}

/// Returns true if friction opposes spinning or rolling in contacts of two geoms, by the rule of
/// MuJoCo: the geom of higher priority decides, else the larger value of each.
bool opposes_turning(const MjcfGeom& a, const MjcfGeom& b) {
  if (a.priority != b.priority) {
    const MjcfGeom& first = a.priority > b.priority ? a : b;
    return (first.condim > 3 && first.torsion > 0.0) || (first.condim > 4 && first.rolling > 0.0);
  }
  const int condim = std::max(a.condim, b.condim);
  return (condim > 3 && std::max(a.torsion, b.torsion) > 0.0) ||
         (condim > 4 && std::max(a.rolling, b.rolling) > 0.0);
}

/// Knows all geoms of a file that can touch.
class Partners {
 public:
  explicit Partners(const MjcfReader& reader) : reader_(reader) {
    for (const MjcfGeom& geom : reader.geoms) {
      if (geom.index >= 0) add(geom);
    }
  }

  /// Returns the kinds of geoms of other bodies that a geom touches by the filters of both.
  std::vector<const Kind*> of(const MjcfGeom& geom) const {
    const int own = body_of(geom);
    std::vector<const Kind*> result;
    for (const Kind& kind : kinds_) {
      const MjcfGeom& other = *kind.geom;
      const bool is_other = kind.bodies[0] != own || kind.bodies[1] >= 0;
      const bool admits = (geom.category & other.mask) != 0 || (other.category & geom.mask) != 0;
      if (is_other && admits) result.push_back(&kind);
    }
    return result;
  }

 private:
  int body_of(const MjcfGeom& geom) const {
    return reader_.bodies[static_cast<std::size_t>(geom.body)].first_rigid_body;
  }

  void add(const MjcfGeom& geom) {
    const int body = body_of(geom);
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&](const Kind& other) { return same_contacts(*other.geom, geom); });
    if (kind == kinds_.end()) kind = kinds_.insert(kind, {&geom, {body, -1}});
    if (body != kind->bodies[0]) kind->bodies[1] = body;
  }

  const MjcfReader& reader_;
  std::vector<Kind> kinds_;
};

}  // namespace

void note_mjcf_margin(const MjcfReader& reader, const MjcfElement& element) {
  const double margin = element.number("margin", 0.0), gap = element.number("gap", 0.0);
  if (margin == 0.0 && gap == 0.0) return;
  const std::string attribute = margin != 0.0 ? "margin" : "gap";
  if (reader.flags.override) {
    element.note(attribute, ImportFate::Ignored, "the option o_margin counts in its place");
  } else if (margin == gap) {
    element.note(attribute, ImportFate::Ignored, "contacts between margin and gap exert nothing");
  } else {
    element.note(attribute, ImportFate::Refused,
                 "contacts act at the surface: MuJoCo's act where the surfaces " +
                     std::string(margin > gap ? "are still " : "overlap by ") +
                     shortest_text(std::abs(margin - gap)) +
                     (margin > gap ? " m apart (margin - gap)" : " m (gap - margin)"));
  }
}

void note_mjcf_idle_contact(const MjcfElement& geom) {
  for (const char* attribute : {"margin", "gap", "solref", "solimp", "solmix"}) {
    geom.note(attribute, ImportFate::Ignored, "without effect: it touches nothing in this file");
  }
}

void note_mjcf_touching(const MjcfReader& reader) {
  const Partners partners(reader);
  // What is said of a default by a geom that touches replaces what others say.
  std::vector<const MjcfGeom*> touching;
  for (const MjcfGeom& geom : reader.geoms) {
    if (geom.index < 0 || !geom.element) continue;
    if (partners.of(geom).empty()) {
      note_mjcf_idle_contact(*geom.element);
    } else {
      touching.push_back(&geom);
    }
  }
  for (const MjcfGeom* geom : touching) {
    note_mjcf_margin(reader, *geom->element);
    for (const char* attribute : {"solref", "solimp", "solmix"}) {
      geom->element->note_softness(attribute);
    }
    if (geom->condim < 4) continue;
    const std::vector<const Kind*> others = partners.of(*geom);
    const bool opposes = std::any_of(others.begin(), others.end(), [&](const Kind* other) {
      return opposes_turning(*geom, *other->geom);
    });
    geom->element->note(
        "condim", opposes ? ImportFate::Refused : ImportFate::Applied,
        opposes ? "friction opposes sliding only: a contact does not resist spinning or rolling"
                : "its friction against turning is zero");
  }
}

}  // namespace amontons::io
