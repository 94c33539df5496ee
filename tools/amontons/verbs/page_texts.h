#pragma once

namespace amontons::cli {

// Texts of the pages of the reference besides their tables (format_page.h).
extern const char* const kSceneFormatBefore;
extern const char* const kSceneFormatAfter;
extern const char* const kRunFormatBefore;
extern const char* const kRunFormatAfter;
extern const char* const kProblemFormatBefore;
extern const char* const kProblemFormatAfter;

}  // namespace amontons::cli
