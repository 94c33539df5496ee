// Amontons itself, through its library. A setting is a contact model of the catalog, or "default":
// the one that the scene names or the scene format defaults to.

#include "amontons/io/common/build_info.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "benchmarks/peers/engine.h"

#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr const char* kDefault = "default";

Scene with_model(Scene scene, const std::string& setting) {
  if (setting != kDefault) scene.simulation.model = setting;
  return scene;
}

class AmontonsEngine : public Engine {
 public:
  AmontonsEngine(const World& world, const std::string& setting)
      : simulator_(with_model(world.scene, setting)) {
    const System& system = simulator_.system();
    for (const WorldBody& body : world.moving) {
      const int index = system.find_body(body.name);
      if (index < 0) throw std::invalid_argument("no body " + body.name);
      bodies_.push_back(index);
    }
  }

  void step() override {
    const StepReport& report = simulator_.step();
    num_contacts_ = static_cast<int>(report.problem.num_contacts());
    if (!report.certificate.holds) ++num_missed_;
  }

  void read_states(std::vector<BodyState>& states) const override {
    const System& system = simulator_.system();
    const State& state = simulator_.state();
    SystemKinematics kinematics;
    compute_kinematics(system, state.q, state.v, state.time, kinematics);
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto index = static_cast<std::size_t>(bodies_[i]);
      const Body& body = system.bodies()[index];
      const Vector6d& V_WB = kinematics.trees[static_cast<std::size_t>(body.articulation)]
                                 .V_WB[static_cast<std::size_t>(body.link)];
      states[i] = {kinematics.X_WB[index], V_WB.tail<3>(), V_WB.head<3>()};
    }
  }

  int num_contacts() const override { return num_contacts_; }

  /// Returns the number of steps that missed their certificate.
  int num_errors() const override { return num_missed_; }

 private:
  Simulator simulator_;
  std::vector<int> bodies_;
  int num_contacts_ = 0, num_missed_ = 0;
};

}  // namespace

EngineInfo engine_info() {
  EngineInfo info{"amontons", io::version() + " (" + io::build_description() + ")", {}};
  const std::string default_model = SimulationSettings{}.model;
  info.settings.push_back({kDefault, "the scene format's default model, " + default_model});
  for (const std::string& model : model_names()) {
    info.settings.push_back({model, "contact model " + model});
  }
  return info;
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  return std::make_unique<AmontonsEngine>(world, setting);
}

}  // namespace amontons::peers
