#include "amontons/models/viscous_acceleration.h"

#include "amontons/contact/contact_law.h"
#include "amontons/contact/impulse_response.h"
#include "amontons/contact/problem_metric.h"
#include "amontons/models/normal_impulses.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Of the conditions on acceleration, relative to that of the free motion.
constexpr double kTolerance = 1e-8;

void check_size(Index size, Index expected, const char* name) {
  if (size == expected) return;
  throw std::invalid_argument(std::string("viscous acceleration: ") + name + " has " +
                              std::to_string(size) + " entries, expected " +
                              std::to_string(expected));
}

bool touches(const Contact& contact) { return contact.gap <= kTouchingGap; }

/// -mu_v u_t at each contact that touches [3 nc] [N].
VectorXd drag_forces(const ContactProblem& problem) {
  VectorXd forces = problem.contact_velocities(problem.velocity);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Index row = ContactProblem::row(i);
    const Contact& contact = problem.contacts[i];
    forces.segment<2>(row) *= touches(contact) ? -contact.viscous_friction : 0.0;
    forces(row + 2) = 0.0;
  }
  return forces;
}

/// The same contacts with accelerations in place of velocities and forces in place of impulses: N
/// vdot + Ndot v >= 0 is nonpenetration at no gap with a bias of Ndot v.
ContactProblem in_accelerations(const ContactProblem& problem, const VectorXd& forces,
                                const Eigen::Ref<const VectorXd>& contact_rate,
                                const Eigen::Ref<const VectorXd>& joint_rate) {
  ContactProblem result;
  result.step = 1.0;
  result.mass_matrix = problem.mass_matrix;
  result.velocity = VectorXd::Zero(problem.mass_matrix.size());
  result.free_velocity = BlockDiagonalFactor(problem.mass_matrix).solve(forces);
  result.contacts = problem.contacts;
  for (Contact& contact : result.contacts) contact.gap = contact.restitution = 0.0;
  result.contact_jacobian = problem.contact_jacobian;
  result.contact_bias = contact_rate;
  result.joint_jacobian = problem.joint_jacobian;
  result.joint_error = VectorXd::Zero(problem.joint_jacobian.rows());
  result.joint_bias = joint_rate;
  result.bounded_jacobian.reset(problem.mass_matrix.size());
  return result;
}

}  // namespace

ViscousAcceleration viscous_acceleration(const ContactProblem& problem,
                                         const Eigen::Ref<const VectorXd>& forces,
                                         const Eigen::Ref<const VectorXd>& contact_rate,
                                         const Eigen::Ref<const VectorXd>& joint_rate) {
  check_size(forces.size(), problem.mass_matrix.size(), "forces");
  check_size(contact_rate.size(), problem.contact_jacobian.rows(), "contact_rate");
  check_size(joint_rate.size(), problem.joint_jacobian.rows(), "joint_rate");
  const VectorXd drag = drag_forces(problem);
  const ContactProblem instant = in_accelerations(
      problem, forces + problem.contact_jacobian.transpose_times(drag), contact_rate, joint_rate);
  const ProblemMetric metric(instant);
  std::vector<char> touching;
  for (const Contact& contact : problem.contacts) touching.push_back(touches(contact));
  NormalImpulses normals(instant, metric, touching, kTolerance);
  const PhaseAnswer found = normals.solve(plain_phase(instant, metric));

  ViscousAcceleration answer;
  answer.status = found.status;
  answer.pivots = found.iterations;
  ImpulseResponse(instant, metric).apply(found.impulses, answer.acceleration, answer.joint_forces);
  answer.contact_forces = found.impulses + drag;
  const VectorXd rates = instant.contact_velocities(answer.acceleration);
  answer.separation.resize(static_cast<Index>(problem.num_contacts()));
  for (Index i = 0; i < answer.separation.size(); ++i) answer.separation(i) = rates(3 * i + 2);
  return answer;
}

}  // namespace amontons
