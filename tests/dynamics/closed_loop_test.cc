#include "amontons/dynamics/loop_joint.h"
#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/dynamics/split_universal_joints.h"
#include "tests/dynamics/forward_dynamics.h"
#include "tests/support/test_size.h"

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

const Eigen::Vector3d kGravity(0.5, -1.0, -9.81);

// Describes a joint between two frames on links of one articulation (-1: the world).
struct Loop {
  JointGeometry joint;
  int link_F = -1;
  Pose X_LF;
  int link_M = -1;
  Pose X_LM;
};

struct LoopRows {
  Eigen::VectorXd error;
  Eigen::MatrixXd jacobian;  // [rows x nv]
};

Pose pose_of(const ArticulationKinematics& kinematics, int link, const Pose& X_L) {
  return link < 0 ? X_L : kinematics.X_WB[static_cast<std::size_t>(link)] * X_L;
}

LoopRows rows_at(const Articulation& tree, const Loop& loop, const Eigen::VectorXd& q) {
  const ArticulationKinematics kinematics =
      kinematics_at(tree, q, Eigen::VectorXd::Zero(tree.num_velocities()));
  const Pose X_WF = pose_of(kinematics, loop.link_F, loop.X_LF);
  const Pose X_WM = pose_of(kinematics, loop.link_M, loop.X_LM);
  const LoopJointRows rows = loop_joint_rows(loop.joint, X_WF, X_WM);
  LoopRows result{rows.error, Eigen::MatrixXd::Zero(rows.error.size(), tree.num_velocities())};
  if (loop.link_F >= 0) {
    result.jacobian +=
        rows.jacobian_F * tree.frame_jacobian(kinematics, loop.link_F, X_WF.translation);
  }
  if (loop.link_M >= 0) {
    result.jacobian +=
        rows.jacobian_M * tree.frame_jacobian(kinematics, loop.link_M, X_WM.translation);
  }
  return result;
}

LoopRows rows_at(const Articulation& tree, const std::vector<Loop>& loops,
                 const Eigen::VectorXd& q) {
  LoopRows all{Eigen::VectorXd(), Eigen::MatrixXd(0, tree.num_velocities())};
  for (const Loop& loop : loops) {
    const LoopRows rows = rows_at(tree, loop, q);
    const Eigen::Index first = all.error.size();
    all.error.conservativeResize(first + rows.error.size());
    all.jacobian.conservativeResize(first + rows.error.size(), Eigen::NoChange);
    all.error.tail(rows.error.size()) = rows.error;
    all.jacobian.bottomRows(rows.error.size()) = rows.jacobian;
  }
  return all;
}

// Acceleration under gravity with the loops kept:
//   M a = forces + J' x,   J a = -(dJ/dt) v.  Redundant rows are allowed.
Eigen::VectorXd constrained_acceleration(const Articulation& tree, const std::vector<Loop>& loops,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const ArticulationKinematics kinematics = kinematics_at(tree, q, v);
  const Eigen::MatrixXd J = rows_at(tree, loops, q).jacobian;
  const Eigen::VectorXd J_dot_v = derivative_at_zero(
      [&](double t) -> Eigen::VectorXd {
        return rows_at(tree, loops, tree.integrate(q, v, t)).jacobian * v;
      },
      1e-3);
  const Eigen::VectorXd forces =
      tree.gravity_forces(kinematics, kGravity) - tree.bias_forces(kinematics, v);
  const Eigen::Index nv = tree.num_velocities();
  const Eigen::Index num_rows = J.rows();
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(nv + num_rows, nv + num_rows);
  kkt.topLeftCorner(nv, nv) = tree.mass_matrix(kinematics);
  kkt.topRightCorner(nv, num_rows) = J.transpose();
  kkt.bottomLeftCorner(num_rows, nv) = J;
  Eigen::VectorXd right(nv + num_rows);
  right << forces, -J_dot_v;
  return kkt.completeOrthogonalDecomposition().solve(right).head(nv);
}

// Makes free bodies with the inertias of a tree's links, in the state of those links.
struct FreeBodies {
  Articulation tree;
  Eigen::VectorXd q, v;
};

FreeBodies released(const std::vector<SpatialInertia>& inertias, const std::vector<Pose>& poses,
                    const std::vector<Vector6d>& velocities) {
  std::vector<Link> links(inertias.size());
  for (std::size_t i = 0; i < inertias.size(); ++i) links[i].inertia = inertias[i];
  FreeBodies bodies{Articulation(links), Eigen::VectorXd(7 * inertias.size()),
                    Eigen::VectorXd(6 * inertias.size())};
  for (std::size_t i = 0; i < inertias.size(); ++i) {
    const Eigen::Index k = static_cast<Eigen::Index>(i);
    bodies.q.segment<7>(7 * k) << wxyz_from_quaternion(Eigen::Quaterniond(poses[i].rotation)),
        poses[i].translation;
    bodies.v.segment<6>(6 * k) = velocities[i];
  }
  return bodies;
}

// Closes the loops by Newton's method on their errors, with the least-norm correction.
Eigen::VectorXd close_loops(const Articulation& tree, const std::vector<Loop>& loops,
                            Eigen::VectorXd q) {
  for (int i = 0; i < 50; ++i) {
    const LoopRows rows = rows_at(tree, loops, q);
    if (rows.error.norm() <= 1e-13) break;
    // The rank is two in the plane: out-of-plane rows are zero up to rounding.
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(1e-9);
    decomposition.compute(rows.jacobian);
    q = tree.integrate(q, -decomposition.solve(rows.error), 1.0);
  }
  return q;
}

// Makes a planar chain of rods along x, hinged about -y (a positive angle lifts). Rod i has length
// l[i].
Articulation planar_chain(const std::vector<double>& lengths) {
  std::vector<Link> links;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Link link;
    link.parent = static_cast<int>(i) - 1;
    link.joint = JointType::Revolute;
    link.axis = -Eigen::Vector3d::UnitY();
    if (i > 0) link.X_PF.translation.x() = lengths[i - 1];
    const double l = lengths[i];
    link.inertia = {l, Eigen::Vector3d(0.5 * l, 0.0, 0.0),
                    Eigen::Vector3d(1e-3, l * l * l / 12.0, l * l * l / 12.0).asDiagonal()};
    links.push_back(link);
  }
  return Articulation(links);
}

Pose at_x(double x) { return {Eigen::Matrix3d::Identity(), Eigen::Vector3d(x, 0.0, 0.0)}; }

}  // namespace

TEST_CASE("A joint in reduced coordinates and as rows between free bodies accelerate alike") {
  Engine engine(91);
  for (int trial = 0; trial < num_cases(1000); ++trial) {
    for (const JointType type : moving_joint_types()) {
      const Link root = random_link(engine, -1, JointType::Free);
      const Link child = random_link(engine, 0, type);
      const SplitTree split = split_universal_joints({root, child});
      const Articulation reduced(split.links);
      const std::size_t last = split.links.size() - 1;
      const Eigen::VectorXd q = random_position(engine, reduced);
      const Eigen::VectorXd v = random_vector(engine, reduced.num_velocities());
      const ArticulationKinematics kinematics = kinematics_at(reduced, q, v);
      const Eigen::VectorXd acceleration = free_acceleration(reduced, q, v, kGravity);

      const FreeBodies bodies =
          released({root.inertia, child.inertia}, {kinematics.X_WB[0], kinematics.X_WB[last]},
                   {kinematics.V_WB[0], kinematics.V_WB[last]});
      const Loop loop{child.geometry(), 0, child.X_PF, 1, child.X_MB.inverse()};
      const LoopRows rows = rows_at(bodies.tree, loop, bodies.q);
      CAPTURE(trial, static_cast<int>(type));
      CHECK(rows.error.norm() <= 1e-13);
      CHECK((rows.jacobian * bodies.v).norm() <= 1e-12);
      const Eigen::VectorXd maximal =
          constrained_acceleration(bodies.tree, {loop}, bodies.q, bodies.v);
      for (std::size_t i = 0; i < 2; ++i) {
        const Eigen::VectorXd expected =
            link_acceleration(reduced, q, v, acceleration, i == 0 ? 0 : last);
        const Eigen::Vector<double, 6> actual = maximal.segment<6>(6 * static_cast<int>(i));
        CHECK((actual - expected).norm() <= 1e-10 * (1.0 + expected.norm()));
      }
    }
  }
}

TEST_CASE("A fixed joint as rows and as one merged body accelerate alike") {
  Engine engine(92);
  for (int trial = 0; trial < num_cases(1000); ++trial) {
    const Link root = random_link(engine, -1, JointType::Free);
    const Link child = random_link(engine, 0, JointType::Fixed);
    const MergedTree merged = merge_fixed_joints({root, child});
    const Articulation reduced(merged.links);
    const Eigen::VectorXd q = random_position(engine, reduced);
    const Eigen::VectorXd v = random_vector(engine, 6);
    const Eigen::VectorXd acceleration = free_acceleration(reduced, q, v, kGravity);
    const ArticulationKinematics kinematics = kinematics_at(reduced, q, v);
    const Pose X_WB = kinematics.X_WB[0] * merged.frames[1].X_LB;
    const Vector6d V_WB = reduced.frame_jacobian(kinematics, 0, X_WB.translation) * v;
    const FreeBodies bodies = released({root.inertia, child.inertia}, {kinematics.X_WB[0], X_WB},
                                       {kinematics.V_WB[0], V_WB});
    const Loop loop{child.geometry(), 0, child.X_PF, 1, child.X_MB.inverse()};
    const Eigen::VectorXd maximal =
        constrained_acceleration(bodies.tree, {loop}, bodies.q, bodies.v);
    const Eigen::VectorXd expected = link_acceleration(reduced, q, v, acceleration, 0);
    CHECK((maximal.head<6>() - expected).norm() <= 1e-10 * (1.0 + expected.norm()));
  }
}

TEST_CASE("A point mass on a distance joint accelerates as a spherical pendulum") {
  Engine engine(93);
  for (int trial = 0; trial < 20; ++trial) {
    const SpatialInertia bob{1.3, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
    const Eigen::Vector3d pivot = random_vector3(engine);
    const Eigen::Vector3d n = random_unit(engine);
    const double length = uniform(engine, 0.5, 2.0);
    const Eigen::Vector3d velocity = n.cross(random_vector3(engine));
    Vector6d V = Vector6d::Zero();
    V.tail<3>() = velocity;
    const FreeBodies body =
        released({bob}, {Pose{Eigen::Matrix3d::Identity(), pivot + length * n}}, {V});
    const Loop loop{.joint = {.type = JointType::Distance, .length = length},
                    .link_F = -1,
                    .X_LF = {Eigen::Matrix3d::Identity(), pivot},
                    .link_M = 0,
                    .X_LM = {}};
    const Eigen::VectorXd a = constrained_acceleration(body.tree, {loop}, body.q, body.v);
    const Eigen::Vector3d expected =
        kGravity - (n.dot(kGravity) + velocity.squaredNorm() / length) * n;
    CHECK((a.tail<3>() - expected).norm() <= 1e-10);
    CHECK(a.head<3>().norm() <= 1e-12);
  }
}

TEST_CASE("A four-bar linkage closed by loop rows has the angles of its circles' intersection") {
  const double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;  // a Grashof linkage
  const Articulation tree = planar_chain({crank, coupler, rocker});
  const Loop loop{
      {JointType::Revolute, -Eigen::Vector3d::UnitY()}, -1, at_x(ground), 2, at_x(rocker)};
  Eigen::Vector3d guess(0.0, 0.9, -2.3);
  for (double angle = 0.0; angle < 6.28; angle += 0.1) {
    // The crank's end is fixed: only the two other angles may close the loop.
    Loop held = loop;
    std::vector<Link> links = {tree.links()[1], tree.links()[2]};
    links[0].parent = -1;
    links[0].X_PF =
        Pose{rotation_from_vector({0.0, -angle, 0.0}), Eigen::Vector3d::Zero()} * links[0].X_PF;
    links[1].parent = 0;
    held.link_M = 1;
    const Articulation rest(links);
    const Eigen::VectorXd q = close_loops(rest, {held}, guess.tail<2>());
    guess.tail<2>() = q;
    // Elbow-up intersection of the circles about the crank's end and the ground pivot.
    const Eigen::Vector2d end(crank * std::cos(angle), crank * std::sin(angle));
    const Eigen::Vector2d across = Eigen::Vector2d(ground, 0.0) - end;
    const double d = across.norm();
    const double along = (d * d + coupler * coupler - rocker * rocker) / (2.0 * d);
    const double height = std::sqrt(coupler * coupler - along * along);
    const Eigen::Vector2d expected =
        end + (along * across + height * Eigen::Vector2d(-across.y(), across.x())) / d;
    const ArticulationKinematics kinematics = kinematics_at(rest, q, Eigen::VectorXd::Zero(2));
    const Eigen::Vector3d elbow = kinematics.X_WB[1].translation;
    CAPTURE(angle, q.transpose());
    CHECK(rows_at(rest, held, q).error.norm() <= 1e-12);
    CHECK((Eigen::Vector2d(elbow.x(), elbow.z()) - expected).norm() <= 1e-9);
  }
}

TEST_CASE("A slider-crank closed by loop rows puts its piston where the triangle says") {
  const double crank = 0.2, rod = 0.7;
  for (double angle = 0.0; angle < 6.28; angle += 0.1) {
    std::vector<Link> links = {planar_chain({crank, rod}).links()[1]};
    links[0].parent = -1;
    links[0].X_PF =
        Pose{rotation_from_vector({0.0, -angle, 0.0}), Eigen::Vector3d::Zero()} * links[0].X_PF;
    Link piston;
    piston.parent = 0;
    piston.joint = JointType::Revolute;
    piston.axis = -Eigen::Vector3d::UnitY();
    piston.X_PF = at_x(rod);
    piston.inertia = {1.0, Eigen::Vector3d::Zero(), 0.01 * Eigen::Matrix3d::Identity()};
    links.push_back(piston);
    const Articulation tree(links);
    const Loop guide{{JointType::Prismatic, Eigen::Vector3d::UnitX()}, -1, Pose{}, 1, Pose{}};
    // From the piston's side: the rod points along +x and its end is level with the slider.
    const Eigen::VectorXd q = close_loops(tree, {guide}, Eigen::Vector2d(-angle, 0.0));
    const double x =
        crank * std::cos(angle) + std::sqrt(rod * rod - std::pow(crank * std::sin(angle), 2));
    const ArticulationKinematics kinematics = kinematics_at(tree, q, Eigen::VectorXd::Zero(2));
    CAPTURE(angle, q.transpose());
    CHECK((kinematics.X_WB[1].translation - Eigen::Vector3d(x, 0.0, 0.0)).norm() <= 1e-9);
  }
}

TEST_CASE("A moving four-bar accelerates alike cut open at one hinge or made of free rods") {
  const double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;
  const Articulation chain = planar_chain({crank, coupler, rocker});
  const Eigen::Vector3d axis = -Eigen::Vector3d::UnitY();
  const Loop cut{{JointType::Revolute, axis}, -1, at_x(ground), 2, at_x(rocker)};
  for (const double start : {0.4, 2.0, 4.0}) {
    const Eigen::VectorXd q = close_loops(chain, {cut}, Eigen::Vector3d(start, 0.9, -2.0));
    const LoopRows rows = rows_at(chain, cut, q);
    REQUIRE(rows.error.norm() <= 1e-12);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(1e-9);
    decomposition.compute(rows.jacobian);
    const Eigen::VectorXd wish = Eigen::Vector3d(2.0, 1.0, -1.0);
    const Eigen::VectorXd v = wish - decomposition.solve(rows.jacobian * wish);
    REQUIRE(v.norm() > 0.1);

    const ArticulationKinematics kinematics = kinematics_at(chain, q, v);
    std::vector<SpatialInertia> inertias;
    for (const Link& link : chain.links()) inertias.push_back(link.inertia);
    const FreeBodies rods = released(inertias, kinematics.X_WB, kinematics.V_WB);
    const std::vector<Loop> hinges = {{{JointType::Revolute, axis}, -1, Pose{}, 0, Pose{}},
                                      {{JointType::Revolute, axis}, 0, at_x(crank), 1, Pose{}},
                                      {{JointType::Revolute, axis}, 1, at_x(coupler), 2, Pose{}},
                                      cut};
    const Eigen::VectorXd maximal = constrained_acceleration(rods.tree, hinges, rods.q, rods.v);
    const Eigen::VectorXd reduced = constrained_acceleration(chain, {cut}, q, v);
    for (std::size_t i = 0; i < 3; ++i) {
      const Eigen::VectorXd expected = link_acceleration(chain, q, v, reduced, i);
      const Eigen::Vector<double, 6> actual = maximal.segment<6>(6 * static_cast<int>(i));
      CAPTURE(start, i);
      CHECK((actual - expected).norm() <= 1e-9 * (1.0 + expected.norm()));
    }
  }
}

}  // namespace amontons::test
