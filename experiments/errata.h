#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::experiments {

/// One place of a paper that does not hold as it is printed.
struct Erratum {
  std::string id;     ///< as it is cited: that of the paper and the number, e.g. "AH-6"
  char severity = 0;  ///< A: wrong if followed; B: a claim or proof is wrong; C: left to decide
  std::string where, printed, right;
  std::vector<std::string> shown_by;  ///< `reproduce NAME` or a file of tests; may be empty
};

/// The errata of one paper, numbers without a hole.
struct PaperErrata {
  std::string id;     ///< e.g. "AH"
  std::string paper;  ///< its authors
  std::string title;  ///< empty for what stands between the papers
  std::vector<Erratum> entries;
};

/// Reads errata.yaml. @throws io::ParseError at the line of what is wrong.
std::vector<PaperErrata> load_errata(const std::filesystem::path& file);

}  // namespace amontons::experiments
