#pragma once

#include "amontons/io/common/parse_error.h"

#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Reports several faults of an input at once. Its place and message are those of the first one;
/// what() has a line for each.
class ParseErrors : public ParseError {
 public:
  /// @param faults  two at least.
  explicit ParseErrors(std::vector<ParseError> faults);

  const std::vector<ParseError>& faults() const { return faults_; }  ///< in the order of finding
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<ParseError> faults_;
  std::string text_;
};

/// Gathers faults that do not depend on each other, so that a reader reports them at once.
class FaultList {
 public:
  /// A reader that has found so many faults reports them and stops.
  static constexpr std::size_t kMostFaults = 20;

  /// Runs a part of a reader and keeps the fault that it throws, or several.
  /// @returns true if there was none.
  /// @throws ParseError  with all faults, once there are kMostFaults.
  template <typename Part>
  bool attempt(Part part) {
    try {
      part();
      return true;
    } catch (const ParseErrors& errors) {
      for (const ParseError& error : errors.faults()) add(error);
    } catch (const ParseError& error) {
      add(error);
    }
    return false;
  }

  /// Adds a fault unless the list has it.
  /// @throws ParseError  with all faults, once there are kMostFaults.
  void add(const ParseError& fault);

  bool empty() const { return faults_.empty(); }  ///< true without any fault
  const std::vector<ParseError>& faults() const { return faults_; }

  /// Does nothing without a fault.
  /// @throws ParseError  with the only fault, or ParseErrors with all of them.
  void throw_any() const;

 private:
  std::vector<ParseError> faults_;
};

}  // namespace amontons::io
