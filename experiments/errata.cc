#include "experiments/errata.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/yaml/yaml_map_reader.h"

#include <fstream>
#include <iterator>
#include <limits>

namespace amontons::experiments {
namespace {

const io::FormatMap kPaper = {"paper",
                              "an item of the errata",
                              "",
                              {{"id", "text", "", io::kRequired, "Begins the errata's ids."},
                               {"paper", "text", "", io::kRequired, "Its authors."},
                               {"title", "text", "", "none", "Its title."},
                               {"errata", "list", "", io::kRequired, "Numbered from 1."}}};
const io::FormatMap kErratum = {
    "erratum",
    "an item of `errata`",
    "",
    {{"number", "integer", "", io::kRequired, "Of the paper's errata."},
     {"severity", "letter", "", io::kRequired, "A changes results.", {"A", "B", "C"}},
     {"where", "text", "", io::kRequired, "Page, section, equation."},
     {"printed", "text", "", io::kRequired, "What the paper says."},
     {"right", "text", "", io::kRequired, "What it should say."},
     {"shown_by", "list of texts", "", "none", "Experiments and tests."}}};

Erratum read_erratum(const io::YamlValue& value, int number, const std::string& paper_id) {
  const std::string id = paper_id + "-" + std::to_string(number);
  const std::string what = "erratum " + id;
  const io::MapReader map(value, what, kErratum);
  const auto text = [&map](const char* key) {
    return io::read_text(map.required(key), map.name_of(key));
  };
  Erratum erratum;
  erratum.id = id;
  if (io::read_integer(map.required("number"), map.name_of("number"), 1,
                       std::numeric_limits<int>::max()) != number) {
    io::fail_at(map.where("number"), "number must be " + std::to_string(number) +
                                         ": errata of a paper are numbered from 1, in order");
  }
  erratum.severity = map.choice("severity").front();
  erratum.where = text("where");
  erratum.printed = text("printed");
  erratum.right = text("right");
  if (const io::YamlValue* shown = map.find("shown_by")) {
    for (const io::YamlValue& item : io::read_list(*shown, map.name_of("shown_by"))) {
      erratum.shown_by.push_back(io::read_text(item, map.name_of("shown_by")));
    }
  }
  return erratum;
}

}  // namespace

std::vector<PaperErrata> load_errata(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw io::ParseError(file.string(), 0, 0,
                         "cannot be read; the errata of the papers belong beside the experiments");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const io::YamlValue root = io::parse_yaml(text, file.string());
  std::vector<PaperErrata> result;
  for (const io::YamlValue& value : io::read_list(root, "errata")) {
    const io::MapReader map(value, "paper", kPaper);
    PaperErrata paper;
    paper.id = io::read_text(map.required("id"), "id");
    paper.paper = io::read_text(map.required("paper"), "paper");
    if (const io::YamlValue* title = map.find("title")) {
      paper.title = io::read_text(*title, "title");
    }
    for (const io::YamlValue& entry : io::read_list(map.required("errata"), "errata of a paper")) {
      const int number = static_cast<int>(paper.entries.size()) + 1;
      paper.entries.push_back(read_erratum(entry, number, paper.id));
    }
    result.push_back(std::move(paper));
  }
  return result;
}

}  // namespace amontons::experiments
