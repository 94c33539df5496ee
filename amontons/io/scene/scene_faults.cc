#include "amontons/io/scene/scene_faults.h"

#include "amontons/io/common/fault_list.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

/// Bounds the readings of a document; some find only what follows from earlier faults.
constexpr std::size_t kMostReadings = 3 * FaultList::kMostFaults;

/// Identifies a place: file, line, column.
using Place = std::tuple<std::string, int, int>;

Place place_of(const SourceLocation& where) { return {where.file, where.line, where.column}; }
Place place_of(const ParseError& error) { return {error.file(), error.line(), error.column()}; }

/// Returns true if an error is at a key, not at the map that begins with it.
bool is_about_key(const ParseError& error) {
  return error.message().starts_with("unknown key '") || error.message().starts_with("key '");
}

/// Mends a document, or takes parts out of it, and knows what depends on them.
class Removal {
 public:
  explicit Removal(YamlValue document) : document_(std::move(document)) {}

  const YamlValue& document() const { return document_; }

  /// Returns true if an error may only follow from what was changed.
  bool explains(const ParseError& error) const {
    if (replaced_.count(place_of(error)) > 0) return true;
    // The files of models have names of their own; overrides have no lines.
    const bool is_of_model = error.file() != document_.where.file && error.line() > 0;
    const auto is_named = [&](const std::string& name) {
      return error.message().find("'" + name + "'") != std::string::npos ||
             error.message().find("'" + name + "/") != std::string::npos;
    };
    if (!is_of_model && std::any_of(names_.begin(), names_.end(), is_named)) return true;
    return !is_about_key(error) && holders_.count(place_of(error)) > 0;
  }

  /// Makes a plain value at which an error is the number 1, and takes out any other part. A number
  /// that is wrong, too, is taken out when it is met again. Returns false if there is no such part.
  bool take_out(const ParseError& error) {
    return take_from(document_, place_of(error), is_about_key(error));
  }

  /// Takes out the model whose file is shown by a name. Returns false if there is none.
  bool take_out_model(const std::string& file,
                      const std::function<std::string(const std::string&)>& shown) {
    for (std::size_t k = 0; k < document_.keys.size(); ++k) {
      if (document_.keys[k].text != "models") continue;
      std::vector<YamlValue>& models = document_.items[k].items;
      for (std::size_t i = 0; i < models.size(); ++i) {
        const YamlValue* named = models[i].find("file");
        if (named == nullptr || shown(named->text) != file) continue;
        erase(document_.items[k], i);
        return true;
      }
    }
    return false;
  }

 private:
  /// Erases an item of a list or map, and notes the names that it gives.
  void erase(YamlValue& holder, std::size_t i) {
    note_names(holder.items[i]);
    if (holder.kind == YamlValue::Kind::Map) {
      if (holder.keys[i].text == "name") names_.insert(holder.items[i].text);
      holder.keys.erase(holder.keys.begin() + static_cast<std::ptrdiff_t>(i));
    }
    holder.items.erase(holder.items.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// Notes all names that a value gives, at any depth.
  void note_names(const YamlValue& value) {
    if (const YamlValue* name = value.find("name")) names_.insert(name->text);
    for (const YamlValue& item : value.items) note_names(item);
  }

  /// Takes the part at a place out of a value. A map and its first key have the same place.
  bool take_from(YamlValue& value, const Place& place, bool is_key) {
    const bool is_map = value.kind == YamlValue::Kind::Map;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const bool here = is_map && is_key ? place_of(value.keys[i].where) == place
                                         : place_of(value.items[i].where) == place;
      const bool is_key_of_names = is_map && !is_key && place_of(value.keys[i].where) == place;
      if (here && !is_key && value.items[i].kind == YamlValue::Kind::Scalar &&
          replaced_.insert(place).second) {
        value.items[i].text.assign(1, '1');
        value.items[i].quoted = false;
        return true;
      }
      if (here || (is_key_of_names && i > 0)) {
        erase(value, i);
      } else if (!take_from(value.items[i], place, is_key)) {
        continue;
      }
      if (is_map) holders_.insert(place_of(value.where));
      return true;
    }
    return false;
  }

  YamlValue document_;
  std::set<Place> replaced_;     // values that were made 1
  std::set<std::string> names_;  // of what was taken out
  std::set<Place> holders_;      // maps from which something was taken out
};

}  // namespace

void throw_scene_faults(const ParseError& first, YamlValue document,
                        const std::function<void(const YamlValue&)>& read,
                        const std::function<std::string(const std::string&)>& shown) {
  FaultList faults;
  Removal removal(std::move(document));
  ParseError last = first;
  const auto collect = [&](const std::vector<ParseError>& found) {
    if (!removal.explains(found.front())) {
      for (const ParseError& fault : found) faults.add(fault);
    }
    last = found.front();
  };
  if (const auto* several = dynamic_cast<const ParseErrors*>(&first)) {
    collect(several->faults());
  } else {
    collect({first});
  }
  for (std::size_t reading = 0; reading < kMostReadings; ++reading) {
    if (!removal.take_out(last) && !removal.take_out_model(last.file(), shown)) break;
    try {
      read(removal.document());
      break;
    } catch (const ParseErrors& errors) {
      collect(errors.faults());
    } catch (const ParseError& error) {
      collect({error});
    } catch (const std::exception&) {
      break;  // what was found is reported
    }
  }
  faults.throw_any();
  throw ParseError(first);
}

}  // namespace amontons::io
