#pragma once

#include "amontons/simulation/scene/scene.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Finds shapes and joints of a scene by names and patterns (io/common/name_pattern.h).
class ShapeNames {
 public:
  explicit ShapeNames(const Scene& scene);

  /// Returns true if a pattern matches a body, a link or a shape. `sites` receives its shapes, in
  /// order: all of a body that matches, and every shape that does itself.
  bool find(const std::string& pattern, std::vector<ShapeSite>& sites) const;
  /// Returns true if a pattern matches a joint. `pairs` receives the bodies that it connects,
  /// unless one of them is the world.
  bool find_joined(const std::string& pattern, std::vector<std::pair<int, int>>& pairs) const;

  /// Returns the names of bodies, links and shapes.
  std::vector<std::string> all() const;
  /// Returns the names of all joints.
  std::vector<std::string> joints() const;
  /// Returns the name of a body or link by its number.
  const std::string& body(int number) const {
    return bodies_[static_cast<std::size_t>(number)].name;
  }

 private:
  /// Holds a body or link with the names of its shapes.
  struct NamedBody {
    std::string name;
    std::vector<std::string> shapes;  // body/shape
  };
  /// Holds a joint and the numbers of its bodies; -1: the world.
  struct NamedJoint {
    std::string name;
    int a = -1, b = -1;
  };

  void add_body(const std::string& name, const std::vector<SceneShape>& shapes);
  void add_joints_of(const SceneModel& model, int first);
  int number_of(const std::string& name) const;

  std::vector<NamedBody> bodies_;
  std::vector<NamedJoint> joints_;
};

}  // namespace amontons::io
