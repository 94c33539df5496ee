#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"
#include "tests/io/mjcf/mujoco_oracle.h"
#include "tests/io/run/recorded_run.h"

#include <fstream>
#include <set>
#include <string>

// Composites of rigid bodies, body by body against those that MuJoCo 2.2 makes.

namespace amontons::test {
namespace {

/// Returns a file that holds a world, and what follows it.
std::string file_of(const TemporaryFolder& folder, const std::string& world,
                    const std::string& rest = "") {
  const std::string path = folder.file("m.xml");
  std::ofstream(path) << "<mujoco><default><geom friction='0.3' density='20'/><joint damping='3'/>"
                         "</default><worldbody>"
                      << world << "</worldbody>" << rest << "</mujoco>";
  return path;
}

/// Checks masses, poses of geoms, mass matrix and bias of both readings in random configurations.
void check_same(MujocoTwin& twin) {
  INFO(twin.error);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  REQUIRE(twin.v.size() == m.nv);
  std::mt19937 engine(61);
  for (int k = 0; k < 4; ++k) {
    twin.randomize(engine);
    const Eigen::MatrixXd M = twin.their_mass_matrix();
    CHECK((twin.our_mass_matrix() - M).norm() < 1e-9 * M.norm());
    const Eigen::VectorXd bias = twin.their_bias();
    const Eigen::Vector3d gravity(m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2]);
    CHECK((twin.our_bias(gravity) - bias).norm() < 1e-9 * (1.0 + bias.norm()));
    for (int b = 1; b < m.nbody; ++b) {
      const char* name = mj_id2name(&m, mjOBJ_BODY, b);
      if (name == nullptr || *name == '\0') continue;
      CAPTURE(name);
      const int own = twin.system->find_body("m/" + std::string(name));
      REQUIRE(own >= 0);
      const Pose& X_WB = twin.kinematics.X_WB[static_cast<std::size_t>(own)];
      CHECK((X_WB.translation - vector_at(twin.data->xpos, b)).norm() < 1e-9);
      CHECK((X_WB.rotation - matrix_at(twin.data->xmat, b)).norm() < 1e-9);
    }
  }
}

}  // namespace

TEST_CASE("Particles of a composite are MuJoCo's bodies on three slides, without defaults") {
  const TemporaryFolder folder;
  MujocoTwin twin(file_of(folder, R"(<body name='c' pos='0 0 1' euler='10 20 30'>
      <composite type='particle' count='2 3 2' spacing='0.2' offset='0.1 0 0.5'>
        <geom size='0.05' mass='0.1'/></composite></body>)"));
  check_same(twin);
  CHECK(twin.v.size() == 36);
}

TEST_CASE("A rope bends about the hinges that MuJoCo gives it, and its twist is held") {
  const TemporaryFolder folder;
  MujocoTwin twin(file_of(folder, R"(<body name='rB1' pos='0 0 1'><freejoint/>
      <composite prefix='r' type='rope' count='4 1 1' spacing='0.1'>
        <joint kind='main' damping='0.1' stiffness='2'/><joint kind='twist' armature='0.01'/>
        <joint kind='stretch'/><geom type='capsule' size='0.02 0.03' density='500'/></composite>
      </body>)"));
  check_same(twin);
  CHECK(twin.ours().couplings.size() == static_cast<std::size_t>(twin.model->neq));
  for (int j = 1; j < twin.model->njnt; ++j) {
    CAPTURE(mj_id2name(twin.model.get(), mjOBJ_JOINT, j));
    CHECK(twin.joints[static_cast<std::size_t>(j)]->name ==
          mj_id2name(twin.model.get(), mjOBJ_JOINT, j));
    const JointDynamics& d = twin.joints[static_cast<std::size_t>(j)]->dynamics;
    CHECK(d.stiffness == twin.model->jnt_stiffness[j]);
    CHECK(d.viscous_friction == twin.model->dof_damping[twin.model->jnt_dofadr[j]]);
  }
}

TEST_CASE("A loop closes where MuJoCo closes it") {
  const TemporaryFolder folder;
  MujocoTwin twin(file_of(folder, R"(<body name='B3' pos='0 0 1'><freejoint/>
      <composite type='loop' count='7 1 1' spacing='0.1'>
        <geom type='ellipsoid' size='0.02 0.01 0.03'/></composite></body>)"));
  check_same(twin);
  REQUIRE(twin.ours().loops.size() == 1);
  // Both ends meet in the starting pose.
  Simulator sim(*twin.scene);
  CHECK(sim.step().certificate.holds);
  CHECK(sim.initial_report().certificate.infeasibility < 1e-9);
}

TEST_CASE("The tendons of a grid tie the sites that MuJoCo ties, at the same lengths") {
  const TemporaryFolder folder;
  MujocoTwin twin(file_of(folder, R"(<body name='c' pos='0 0 1'>
      <composite prefix='g' type='grid' count='3 4 1' spacing='0.1' offset='0.1 0.2 0.3'>
        <joint kind='main' damping='0.3'/><tendon kind='main' damping='1'/>
        <tendon kind='shear'/><pin coord='0 0'/><pin coord='2'/>
        <geom size='0.02' mass='0.05'/></composite></body>)",
                          "<default><tendon damping='7'/></default>"));
  check_same(twin);
  const mjModel& m = *twin.model;
  REQUIRE(static_cast<int>(twin.ours().tendons.size()) == m.ntendon);
  CHECK(static_cast<int>(twin.ours().couplings.size()) == m.neq);
  for (const ModelTendon& tendon : twin.ours().tendons) {
    const int t = mj_name2id(&m, mjOBJ_TENDON, tendon.name.c_str());
    REQUIRE(t >= 0);
    CHECK(tendon.dynamics.viscous_friction == m.tendon_damping[t]);
  }
  for (const JointCoupling& coupling : twin.ours().couplings) {
    const int t = mj_name2id(&m, mjOBJ_TENDON, coupling.joint.c_str());
    REQUIRE(t >= 0);
    CHECK(coupling.curve.offset == Approx(m.tendon_length0[t]).epsilon(1e-9));
  }
}

TEST_CASE("A chain of balls swings with its ties at their lengths") {
  io::MemoryFiles files;
  files.add("m.xml", R"(<mujoco><worldbody><body name='c' pos='0 0 1'>
      <composite type='grid' count='4 1 1' spacing='0.1'><pin coord='0'/>
        <geom size='0.02' mass='0.05' contype='0' conaffinity='0'/></composite></body>
      </worldbody></mujoco>)");
  Simulator sim(io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.0005, duration: 0.4}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files));
  double drift = 0.0;
  while (!sim.finished()) {
    CHECK(sim.step().certificate.holds);
    SystemKinematics at;
    compute_kinematics(sim.system(), sim.state().q, sim.state().v, sim.time(), at);
    drift = std::max(drift, (at.loops.position.array() - 0.1).abs().maxCoeff());
  }
  // A tie that turns by h w in a step is longer by l (h w)^2/2, which the next step closes.
  CHECK(drift < 1e-4);
}

TEST_CASE("What softens the held twist of a rope is part of the format, and no finding") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><body name='B1' pos='0 0 1'><freejoint/><composite type='rope' count='3 1 1' "
      "spacing='.2'><joint kind='twist' solreffix='.01 1' solimpfix='.9 .9 .1'/><geom "
      "type='capsule' size='.02 .05'/></composite></body></worldbody>");
  CHECK(scene.ledger.findings().empty());
  CHECK_THAT(entry_of(scene, "body 'B1': composite joint solreffix").reason,
             Catch::Contains("softens a constraint"));
}

TEST_CASE("Composites are copied and attached with their tendons") {
  io::MemoryFiles files;
  files.add("m.xml", R"(<mujoco><asset><model name='net' file='net.xml'/></asset><worldbody>
      <replicate count='2' offset='1 0 0'><body name='d'>
        <composite type='particle' count='2 1 1' spacing='0.3'><geom size='0.1'/></composite></body>
      </replicate><frame><attach model='net' prefix='n_'/></frame></worldbody></mujoco>)");
  files.add("net.xml", R"(<mujoco><worldbody><body name='c'>
      <composite type='grid' count='2 2 1' spacing='0.3'><geom size='0.1'/></composite></body>
      </worldbody></mujoco>)");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
  const SceneModel& model = scene.models[0];
  CHECK(model.tendons.size() == 4);
  CHECK(model.couplings.size() == 4);
  std::set<std::string> names;
  for (const ModelLink& link : model.links) names.insert(link.name);
  CHECK(names.count("n_B1_0") == 1);
}

TEST_CASE("Elastic composites are findings, and all else of the file acts") {
  for (const char* type : {"cable", "cloth", "box", "cylinder", "ellipsoid"}) {
    CAPTURE(type);
    io::MemoryFiles files;
    files.add("m.xml",
              "<mujoco><worldbody><body name='a'><joint/><geom size='1'/><composite type='" +
                  std::string(type) +
                  "' count='3 3 3'><joint kind='main' damping='1'/><geom size='1'/></composite>"
                  "</body></worldbody></mujoco>");
    const Scene scene = io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
        "scene.yaml", files);
    CHECK(scene.models[0].links.size() == 2);
    REQUIRE(scene.ledger.findings().size() == 1);
    CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("left out"));
    CHECK(entry_of(scene, "body 'a': composite joint").reason ==
          "a part of a soft body, which is not simulated");
  }
}

}  // namespace amontons::test
