#include "amontons/io/common/temporary_folder.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mujoco_oracle.h"

// Files with global coordinates beside MuJoCo 2.2, which reads them; mujoco_oracle_test.cc compares
// masses, poses, axes and dynamics of global.xml.

namespace amontons::test {
namespace {

const std::filesystem::path kGlobalFolder =
    std::filesystem::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";

}  // namespace

TEST_CASE("Anchors and sites of global coordinates are where MuJoCo has them") {
  MujocoTwin twin(kGlobalFolder / "global.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  const SceneModel& ours = twin.ours();
  REQUIRE(ours.loops.size() == 2);
  CHECK(ours.loops[0].is_attached);
  CHECK_FALSE(ours.loops[1].is_attached);  // active="false"
  REQUIRE(twin.model->eq_type[0] == mjEQ_CONNECT);
  const ModelFrame& site = ours.frames.at(0);
  std::mt19937 engine(47);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    const auto pose_of = [&](int link) {
      const std::string& name = ours.links[static_cast<std::size_t>(link)].name;
      const int body = twin.system->find_body("m/" + name);
      REQUIRE(body >= 0);
      return twin.kinematics.X_WB[static_cast<std::size_t>(body)];
    };
    const ModelLoop& connect = ours.loops[0];
    const Eigen::Vector3d gap = (pose_of(connect.link_a) * connect.X_AF).translation -
                                (pose_of(connect.link_b) * connect.X_BM).translation;
    CHECK((gap - vector_at(twin.data->efc_pos, 0)).norm() < 1e-9);
    const Pose X_WS = pose_of(site.link) * site.X_LF;
    CHECK((X_WS.translation - vector_at(twin.data->site_xpos, 0)).norm() < 1e-9);
    CHECK((X_WS.rotation - matrix_at(twin.data->site_xmat, 0)).norm() < 1e-9);
  }
}

TEST_CASE("A body of global coordinates without a place moves as MuJoCo's, whatever its frame") {
  // Its frame has principal axes of several geoms or of a full inertia; no motion depends on them.
  const io::TemporaryFolder folder;
  MujocoTwin twin(folder.write(
      "m.xml",
      "<mujoco><compiler coordinate='global'/><worldbody><body name='two'>"
      "<joint name='a' axis='0 1 .3' pos='1 0 1'/><geom type='box' size='.3 .2 .1' pos='1.2 0 1'/>"
      "<geom size='.1' pos='1.5 .3 1.1'/><body name='full'><joint name='b' axis='1 .2 0' "
      "pos='1.5 .3 1'/><inertial pos='1.6 .5 1.1' mass='2' fullinertia='.05 .06 .07 .01 .005 "
      ".002'/></body></body></worldbody></mujoco>"));
  INFO(twin.error);
  REQUIRE(twin.model);
  std::mt19937 engine(53);
  for (int k = 0; k < 5; ++k) {
    const Eigen::MatrixXd M = twin.their_mass_matrix();
    CHECK((twin.our_mass_matrix() - M).norm() < 1e-9 * M.norm());
    const Eigen::Vector3d gravity = vector_at(twin.model->opt.gravity, 0);
    CHECK((twin.our_bias(gravity) - twin.their_bias()).norm() <
          1e-9 * M.norm() * (gravity.norm() + twin.v.squaredNorm()));
    twin.randomize(engine);
  }
  for (const char* body : {"body 'two'", "body 'full'"}) {
    CHECK(entry_of(*twin.scene, body).fate == ImportFate::Approximated);
  }
}

}  // namespace amontons::test
