#include "tests/io/file_tree.h"
#include "tests/io/mjcf/mujoco_oracle.h"

#include <string>

// What MuJoCo 2.2 does not know, beside its long form there: the same mass, mass matrix and bias.

namespace amontons::test {
namespace {

// MuJoCo keeps the corners of meshes in single precision.
constexpr double kMeshTolerance = 2e-6;

/// Compares bodies that move, by their names, and the dynamics at random states.
/// @param carried  share of the weight of each of MuJoCo's bodies that its gravcomp carries.
void check_same(MujocoTwin& twin, double tolerance, const Eigen::VectorXd& carried = {}) {
  const mjModel& m = *twin.model;
  const Eigen::Vector3d gravity = vector_at(m.opt.gravity, 0);
  for (const ModelLink& link : twin.ours().links) {
    const int body = mj_name2id(&m, mjOBJ_BODY, link.name.c_str());
    if (!(link.inertia.mass > 0.0)) continue;
    CAPTURE(link.name);
    REQUIRE(body >= 0);
    CHECK(link.inertia.mass == Approx(m.body_mass[body]).epsilon(tolerance));
  }
  std::mt19937 engine(5);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    const Eigen::MatrixXd M = twin.their_mass_matrix();
    CHECK((twin.our_mass_matrix() - M).norm() < tolerance * M.norm());
    Eigen::VectorXd bias = twin.their_bias(), ours = twin.our_bias(gravity);
    RowMatrix J(3, m.nv);
    for (int b = 1; b < m.nbody && carried.size() > 0; ++b) {
      mj_jacBodyCom(&m, twin.data.get(), J.data(), nullptr, b);
      bias += twin.to_mujoco.transpose() * J.transpose() * (carried[b] * m.body_mass[b] * gravity);
    }
    for (const WrenchDrive& wrench : twin.system->wrenches()) {
      Vector6d force;
      force << wrench.torque_W, wrench.force_W;
      const auto body = static_cast<std::size_t>(wrench.body);
      const Eigen::Vector3d p_W = twin.kinematics.X_WB[body] * wrench.at_B;
      const int tree = twin.system->bodies()[body].articulation;
      const Eigen::MatrixXd J_B = body_jacobian(*twin.system, twin.kinematics, wrench.body, p_W);
      ours.segment(twin.system->v_offset(tree), J_B.cols()) -= J_B.transpose() * force;
    }
    // Forces may cancel: they are measured by what gravity does to such masses.
    CHECK((ours - bias).norm() < tolerance * M.norm() * (gravity.norm() + twin.v.squaredNorm()));
  }
}

/// Returns MuJoCo's reading of the long form beside ours of the short one.
MujocoTwin twin_of(const FileTree& folder, const std::string& long_form,
                   const std::string& short_form) {
  folder.write("long.xml", "<mujoco>" + long_form + "</mujoco>");
  folder.write("short.xml", "<mujoco>" + short_form + "</mujoco>");
  MujocoTwin twin(folder.path() / "long.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  twin.read_ours(folder.path() / "short.xml");
  return twin;
}

/// Returns a post on a hinge that carries a fork on a ball joint, with an ending of their names.
/// @param open, close  around the fork.
std::string post(const std::string& ending, const std::string& open, const std::string& close) {
  return "<body name='post" + ending + "' pos='1 0 .5' euler='10 20 30'><joint name='hinge" +
         ending + "' axis='0 1 .2' armature='.01'/>" +
         "<geom type='capsule' fromto='0 0 0 .1 .2 .6' size='.05'/>" + open + "<body name='fork" +
         ending + "' pos='.1 0 0'><joint name='turn" + ending + "' type='ball' pos='0 0 .1'/>" +
         "<geom type='box' size='.1 .2 .05' pos='.1 0 .2' euler='0 0 30'/></body>" + close +
         "</body>";
}

}  // namespace

TEST_CASE("Copies and frames have the mass, mass matrix and bias of their long form in MuJoCo") {
  const std::string pose = " pos='.2 .1 .3' euler='0 40 10'>";
  std::string copies;
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    copies += "<body name='stand" + n + "' pos='0 0 " + std::to_string(0.3 * i) + "' euler='0 0 " +
              std::to_string(90 * i) + "'>" +
              post(n, "<body name='frame" + n + "'" + pose, "</body>") + "</body>";
  }
  const FileTree folder("mjcf_long_form_copies");
  MujocoTwin twin = twin_of(folder, "<worldbody>" + copies + "</worldbody>",
                            "<worldbody><replicate count='4' offset='0 0 .3' euler='0 0 90'>" +
                                post("", "<frame" + pose, "</frame>") + "</replicate></worldbody>");
  check_same(twin, 1e-9);
}

TEST_CASE("An attached model has the mass, mass matrix and bias of its long form in MuJoCo") {
  const FileTree folder("mjcf_long_form_attached");
  // The attached model has its own units and defaults.
  folder.write("leg.xml",
               "<mujoco><compiler angle='radian'/><default><geom density='300'/></default>"
               "<worldbody><body name='thigh' euler='0 .5 0'><joint name='hip' axis='1 0 0'/>"
               "<geom type='capsule' fromto='0 0 0 0 .1 -.4' size='.04'/>"
               "<body name='shank' pos='0 .1 -.4'><joint name='knee' axis='0 1 0' ref='.3'/>"
               "<geom type='cylinder' size='.03 .2' pos='0 0 -.2'/></body></body></worldbody>"
               "</mujoco>");
  const auto trunk = [](const std::string& legs) {
    return "<worldbody><body name='trunk' pos='0 0 1'><freejoint name='root'/>"
           "<geom type='box' size='.3 .2 .1'/>" +
           legs + "</body></worldbody>";
  };
  const auto leg = [](const std::string& prefix, const std::string& pos) {
    return "<body name='at" + prefix + "' pos='" + pos + "' euler='0 0 30'><body name='" + prefix +
           "thigh' euler='0 28.6478897565411614 0'><joint name='" + prefix +
           "hip' axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 .1 -.4' size='.04' "
           "density='300'/><body name='" +
           prefix + "shank' pos='0 .1 -.4'><joint name='" + prefix +
           "knee' axis='0 1 0' ref='17.1887338539246968'/><geom type='cylinder' size='.03 .2' "
           "pos='0 0 -.2' density='300'/></body></body></body>";
  };
  const auto attached = [](const std::string& prefix, const std::string& pos) {
    return "<frame pos='" + pos + "' euler='0 0 30'><attach model='leg' body='thigh' prefix='" +
           prefix + "'/></frame>";
  };
  MujocoTwin twin = twin_of(folder, trunk(leg("l_", ".2 .1 0") + leg("r_", "-.2 .1 0")),
                            "<asset><model name='leg' file='leg.xml'/></asset>" +
                                trunk(attached("l_", ".2 .1 0") + attached("r_", "-.2 .1 0")));
  check_same(twin, 1e-9);
}

TEST_CASE("Bodies of shapes fitted to meshes have MuJoCo's mass matrix and bias") {
  MujocoTwin twin(std::filesystem::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/meshes/fitted.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  check_same(twin, kMeshTolerance);
}

TEST_CASE("gravcomp takes its share of the weight from the bias at the center of mass") {
  const auto arm = [](const std::string& upper, const std::string& lower) {
    return "<worldbody><body name='upper' " + upper +
           " pos='0 0 1'><joint name='a' axis='0 1 0'/><joint name='b' axis='1 0 0'/>"
           "<geom type='capsule' fromto='0 0 0 .5 .1 0' size='.04'/><body name='lower' " +
           lower +
           " pos='.5 .1 0'><joint name='c' axis='0 0 1'/><joint name='d' type='slide' axis='1 0 "
           "0'/>"
           "<geom type='box' size='.2 .05 .03' pos='.2 0 .1'/></body></body></worldbody>";
  };
  const FileTree folder("mjcf_long_form_gravcomp");
  MujocoTwin twin = twin_of(folder, arm("", ""), arm("gravcomp='1'", "gravcomp='.25'"));
  Eigen::VectorXd carried = Eigen::VectorXd::Zero(twin.model->nbody);
  carried[mj_name2id(twin.model.get(), mjOBJ_BODY, "upper")] = 1.0;
  carried[mj_name2id(twin.model.get(), mjOBJ_BODY, "lower")] = 0.25;
  check_same(twin, 1e-9, carried);
}

}  // namespace amontons::test
