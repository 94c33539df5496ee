#include "benchmarks/peers/robots/humanoid.h"

#include <Eigen/Core>
#include <fmt/core.h>

#include <cmath>
#include <vector>

namespace amontons::peers {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Holds a link with the hinge that connects it to its parent. Lengths are in [m], angles in [rad].
struct Limb {
  std::string name, parent;      ///< the pelvis has no parent
  Eigen::Vector3d at;            ///< hinge in the parent's frame; it is the origin of the link
  Eigen::Vector3d axis;          ///< of the hinge
  double lower, upper;           ///< limits of the hinge
  Eigen::Vector3d center, size;  ///< middle and semi-axes of the mesh, in the link
  int num_points;                ///< vertices of the mesh
};

const Eigen::Vector3d kX(1.0, 0.0, 0.0), kY(0.0, 1.0, 0.0), kZ(0.0, 0.0, 1.0);
const Eigen::Vector3d kNone(0.0, 0.0, 0.0);

std::vector<Limb> trunk() {
  return {
      {"pelvis", "", {0, 0, 0}, kNone, 0, 0, kNone, {0.09, 0.12, 0.07}, 48},
      {"waist_yaw", "pelvis", {0, 0, 0.1}, kZ, -0.8, 0.8, kNone, {0.06, 0.08, 0.035}, 24},
      {"waist_pitch", "waist_yaw", {0, 0, 0.08}, kY, -0.4, 1.0, kNone, {0.06, 0.08, 0.035}, 24},
      {"chest", "waist_pitch", {0, 0, 0.05}, kX, -0.5, 0.5, {0, 0, 0.13}, {0.09, 0.14, 0.13}, 60},
      {"neck", "chest", {0, 0, 0.29}, kZ, -1.2, 1.2, kNone, {0.04, 0.04, 0.035}, 20},
      {"head", "neck", {0, 0, 0.04}, kY, -0.6, 0.6, {0, 0, 0.12}, {0.08, 0.07, 0.11}, 60},
  };
}

/// Returns an arm and a leg.
/// @param side  1: left, -1: right.
std::vector<Limb> arm_and_leg(double side, const std::string& suffix) {
  const double y = side;
  std::vector<Limb> limbs = {
      {"shoulder_pitch", "chest", {0, 0.185 * y, 0.2}, kY, -2, 2, kNone, {0.045, 0.045, 0.045}, 24},
      {"shoulder_roll", "", {0, 0.09 * y, 0}, kX, -1.5, 1.5, kNone, {0.04, 0.04, 0.04}, 24},
      {"upper_arm", "", {0, 0, -0.05}, kZ, -1.5, 1.5, {0, 0, -0.13}, {0.045, 0.045, 0.13}, 36},
      {"forearm", "", {0, 0, -0.29}, kY, -2.2, 0, {0, 0, -0.11}, {0.038, 0.038, 0.11}, 36},
      {"wrist", "", {0, 0, -0.245}, kZ, -1.5, 1.5, kNone, {0.03, 0.03, 0.025}, 20},
      {"hand", "", {0, 0, -0.035}, kX, -0.8, 0.8, {0, 0, -0.07}, {0.025, 0.045, 0.065}, 30},
      {"hip_yaw", "pelvis", {0, 0.09 * y, -0.1}, kZ, -0.8, 0.8, kNone, {0.045, 0.045, 0.03}, 24},
      {"hip_roll", "", {0, 0, -0.065}, kX, -0.6, 0.6, kNone, {0.045, 0.045, 0.03}, 24},
      {"thigh", "", {0, 0, -0.05}, kY, -1.8, 0.8, {0, 0, -0.2}, {0.07, 0.065, 0.19}, 48},
      {"shin", "", {0, 0, -0.41}, kY, 0, 2.2, {0, 0, -0.19}, {0.055, 0.05, 0.18}, 48},
      {"ankle", "", {0, 0, -0.4}, kY, -0.7, 0.7, kNone, {0.035, 0.035, 0.03}, 20},
      {"foot", "", {0, 0, -0.045}, kX, -0.4, 0.4, {0.04, 0, -0.03}, {0.12, 0.05, 0.03}, 40},
  };
  // A limb without a parent hangs on the one before it.
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    limbs[i].name += suffix;
    if (limbs[i].parent.empty()) limbs[i].parent = limbs[i - 1].name;
  }
  return limbs;
}

std::vector<Limb> all_limbs() {
  std::vector<Limb> limbs = trunk();
  for (const auto& [side, suffix] : {std::pair{1.0, "_left"}, std::pair{-1.0, "_right"}}) {
    const std::vector<Limb> own = arm_and_leg(side, suffix);
    limbs.insert(limbs.end(), own.begin(), own.end());
  }
  return limbs;
}

/// Returns points spread over an ellipsoid about the origin, by the golden angle.
std::string vertices(const Limb& limb) {
  const double golden_angle = kPi * (3.0 - std::sqrt(5.0));
  std::string text;
  for (int i = 0; i < limb.num_points; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / limb.num_points;
    const double radius = std::sqrt(1.0 - z * z), angle = golden_angle * i;
    const Eigen::Vector3d unit(radius * std::cos(angle), radius * std::sin(angle), z);
    const Eigen::Vector3d x = limb.size.cwiseProduct(unit);
    text += fmt::format("{:.6f} {:.6f} {:.6f} ", x.x(), x.y(), x.z());
  }
  return text;
}

std::string text(const Eigen::Vector3d& x) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", x.x(), x.y(), x.z());
}

/// Returns a link with all links that it carries.
std::string body_element(const std::vector<Limb>& limbs, const Limb& limb) {
  const std::string joint = limb.parent.empty()
                                ? "<freejoint/>"
                                : fmt::format("<joint name=\"{}\" axis=\"{}\" range=\"{} {}\"/>",
                                              limb.name, text(limb.axis), limb.lower, limb.upper);
  std::string element =
      fmt::format("<body name=\"{0}\" pos=\"{1}\">{2}<geom mesh=\"{0}\" pos=\"{3}\"/>\n", limb.name,
                  text(limb.at), joint, text(limb.center));
  for (const Limb& child : limbs) {
    if (child.parent == limb.name) element += body_element(limbs, child);
  }
  return element + "</body>\n";
}

}  // namespace

std::string humanoid_model() {
  const std::vector<Limb> limbs = all_limbs();
  std::string meshes;
  for (const Limb& limb : limbs) {
    meshes += fmt::format("<mesh name=\"{}\" vertex=\"{}\"/>\n", limb.name, vertices(limb));
  }
  return "<mujoco model=\"humanoid\">\n<compiler angle=\"radian\"/>\n<default>\n"
         "<joint type=\"hinge\" limited=\"true\" damping=\"0.5\" frictionloss=\"0.2\" "
         "armature=\"0.01\"/>\n"
         "<geom type=\"mesh\" density=\"1000\" condim=\"3\" friction=\"0.5 0 0\"/>\n"
         "</default>\n<asset>\n" +
         meshes + "</asset>\n<worldbody>\n" + body_element(limbs, limbs.front()) +
         "</worldbody>\n</mujoco>\n";
}

}  // namespace amontons::peers
