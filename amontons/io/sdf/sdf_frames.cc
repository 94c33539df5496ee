#include "amontons/io/sdf/sdf_frames.h"

#include <utility>

namespace amontons::io {

SdfFrames::SdfFrames(std::string root, std::string body) {
  Frame& own = frames_[std::move(root)];
  own.pose = Pose{};
  own.body = std::move(body);
}

bool SdfFrames::add(const std::string& name, const Pose& X_RF, const std::string& relative_to,
                    const std::optional<std::string>& attached_to) {
  Frame frame{X_RF, relative_to, attached_to.value_or(""), {}, {}};
  if (!attached_to) frame.body = name;
  return frames_.emplace(name, std::move(frame)).second;
}

bool SdfFrames::resolve() {
  for (auto& [name, frame] : frames_) {
    if (!resolve_pose(frame) || !resolve_body(frame)) return false;
  }
  return true;
}

template <typename Value>
SdfFrames::Frame* SdfFrames::find_known(Frame& frame, std::string Frame::*next,
                                        std::optional<Value> Frame::*value,
                                        std::vector<Frame*>& chain) {
  // Bound: in a circle no value becomes known.
  for (Frame* at = &frame; chain.size() <= frames_.size();) {
    if (at->*value) return at;
    chain.push_back(at);
    const auto found = frames_.find(at->*next);
    if (found == frames_.end()) return nullptr;
    at = &found->second;
  }
  return nullptr;
}

bool SdfFrames::resolve_pose(Frame& frame) {
  std::vector<Frame*> chain;
  const Frame* known = find_known(frame, &Frame::relative_to, &Frame::pose, chain);
  if (known == nullptr) return false;
  Pose pose = *known->pose;
  for (; !chain.empty(); chain.pop_back()) {
    pose = pose * chain.back()->X_RF;
    chain.back()->pose = pose;
  }
  return true;
}

bool SdfFrames::resolve_body(Frame& frame) {
  std::vector<Frame*> chain;
  const Frame* known = find_known(frame, &Frame::attached_to, &Frame::body, chain);
  if (known == nullptr) return false;
  for (Frame* attached : chain) attached->body = known->body;
  return true;
}

template <typename Value>
std::optional<Value> SdfFrames::value_of(const std::string& name,
                                         std::optional<Value> Frame::*value) const {
  const auto found = frames_.find(name);
  return found == frames_.end() ? std::nullopt : found->second.*value;
}

std::optional<Pose> SdfFrames::pose_of(const std::string& name) const {
  return value_of(name, &Frame::pose);
}

std::optional<std::string> SdfFrames::body_of(const std::string& name) const {
  return value_of(name, &Frame::body);
}

}  // namespace amontons::io
