#pragma once

#include "amontons/math/pose.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the frames of one model, or of a world, by their names. The pose of a frame is relative to
/// another one, and the frame moves with what it is attached to.
class SdfFrames {
 public:
  /// @param root  name of the frame in which poses are resolved.
  /// @param body  what the root is attached to.
  SdfFrames(std::string root, std::string body);

  /// Adds a frame with its pose in another one. @returns false where the name is taken.
  /// @param attached_to  none: the frame is a body itself.
  bool add(const std::string& name, const Pose& X_RF, const std::string& relative_to,
           const std::optional<std::string>& attached_to);

  /// Resolves all frames. @returns false where a name is unknown, or frames depend on each other in
  /// a circle.
  bool resolve();

  /// Returns the pose of a frame in the root, once it is resolved; none where there is no such
  /// frame.
  std::optional<Pose> pose_of(const std::string& name) const;

  /// Returns the body that a frame moves with, once it is resolved; none where there is no such
  /// frame.
  std::optional<std::string> body_of(const std::string& name) const;

 private:
  struct Frame {
    Pose X_RF;
    std::string relative_to, attached_to;
    std::optional<Pose> pose;         // in the root
    std::optional<std::string> body;  // at the end of its attachments
  };

  bool resolve_pose(Frame& frame);
  bool resolve_body(Frame& frame);
  /// Returns the first frame whose value is known on the way from one to the next, and lists those
  /// before it in `chain`; null where a name is unknown, or the way is a circle.
  template <typename Value>
  Frame* find_known(Frame& frame, std::string Frame::*next, std::optional<Value> Frame::*value,
                    std::vector<Frame*>& chain);
  /// Returns a value of a frame; none where there is no frame of that name.
  template <typename Value>
  std::optional<Value> value_of(const std::string& name, std::optional<Value> Frame::*value) const;

  std::map<std::string, Frame> frames_;
};

}  // namespace amontons::io
