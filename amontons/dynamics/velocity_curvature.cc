#include "amontons/dynamics/velocity_curvature.h"

#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Ref;
using Eigen::VectorXd;

/// Holds how fast one joint turns [rad/s] and slides [m/s], and how far it has slid [m]. `inner` is
/// the rate [rad/s] at which its own second axis turns.
struct JointRates {
  double turn = 0.0, slide = 0.0, displacement = 0.0, inner = 0.0;
};

/// Returns upper bounds of these quantities for one joint.
JointRates rates_of(const Link& link, const Ref<const VectorXd>& q, const Ref<const VectorXd>& v) {
  switch (link.joint) {
    case JointType::Fixed:
    case JointType::Distance:
      return {};
    case JointType::Prismatic:
      return {0.0, std::abs(v[0]), std::abs(q[0])};
    case JointType::Screw:
      // A thread slides in proportion to its turn.
      return {std::abs(v[0]), std::abs(link.pitch * v[0]), std::abs(link.pitch * q[0])};
    case JointType::Planar:
      return {std::abs(v[2]), v.head<2>().norm(), q.head<2>().norm()};
    case JointType::Free:
      return {v.head<3>().norm(), v.tail<3>().norm(), q.tail<3>().norm()};
    case JointType::Spherical:
      return {v.norm(), 0.0, 0.0};
    case JointType::Universal:
      // The first rate turns the second axis.
      return {v.lpNorm<1>(), 0.0, 0.0, std::abs(v[0])};
    default:
      return {v.lpNorm<1>()};
  }
}

double cube(double x) { return x * x * x; }

}  // namespace

/// Sums the bounds of the header from the root to the link.
VelocityCurvature velocity_curvature(const Articulation& tree, int link,
                                     const Ref<const VectorXd>& q, const Ref<const VectorXd>& v,
                                     double h, double offset) {
  std::vector<int> chain;
  for (int i = link; i >= 0; i = tree.links()[static_cast<std::size_t>(i)].parent) {
    chain.push_back(i);
  }
  VelocityCurvature result;
  double turning = 0.0;  // sum over the joints passed [rad/s]
  for (auto i = chain.rbegin(); i != chain.rend(); ++i) {
    const Link& own = tree.links()[static_cast<std::size_t>(*i)];
    const JointRates rates = rates_of(own, q.segment(tree.q_offset(*i), num_positions(own.joint)),
                                      v.segment(tree.v_offset(*i), num_velocities(own.joint)));
    // The arm from the parent's origin to M, at its longest within the step.
    const double reach = own.X_PF.translation.norm() + rates.displacement + h * rates.slide;
    result.linear += 6.0 * cube(turning) * reach + 6.0 * turning * turning * rates.slide;
    // The joint's axis turns with its parent: |d^2 (W_axis turn)/dt^2| <= 2 W^2 turn.
    const double carried = turning + rates.inner;
    result.angular += 2.0 * carried * carried * rates.turn;
    turning += rates.turn;
    result.linear += 6.0 * cube(turning) * own.X_MB.translation.norm();
  }
  result.linear += 6.0 * cube(turning) * offset;
  return result;
}

}  // namespace amontons
