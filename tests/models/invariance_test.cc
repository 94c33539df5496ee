#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/other_units.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

// A contact problem can be written down in many ways: the order of bodies and contacts, the
// tangents, the units. The motion must not depend on them.
namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;
using test::Conforming;
using test::from_units;
using test::in_units;
using test::kModels;
using test::solve_certified;

/// Returns the rows of contact i in the new problem from those of its contact in the old one.
using RowChange = std::function<Matrix3d(const Contact&)>;

/// Returns the same problem with contacts in another order, their frames changed.
ContactProblem rewritten(const ContactProblem& problem, const std::vector<std::size_t>& order,
                         const RowChange& change) {
  ContactProblem result = problem;
  result.contact_jacobian.reset(problem.contact_jacobian.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Contact& contact = problem.contacts[order[k]];
    result.contacts[k] = contact;
    result.contacts[k].key = problem.contacts[k].key;
    const Matrix3d T = change(contact);
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(order[k])) {
      result.contact_jacobian.add_block(block.col, T * problem.contact_jacobian.values(block));
    }
  }
  return result;
}

std::vector<std::size_t> same_order(const ContactProblem& problem) {
  std::vector<std::size_t> order(problem.num_contacts());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Makes bodies on a floor and on each other, thrown and spun. Friction is so small that there is
/// nearly always one solution. No gap is near the micrometer beyond which contacts do not touch.
ContactProblem tame_problem(std::mt19937_64& random) {
  ContactProblem problem = test::random_problem(random, 1 + static_cast<int>(random() % 10), 10.0);
  for (Contact& contact : problem.contacts) {
    contact.friction *= 0.2;
    contact.gap = contact.gap < 1e-6 ? 0.0 : contact.gap;
  }
  return problem;
}

/// Returns the certified motion, or none where a model gives its law up (and says so).
std::optional<VectorXd> motion(const Conforming& model, const ContactProblem& problem) {
  const ContactSolution solution = test::solve(model, problem);
  CHECK(certify(problem, solution, ModelSettings{}.tolerance).holds);
  if (solution.status != SolveStatus::Converged) return std::nullopt;
  return solution.velocity;
}

/// Solves a problem and its other form, and counts the problems on which the motions differ.
/// `other_motion(problem, random)` is the motion found through the other form.
template <typename OtherMotion>
void check_same_motion(const Conforming& model, const OtherMotion& other_motion) {
  const int cases = test::num_cases(20000);
  std::mt19937_64 random(21);
  int others = 0, given_up = 0;
  for (int n = 0; n < cases; ++n) {
    const ContactProblem problem = tame_problem(random);
    const std::optional<VectorXd> one = motion(model, problem);
    const std::optional<VectorXd> other = other_motion(problem, random);
    if (!one || !other) {
      ++given_up;
    } else if ((*one - *other).norm() > 1e-8 * problem.free_velocity.norm()) {
      ++others;
    }
  }
  CAPTURE(model.name, others, given_up, cases);
  CHECK(given_up * 1000 <= cases);
  // Friction with Signorini's law may have several solutions even so, each of them certified. Of
  // 20,000 problems `no-slip` has them in about 22, `coulomb` in fewer.
  const bool unique = !model.has_friction || !model.coulomb_normals;
  CHECK(others <= (unique ? 0 : cases / 500 + 1));
}

const RowChange kAsTheyAre = [](const Contact&) -> Matrix3d { return Matrix3d::Identity(); };

}  // namespace

TEST_CASE("The order of contacts does not change the motion") {
  for (const Conforming& model : kModels) {
    check_same_motion(model, [&](const ContactProblem& problem, std::mt19937_64& random) {
      std::vector<std::size_t> order = same_order(problem);
      std::shuffle(order.begin(), order.end(), random);
      return motion(model, rewritten(problem, order, kAsTheyAre));
    });
  }
}

TEST_CASE("Which of two bodies is A does not change the motion") {
  const RowChange seen_from_the_other = [](const Contact& contact) -> Matrix3d {
    return -contact_frame(-contact.normal_W).transpose() * contact_frame(contact.normal_W);
  };
  for (const Conforming& model : kModels) {
    check_same_motion(model, [&](const ContactProblem& problem, std::mt19937_64&) {
      ContactProblem swapped = rewritten(problem, same_order(problem), seen_from_the_other);
      for (Contact& contact : swapped.contacts) {
        std::swap(contact.body_a, contact.body_b);
        contact.normal_W = -contact.normal_W;
      }
      return motion(model, swapped);
    });
  }
}

TEST_CASE("How the tangents lie does not change the motion on a round cone [C03]") {
  for (const Conforming& model : kModels) {
    if (!model.round) continue;
    check_same_motion(model, [&](const ContactProblem& problem, std::mt19937_64& random) {
      std::uniform_real_distribution<double> angle(0.0, 2.0 * std::numbers::pi);
      const RowChange turned = [&](const Contact&) -> Matrix3d {
        return Eigen::AngleAxisd(angle(random), Eigen::Vector3d::UnitZ()).toRotationMatrix();
      };
      return motion(model, rewritten(problem, same_order(problem), turned));
    });
  }
}

TEST_CASE("Grams and millimeters do not change the motion of random bodies") {
  for (const Conforming& model : kModels) {
    check_same_motion(model, [&](const ContactProblem& problem, std::mt19937_64&) {
      std::optional<VectorXd> velocity = motion(model, in_units(problem, 1e3, 1e3));
      if (velocity) *velocity = from_units(*velocity, 1e3);
      return velocity;
    });
  }
}

TEST_CASE("Grams and millimeters change the standard scenes by rounding only") {
  const double h = 1e-2;
  test::SceneBuilder stack(h);
  const double masses[] = {1.0, 10.0, 100.0};
  for (int b = 0; b < 3; ++b) {
    stack.add_box(masses[b], {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5 + b}, {0.2 * b, 0.0, 0.0});
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        stack.add_contact(b - 1, b, {x, y, 1.0 * b}, {0.0, 0.0, 1.0}, 0.0, 0.5);
      }
    }
  }
  const ContactProblem scenes[] = {test::box_on_plane(0.5, {0.3, 0.1, -0.2}, h),
                                   test::box_on_plane(0.5, {0.0, 0.0, 0.0}, h),
                                   test::dragged_rod(0.8, 10.0, -1.0, h), stack.build()};
  for (const Conforming& model : kModels) {
    for (const ContactProblem& problem : scenes) {
      const VectorXd velocity = solve_certified(model, problem).velocity;
      for (const auto& [mass, length] : {std::pair(1e3, 1e3), std::pair(1e-3, 1e3)}) {
        const ContactProblem other = in_units(problem, mass, length);
        const VectorXd again = from_units(solve_certified(model, other).velocity, length);
        CAPTURE(model.name, mass, length, problem.num_contacts());
        CHECK((velocity - again).norm() <= 1e-12 * problem.free_velocity.norm());
      }
    }
  }
}

}  // namespace amontons
