#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_touching.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

// <contact>: which geoms may touch, and with which friction.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Holds all that decides the friction of a geom: geoms that agree in all of it share a material.
struct Surface {
  double friction = 1.0;
  int condim = 3, priority = 0;
  std::string geom;  ///< name of a geom in a <pair>, else empty

  bool operator==(const Surface&) const = default;
};

// Most surfaces of a file: the scene lists all pairs of them.
constexpr std::size_t kMostSurfaces = 1000;

/// Returns the friction [-] by MuJoCo's rule: the geom of higher priority decides, else the larger
/// value of each.
double friction_between(const Surface& a, const Surface& b) {
  int condim = std::max(a.condim, b.condim);
  double friction = std::max(a.friction, b.friction);
  if (a.priority != b.priority) {
    const Surface& first = a.priority > b.priority ? a : b;
    condim = first.condim;
    friction = first.friction;
  }
  // With condim 1 a contact has no friction.
  return condim == 1 ? 0.0 : friction;
}

/// Reads all that decides which geoms touch, and with which friction.
class ContactReader {
 public:
  explicit ContactReader(MjcfReader& reader) : reader_(reader) {}

  /// Excludes neighbors, adds materials and reads <contact>, in this order.
  void run() {
    // The scene may have chosen which links of the model collide.
    if (reader_.model.self_collide == ModelCollisions::Default) {
      reader_.model.self_collide = ModelCollisions::All;
      exclude_neighbors();
    }
    add_materials();
    note_mjcf_touching(reader_);
    const MjcfDocument& document = reader_.file.document;
    for (const XMLElement* section : document.children(document.root(), "contact")) {
      reader_.element(*section, "");
      for (const XMLElement* xml : document.children(*section)) {
        const std::string tag = xml->Name();
        reader_.faults.attempt([&] {
          if (tag == "exclude") read_exclude(reader_.element(*xml, ""));
          if (tag == "pair") read_pair(reader_.element(*xml, MjcfDefaults::kMain));
        });
      }
    }
  }

 private:
  /// Returns the first shape of a geom that can touch, or a further part of it.
  SceneShape& shape_of(const MjcfGeom& geom, int part = 0) {
    const MjcfBody& body = reader_.bodies[static_cast<std::size_t>(geom.body)];
    return reader_.model.links[static_cast<std::size_t>(body.link)]
        .shapes[static_cast<std::size_t>(geom.index + part)];
  }

  /// Excludes the pairs of links that have shapes and are parent and child, unless the parent is
  /// part of the world. Bodies that are joined rigidly count as the first of them; they are one
  /// body of the model, whose shapes never collide.
  void exclude_neighbors() {
    if (!reader_.flags.filterparent) return;
    const std::vector<MjcfBody>& bodies = reader_.bodies;
    std::vector<std::vector<int>> with_shapes(bodies.size());  // by their first body
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (reader_.model.links[static_cast<std::size_t>(bodies[b].link)].shapes.empty()) continue;
      with_shapes[static_cast<std::size_t>(bodies[b].first_rigid_body)].push_back(
          static_cast<int>(b));
    }
    // In increasing order of the bodies; the first body is the world.
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t child = 1; child < bodies.size(); ++child) {
      const auto above = static_cast<std::size_t>(bodies[child].parent);
      const int parent = bodies[above].first_rigid_body;
      if (parent == 0) continue;
      for (const int a : with_shapes[static_cast<std::size_t>(parent)]) {
        for (const int b : with_shapes[child]) pairs.emplace_back(std::minmax(a, b));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [a, b] : pairs) {
      reader_.model.excluded.emplace_back(bodies[static_cast<std::size_t>(a)].link,
                                          bodies[static_cast<std::size_t>(b)].link);
    }
  }

  /// Gives each geom a material, and each pair of materials its friction.
  void add_materials() {
    for (const MjcfGeom& geom : reader_.geoms) {
      if (geom.index < 0) continue;
      // A geom of a <pair> gets its own material, so that the pair can have its own friction.
      const Surface surface{geom.friction, geom.condim, geom.priority,
                            reader_.paired.count(geom.name) > 0 ? geom.name : ""};
      const auto known = std::find(surfaces_.begin(), surfaces_.end(), surface);
      if (known == surfaces_.end()) {
        if (surfaces_.size() == kMostSurfaces && geom.element) {
          geom.element->fail("the geoms have more than " + std::to_string(kMostSurfaces) +
                             " kinds of friction, each of which is listed with all others; let "
                             "geoms share theirs, and give fewer of them a <pair>");
        }
        surfaces_.push_back(surface);
      }
      for (int part = 0; part < geom.num_shapes; ++part) {
        shape_of(geom, part).material = material_of(surface);
      }
    }
    // Every pair of materials is listed, with the friction of MuJoCo's rule.
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      reader_.context.materials.push_back(
          {material_of(surfaces_[i]), surfaces_[i].friction, 0.0, 0.0});
      for (std::size_t j = 0; j <= i; ++j) {
        MaterialPair pair;
        pair.first = material_of(surfaces_[j]);
        pair.second = material_of(surfaces_[i]);
        pair.friction = friction_between(surfaces_[i], surfaces_[j]);
        reader_.context.material_pairs.push_back(pair);
      }
    }
  }

  /// Returns the name of a surface's material, unique to the model.
  std::string material_of(const Surface& surface) const {
    if (!surface.geom.empty()) return reader_.model.name + "/geom " + surface.geom;
    std::string name = reader_.model.name + "/friction " + shortest_text(surface.friction);
    if (surface.condim != 3) name += ", condim " + std::to_string(surface.condim);
    if (surface.priority != 0) name += ", priority " + std::to_string(surface.priority);
    return name;
  }

  /// Reads <exclude>: two bodies that do not collide.
  void read_exclude(const MjcfElement& exclude) {
    if (reader_.leaves_out(exclude, ImportFate::Ignored)) return;  // it touches nothing
    const int a = reader_.find_body(exclude, "body1"), b = reader_.find_body(exclude, "body2");
    reader_.model.excluded.emplace_back(reader_.bodies[static_cast<std::size_t>(a)].link,
                                        reader_.bodies[static_cast<std::size_t>(b)].link);
  }

  /// Returns the geom that an attribute names. @throws ParseError if there is none.
  const MjcfGeom& find_geom(const MjcfElement& pair, const std::string& attribute) const {
    if (!pair.has(attribute)) pair.fail("needs the attribute '" + attribute + "'");
    const std::string name = pair.text(attribute);
    const int place = name.empty() ? -1 : reader_.places.geoms.find(reader_.geoms, name);
    if (place >= 0) return reader_.geoms[static_cast<std::size_t>(place)];
    std::vector<std::string> names;
    for (const MjcfGeom& geom : reader_.geoms) {
      if (!geom.name.empty()) names.push_back(geom.name);
    }
    pair.fail(attribute, "names no geom: '" + name + "'" + did_you_mean(name, names));
  }

  /// Reads <pair>: two geoms that touch whatever their filters say.
  void read_pair(const MjcfElement& pair) {
    if (!reader_.flags.contact) {
      pair.leave_out(ImportFate::Ignored, "contacts are switched off");
      return;
    }
    if (reader_.leaves_out(pair, ImportFate::Refused)) return;
    const MjcfGeom &a = find_geom(pair, "geom1"), &b = find_geom(pair, "geom2");
    if (a.index < 0 || b.index < 0) return;  // there is nothing to collide
    note_mjcf_margin(reader_, pair);
    pair.note_softness("solref");
    if (!set_friction(pair, a, b)) return;
    const MjcfBody& body_a = reader_.bodies[static_cast<std::size_t>(a.body)];
    const MjcfBody& body_b = reader_.bodies[static_cast<std::size_t>(b.body)];
    if (body_a.first_rigid_body == body_b.first_rigid_body) {
      pair.leave_out(ImportFate::Ignored, "bodies that are joined rigidly do not collide here");
      return;
    }
    // The scene may have switched off a link.
    for (const MjcfBody* body : {&body_a, &body_b}) {
      const std::string name = reader_.model.links[static_cast<std::size_t>(body->link)].name;
      const MeshChoice choice = reader_.context.collide.of(reader_.model.name + "/" + name, {});
      if (choice.collision == MeshCollision::None) return;
    }
    for (int i = 0; i < a.num_shapes; ++i) {
      for (int j = 0; j < b.num_shapes; ++j) {
        reader_.model.included.push_back({body_a.link, a.index + i, body_b.link, b.index + j});
      }
    }
  }

  /// Sets the friction of a pair. Those of its geoms do not count, not even where it gives none. Of
  /// a pair that is given twice the larger friction counts: in MuJoCo both make contacts, and that
  /// with the larger one holds.
  /// @returns false for a pair that is known.
  bool set_friction(const MjcfElement& pair, const MjcfGeom& a, const MjcfGeom& b) {
    MaterialPair properties;
    properties.first = shape_of(a).material;
    properties.second = shape_of(b).material;
    std::vector<double> friction = pair.merged_numbers("friction", 1, 5);
    // Missing numbers are those of the format.
    friction.resize(std::max<std::size_t>(friction.size(), 2), 1.0);
    if (!(friction[0] >= 0.0)) pair.fail("friction", "must not be negative");
    const bool is_smooth = pair.integer("condim", 3) == 1;
    properties.friction = is_smooth ? 0.0 : reader_.friction_override.value_or(friction[0]);
    // The second number differs from the first where sliding friction is anisotropic.
    if (!is_smooth && !reader_.friction_override && friction[1] != friction[0]) {
      pair.note("friction", ImportFate::Refused,
                "the first number counts in all directions of sliding");
    }
    note_turning(pair);
    const auto [known, is_new] = pairs_.try_emplace(
        std::minmax(properties.first, properties.second), reader_.context.material_pairs.size());
    if (is_new) {
      reader_.context.material_pairs.push_back(properties);
      return true;
    }
    MaterialPair& first = reader_.context.material_pairs[known->second];
    first.friction = std::max(*first.friction, *properties.friction);
    pair.note(ImportFate::Applied, "the pair is given before; the larger friction counts");
    return false;
  }

  /// Notes a pair whose friction opposes spinning or rolling, too.
  static void note_turning(const MjcfElement& pair) {
    const int condim = pair.integer("condim", 3);
    std::vector<double> friction = pair.merged_numbers("friction", 1, 5);
    const std::vector<double> usual{1.0, 1.0, 0.005, 0.0001, 0.0001};
    friction.insert(friction.end(), usual.begin() + static_cast<std::ptrdiff_t>(friction.size()),
                    usual.end());
    const bool spins = condim > 3 && friction[2] > 0.0;
    if (!spins && !(condim > 4 && std::max(friction[3], friction[4]) > 0.0)) return;
    pair.note("condim", ImportFate::Refused,
              "friction opposes sliding only: a contact does not resist spinning or rolling");
  }

  MjcfReader& reader_;
  std::vector<Surface> surfaces_;
  /// Holds the places of <pair>s in the material pairs of the scene, by their two materials.
  std::map<std::pair<std::string, std::string>, std::size_t> pairs_;
};

}  // namespace

void read_mjcf_contacts(MjcfReader& reader) { ContactReader(reader).run(); }

}  // namespace amontons::io
