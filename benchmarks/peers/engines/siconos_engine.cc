// Siconos: Moreau-Jean time stepping on the exact Coulomb cone. Contact points come from its own
// Bullet layer in single precision, which limits it, not its solver.

#include "benchmarks/peers/engine.h"

#include <Eigen/Geometry>

#include <MechanicsFwd.hpp>
#include <MoreauJeanOSI.hpp>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosContactor.hpp>
#include <SiconosKernel.hpp>
#include <SiconosShape.hpp>
#include <SolverOptions.h>
#include <algorithm>
#include <stdexcept>
#include <variant>

namespace amontons::peers {
namespace {

constexpr int kMaxSweeps = 10'000, kMaxNewton = 20;
constexpr double kTheta = 0.5;

int g_failed_solves = 0;  // the solver's check carries no user data

void count_failure(int info, Simulation*) {
  if (info != 0) ++g_failed_solves;
}

double tolerance_of(const std::string& setting) {
  if (setting == "nsgs1e-4") return 1e-4;
  if (setting == "nsgs1e-8") return 1e-8;
  throw std::invalid_argument("unknown setting of Siconos: " + setting);
}

// Siconos' own options turn a shape slightly three times, which finds the corners of a face at
// once: without it a box would begin to tip about the first corner. A ball has one point that
// touches; turned ones would lie beside it, above the surface.
SiconosBulletOptions contact_options(const World& world) {
  SiconosBulletOptions options;
  const auto has_balls_alone = [](const WorldBody& body) {
    return std::all_of(body.shapes.begin(), body.shapes.end(), [](const WorldShape& shape) {
      return std::holds_alternative<Sphere>(shape.shape);
    });
  };
  if (std::all_of(world.moving.begin(), world.moving.end(), has_balls_alone)) {
    options.perturbationIterations = 0;
    options.minimumPointsPerturbationThreshold = 0;
  }
  return options;
}

// Siconos measures slip by tangents that are right on level ground alone: on a plane tilted by 27
// degrees a cube has 13 % less friction. It gets the world in axes whose z is the ground's normal.
Eigen::Matrix3d level_axes(const World& world) {
  for (const WorldBody& body : world.fixed_bodies) {
    for (const WorldShape& shape : body.shapes) {
      if (!std::holds_alternative<HalfSpace>(shape.shape)) continue;
      return Eigen::Quaterniond::FromTwoVectors(half_space_in_world(body, shape).normal,
                                                Eigen::Vector3d::UnitZ())
          .toRotationMatrix();
    }
  }
  return Eigen::Matrix3d::Identity();
}

World turned(World world, const Eigen::Matrix3d& R) {
  const Pose turn{R, Eigen::Vector3d::Zero()};
  world.gravity = R * world.gravity;
  for (WorldBody& body : world.moving) {
    body.X_WB = turn * body.X_WB;
    body.linear = R * body.linear;
    body.angular = R * body.angular;
  }
  for (WorldBody& body : world.fixed_bodies) body.X_WB = turn * body.X_WB;
  return world;
}

// (position, quaternion w first)
SP::SiconosVector to_siconos(const Pose& X) {
  const Eigen::Quaterniond q(X.rotation);
  auto vector = std::make_shared<SiconosVector>(7);
  for (unsigned int k = 0; k < 3; ++k) vector->setValue(k, X.translation[k]);
  vector->setValue(3, q.w());
  vector->setValue(4, q.x());
  vector->setValue(5, q.y());
  vector->setValue(6, q.z());
  return vector;
}

class SiconosEngine : public Engine {
 public:
  SiconosEngine(const World& source, const std::string& setting)
      : axes_(level_axes(source)), world_(turned(source, axes_)) {
    const World& world = world_;
    constexpr int kSpareSteps = 10;
    const double end = world.duration + kSpareSteps * world.step;
    system_ = std::make_shared<NonSmoothDynamicalSystem>(0.0, end);
    collisions_ = std::make_shared<SiconosBulletCollisionManager>(contact_options(world));
    const auto law =
        std::make_shared<NewtonImpactFrictionNSL>(world.restitution, 0.0, world.friction, 3);
    collisions_->insertNonSmoothLaw(law, 0, 0);
    for (const WorldBody& body : world.moving) add_body(body);
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);

    const auto problem = std::make_shared<FrictionContact>(3);
    problem->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = kMaxSweeps;
    problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = tolerance_of(setting);
    problem->setMStorageType(NM_SPARSE_BLOCK);
    problem->setNumericsVerboseMode(false);
    problem->setKeepLambdaAndYState(true);
    simulation_ = std::make_shared<TimeStepping>(
        system_, std::make_shared<TimeDiscretisation>(0.0, world.step));
    simulation_->insertIntegrator(std::make_shared<MoreauJeanOSI>(kTheta));
    simulation_->insertNonSmoothProblem(problem);
    simulation_->insertInteractionManager(collisions_);
    simulation_->setNewtonOptions(SICONOS_TS_LINEAR);
    simulation_->setNewtonMaxIteration(kMaxNewton);
    simulation_->setCheckSolverFunction(count_failure);
  }

  void step() override {
    simulation_->computeOneStep();
    simulation_->nextStep();
  }

  // Linear velocity is in the world, angular velocity in the body.
  void read_states(std::vector<BodyState>& states) const override {
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const SiconosVector& q = *bodies_[i]->q();
      const SiconosVector& v = *bodies_[i]->twist();
      const Eigen::Matrix3d back = axes_.transpose();
      states[i].X_WB.rotation =
          back * Eigen::Quaterniond(q(3), q(4), q(5), q(6)).normalized().toRotationMatrix();
      states[i].X_WB.translation = back * Eigen::Vector3d(q(0), q(1), q(2));
      states[i].linear = back * Eigen::Vector3d(v(0), v(1), v(2));
      states[i].angular = states[i].X_WB.rotation * Eigen::Vector3d(v(3), v(4), v(5));
    }
  }

  int num_contacts() const override {
    const Topology& topology = *system_->topology();
    return topology.indexSetsSize() > 1 ? static_cast<int>(system_->topology()->indexSet(1)->size())
                                        : 0;
  }

  int num_errors() const override { return g_failed_solves; }

 private:
  // The margin lies inside the shape; its default, 0.1 m, is more than our boxes have.
  template <class SiconosShapeType>
  static SP::SiconosShape with_margin(const std::shared_ptr<SiconosShapeType>& shape,
                                      double smallest_size) {
    constexpr double kRelativeMargin = 0.01;
    shape->setInsideMargin(kRelativeMargin * smallest_size);
    shape->setOutsideMargin(0.0);
    return shape;
  }

  static SP::SiconosShape make_shape(const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape)) {
      return with_margin(std::make_shared<SiconosSphere>(static_cast<float>(sphere->radius)),
                         sphere->radius);
    }
    if (const auto* box = std::get_if<Box>(&shape)) {
      return with_margin(std::make_shared<SiconosBox>(box->size.x(), box->size.y(), box->size.z()),
                         box->size.minCoeff());
    }
    throw std::invalid_argument("Siconos: shape " + shape_type_name(shape));
  }

  void add_body(const WorldBody& source) {
    if (source.planar) throw std::invalid_argument("Siconos: planar bodies are not adapted");
    const auto velocity = std::make_shared<SiconosVector>(6);
    const Eigen::Vector3d w_B = source.X_WB.rotation.transpose() * source.angular;
    for (unsigned int k = 0; k < 3; ++k) {
      velocity->setValue(k, source.linear[k]);
      velocity->setValue(3 + k, w_B[k]);
    }
    const auto inertia = std::make_shared<SimpleMatrix>(3, 3);
    inertia->zero();
    for (unsigned int k = 0; k < 3; ++k) inertia->setValue(k, k, source.inertia[k]);
    const auto body =
        std::make_shared<RigidBodyDS>(to_siconos(source.X_WB), velocity, source.mass, inertia);
    body->setUseContactorInertia(false);
    const auto weight = std::make_shared<SiconosVector>(3);
    for (unsigned int k = 0; k < 3; ++k) weight->setValue(k, source.mass * world_.gravity[k]);
    body->setFExtPtr(weight);
    const auto contactors = std::make_shared<SiconosContactorSet>();
    for (const WorldShape& shape : source.shapes) {
      contactors->push_back(
          std::make_shared<SiconosContactor>(make_shape(shape.shape), to_siconos(shape.X_BG)));
    }
    body->setContactors(contactors);
    system_->insertDynamicalSystem(body);
    bodies_.push_back(body);
  }

  // Its plane is x-y with the normal along z.
  void add_fixed(const WorldBody& source) {
    for (const WorldShape& shape : source.shapes) {
      const HalfSpace plane = half_space_in_world(source, shape);
      Pose X;
      X.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.normal)
                       .toRotationMatrix();
      X.translation = plane.offset * plane.normal;
      const auto contactors = std::make_shared<SiconosContactorSet>();
      contactors->push_back(std::make_shared<SiconosContactor>(std::make_shared<SiconosPlane>()));
      collisions_->insertStaticContactorSet(contactors, to_siconos(X));
    }
  }

  Eigen::Matrix3d axes_;  // of Siconos from those of the scene
  World world_;           // in the axes of Siconos
  std::shared_ptr<NonSmoothDynamicalSystem> system_;
  std::shared_ptr<SiconosBulletCollisionManager> collisions_;
  std::shared_ptr<TimeStepping> simulation_;
  std::vector<std::shared_ptr<RigidBodyDS>> bodies_;
};

}  // namespace

EngineInfo engine_info() {
  return {"siconos",
          AMONTONS_PEER_VERSION,
          {{"nsgs1e-4", "Moreau-Jean, NSGS to 1e-4, at most 10000 sweeps"},
           {"nsgs1e-8", "the same to 1e-8"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  if (!world.joints.empty()) throw std::invalid_argument("Siconos: joints");
  return std::make_unique<SiconosEngine>(world, setting);
}

}  // namespace amontons::peers
