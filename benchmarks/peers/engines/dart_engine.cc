// DART, with ODE's collision detector.

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/engines/dart_world.h"

#include <dart/collision/ode/OdeCollisionDetector.hpp>
#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr std::size_t kMaxContacts = 100'000;

std::unique_ptr<dart::constraint::ConstraintSolver> make_solver(const std::string& setting) {
  using namespace dart::constraint;
  if (setting == "dantzig") return std::make_unique<BoxedLcpConstraintSolver>();
  auto pgs = std::make_shared<PgsBoxedLcpSolver>();
  if (setting == "pgs1000") {
    PgsBoxedLcpSolver::Option option = pgs->getOption();
    option.mMaxIteration = 1000;
    pgs->setOption(option);
  } else if (setting != "pgs") {
    throw std::invalid_argument("unknown setting of DART: " + setting);
  }
  return std::make_unique<BoxedLcpConstraintSolver>(pgs);
}

class DartEngine : public Engine {
 public:
  DartEngine(const World& world, const std::string& setting)
      : world_(world), dart_(dart::simulation::World::create()) {
    dart_->setGravity(world.gravity);
    dart_->setTimeStep(world.step);
    dart_->setConstraintSolver(make_solver(setting));
    auto* solver = dart_->getConstraintSolver();
    solver->setCollisionDetector(dart::collision::OdeCollisionDetector::create());
    solver->getCollisionOption().maxNumContacts = kMaxContacts;
    std::vector<dart::dynamics::SkeletonPtr> skeletons;
    bodies_ = add_dart_bodies(world_, skeletons);
    for (const dart::dynamics::SkeletonPtr& skeleton : skeletons) dart_->addSkeleton(skeleton);
    for (const WorldBody& body : world.fixed_bodies) {
      dart_->addSkeleton(make_dart_ground(world_, body));
    }
  }

  void step() override { dart_->step(); }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dart::dynamics::BodyNode& body = *bodies_[i];
      const Eigen::Isometry3d& X = body.getWorldTransform();
      states[i].X_WB = {X.linear(), X.translation()};
      states[i].linear = body.getLinearVelocity();
      states[i].angular = body.getAngularVelocity();
    }
  }

  int num_contacts() const override {
    return static_cast<int>(dart_->getLastCollisionResult().getNumContacts());
  }

 private:
  World world_;
  dart::simulation::WorldPtr dart_;
  std::vector<dart::dynamics::BodyNode*> bodies_;  // [moving]
};

}  // namespace

EngineInfo engine_info() {
  return {"dart",
          DART_VERSION,
          {{"dantzig", "boxed LCP by Dantzig, ODE's collision detector, ERP 0.01"},
           {"pgs", "boxed LCP by PGS, 30 iterations"},
           {"pgs1000", "boxed LCP by PGS, 1000 iterations"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  if (world.is_driven()) throw std::invalid_argument("DART: servos and prescribed motions");
  return std::make_unique<DartEngine>(world, setting);
}

}  // namespace amontons::peers
