#include "benchmarks/peers/workloads/principal_frames.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <Eigen/Eigenvalues>

#include <memory>
#include <vector>

namespace amontons::peers {

void place_in_principal_frames(Scene& scene) {
  for (SceneBody& body : scene.bodies) {
    if (body.base == BaseType::Fixed) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(body.inertia.inertia);
    Eigen::Matrix3d R = axes.eigenvectors();
    if (R.determinant() < 0.0) R.col(0) = -R.col(0);
    const Pose X_BP{R, body.inertia.center_of_mass};
    body.linear_velocity +=
        body.angular_velocity.cross(body.pose.rotation * body.inertia.center_of_mass);
    body.pose = body.pose * X_BP;
    for (SceneShape& shape : body.shapes) {
      shape.X_BG = X_BP.inverse() * shape.X_BG;
      const auto* hull = std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&shape.shape);
      if (hull == nullptr) continue;
      std::vector<Eigen::Vector3d> corners;
      for (const Eigen::Vector3d& vertex : (*hull)->vertices()) {
        corners.push_back(shape.X_BG * vertex);
      }
      shape = {std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(corners)), Pose{},
               shape.material, shape.filter, shape.name};
    }
    body.inertia.center_of_mass.setZero();
    body.inertia.inertia = axes.eigenvalues().asDiagonal();
  }
}

}  // namespace amontons::peers
