#include "amontons/models/viscous_acceleration.h"

#include "amontons/contact/impulse_response.h"
#include "amontons/contact/problem_metric.h"
#include "amontons/models/acceleration_problem.h"
#include "amontons/models/normal_impulses.h"

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Of the conditions on acceleration, relative to that of the free motion.
constexpr double kTolerance = 1e-8;

}  // namespace

ViscousAcceleration viscous_acceleration(const ContactProblem& problem,
                                         const Eigen::Ref<const VectorXd>& forces,
                                         const Eigen::Ref<const VectorXd>& contact_rate,
                                         const Eigen::Ref<const VectorXd>& joint_rate) {
  const AccelerationProblem posed = acceleration_problem(problem, forces, contact_rate, joint_rate);
  const ContactProblem& instant = posed.instant;
  const ProblemMetric metric(instant);
  NormalImpulses normals(instant, metric, posed.touching, kTolerance);
  const PhaseAnswer found = normals.solve(plain_phase(instant, metric));

  ViscousAcceleration answer;
  answer.status = found.status;
  answer.pivots = found.iterations;
  ImpulseResponse(instant, metric).apply(found.impulses, answer.acceleration, answer.joint_forces);
  answer.contact_forces = found.impulses + posed.drag;
  const VectorXd rates = instant.contact_velocities(answer.acceleration);
  answer.separation.resize(static_cast<Index>(problem.num_contacts()));
  for (Index i = 0; i < answer.separation.size(); ++i) answer.separation(i) = rates(3 * i + 2);
  return answer;
}

}  // namespace amontons
