#include "amontons/io/sdf/sdf_frames.h"

#include <utility>
#include <vector>

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

bool SdfFrames::resolve_pose(Frame& frame) {
  // Up to a frame whose pose is known, and back. Bound: in a circle no pose becomes known.
  std::vector<Frame*> chain;
  Frame* at = &frame;
  for (; at != nullptr && !at->pose; at = find(at->relative_to)) {
    if (chain.size() == frames_.size()) return false;
    chain.push_back(at);
  }
  if (at == nullptr) return false;
  Pose pose = *at->pose;
  for (; !chain.empty(); chain.pop_back()) {
    pose = pose * chain.back()->X_RF;
    chain.back()->pose = pose;
  }
  return true;
}

bool SdfFrames::resolve_body(Frame& frame) {
  std::vector<Frame*> chain;
  Frame* at = &frame;
  for (; at != nullptr && !at->body; at = find(at->attached_to)) {
    if (chain.size() == frames_.size()) return false;
    chain.push_back(at);
  }
  if (at == nullptr) return false;
  for (Frame* attached : chain) attached->body = at->body;
  return true;
}

std::optional<Pose> SdfFrames::pose_of(const std::string& name) const {
  const Frame* frame = find(name);
  return frame != nullptr ? frame->pose : std::nullopt;
}

std::optional<std::string> SdfFrames::body_of(const std::string& name) const {
  const Frame* frame = find(name);
  return frame != nullptr ? frame->body : std::nullopt;
}

SdfFrames::Frame* SdfFrames::find(const std::string& name) {
  const auto found = frames_.find(name);
  return found == frames_.end() ? nullptr : &found->second;
}

const SdfFrames::Frame* SdfFrames::find(const std::string& name) const {
  const auto found = frames_.find(name);
  return found == frames_.end() ? nullptr : &found->second;
}

}  // namespace amontons::io
