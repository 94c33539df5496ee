#include "amontons/optimization/ccp/strategy/problem_class.h"

#include "amontons/optimization/ccp/body_space_operator.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

namespace amontons {
namespace {

/// Holds boxes of unit mass and moment on the ground, each on contacts of its own that point up.
struct Boxes {
  BodySpaceOperator W;
  ConeProblem problem;

  Boxes(int num_boxes, int contacts_each) {
    W.reset(std::vector<int>(static_cast<std::size_t>(num_boxes), 6));
    for (int box = 0; box < num_boxes; ++box) {
      for (int i = 0; i < contacts_each; ++i) {
        W.add_block();
        Eigen::Map<Eigen::Matrix<double, 3, 6>>(W.add_part(box)) << 1.0, 0.0, 0.0, 0.0, 0.0, i, 0.0,
            1.0, 0.0, 0.0, 0.0, -i, 0.0, 0.0, 1.0, i, -i, 0.0;
      }
    }
    W.finish();
    problem.W = &W;
    const int n = W.num_blocks();
    problem.q.setZero(3 * n);
    problem.cones.assign(static_cast<std::size_t>(n), Cone{ConeKind::Friction, 0.5});
    problem.residual_scale = Eigen::VectorXd::Ones(n);
  }

  /// Returns the contacts of the first boxes.
  std::vector<int> contacts_of(int num_boxes) const {
    const int each = W.num_blocks() / static_cast<int>(W.kernel_size() / 6);
    std::vector<int> near(static_cast<std::size_t>(num_boxes * each));
    std::iota(near.begin(), near.end(), 0);
    return near;
  }
};

}  // namespace

TEST_CASE("A kernel of some blocks counts the freedoms of the bodies that they touch") {
  const Boxes boxes(20, 8);
  CHECK(boxes.W.kernel_size(boxes.contacts_of(20)) == boxes.W.kernel_size());
  CHECK(boxes.W.kernel_size(boxes.contacts_of(3)) == 18);
  CHECK(boxes.W.kernel_size(std::vector<int>{0, 7, 9}) == 12);
  CHECK(boxes.W.kernel_size(std::vector<int>{}) == 0);
}

TEST_CASE("Boxes that lie are a stack, also while others fly above them") {
  const Boxes lying(20, 8);
  CHECK(cone_strategy::is_stack(lying.problem, lying.contacts_of(20)));
  // Of all freedoms the three boxes that have landed are few, of theirs they have many conditions.
  CHECK(cone_strategy::is_stack(lying.problem, lying.contacts_of(3)));
  CHECK(cone_strategy::has_few_conditions(lying.problem, lying.contacts_of(3).size()));
}

TEST_CASE("Bodies on few contacts each are a heap, and few contacts are neither") {
  const Boxes heap(60, 2), few(5, 8);
  CHECK_FALSE(cone_strategy::is_stack(heap.problem, heap.contacts_of(60)));
  CHECK(cone_strategy::has_few_conditions(heap.problem, heap.problem.cones.size()));
  CHECK_FALSE(cone_strategy::is_stack(few.problem, few.contacts_of(5)));
}

TEST_CASE("A stack slides where a loaded contact does") {
  const Boxes boxes(20, 8);
  ConeIterate point;
  start_from_zero(boxes.problem, point);
  point.r.setOnes();
  CHECK_FALSE(cone_strategy::is_sliding_stack(boxes.problem, point));
  point.u(3 * 11) = 0.05;
  CHECK_FALSE(cone_strategy::is_sliding_stack(boxes.problem, point));
  point.u(3 * 11) = 0.5;
  CHECK(cone_strategy::is_sliding_stack(boxes.problem, point));
  // What carries nothing may go where it likes.
  point.r.segment<3>(3 * 11).setZero();
  CHECK_FALSE(cone_strategy::is_sliding_stack(boxes.problem, point));
}

}  // namespace amontons
