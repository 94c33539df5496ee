#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns for each articulation the axis about which rows of J let its body spin, unit, in the
/// axes of its free joint's frame F; zero where it is no single free body or no such row holds it.
/// Hinges, screws, planar and universal joints have such an axis. Of several axes it is the one
/// along which the body turns fastest, the first of equals.
///
/// An axis kept by rows must follow the body that carries it. Over a step of many radians the
/// rotation exp(h [w]) does not: it turns the axis in a cone. The rotations below therefore split
/// the angular velocity w = spin a + swing, swing . a = 0.
std::vector<Eigen::Vector3d> spin_axes(const System& system,
                                       const Eigen::Ref<const Eigen::VectorXd>& q,
                                       const Eigen::Ref<const Eigen::VectorXd>& v);

/// Writes q (+) h v of one articulation [nq]. A free body with a spin axis a, in F and not zero,
/// turns by exp(h [swing]) exp(h spin [a]); all else moves as Articulation::integrate() says.
void integrate_swinging(const Articulation& tree, const Eigen::Vector3d& axis,
                        const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                        Eigen::Ref<Eigen::VectorXd> q_next);

/// Returns the angular velocity of that motion at a time t after its start: swing + exp(t [swing])
/// spin a, of a body that begins with w = spin a + swing. All vectors have the frame F.
Eigen::Vector3d swinging_velocity(const Eigen::Vector3d& axis, const Eigen::Vector3d& w, double t);

/// Returns a bound of the second derivative of that angular velocity [rad/s^3]: |swing|^2 |spin|.
double swinging_curvature(const Eigen::Vector3d& axis, const Eigen::Vector3d& w);

/// Returns the angular velocity that swings with its axis: exp(h [swing]) w, for a body whose last
/// step of length h has turned its axis to a = exp(h [swing]) a_old, swing = w - (w . a_old) a_old.
/// All vectors have one frame. The spin about the axis stays exactly the same.
Eigen::Vector3d swung_velocity(const Eigen::Vector3d& w, const Eigen::Vector3d& axis, double h);

}  // namespace amontons
