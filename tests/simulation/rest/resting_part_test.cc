#include "amontons/simulation/rest/resting_part.h"

#include "amontons/math/same_bits.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/stepping/time_stepper.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace amontons::test {
namespace {

/// Holds a system, and a stepper of it.
class Stepping {
 public:
  explicit Stepping(const Scene& scene)
      : system_(scene),
        model_(make_model(scene.simulation.model, model_settings(scene.simulation))),
        stepper_(system_, *model_, TimeSteppingSettings::from(scene.simulation, model_->traits())),
        state_(system_.initial_state()) {}

  const StepReport& step() {
    stepper_.step(state_, report_);
    return report_;
  }
  /// Takes a step of all trees.
  const StepReport& step_whole() {
    stepper_.reset();
    return step();
  }
  /// Returns the number of trees that the last step has left out.
  std::ptrdiff_t num_left_out() const {
    const auto marks = stepper_.trees_left_out();
    return std::count(marks.begin(), marks.end(), char{1});
  }
  System& system() { return system_; }
  const State& state() const { return state_; }

 private:
  System system_;
  std::unique_ptr<ContactModel> model_;
  TimeStepper stepper_;
  State state_;
  StepReport report_;
};

void require_same(const Residual& x, const Residual& y) {
  REQUIRE(same_bits(x.value, y.value));
  REQUIRE(x.where == y.where);
}

void require_same(const Certificate& x, const Certificate& y) {
  require_same(x.normal, y.normal);
  require_same(x.friction, y.friction);
  require_same(x.limit, y.limit);
  require_same(x.joint, y.joint);
  require_same(x.dynamics, y.dynamics);
  require_same(x.dissipation, y.dissipation);
  require_same(x.coulomb, y.coulomb);
  require_same(x.inequality, y.inequality);
  require_same(x.law_distance, y.law_distance);
  require_same(x.rounding, y.rounding);
  require_same(x.overlap, y.overlap);
  REQUIRE(same_bits(x.energy_gained, y.energy_gained));
  REQUIRE(same_bits(x.kinetic_energy, y.kinetic_energy));
  REQUIRE(same_bits(x.change_energy, y.change_energy));
  REQUIRE(same_bits(x.infeasibility, y.infeasibility));
  REQUIRE(x.missed_contacts == y.missed_contacts);
  REQUIRE(x.holds == y.holds);
}

void require_same(const ContactProblem& x, const ContactProblem& y) {
  REQUIRE(x.num_contacts() == y.num_contacts());
  for (std::size_t i = 0; i < x.num_contacts(); ++i) {
    REQUIRE(x.contacts[i].key == y.contacts[i].key);
    REQUIRE(same_bits(x.contacts[i].gap, y.contacts[i].gap));
    REQUIRE(same_bits(x.contacts[i].position_W, y.contacts[i].position_W));
  }
  REQUIRE(x.contact_jacobian.to_dense() == y.contact_jacobian.to_dense());
  REQUIRE(x.mass_matrix.to_dense() == y.mass_matrix.to_dense());
  REQUIRE(same_bits(x.contact_bias, y.contact_bias));
  REQUIRE(same_bits(x.free_velocity, y.free_velocity));
  REQUIRE(same_bits(x.velocity, y.velocity));
  REQUIRE(x.bounded_rows.size() == y.bounded_rows.size());
}

void require_same(const StepReport& x, const StepReport& y) {
  require_same(x.problem, y.problem);
  require_same(x.certificate, y.certificate);
  REQUIRE(x.solution.status == y.solution.status);
  REQUIRE(x.solution.law.kind == y.solution.law.kind);
  REQUIRE(x.solution.contact_laws == y.solution.contact_laws);
  REQUIRE(x.solution.modes == y.solution.modes);
  REQUIRE(same_bits(x.solution.impulses, y.solution.impulses));
  REQUIRE(same_bits(x.solution.velocity, y.solution.velocity));
  REQUIRE(same_bits(x.drive_impulse, y.drive_impulse));
  REQUIRE(same_bits(x.energy.kinetic, y.energy.kinetic));
  REQUIRE(same_bits(x.energy.potential, y.energy.potential));
  REQUIRE(same_bits(x.energy.gravity, y.energy.gravity));
  REQUIRE(same_bits(x.energy.contact_friction, y.energy.contact_friction));
  REQUIRE(same_bits(x.energy.contact_normal, y.energy.contact_normal));
  REQUIRE(same_bits(x.energy.impacts, y.energy.impacts));
  REQUIRE(same_bits(x.energy.stabilization, y.energy.stabilization));
  REQUIRE(same_bits(x.energy.integration, y.energy.integration));
  REQUIRE(same_bits(x.energy.unexplained, y.energy.unexplained));
}

void require_same(const State& x, const State& y) {
  REQUIRE(same_bits(x.q, y.q));
  REQUIRE(same_bits(x.v, y.v));
  REQUIRE(x.warm_start.size() == y.warm_start.size());
  for (std::size_t i = 0; i < x.warm_start.size(); ++i) {
    REQUIRE(x.warm_start[i].key == y.warm_start[i].key);
    REQUIRE(same_bits(x.warm_start[i].impulse_W, y.warm_start[i].impulse_W));
  }
}

/// Takes the same steps with and without leaving trees at rest out, and returns the number of steps
/// that left out some.
int count_steps_without_all(const Scene& scene, int num_steps) {
  Stepping own(scene), whole(scene);
  int count = 0;
  for (int k = 0; k < num_steps; ++k) {
    CAPTURE(k);
    const StepReport& report = own.step();
    const StepReport& expected = whole.step_whole();
    require_same(report, expected);
    require_same(own.state(), whole.state());
    if (own.num_left_out() > 0) ++count;
  }
  return count;
}

/// Boxes and balls at rest, alone and in stacks, among which others slide and roll.
Scene scene_of_rest_and_motion(const std::string& model, Dice& dice) {
  Scene scene = empty_scene(4e-3, 2.0, model);
  default_material(scene, 0.4, 0.2);
  add_ground(scene);
  for (int i = 0; i < 5; ++i) {
    for (int floor = 0; floor < 1 + i % 3; ++floor) {
      add_body(scene, "box " + std::to_string(i) + "." + std::to_string(floor),
               Box{{0.2, 0.2, 0.2}}, 1.0 + floor, {0.5 * i, 0.0, 0.1 + 0.2 * floor});
    }
    add_body(scene, "ball " + std::to_string(i), Sphere{0.1}, 1.0, {0.5 * i, 1.0, 0.1});
    // Some of these hit what rests, others pass.
    SceneBody& slider = add_body(scene, "slider " + std::to_string(i), Box{{0.1, 0.16, 0.1}}, 0.5,
                                 {0.5 * i + dice.uniform(-0.2, 0.2), -0.8 - 0.2 * i, 0.05});
    slider.linear_velocity = {dice.uniform(-0.5, 0.5), dice.uniform(0.5, 2.0), 0.0};
  }
  SceneBody& roller = add_body(scene, "roller", Sphere{0.06}, 0.3, {-1.0, 2.0, 0.06});
  roller.linear_velocity = {0.4, 0.0, 0.0};
  return scene;
}

}  // namespace

TEST_CASE("Steps that leave out what rests have the bits of whole steps, in every model") {
  Dice dice(417);
  for (const std::string& model : model_names()) {
    CAPTURE(model);
    const Scene scene = scene_of_rest_and_motion(model, dice);
    const int count = count_steps_without_all(scene, 150);
    // Models of the expected position evaluate whole steps.
    if (model == "coulomb" || model == "convex-relaxation" || model == "anitescu-hart") {
      CHECK(count > 50);
    }
  }
}

TEST_CASE("The overlaps that bodies at rest open count in the energies of steps without them") {
  // Boxes that have fallen on each other rest on overlaps of some digits more than rounding.
  Scene scene = empty_scene(2e-3, 4.0, "coulomb");
  default_material(scene, 0.4, 0.3);
  add_ground(scene);
  Dice dice(23);
  const Eigen::Matrix3d rotation = dice.rotation();
  for (int i = 0; i < 12; ++i) {
    const Eigen::Vector3d place(0.21 * (i % 2), 0.21 * (i / 2 % 2), 0.5 + 0.3 * (i / 4));
    SceneBody& box = add_body(scene, "box " + std::to_string(i), Box{{0.2, 0.15, 0.1}}, 1.0,
                              place + dice.uniform(-0.01, 0.01) * Eigen::Vector3d::Ones());
    box.pose.rotation = rotation;
  }
  CHECK(count_steps_without_all(scene, 800) > 50);
}

TEST_CASE("A body at rest that something touches takes part again, with all that it carries") {
  Scene scene = empty_scene(2e-3, 2.0, "coulomb");
  default_material(scene, 0.3, 0.5);
  add_ground(scene);
  for (int floor = 0; floor < 4; ++floor) {
    add_body(scene, "box " + std::to_string(floor), Box{{0.2, 0.2, 0.2}}, 1.0,
             {0.0, 0.0, 0.1 + 0.2 * floor});
  }
  SceneBody& ball = add_body(scene, "ball", Sphere{0.1}, 2.0, {-1.0, 0.0, 0.5});
  ball.linear_velocity = {4.0, 0.0, 1.0};
  Stepping own(scene), whole(scene);
  bool was_left_out = false, has_moved = false;
  for (int k = 0; k < 600; ++k) {
    CAPTURE(k);
    require_same(own.step(), whole.step_whole());
    const bool moves = !own.state().v.head<24>().isZero(0.0);
    was_left_out = was_left_out || own.num_left_out() == 4;
    if (moves) CHECK(own.num_left_out() < 4);
    has_moved = has_moved || moves;
  }
  CHECK(was_left_out);
  CHECK(has_moved);
}

TEST_CASE("A body that a program pushes takes part again") {
  Scene scene = empty_scene(5e-3, 2.0, "coulomb");
  default_material(scene, 0.4);
  add_ground(scene);
  for (int i = 0; i < 6; ++i) {
    add_body(scene, "box " + std::to_string(i), Box{{0.2, 0.2, 0.2}}, 1.0, {0.5 * i, 0.0, 0.1});
  }
  add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 2.0, 0.1}).linear_velocity = {1.0, 0.0, 0.0};
  Simulator own(scene), whole(scene);
  for (int k = 0; k < 200; ++k) {
    CAPTURE(k);
    // A push in the middle of the run.
    if (k == 100 || k == 130) {
      const double force = k == 100 ? 8.0 : 0.0;
      for (Simulator* each : {&own, &whole}) each->set_wrench("box 3", {0.0, force, 0.0});
    }
    whole.set_state(whole.state());
    require_same(own.step(), whole.step());
    require_same(own.state(), whole.state());
  }
  CHECK(own.state().q[own.system().q_offset(3) + 5] > 0.05);
}

TEST_CASE("A robot with new commands at each step moves among what rests by the same bits") {
  Scene scene = empty_scene(5e-3, 2.0, "coulomb");
  default_material(scene, 0.4);
  add_ground(scene);
  add_body(scene, "arm", Box{{1.0, 0.1, 0.1}}, 2.0, {0.6, 0.0, 0.3});
  add_joint(scene, "yaw", JointType::Revolute, "world", "arm", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero())
      .dynamics.viscous_friction = 0.5;
  // The arm sweeps over the first boxes, and into the last, which are higher.
  for (int i = 0; i < 6; ++i) {
    const double angle = 0.3 + 0.3 * i, height = i < 3 ? 0.2 : 0.4;
    add_body(scene, "box " + std::to_string(i), Box{{0.1, 0.1, height}}, 1.0,
             {0.8 * std::cos(angle), 0.8 * std::sin(angle), 0.5 * height});
  }
  Simulator own(scene), whole(scene);
  std::shared_ptr<const StepReport> held;  // as programs hold the report of the last step
  bool has_pushed = false;
  for (int k = 0; k < 300; ++k) {
    CAPTURE(k);
    for (Simulator* each : {&own, &whole}) each->set_effort("yaw", 1.0 + 0.01 * k);
    whole.set_state(whole.state());
    own.step();
    require_same(*own.last_report(), whole.step());
    require_same(own.state(), whole.state());
    held = own.last_report();
    has_pushed = has_pushed || !own.state().v.tail<6>().isZero(0.0);
  }
  CHECK(has_pushed);
}

}  // namespace amontons::test
