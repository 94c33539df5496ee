#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/inertia_check.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/dense_decompositions.h"

#include <algorithm>

// <inertial>, and what <compiler> does to masses.

namespace amontons::io {
namespace {

/// Raises the principal moments to a least one [kg m^2]. Where they violate the triangle
/// inequality, so that no body has them, all become their mean.
Eigen::Matrix3d correct_inertia(const Eigen::Matrix3d& inertia, const MjcfCompiler& compiler) {
  const SymmetricEigen principal = symmetric_eigen(inertia);
  Eigen::Vector3d moments = principal.values;
  bool changed = moments.minCoeff() < compiler.boundinertia;
  moments = moments.cwiseMax(compiler.boundinertia);
  // Moments are sorted, so that only the largest can exceed the sum of the others.
  if (compiler.balanceinertia && moments[0] + moments[1] < moments[2]) {
    moments.setConstant(moments.mean());
    changed = true;
  }
  if (!changed) return inertia;
  return principal.vectors * moments.asDiagonal() * principal.vectors.transpose();
}

}  // namespace

SpatialInertia read_mjcf_inertial(const MjcfReader& reader, const MjcfElement& inertial) {
  if (!inertial.has("mass")) inertial.fail("needs the attribute 'mass'");
  SpatialInertia result;
  result.mass = inertial.number("mass", 0.0);
  if (!(result.mass >= 0.0)) {
    inertial.fail("mass", "must not be negative, but is " + shortest_text(result.mass));
  }
  const Pose X_BI = read_mjcf_pose(reader, inertial);
  result.center_of_mass = X_BI.translation;
  // Principal moments in the frame of the <inertial>, or six components in that of the body.
  const std::vector<double> full = inertial.numbers("fullinertia", 6, 6);
  if (full.empty()) {
    const Eigen::Vector3d moments = inertial.vector3("diaginertia", Eigen::Vector3d::Zero());
    if (moments.minCoeff() < 0.0) inertial.fail("diaginertia", "must not be negative");
    result.inertia = X_BI.rotation * moments.asDiagonal() * X_BI.rotation.transpose();
    return result;
  }
  if (inertial.has("diaginertia")) {
    inertial.fail("fullinertia", "and diaginertia both give the inertia; give one");
  }
  if (!X_BI.rotation.isIdentity(0.0)) {
    inertial.fail("fullinertia", "is in the axes of the body; it goes with no orientation");
  }
  // The order of the file: xx, yy, zz, xy, xz, yz.
  result.inertia << full[0], full[3], full[4],  //
      full[3], full[1], full[5],                //
      full[4], full[5], full[2];
  return result;
}

void correct_mjcf_masses(MjcfReader& reader) {
  // Each body is corrected by itself, except for the world.
  double total = 0.0;
  for (std::size_t b = 1; b < reader.bodies.size(); ++b) {
    const MjcfCompiler& compiler =
        reader.compilers[static_cast<std::size_t>(reader.bodies[b].model)];
    SpatialInertia& inertia =
        reader.model.links[static_cast<std::size_t>(reader.bodies[b].link)].inertia;
    inertia.mass = std::max(inertia.mass, compiler.boundmass);
    if (compiler.balanceinertia || compiler.boundinertia > 0.0) {
      inertia.inertia = correct_inertia(inertia.inertia, compiler);
    }
    total += inertia.mass;
  }
  // The total is reached by one factor for all masses and moments.
  const double wanted = reader.compilers.front().settotalmass;
  if (!(wanted > 0.0) || !(total > 0.0)) return;
  for (std::size_t b = 1; b < reader.bodies.size(); ++b) {
    SpatialInertia& inertia =
        reader.model.links[static_cast<std::size_t>(reader.bodies[b].link)].inertia;
    inertia.mass *= wanted / total;
    inertia.inertia *= wanted / total;
  }
}

}  // namespace amontons::io
