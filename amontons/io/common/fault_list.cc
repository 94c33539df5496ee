#include "amontons/io/common/fault_list.h"

#include <algorithm>

namespace amontons::io {

ParseErrors::ParseErrors(std::vector<ParseError> faults)
    : ParseError(faults.front()), faults_(std::move(faults)) {
  for (const ParseError& fault : faults_) {
    text_ += (text_.empty() ? "" : "\n") + std::string(fault.what());
  }
  if (faults_.size() >= FaultList::kMostFaults) text_ += "\nthere may be more faults";
}

void FaultList::add(const ParseError& fault) {
  const std::string text = fault.what();
  const bool known = std::any_of(faults_.begin(), faults_.end(),
                                 [&](const ParseError& other) { return other.what() == text; });
  if (known) return;
  faults_.push_back(fault);
  if (faults_.size() >= kMostFaults) throw_any();
}

void FaultList::throw_any() const {
  if (faults_.empty()) return;
  if (faults_.size() == 1) throw ParseError(faults_.front());
  throw ParseErrors(faults_);
}

}  // namespace amontons::io
