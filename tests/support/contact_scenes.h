#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/rotation.h"

#include <Eigen/Core>

#include <cmath>
#include <random>
#include <vector>

namespace amontons::test {

inline constexpr int kWorld = -1;
inline const Eigen::Vector3d kStandardGravity(0.0, 0.0, -9.81);

/// Builds contact problems of free bodies by hand. Velocities are (w_W, v_W) of the center of mass,
/// so that each block of M is diag(I, m).
class SceneBuilder {
 public:
  explicit SceneBuilder(double step, const Eigen::Vector3d& gravity = kStandardGravity)
      : gravity_(gravity) {
    problem_.step = step;
    problem_.rest_speed = 2.0 * gravity.norm() * step;
  }

  int add_body(double mass, const Eigen::Matrix3d& inertia_W, const Eigen::Vector3d& center_W,
               const Eigen::Vector3d& v = Eigen::Vector3d::Zero(),
               const Eigen::Vector3d& w = Eigen::Vector3d::Zero()) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(6, 6);
    M.topLeftCorner(3, 3) = inertia_W;
    M.bottomRightCorner(3, 3) = mass * Eigen::Matrix3d::Identity();
    bodies_.push_back({center_W, problem_.mass_matrix.size()});
    problem_.mass_matrix.add_block(M);
    const Eigen::Index old = problem_.velocity.size();
    problem_.velocity.conservativeResize(old + 6);
    problem_.velocity.tail(6) << w, v;
    problem_.free_velocity.conservativeResize(old + 6);
    problem_.free_velocity.tail(6) << w, v + problem_.step * gravity_;
    return static_cast<int>(bodies_.size()) - 1;
  }

  /// Adds a solid ball.
  int add_ball(double mass, double radius, const Eigen::Vector3d& center_W,
               const Eigen::Vector3d& v = Eigen::Vector3d::Zero(),
               const Eigen::Vector3d& w = Eigen::Vector3d::Zero()) {
    return add_body(mass, 0.4 * mass * radius * radius * Eigen::Matrix3d::Identity(), center_W, v,
                    w);
  }

  /// Adds a solid box, its edges along the world axes.
  int add_box(double mass, const Eigen::Vector3d& size, const Eigen::Vector3d& center_W,
              const Eigen::Vector3d& v = Eigen::Vector3d::Zero()) {
    const Eigen::Vector3d squares = size.cwiseAbs2();
    const Eigen::Vector3d inertia =
        mass / 12.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
    return add_body(mass, inertia.asDiagonal(), center_W, v);
  }

  /// Adds an impulse per unit step to the free motion of a body, at its center: a force [N].
  void add_force(int body, const Eigen::Vector3d& force) {
    const Eigen::Index at = bodies_[static_cast<std::size_t>(body)].offset;
    const double mass = problem_.mass_matrix.blocks()[static_cast<std::size_t>(body)].matrix(3, 3);
    problem_.free_velocity.segment<3>(at + 3) += problem_.step / mass * force;
  }

  int add_contact(int body_a, int body_b, const Eigen::Vector3d& position_W,
                  const Eigen::Vector3d& normal_W, double gap, double friction,
                  double restitution = 0.0) {
    Contact contact;
    contact.body_a = body_a;
    contact.body_b = body_b;
    contact.key = {0, 1, static_cast<std::uint32_t>(contacts_.size())};
    contact.position_W = position_W;
    contact.normal_W = normal_W.normalized();
    contact.gap = gap;
    contact.friction = friction;
    contact.restitution = restitution;
    contacts_.push_back(contact);
    return static_cast<int>(contacts_.size()) - 1;
  }

  /// Adds a row (and its opposite on body_b) that fixes a point of two bodies to each other.
  void add_ball_joint(int body_a, int body_b, const Eigen::Vector3d& position_W,
                      const Eigen::Vector3d& error = Eigen::Vector3d::Zero()) {
    joints_.push_back({body_a, body_b, position_W, error});
  }

  ContactProblem build(double gamma = 1.0) const {
    ContactProblem problem = problem_;
    problem.gamma = gamma;
    problem.contacts = contacts_;
    problem.contact_jacobian = BlockSparseMatrix(problem.mass_matrix.size());
    for (const Contact& contact : contacts_) {
      problem.contact_jacobian.add_block_row(3);
      add_point(problem.contact_jacobian, contact.body_a, contact.body_b, contact.position_W,
                contact_frame(contact.normal_W).transpose());
    }
    problem.contact_bias = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
    problem.joint_jacobian = BlockSparseMatrix(problem.mass_matrix.size());
    problem.joint_error.resize(3 * static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      problem.joint_jacobian.add_block_row(3);
      add_point(problem.joint_jacobian, joints_[j].body_a, joints_[j].body_b, joints_[j].position_W,
                Eigen::Matrix3d::Identity());
      problem.joint_error.segment<3>(3 * static_cast<Eigen::Index>(j)) = joints_[j].error;
    }
    problem.joint_bias = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
    return problem;
  }

 private:
  struct Body {
    Eigen::Vector3d center;
    Eigen::Index offset;
  };
  struct BallJoint {
    int body_a, body_b;
    Eigen::Vector3d position_W, error;
  };

  void add_point(BlockSparseMatrix& jacobian, int body_a, int body_b,
                 const Eigen::Vector3d& position_W, const Eigen::Matrix3d& axes) const {
    const auto add = [&](int index, double sign) {
      if (index == kWorld) return;
      const Body& body = bodies_[static_cast<std::size_t>(index)];
      Eigen::MatrixXd block(3, 6);
      block << -skew(position_W - body.center), Eigen::Matrix3d::Identity();
      jacobian.add_block(body.offset, sign * axes * block);
    };
    add(body_a, -1.0);
    add(body_b, 1.0);
  }

  Eigen::Vector3d gravity_;
  ContactProblem problem_;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<BallJoint> joints_;
};

/// Makes a box of 1 kg on the plane z = 0 with a contact at each lower corner. Its edge length is
/// 0.2 m, its height 0.1 m; gravity may be tilted.
inline ContactProblem box_on_plane(double friction, const Eigen::Vector3d& velocity, double step,
                                   const Eigen::Vector3d& gravity = kStandardGravity,
                                   double gap = 0.0, double restitution = 0.0) {
  SceneBuilder scene(step, gravity);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05}, velocity);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, gap, friction, restitution);
    }
  }
  return scene.build();
}

/// Makes Painleve's rod: 1 kg, 1 m, at an angle to the ground that its lower end touches. It is
/// dragged along x [m/s] (against the way it leans where negative). Beyond a friction of 4/3 or
/// more its acceleration is not determined.
inline ContactProblem dragged_rod(double angle, double friction, double speed, double step) {
  SceneBuilder scene(step);
  const Eigen::Vector3d center(0.5 * std::cos(angle), 0.0, 0.5 * std::sin(angle));
  const int rod =
      scene.add_body(1.0, Eigen::Matrix3d::Identity() / 12.0, center, {speed, 0.0, 0.0});
  scene.add_contact(kWorld, rod, Eigen::Vector3d::Zero(), {0.0, 0.0, 1.0}, 0.0, friction);
  return scene.build();
}

/// Draws a random unit vector.
inline Eigen::Vector3d random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::Vector3d direction;
  do {
    direction = {normal(random), normal(random), normal(random)};
  } while (direction.norm() < 1e-3);
  return direction.normalized();
}

/// Makes random bodies and contacts among them and with the world, masses spread over `mass_ratio`,
/// gaps of both signs. All bodies may leave the world: normals of contacts with it have a positive
/// z.
inline ContactProblem random_problem(std::mt19937_64& random, int num_contacts, double mass_ratio,
                                     double largest_overlap = 1e-4) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto in = [&](double low, double high) { return low + (high - low) * unit(random); };
  SceneBuilder scene(1e-2);
  const int num_bodies = 1 + static_cast<int>(in(0.0, 0.5 * num_contacts));
  std::vector<Eigen::Vector3d> centers;
  for (int b = 0; b < num_bodies; ++b) {
    const double mass = std::pow(mass_ratio, in(-0.5, 0.5));
    const Eigen::Vector3d moments(in(0.5, 1.0), in(0.5, 1.0), in(0.5, 1.0));
    const Eigen::Matrix3d axes =
        rotation_from_vector(3.0 * unit(random) * random_direction(random));
    centers.emplace_back(in(-1.0, 1.0), in(-1.0, 1.0), in(-1.0, 1.0));
    scene.add_body(mass, 0.01 * mass * axes * moments.asDiagonal() * axes.transpose(),
                   centers.back(), in(0.0, 1.0) * random_direction(random),
                   in(0.0, 2.0) * random_direction(random));
  }
  for (int i = 0; i < num_contacts; ++i) {
    const int b = std::min(num_bodies - 1, static_cast<int>(in(0.0, num_bodies)));
    int a = std::min(num_bodies - 1, static_cast<int>(in(-0.5 * num_bodies, num_bodies)));
    if (a < 0 || a == b) a = kWorld;
    Eigen::Vector3d normal = random_direction(random);
    if (a == kWorld) normal.z() = std::abs(normal.z());
    const Eigen::Vector3d point =
        centers[static_cast<std::size_t>(b)] + 0.2 * random_direction(random);
    const double gap = in(0.0, 1.0) < 0.3 ? 0.0 : in(-largest_overlap, 5.0 * largest_overlap);
    scene.add_contact(a, b, point, normal, gap, in(0.0, 1.0) < 0.1 ? 0.0 : in(0.0, 1.5));
  }
  return scene.build();
}

/// Returns a solution with velocity and joint impulses that belong to the given contact impulses.
inline ContactSolution solution_of(const ContactProblem& problem, const ContactLaw& law,
                                   const Eigen::VectorXd& impulses) {
  ContactSolution solution;
  solution.status = SolveStatus::Converged;
  solution.law = law;
  solution.impulses = impulses;
  solution.modes.assign(problem.num_contacts(), ContactMode::Open);
  ContactSpace(problem).apply(impulses, solution.velocity, solution.joint_impulses);
  return solution;
}

}  // namespace amontons::test
