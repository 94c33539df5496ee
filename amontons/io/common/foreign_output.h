#pragma once

#include <string>

namespace amontons::io {

/// Describes a kind of file that this program writes.
struct OutputKind {
  const char* name;                              ///< as messages name it
  bool (*is_own)(const std::string& file_name);  ///< returns true for a file of the kind
};

// Kinds that their first bytes tell. Runs and contact problems have theirs beside their readers.
extern const OutputKind kCheckpointOutput;  ///< kind of the checkpoint beside a run
extern const OutputKind kTableOutput;       ///< kind of the CSV tables of `export`
extern const OutputKind kPageOutput;        ///< kind of all HTML pages
extern const OutputKind kReportOutput;      ///< kind of the Markdown reports of `reproduce`
extern const OutputKind kPictureOutput;     ///< kind of PNG pictures
extern const OutputKind kVideoOutput;       ///< kind of films

/// Refuses an output that is a symbolic link, or would take the place of a file that this program
/// has not written as one of the kind. An empty file is replaced, and a device or pipe is none.
/// @param force   replaces any file, but no link.
/// @param remedy  what sets `force`, for the message: "--force".
/// @throws ParseError naming the output.
void refuse_foreign_output(const std::string& output, const OutputKind& kind, bool force,
                           const std::string& remedy);

}  // namespace amontons::io
