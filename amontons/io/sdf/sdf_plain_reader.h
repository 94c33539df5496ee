#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>
#include <tinyxml2.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace amontons::io {

/// Holds a pose as it is written.
struct WrittenPose {
  Pose X;
  std::string relative_to;  ///< frame in which it is written; empty: the default one
};

/// Returns the pose of an element; none where it is written in another way than as six numbers.
std::optional<WrittenPose> written_pose(const tinyxml2::XMLElement& element);

/// Returns the line of an element of the used part, which is that of its original.
int line_in_file(const tinyxml2::XMLElement& element);

/// Returns the truth value in a child, or `otherwise` where there is no such child.
bool flag_in(const tinyxml2::XMLElement& element, const char* child, bool otherwise);

/// Returns the number in a child, or nothing where there is no such child or no such element.
std::optional<double> number_in(const tinyxml2::XMLElement* element, const char* child);

/// Returns the three numbers of a child, or `otherwise` where there is no such child.
Eigen::Vector3d vector_in(const tinyxml2::XMLElement& element, const char* child,
                          const Eigen::Vector3d& otherwise);

/// Reads elements that mean what they say where they stand, and gives up at the first one that does
/// not.
class PlainReader {
 protected:
  /// Gives up unless an element has only these children and attributes.
  void allow(const tinyxml2::XMLElement& element, std::initializer_list<std::string_view> children,
             std::initializer_list<std::string_view> attributes = {});

  /// Returns a name. Those that stand for frames are not plain.
  std::string name_of(const tinyxml2::XMLElement& element);

  /// Returns the pose of an element, and the frame in which it is written: `otherwise` by default.
  std::pair<Pose, std::string> pose_in_frame(const tinyxml2::XMLElement& element,
                                             const std::string& otherwise);

  /// Returns the pose of an element in what holds it.
  Pose pose_in_holder(const tinyxml2::XMLElement& element);

  /// Gives up unless a condition holds.
  void require(bool condition) { plain_ = plain_ && condition; }

  bool is_plain() const { return plain_; }

 private:
  bool plain_ = true;
};

}  // namespace amontons::io
