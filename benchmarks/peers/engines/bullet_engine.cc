// Bullet, double-precision build.

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/engines/bullet_common.h"

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <algorithm>
#include <stdexcept>

namespace amontons::peers {
namespace {

struct Options {
  int iterations = 10;
  std::unique_ptr<btMLCPSolverInterface> mlcp;
  std::unique_ptr<btConstraintSolver> solver;
  bool two_directions = true;
};

Options options_of(const std::string& setting) {
  Options options;
  if (setting == "si10" || setting == "si1000") {
    options.solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    options.two_directions = setting == "si1000";
    options.iterations = setting == "si10" ? 10 : 1000;
  } else if (setting == "nncg100") {
    options.solver = std::make_unique<btNNCGConstraintSolver>();
    options.iterations = 100;
  } else if (setting == "dantzig") {
    options.mlcp = std::make_unique<btDantzigSolver>();
    options.solver = std::make_unique<btMLCPSolver>(options.mlcp.get());
  } else {
    throw std::invalid_argument("unknown setting of Bullet: " + setting);
  }
  return options;
}

bool has_boxes(const World& world) {
  return std::any_of(world.moving.begin(), world.moving.end(), [](const WorldBody& body) {
    return std::any_of(body.shapes.begin(), body.shapes.end(), [](const WorldShape& shape) {
      return std::holds_alternative<Box>(shape.shape);
    });
  });
}

class BulletEngine : public Engine {
 public:
  BulletEngine(const World& world, const std::string& setting)
      : world_(world), options_(options_of(setting)) {
    // All corners of a box on a plane become contacts at once; else they collect over some steps.
    if (has_boxes(world)) configuration_.setPlaneConvexMultipointIterations();
    dispatcher_ = std::make_unique<btCollisionDispatcher>(&configuration_);
    bullet_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), &broad_phase_,
                                                        options_.solver.get(), &configuration_);
    bullet_->setGravity(to_bullet(world.gravity));
    btContactSolverInfo& info = bullet_->getSolverInfo();
    info.m_numIterations = options_.iterations;
    info.m_splitImpulse = 1;
    info.m_solverMode |= SOLVER_USE_WARMSTARTING;
    if (options_.two_directions) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (const WorldBody& body : world.moving) add_body(body);
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);
  }

  ~BulletEngine() override {
    for (const auto& body : bodies_) bullet_->removeRigidBody(body.get());
  }

  // No substeps: one step of exactly this length.
  void step() override { bullet_->stepSimulation(world_.step, 0); }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(world_.moving.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const btRigidBody& body = *bodies_[i];
      states[i].X_WB = to_eigen(body.getWorldTransform());
      states[i].linear = to_eigen(body.getLinearVelocity());
      states[i].angular = to_eigen(body.getAngularVelocity());
    }
  }

  int num_contacts() const override { return count_bullet_contacts(*dispatcher_); }

 private:
  btCollisionShape* make_shape(const Shape& shape) {
    shapes_.push_back(make_bullet_shape(shape));
    return shapes_.back().get();
  }

  void add(std::unique_ptr<btRigidBody> body) {
    set_material(world_, *body);
    bullet_->addRigidBody(body.get());
    bodies_.push_back(std::move(body));
  }

  // Several shapes, and one off the body's frame, are the children of a compound.
  btCollisionShape* make_shapes(const WorldBody& source) {
    const Pose& first = source.shapes.at(0).X_BG;
    if (source.shapes.size() == 1 && first.translation.isZero(0.0) &&
        first.rotation.isIdentity(0.0)) {
      return make_shape(source.shapes.front().shape);
    }
    auto compound = std::make_unique<btCompoundShape>();
    for (const WorldShape& shape : source.shapes) {
      compound->addChildShape(to_bullet(shape.X_BG), make_shape(shape.shape));
    }
    shapes_.push_back(std::move(compound));
    return shapes_.back().get();
  }

  void add_body(const WorldBody& source) {
    btRigidBody::btRigidBodyConstructionInfo info(source.mass, nullptr, make_shapes(source),
                                                  to_bullet(source.inertia));
    info.m_startWorldTransform = to_bullet(source.X_WB);
    auto body = std::make_unique<btRigidBody>(info);
    body->setLinearVelocity(to_bullet(source.linear));
    body->setAngularVelocity(to_bullet(source.angular));
    if (source.planar) {
      body->setLinearFactor({1.0, 0.0, 1.0});
      body->setAngularFactor({0.0, 1.0, 0.0});
    }
    add(std::move(body));
  }

  void add_fixed(const WorldBody& source) {
    for (const WorldShape& shape : source.shapes) {
      shapes_.push_back(make_fixed_bullet_shape(source, shape));
      btRigidBody::btRigidBodyConstructionInfo info(0.0, nullptr, shapes_.back().get());
      info.m_startWorldTransform = to_bullet(fixed_bullet_pose(source, shape));
      add(std::make_unique<btRigidBody>(info));
    }
  }

  World world_;
  Options options_;
  btDefaultCollisionConfiguration configuration_;
  btDbvtBroadphase broad_phase_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::unique_ptr<btDiscreteDynamicsWorld> bullet_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // moving ones first
};

}  // namespace

EngineInfo engine_info() {
  const int version = btGetVersion();
  return {
      "bullet",
      std::to_string(version / 100) + "." + std::to_string(version % 100) + " (float64)",
      {{"si10", "sequential impulse, 10 iterations, split impulse, warm start, no sleeping"},
       {"si1000", "sequential impulse, 1000 iterations, two friction directions"},
       {"nncg100",
        "nonsmooth CG, 100 iterations, two friction directions; with joints sequential impulse"},
       {"dantzig", "MLCP by Dantzig, two friction directions"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  if (!world.joints.empty()) return make_bullet_multibody(world, setting);
  return std::make_unique<BulletEngine>(world, setting);
}

}  // namespace amontons::peers
