#include "amontons/io/yaml/yaml_value.h"

#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/printable.h"
#include "amontons/math/stop.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

// Largest depth of nesting: deeper than any scene, and shallow enough for the call stack.
constexpr std::size_t kMaxDepth = 100;
// Largest number of values that aliases may add in total. Without it, nested aliases in a file of a
// few lines could expand to any number of values.
constexpr std::size_t kMaxAliasedValues = 100'000;

/// Throws a ParseError at a place.
[[noreturn]] void fail(const SourceLocation& where, const std::string& message) {
  throw ParseError(where.file, where.line, where.column, message);
}

/// Returns true if the last key of a map has no value yet.
bool awaits_value(const YamlValue& map) { return map.keys.size() > map.items.size(); }

/// Returns the parser's message, or a clearer one for tabs, the most frequent error.
std::string syntax_message(const std::string& text, int line_from_zero, const std::string& said) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= line_from_zero; ++i) std::getline(lines, line);
  const std::size_t first = line.find_first_not_of(' ');
  const bool tab = first != std::string::npos && line[first] == '\t';
  return "not valid YAML: " + (tab ? std::string("indent with spaces, not with tabs") : said);
}

/// Returns the number of values in a tree.
std::size_t count_values(const YamlValue& value) {
  std::size_t count = 1;
  for (const YamlValue& item : value.items) count += count_values(item);
  return count;
}

/// Refuses a text that is not UTF-8, in which the parser would replace characters.
void check_encoding(const std::string& text, const std::string& name) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    fail({name, 1, 0}, "not a text file in UTF-8: save it as such (iconv -f UTF-16 -t UTF-8)");
  }
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line(text.data() + begin, end - begin);
    if (line.find('\0') != std::string_view::npos) {
      fail({name, number, 0}, "not a text file: it has bytes of zero here; YAML is needed");
    }
    if (!is_utf8(line)) {
      fail({name, number, 0},
           "not a text file in UTF-8 here: save it as such (iconv -f ISO-8859-1 -t UTF-8)");
    }
    begin = end + 1;
  }
}

/// Gives a text to the parser, which reads a flow style document to its end before the first event.
class PolledText : public std::stringbuf {
 public:
  explicit PolledText(const std::string& text) : std::stringbuf(text, std::ios::in) {}

 protected:
  std::streamsize xsgetn(char* to, std::streamsize count) override {
    check_stop();
    return std::stringbuf::xsgetn(to, count);
  }
};

/// Builds the tree from the parser's events. The parser's own tree would drop the places of missing
/// values and hide duplicate keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string name) : name_(std::move(name)) {}

  const std::optional<YamlValue>& root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlValue value;
    // The mark of a value left out is that of the next token, so that its key's place is used.
    const bool left_out = !open_.empty() && awaits_value(open_.back().value);
    value.where = left_out ? open_.back().value.keys.back().where : place(mark);
    finish(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(place(mark), "an alias is inside its own anchor");
    // The anchor's value is copied, so that the copies are counted.
    num_aliased_ += count_values(found->second);
    if (num_aliased_ > kMaxAliasedValues) {
      fail(place(mark), "the aliases of this file expand to too many values");
    }
    finish(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_stop();
    check_tag(mark, tag);
    YamlValue value;
    value.kind = YamlValue::Kind::Scalar;
    value.text = text;
    // The parser reports quotes as the tag "!".
    value.quoted = tag == "!";
    value.where = place(mark);
    finish(std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlValue::Kind::Sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlValue::Kind::Map);
  }
  void OnMapEnd() override { close(); }

 private:
  /// Holds a list or map whose end has not come yet.
  struct Open {
    YamlValue value;
    YAML::anchor_t anchor = 0;
  };

  /// Returns a place counted from 1.
  SourceLocation place(const YAML::Mark& mark) const {
    return {name_, mark.line + 1, mark.column + 1};
  }

  /// Refuses tags, except those that the parser makes itself.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(place(mark), "the tag '" + tag + "' means nothing here; remove it");
    }
  }

  /// Begins a list or map.
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlValue::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= kMaxDepth) fail(place(mark), "the file is nested too deeply");
    Open next;
    next.value.kind = kind;
    next.value.where = place(mark);
    next.anchor = anchor;
    open_.push_back(std::move(next));
  }

  /// Ends the innermost list or map.
  void close() {
    Open last = std::move(open_.back());
    open_.pop_back();
    finish(std::move(last.value), last.anchor);
  }

  /// Puts a complete value into the list or map around it; keys and values of a map alternate.
  void finish(YamlValue value, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = value;
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    YamlValue& parent = open_.back().value;
    if (parent.kind == YamlValue::Kind::Map && parent.keys.size() == parent.items.size()) {
      if (value.kind != YamlValue::Kind::Scalar) fail(value.where, "a key must be plain text");
      parent.keys.push_back({std::move(value.text), std::move(value.where)});
    } else {
      parent.items.push_back(std::move(value));
    }
  }

  std::string name_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlValue> anchors_;
  std::optional<YamlValue> root_;
  std::size_t num_aliased_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

YamlValue parse_yaml(const std::string& text, const std::string& name) {
  // Files of other formats get a message that says so, instead of a syntax error.
  if (begins_as_hdf5(text)) {
    throw ParseError(name, 0, 0,
                     "an HDF5 file, where YAML is needed; `amontons info` tells what is in it");
  }
  check_encoding(text, name);
  PolledText polled(text);
  std::istream stream(&polled);
  TreeBuilder builder(name);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root()) {
      throw ParseError(name, 1, 1, "the file is empty");
    }
    YamlValue root = *builder.root();
    // A second document would otherwise be ignored silently.
    TreeBuilder rest(name);
    if (parser.HandleNextDocument(rest)) {
      const SourceLocation where = rest.root() ? rest.root()->where : SourceLocation{name, 0, 0};
      fail(where, "a second YAML document starts here; one file holds one document");
    }
    return root;
  } catch (const YAML::Exception& error) {
    throw ParseError(name, error.mark.line + 1, error.mark.column + 1,
                     syntax_message(text, error.mark.line, error.msg));
  }
}

}  // namespace amontons::io
