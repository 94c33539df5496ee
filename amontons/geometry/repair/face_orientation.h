#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons {

/// Holds the parts of a mesh within which triangles share edges of two triangles, and on which side
/// of each part its triangles face.
struct FaceParts {
  /// Holds one part.
  struct Part {
    std::vector<int> triangles;  ///< in the order of the mesh
    bool orientable = true;      ///< all neighbors can face the same side
    bool mixed = false;  ///< orientable, but some neighbors face different sides in the file
    bool closed = true;  ///< each edge has two triangles
    /// Enclosed volume [m^3], with the holes closed by fans, as its triangles face once `turned` is
    /// applied; negative where they face inwards. Zero where it is not orientable.
    double volume = 0.0;
    double area = 0.0;       ///< [m^2]
    double hole_area = 0.0;  ///< of the fans that close its holes [m^2]
  };
  std::vector<Part> parts;   ///< in the order of their first triangles
  std::vector<char> turned;  ///< per triangle: it faces against the larger area of its part
};

/// Finds the parts of a mesh. Triangles that disagree with the larger area of their part are
/// marked. Where both areas are equal, those that disagree with the first triangle are.
/// @param mesh  indices within bounds.
FaceParts find_face_parts(const TriangleMesh& mesh);

}  // namespace amontons
