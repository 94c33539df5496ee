#include "experiments/mutation.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/shape.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

namespace amontons::experiments {
namespace {

constexpr double kWrongShare = 0.9;    // of the right restitution
constexpr double kWrongSize = 1.01;    // of the right one, of shapes and masses
constexpr double kMoreDamping = 0.01;  // of joints [N m s or N s/m]
constexpr double kRoundedTo = 1e-4;    // of the largest entry

/// Enlarges shapes about their origins.
struct Enlarge {
  void operator()(Sphere& s) const { s.radius *= kWrongSize; }
  void operator()(Box& s) const { s.size *= kWrongSize; }
  void operator()(Capsule& s) const { s = {s.radius * kWrongSize, s.length * kWrongSize}; }
  void operator()(Cylinder& s) const { s = {s.radius * kWrongSize, s.length * kWrongSize}; }
  void operator()(Ellipsoid& s) const { s.semi_axes *= kWrongSize; }
  void operator()(HalfSpace&) const {}
  void operator()(std::shared_ptr<const ConvexPolyhedron>& s) const {
    std::vector<Eigen::Vector3d> points = s->vertices();
    for (Eigen::Vector3d& point : points) point *= kWrongSize;
    s = std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
  }
  void operator()(std::shared_ptr<const HeightField>&) const {}
  void operator()(std::shared_ptr<const CollisionMesh>&) const {}
};

}  // namespace

const std::vector<std::string>& mutation_words() {
  // In the order of the enumerators.
  static const std::vector<std::string> words = {
      "friction-halved", "no-stabilization", "wrong-restitution", "early-stop",
      "larger-shapes",   "heavier-bodies",   "damped-joints",     "rounded-answers"};
  return words;
}

std::optional<Mutation> mutation_of(const std::string& word) {
  const auto found = std::find(mutation_words().begin(), mutation_words().end(), word);
  if (found == mutation_words().end()) return std::nullopt;
  return static_cast<Mutation>(found - mutation_words().begin());
}

const char* describe(Mutation mutation) {
  switch (mutation) {
    case Mutation::FrictionHalved:
      return "friction of materials, dry or viscous, and dry friction of joints are halved";
    case Mutation::NoStabilization:
      return "gamma is 0";
    case Mutation::WrongRestitution:
      return "all restitution is nine tenths of what it should be";
    case Mutation::EarlyStop:
      return "solvers stop after one iteration";
    case Mutation::LargerShapes:
      return "shapes are 1 % larger";
    case Mutation::HeavierBodies:
      return "bodies are 1 % heavier";
    case Mutation::DampedJoints:
      return "joints have some viscous friction more";
    case Mutation::RoundedAnswers:
      return "answers that the experiment asks for itself have four digits";
  }
  return "";
}

void mutate(Mutation mutation, Scene& scene) {
  switch (mutation) {
    case Mutation::FrictionHalved:
      for (Material& material : scene.materials) {
        material.friction *= 0.5;
        material.viscous_friction *= 0.5;
      }
      for (MaterialPair& pair : scene.material_pairs) {
        if (pair.friction) *pair.friction *= 0.5;
        if (pair.viscous_friction) *pair.viscous_friction *= 0.5;
      }
      for (SceneJoint& joint : scene.joints) {
        joint.dynamics.coulomb_friction *= 0.5;
        joint.dynamics2.coulomb_friction *= 0.5;
      }
      break;
    case Mutation::NoStabilization:
      scene.simulation.gamma = 0.0;
      break;
    case Mutation::WrongRestitution:
      for (Material& material : scene.materials) material.restitution *= kWrongShare;
      for (MaterialPair& pair : scene.material_pairs) {
        if (pair.restitution) *pair.restitution *= kWrongShare;
      }
      break;
    case Mutation::EarlyStop:
      scene.simulation.max_iterations = 1;
      break;
    case Mutation::LargerShapes:
      for (SceneBody& body : scene.bodies) {
        for (SceneShape& shape : body.shapes) mutate(mutation, shape.shape);
      }
      break;
    case Mutation::HeavierBodies:
      for (SceneBody& body : scene.bodies) {
        body.inertia.mass *= kWrongSize;
        body.inertia.inertia *= kWrongSize;
      }
      break;
    case Mutation::DampedJoints:
      for (SceneJoint& joint : scene.joints) joint.dynamics.viscous_friction += kMoreDamping;
      break;
    case Mutation::RoundedAnswers:
      break;
  }
}

void mutate(Mutation mutation, Shape& shape) {
  if (mutation == Mutation::LargerShapes) std::visit(Enlarge{}, shape);
}

void mutate(Mutation mutation, Eigen::Ref<Eigen::VectorXd> answer) {
  if (mutation != Mutation::RoundedAnswers || answer.size() == 0) return;
  const double unit = kRoundedTo * answer.lpNorm<Eigen::Infinity>();
  if (unit > 0.0) answer = (answer / unit).array().round() * unit;
}

}  // namespace amontons::experiments
