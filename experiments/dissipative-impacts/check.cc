#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/rotation.h"
#include "amontons/models/common/contact_model.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/dissipative-impacts/impulse_cap.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

// Impacts by phases I to III of maximum dissipation: a ball against its closed form, boxes against
// all other impulses that the conditions allow.

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kMass = 2.0, kRadius = 0.1, kDown = 1.0;  // of the ball [kg, m, m/s]
constexpr double kBoxFriction = 0.4;

// Calls `each` with the impact with which a scene begins.
void simulate_impact(const Context& context, const Scene& scene,
                     const std::function<void(const Simulator&, const StepReport&)>& each) {
  int impacts = 0;
  context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
    if (report.events.impact && impacts++ == 0) each(simulator, report);
  });
  if (impacts == 0) throw std::runtime_error("the motion begins without an impact");
}

// The ball leaves at e times its speed; friction stops its slip, or is mu times the impulse. Slip
// ends with the impulse 2/7 m slip.
double ball_error(const Context& context, double mu, double e, double slip, const char* law) {
  const Scene scene =
      context.load("ball.yaml", {{"materials.default.friction", fmt::format("{}", mu)},
                                 {"materials.default.restitution", fmt::format("{}", e)},
                                 {"simulation.restitution_law", law},
                                 {"bodies.1.velocity.linear", fmt::format("[{}, 0, -1]", slip)}});
  const double normal = kMass * (1.0 + e) * kDown;
  const double friction = std::min(mu * normal, 2.0 / 7.0 * kMass * slip);
  // (w, v) of a solid ball: friction against +x at its lowest point turns it about +y.
  const double inertia = 0.4 * kMass * kRadius * kRadius;
  Eigen::Matrix<double, 6, 1> expected;
  expected << 0.0, kRadius * friction / inertia, 0.0, slip - friction / kMass, 0.0, e * kDown;
  double error = 0.0;
  simulate_impact(context, scene, [&](const Simulator& simulator, const StepReport&) {
    error = (simulator.state().v - expected).lpNorm<Eigen::Infinity>();
  });
  return error;
}

void check_ball(const Context& context, Findings& findings) {
  for (const char* law : {"newton", "poisson"}) {
    double worst = 0.0;
    for (const double mu : {0.0, 0.2, 0.5, 1.0}) {
      for (const double e : {0.0, 0.5, 1.0}) {
        for (const double slip : {0.0, 0.5, 2.0, 8.0}) {
          worst = std::max(worst, ball_error(context, mu, e, slip, law));
        }
      }
    }
    findings.expect_at_most(
        fmt::format("ball, {}: velocity against the closed form [m/s, rad/s]", law), worst, 1e-8);
  }
}

// An impact as a black box: contact velocities after impulses, from test impulses alone.
struct BlackBox {
  MatrixXd A;        // [3 nc x 3 nc]
  VectorXd b;        // velocities without an impulse [3 nc]
  double mu = 0.0;   // of all contacts
  double cap = 0.0;  // on the sum of the normal impulses [N s]

  // Energy that impulses add [J].
  double energy(const VectorXd& p) const { return 0.5 * p.dot(A * p) + p.dot(b); }
  // True if the conditions hold, up to rounding.
  bool allows(const VectorXd& p) const {
    constexpr double kRounding = 1e-12;
    const VectorXd u = A * p + b;
    double sum = 0.0;
    for (Index i = 0; i < p.size(); i += 3) {
      const double slack = kRounding * p.norm();
      if (p[i + 2] < -slack || p.segment<2>(i).norm() > mu * p[i + 2] + slack) return false;
      if (u[i + 2] < -kRounding * b.norm()) return false;
      sum += p[i + 2];
    }
    return sum <= (1.0 + kRounding) * cap;
  }
};

// The largest difference of the contact-space matrix by test impulses from J M^-1 J', relative.
double matrix_error(const ContactProblem& problem, const MatrixXd& A) {
  const MatrixXd J = problem.contact_jacobian.to_dense();
  const MatrixXd product = J * problem.mass_matrix.to_dense().llt().solve(J.transpose());
  return (A - product).cwiseAbs().maxCoeff() / product.cwiseAbs().maxCoeff();
}

// Test impulses on bodies of which only the response is known.
BlackBox black_box(const ContactProblem& problem) {
  const MatrixXd J = problem.contact_jacobian.to_dense();
  const Eigen::LLT<MatrixXd> M(problem.mass_matrix.to_dense());
  const auto response = [&](const VectorXd& p) -> VectorXd {
    return problem.contact_velocities(problem.free_velocity + M.solve(J.transpose() * p));
  };
  TestedContactSpace space = contact_space_from_test_impulses(J.rows(), response);
  return {std::move(space.A), std::move(space.b), kBoxFriction};
}

// What is found over many impacts.
struct Worst {
  double matrix = 0.0;          // difference of the contact-space matrices, relative
  double better = -1e300;       // energy that other impulses would take besides, relative
  int fewest_others = 1 << 20;  // other impulses that an impact was compared with
  double approach = 0.0;        // after the impact [m/s]
  double above_cap = 0.0;       // normal impulses above the cap, relative
  double gained = -1e300;       // energy with restitution, relative
  int missed = 0;               // certificates
};

// Solves the impact with another friction at each contact.
VectorXd impulses_with(ContactProblem problem, const VectorXd& friction) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    problem.contacts[i].friction = friction[static_cast<Index>(i)];
  }
  return make_model("maximum-dissipation", {})->solve(problem, VectorXd()).impulses;
}

// Other impulses that the conditions may allow, of three kinds.
class Others {
 public:
  Others(const ContactProblem& problem, const BlackBox& box, VectorXd answer)
      : problem_(problem), box_(box), answer_(std::move(answer)) {
    // Steps that change no normal velocity, nor the sum of the normal impulses.
    const Index n = answer_.size(), nc = n / 3;
    MatrixXd kept(nc + 1, n);
    kept.row(nc).setZero();
    for (Index i = 0; i < nc; ++i) {
      kept.row(i) = box.A.row(3 * i + 2);
      kept(nc, 3 * i + 2) = 1.0;
    }
    Eigen::FullPivLU<MatrixXd> lu(kept);
    lu.setThreshold(1e-10);
    free_ = lu.kernel();
  }

  // A step from the answer, of any length.
  VectorXd near(std::mt19937_64& random) const {
    VectorXd step(free_.cols());
    for (double& x : step) x = sign_(random);
    step = free_ * step;
    const double length = answer_.norm() * std::pow(10.0, -6.0 * std::abs(sign_(random)));
    return answer_ + length * step.normalized();
  }
  // A mean of the answer and of that with less friction, which all conditions allow.
  VectorXd with_less_friction(std::mt19937_64& random) const {
    VectorXd friction(answer_.size() / 3);
    for (double& mu : friction) mu = box_.mu * std::abs(sign_(random));
    return answer_ + std::abs(sign_(random)) * (impulses_with(problem_, friction) - answer_);
  }
  // Anywhere in the cones, with any sum of the normal impulses.
  VectorXd anywhere(std::mt19937_64& random) const {
    VectorXd other(answer_.size());
    double sum = 0.0;
    for (Index i = 0; i < other.size(); i += 3) {
      const double angle = std::numbers::pi * sign_(random), slide = box_.mu * sign_(random);
      other.segment<3>(i) =
          std::abs(sign_(random)) * Vector3d(slide * std::cos(angle), slide * std::sin(angle), 1.0);
      sum += other[i + 2];
    }
    return other * (box_.cap * std::abs(sign_(random)) / sum);
  }

 private:
  const ContactProblem& problem_;
  const BlackBox& box_;
  VectorXd answer_;
  MatrixXd free_;
  mutable std::uniform_real_distribution<double> sign_{-1.0, 1.0};
};

// Compares the energy of an answer with those of other impulses.
void compare_with_others(const ContactProblem& problem, const BlackBox& box, const VectorXd& answer,
                         std::mt19937_64& random, Worst& worst) {
  const Others others(problem, box, answer);
  const double before =
      0.5 * problem.free_velocity.dot(problem.mass_matrix * problem.free_velocity);
  int allowed = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const VectorXd other = trial % 10 == 0  ? others.with_less_friction(random)
                           : trial % 2 == 0 ? others.near(random)
                                            : others.anywhere(random);
    if (!box.allows(other)) continue;
    ++allowed;
    worst.better = std::max(worst.better, (box.energy(answer) - box.energy(other)) / before);
  }
  worst.fewest_others = std::min(worst.fewest_others, allowed);
}

// The normal impulses of the frictionless phase, whose sum is the cap.
double frictionless_sum(const ContactProblem& problem) {
  ContactProblem smooth = problem;
  for (Contact& contact : smooth.contacts) contact.friction = contact.restitution = 0.0;
  const ContactSolution solution = make_model("frictionless", {})->solve(smooth, VectorXd());
  double sum = 0.0;
  for (Index i = 2; i < solution.impulses.size(); i += 3) sum += solution.impulses[i];
  return sum;
}

void judge(const StepReport& report, bool is_elastic, std::mt19937_64& random, Worst& worst) {
  const ContactProblem& problem = report.problem;
  const VectorXd& p = report.solution.impulses;
  BlackBox box = black_box(problem);
  worst.matrix = std::max(worst.matrix, matrix_error(problem, box.A));
  worst.missed += report.certificate.holds ? 0 : 1;
  const VectorXd u = box.A * p + box.b;
  for (Index i = 2; i < u.size(); i += 3) worst.approach = std::max(worst.approach, -u[i]);
  const double before =
      0.5 * problem.free_velocity.dot(problem.mass_matrix * problem.free_velocity);
  worst.gained = std::max(worst.gained, box.energy(p) / before);
  if (is_elastic) return;
  box.cap = frictionless_sum(problem);
  double sum = 0.0;
  for (Index i = 2; i < p.size(); i += 3) sum += p[i];
  worst.above_cap = std::max(worst.above_cap, sum / box.cap - 1.0);
  compare_with_others(problem, box, p, random, worst);
}

void report_worst(const std::string& name, const Worst& worst, Findings& findings) {
  findings.expect_at_most(name + ": contact space by test impulses against J M^-1 J', relative",
                          worst.matrix, 1e-12);
  findings.expect_at_most(name + ": energy that other impulses would take, relative", worst.better,
                          1e-8);
  findings.expect_at_least(name + ": others that were compared, at least", worst.fewest_others,
                           300);
  findings.expect_at_most(name + ": sum of normal impulses above its cap, relative",
                          worst.above_cap, 1e-8);
  findings.expect_at_most(name + ": approach after the impact [m/s]", worst.approach, 1e-8);
  findings.expect_at_most(name + ": energy gained, e 0 and 0.5, relative", worst.gained, 1e-9);
  findings.expect_at_most(name + ": impacts without certificate", worst.missed, 0.0);
}

// Puts the box on a corner, an edge or a face, going down.
void place_box(int kind, std::mt19937_64& random, SceneBody& box) {
  std::uniform_real_distribution<double> sign(-1.0, 1.0);
  const Vector3d half(0.15, 0.1, 0.05);
  const Vector3d turn = kind == 0   ? Vector3d(0.3 * sign(random), 0.4, 0.0)
                        : kind == 1 ? Vector3d(0.0, 0.5 * sign(random), 0.0)
                                    : Vector3d(0.0, 0.0, sign(random));
  box.pose.rotation = rotation_from_vector(turn);
  // Its lowest point is on the ground.
  box.pose.translation = {0.0, 0.0, box.pose.rotation.row(2).cwiseAbs().dot(half)};
  box.linear_velocity = {2.0 * sign(random), sign(random), -2.0 + 0.5 * sign(random)};
  box.angular_velocity = {2.0 * sign(random), 2.0 * sign(random), 2.0 * sign(random)};
}

// Strikes the upper box of a stack.
void strike(std::mt19937_64& random, SceneBody& upper) {
  std::uniform_real_distribution<double> sign(-1.0, 1.0);
  upper.linear_velocity = {sign(random), sign(random), -2.0};
  upper.angular_velocity = {sign(random), sign(random), sign(random)};
}

void check_boxes(const Context& context, Findings& findings) {
  std::mt19937_64 random(19);
  Worst box, stack;
  for (int n = 0; n < 60; ++n) {
    const bool is_elastic = n % 2 == 1, is_stack = n >= 40;
    Scene scene = context.load(is_stack ? "stack.yaml" : "box.yaml",
                               {{"materials.default.restitution", is_elastic ? "0.5" : "0"}});
    if (is_stack) {
      strike(random, scene.bodies.back());
    } else {
      place_box(n / 2 % 3, random, scene.bodies.back());
    }
    simulate_impact(context, scene, [&](const Simulator&, const StepReport& report) {
      judge(report, is_elastic, random, is_stack ? stack : box);
    });
  }
  report_worst("box", box, findings);
  report_worst("stack", stack, findings);
}

}  // namespace

void check_dissipative_impacts(Context& context, Findings& findings) {
  check_ball(context, findings);
  check_boxes(context, findings);
  check_impulse_cap(context, findings);
}

}  // namespace amontons::experiments
