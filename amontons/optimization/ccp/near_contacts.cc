#include "amontons/optimization/ccp/near_contacts.h"

namespace amontons {

void find_near_contacts(const ConeProblem& problem, const Eigen::VectorXd& r,
                        const Eigen::VectorXd& u, double share, std::vector<int>& near) {
  const double far = share * problem.q.lpNorm<Eigen::Infinity>();
  near.clear();
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    // Rows of equalities and discs without a load never open.
    const bool may_open = cone.kind == ConeKind::Friction && cone.friction_offset == 0.0;
    // Under the associated law a sliding contact separates with mu |u_t|, which is no opening.
    double separation = u(3 * i + 2);
    if (problem.law == ConeLaw::Associated) separation -= cone.mu * u.segment<2>(3 * i).norm();
    if (may_open && r(3 * i + 2) == 0.0 && separation > far) continue;
    near.push_back(i);
  }
}

}  // namespace amontons
