#include "amontons/simulation/stepping/post_stabilization.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/math/effort.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::VectorXd;

constexpr double kOverlap = 1e-10;     // deepest overlap that is left [m]
constexpr double kJointError = 1e-12;  // largest |Theta| that is left [m or rad]
constexpr double kEffort = 500.0;      // of one pass [equivalent factorizations]
// A pass lists the contacts up to this share of the deepest overlap: it moves shapes by about that
// overlap, which could close them.
constexpr double kReach = 2.0;

}  // namespace

PostStabilization::PostStabilization(const System& system)
    : system_(&system), detector_(system), model_(make_model("frictionless", {})) {}

void PostStabilization::apply(int passes, State& state) {
  VectorXd q_last;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass <= passes; ++pass) {
    compute_kinematics(*system_, state.q, state.v, state.time, evaluation_.kinematics);
    const double overlap = find_overlaps(state, 0.0);
    BlockSparseMatrix jacobian;
    VectorXd error;
    assemble_joints(*system_, evaluation_.kinematics, jacobian, error);
    const double open = error.size() > 0 ? error.lpNorm<Eigen::Infinity>() : 0.0;
    // Wide errors turn bodies farther than a pass along the tangents may: what it made worse is
    // taken back.
    if (pass > 0 && std::max(overlap, open) > last) {
      state.q = q_last;
      return;
    }
    if (pass == passes || (overlap <= kOverlap && open <= kJointError)) return;
    last = std::max(overlap, open);
    q_last = state.q;
    if (overlap > 0.0) find_overlaps(state, kReach * overlap);
    if (!move(state)) return;
  }
}

double PostStabilization::find_overlaps(const State& state, double horizon) {
  // Without velocities, and with a step of 1 s, a closing speed is a horizon.
  const VectorXd still = VectorXd::Zero(state.v.size());
  // Edges that flush shapes cover are no contacts, as in steps; nothing passes anything at rest.
  detector_.find_contacts(evaluation_.kinematics, still, still, 1.0,
                          {.v_max = horizon, .leaves_out_passing = true}, evaluation_.contacts);
  double deepest = 0.0;
  for (const Contact& contact : evaluation_.contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

bool PostStabilization::move(State& state) {
  // A displacement is a velocity over a step of 1 s of bodies at rest, on which no force acts.
  const VectorXd still = VectorXd::Zero(state.v.size());
  evaluation_.free_motion.mass_matrix = compute_mass_matrix(*system_, evaluation_.kinematics);
  evaluation_.free_motion.velocity = still;
  for (Contact& contact : evaluation_.contacts) {
    contact.restitution = contact.viscous_friction = 0.0;
  }
  ContactProblem problem;
  assemble(*system_, evaluation_, still, still, state.time, {.step = 1.0}, problem);
  problem.contact_bias.setZero();
  problem.joint_bias.setZero();

  // Islands without a solution stay. The effort does not depend on what the step has spent.
  const EffortBudget budget(kEffort);
  ContactSolution whole = free_motion_solution(problem);
  bool moves = false;
  for (const Island& island : find_islands(problem)) {
    const ContactSolution own = model_->solve(extract(problem, island), VectorXd());
    if (!answers_law_asked(own.status)) continue;
    scatter(problem, island, own, whole);
    moves = true;
  }
  if (moves) state.q = integrate_positions(*system_, state.q, whole.velocity, 1.0);
  return moves;
}

}  // namespace amontons
