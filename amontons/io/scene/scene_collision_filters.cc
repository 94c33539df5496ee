#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/io/scene/shape_names.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

// collision_filters: which pairs of bodies and shapes collide, beside what their models say.

namespace amontons::io {
namespace {

/// Reads 32 bits, as a decimal number or as 0x and hexadecimal digits.
std::uint32_t read_bits(const YamlValue& value, const std::string& what) {
  const bool is_hex = value.text.starts_with("0x") || value.text.starts_with("0X");
  const char *begin = value.text.data() + (is_hex ? 2 : 0),
             *end = value.text.data() + value.text.size();
  std::uint32_t bits = 0;
  const std::from_chars_result read = std::from_chars(begin, end, bits, is_hex ? 16 : 10);
  const bool is_number = value.kind == YamlValue::Kind::Scalar && !value.quoted;
  if (!is_number || read.ec != std::errc() || read.ptr != end || begin == end) {
    fail_at(value.where, what + " must be an integer from 0 to 0xffffffff, not '" + value.text +
                             "'; write bits as 5 or 0x5");
  }
  return bits;
}

/// Reads a text, or a list of texts that is not empty.
std::vector<const YamlValue*> text_items(const YamlValue& value, const std::string& what) {
  std::vector<const YamlValue*> items;
  if (value.kind != YamlValue::Kind::Sequence) {
    items.push_back(&value);
  } else {
    for (const YamlValue& item : value.items) items.push_back(&item);
  }
  if (items.empty()) fail_at(value.where, what + " must name something");
  for (const YamlValue* item : items) read_text(*item, what);
  return items;
}

/// Reads the list of filters.
class FilterReader {
 public:
  explicit FilterReader(SceneReader& reader) : reader_(reader), names_(reader.scene) {}

  /// Reads one item.
  void read(const YamlValue& value, std::size_t index) {
    const std::string what = "collision filter " + std::to_string(index + 1);
    const MapReader map(value, what, scene_map("collision_filter"));
    const std::string kind = kind_of(map);
    refuse_keys_of_others(map, kind);
    if (kind == "group") {
      read_group(map);
    } else if (kind == "shapes") {
      read_masks(map);
    } else if (kind == "exclude" || kind == "include") {
      read_pairs(map, kind);
    } else {
      read_joined(map, kind);
    }
    reader_.note(ImportFate::Applied, what + ": " + kind, reason_, value.where);
  }

 private:
  /// Returns the one key that names the kind of an item.
  static std::string kind_of(const MapReader& map) {
    std::string kind;
    for (const char* key :
         {"exclude", "include", "exclude_joined", "include_joined", "group", "shapes"}) {
      if (!map.has(key)) continue;
      if (!kind.empty()) {
        fail_at(map.where(key),
                map.what() + " gives " + kind + " and " + key + "; write one list entry for each");
      }
      kind = key;
    }
    if (kind.empty()) {
      fail_at(map.where(), map.what() +
                               " says nothing; give one of exclude, include, exclude_joined, "
                               "include_joined, group, shapes");
    }
    return kind;
  }

  /// Refuses keys that belong to another kind.
  static void refuse_keys_of_others(const MapReader& map, const std::string& kind) {
    const std::pair<const char*, const char*> owners[] = {
        {"members", "group"}, {"category", "shapes"}, {"mask", "shapes"}};
    for (const auto& [key, owner] : owners) {
      if (!map.has(key) || kind == owner) continue;
      fail_at(map.where(key),
              map.name_of(key) + " belongs to " + owner + "; remove it or write " + owner);
    }
  }

  /// Returns the shapes of a name, of a group or of a list of them, sorted.
  std::vector<ShapeSite> read_sites(const YamlValue& value, const std::string& what) const {
    std::vector<ShapeSite> sites;
    for (const YamlValue* item : text_items(value, what)) {
      const auto group = groups_.find(item->text);
      if (group != groups_.end()) {
        sites.insert(sites.end(), group->second.begin(), group->second.end());
      } else if (!names_.find(item->text, sites)) {
        std::vector<std::string> known = names_.all();
        for (const auto& [name, members] : groups_) known.push_back(name);
        fail_at(item->where, what + ": no body, link, shape or group is called '" + item->text +
                                 "'" + did_you_mean(item->text, known));
      }
    }
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    return sites;
  }

  /// Reads {group, members}.
  void read_group(const MapReader& map) {
    const YamlValue& name = map.required("group");
    const std::string text = read_text(name, map.name_of("group"));
    std::vector<ShapeSite> taken;
    if (text.find('*') != std::string::npos) {
      fail_at(name.where, map.name_of("group") + ": '" + text + "' has a '*', which is any text");
    }
    if (groups_.contains(text) || names_.find(text, taken)) {
      fail_at(name.where, map.name_of("group") + ": there is already a body, shape or group '" +
                              text + "'; choose another name");
    }
    groups_[text] = read_sites(map.required("members"), map.name_of("members"));
    reason_ = std::to_string(groups_[text].size()) + " shapes";
  }

  /// Reads {shapes, category, mask}.
  void read_masks(const MapReader& map) {
    const std::vector<ShapeSite> sites = read_sites(map.required("shapes"), map.name_of("shapes"));
    if (!map.has("category") && !map.has("mask")) {
      fail_at(map.where(), map.what() + " gives neither category nor mask; give one or both");
    }
    for (const ShapeSite& site : sites) {
      CollisionFilter& filter = shape_at(site).filter;
      if (const YamlValue* v = map.find("category")) {
        filter.category = read_bits(*v, map.name_of("category"));
      }
      if (const YamlValue* v = map.find("mask")) filter.mask = read_bits(*v, map.name_of("mask"));
    }
    reason_ = std::to_string(sites.size()) + " shapes";
  }

  /// Returns a shape of the scene.
  SceneShape& shape_at(const ShapeSite& site) {
    Scene& scene = reader_.scene;
    auto number = static_cast<std::size_t>(site.body);
    const auto shape = static_cast<std::size_t>(site.shape);
    if (number < scene.bodies.size()) return scene.bodies[number].shapes[shape];
    number -= scene.bodies.size();
    auto model = scene.models.begin();
    for (; number >= model->links.size(); ++model) number -= model->links.size();
    return model->links[number].shapes[shape];
  }

  /// Reads {exclude: [A, B]} or {include: [A, B]}.
  void read_pairs(const MapReader& map, const std::string& kind) {
    const YamlValue& value = map.required(kind);
    const std::string what = map.name_of(kind);
    if (value.kind != YamlValue::Kind::Sequence || value.items.size() != 2) {
      fail_at(value.where, what + " must be two entries [A, B], each a name or a list of names");
    }
    CollisionRule rule;
    rule.collide = kind == "include";
    rule.where = map.where();
    rule.first = read_sites(value.items[0], what);
    rule.second = read_sites(value.items[1], what);
    refuse_one_body(value, what, rule);
    reason_ =
        std::to_string(rule.first.size()) + " by " + std::to_string(rule.second.size()) + " shapes";
    reader_.scene.collision_rules.push_back(std::move(rule));
  }

  /// Refuses pairs of shapes of one body, which never collide.
  void refuse_one_body(const YamlValue& value, const std::string& what,
                       const CollisionRule& rule) const {
    if (rule.first.empty() || rule.second.empty()) return;
    const int body = rule.first.front().body;
    const auto is_of_body = [&](const ShapeSite& site) { return site.body == body; };
    if (std::all_of(rule.first.begin(), rule.first.end(), is_of_body) &&
        std::all_of(rule.second.begin(), rule.second.end(), is_of_body)) {
      fail_at(value.where, what + " names body '" + names_.body(body) +
                               "' alone; shapes of one body never collide");
    }
  }

  /// Reads {exclude_joined: joints} or {include_joined: joints}.
  void read_joined(const MapReader& map, const std::string& kind) {
    CollisionRule rule;
    rule.collide = kind == "include_joined";
    rule.where = map.where();
    for (const YamlValue* item : text_items(map.required(kind), map.name_of(kind))) {
      if (names_.find_joined(item->text, rule.joined)) continue;
      fail_at(item->where, map.name_of(kind) + ": no joint is called '" + item->text + "'" +
                               did_you_mean(item->text, names_.joints()));
    }
    reason_ = std::to_string(rule.joined.size()) + " pairs of bodies";
    reader_.scene.collision_rules.push_back(std::move(rule));
  }

  SceneReader& reader_;
  const ShapeNames names_;
  std::map<std::string, std::vector<ShapeSite>> groups_;
  std::string reason_;  // of the last item, for the ledger
};

}  // namespace

void read_collision_filters(SceneReader& reader, const YamlValue& value) {
  FilterReader filters(reader);
  const std::vector<YamlValue>& items = read_list(value, "collision_filters");
  for (std::size_t i = 0; i < items.size(); ++i) filters.read(items[i], i);
}

}  // namespace amontons::io
