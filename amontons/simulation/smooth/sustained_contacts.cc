#include "amontons/simulation/smooth/sustained_contacts.h"

#include "amontons/geometry/surface/surface_contact.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/forces/smooth_forces.h"
#include "amontons/simulation/stepping/assembly.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Gap up to which contacts are found [m]: displacements along v open them slightly.
constexpr double kHorizon = 1e-4;
// Time between displacements along v for velocities of unit size [s].
constexpr double kLookAhead = 2e-4;
// Gap below which shapes touch, among faces with one key [m].
constexpr double kTouching = 1e-7;
// Largest difference of unit normals of one face of a terrain or mesh.
constexpr double kSameFace = 1e-7;

/// Returns the body of a pair's only terrain or mesh, or -1.
int surface_of(const System& system, const ContactKey& key) {
  int body = -1, surfaces = 0;
  for (const int shape : {key.shape_a, key.shape_b}) {
    const CollisionShape& own = system.shapes()[static_cast<std::size_t>(shape)];
    if (!std::holds_alternative<std::shared_ptr<const HeightField>>(own.shape) &&
        !std::holds_alternative<std::shared_ptr<const CollisionMesh>>(own.shape)) {
      continue;
    }
    body = own.body;
    ++surfaces;
  }
  return surfaces == 1 ? body : -1;
}

/// Returns true if a contact may be that of a key on a terrain or mesh.
bool may_be(const ContactKey& found, const ContactKey& name) {
  return pair_of(found) == pair_of(name) &&
         (found.feature == name.feature ||
          narrow_phase::are_of_one_point(found.feature, name.feature));
}

}  // namespace

void SustainedContacts::begin(const SystemKinematics& at, TreeGroup group,
                              std::vector<PairOfShapes> pairs) {
  kinematics_ = at;
  group_ = std::move(group);
  pairs_ = std::move(pairs);
  group_v_offset_.assign(system_->articulations().size(), -1);
  for (std::size_t k = 0; k < group_.trees.size(); ++k) {
    group_v_offset_[static_cast<std::size_t>(group_.trees[k])] = group_.v_offset[k];
  }
  // Only bodies on the group's trees change their poses.
  bodies_.clear();
  for (std::size_t b = 0; b < system_->bodies().size(); ++b) {
    const int tree = system_->bodies()[b].articulation;
    if (tree >= 0 && group_v_offset_[static_cast<std::size_t>(tree)] >= 0) {
      bodies_.push_back(static_cast<int>(b));
    }
  }
}

/// Updates kinematics of the group's trees, and the poses of their bodies.
void SustainedContacts::move_trees(const VectorXd& q, const VectorXd& v, bool with_inertia) {
  for (std::size_t k = 0; k < group_.trees.size(); ++k) {
    const auto a = static_cast<std::size_t>(group_.trees[k]);
    const Articulation& tree = system_->articulations()[a];
    const auto q_tree = q.segment(group_.q_offset[k], tree.num_positions());
    const auto v_tree = v.segment(group_.v_offset[k], tree.num_velocities());
    // Displaced configurations need Jacobians alone.
    if (with_inertia) {
      tree.compute_kinematics(q_tree, v_tree, kinematics_.trees[a]);
    } else {
      tree.compute_motion(q_tree, v_tree, kinematics_.trees[a]);
    }
  }
  for (const int b : bodies_) {
    const Body& body = system_->bodies()[static_cast<std::size_t>(b)];
    kinematics_.X_WB[static_cast<std::size_t>(b)] =
        kinematics_.trees[static_cast<std::size_t>(body.articulation)]
            .X_WB[static_cast<std::size_t>(body.link)] *
        body.X_LB;
  }
}

/// Finds all contacts of the pairs at the current poses.
void SustainedContacts::find_contacts() {
  contacts_.clear();
  const auto pose_of = [this](int shape) {
    const CollisionShape& own = system_->shapes()[static_cast<std::size_t>(shape)];
    return kinematics_.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
  };
  for (const auto& [a, b] : pairs_) {
    // Contacts come sorted, because pairs are.
    append_pair_contacts(*system_, a, pose_of(a), b, pose_of(b),
                         {kHorizon + system_->protective_layer()}, points_, contacts_);
  }
}

const std::vector<Contact>& SustainedContacts::place(const VectorXd& q, const VectorXd& v) {
  move_trees(q, v, true);
  find_contacts();
  return contacts_;
}

std::vector<FollowedContact> SustainedContacts::follow(const std::vector<ContactKey>& keys) const {
  std::vector<FollowedContact> result;
  for (const ContactKey& key : keys) {
    const int surface = surface_of(*system_, key);
    FollowedContact followed{key, std::nullopt};
    if (surface >= 0 && narrow_phase::are_of_one_point(key.feature, key.feature)) {
      // Keys of faces change with the faces nearby: of those at the key's point take the one that
      // touches.
      const Contact* nearest = nullptr;
      for (const Contact& contact : contacts_) {
        if (!may_be(contact.key, key)) continue;
        const bool is_named = contact.key == key && std::abs(contact.gap) < kTouching;
        if (is_named || !nearest || std::abs(contact.gap) < std::abs(nearest->gap)) {
          nearest = &contact;
        }
        if (is_named) break;
      }
      if (nearest) followed.face = rotation_of(surface).transpose() * nearest->normal_W;
    }
    result.push_back(followed);
  }
  return result;
}

const Eigen::Matrix3d& SustainedContacts::rotation_of(int body) const {
  return kinematics_.X_WB[static_cast<std::size_t>(body)].rotation;
}

const Contact* SustainedContacts::find(const FollowedContact& followed) const {
  if (!followed.face) {
    const auto found = std::lower_bound(
        contacts_.begin(), contacts_.end(), followed.key,
        [](const Contact& contact, const ContactKey& key) { return contact.key < key; });
    return found != contacts_.end() && found->key == followed.key ? &*found : nullptr;
  }
  // The normal of a face identifies it, turned with its body.
  const Eigen::Vector3d normal = rotation_of(surface_of(*system_, followed.key)) * *followed.face;
  const auto found = std::find_if(contacts_.begin(), contacts_.end(), [&](const Contact& contact) {
    return may_be(contact.key, followed.key) && (contact.normal_W - normal).norm() < kSameFace;
  });
  return found != contacts_.end() ? &*found : nullptr;
}

bool SustainedContacts::is_one_of(const std::vector<FollowedContact>& followed,
                                  const Contact& contact) const {
  return std::any_of(followed.begin(), followed.end(),
                     [&](const FollowedContact& own) { return find(own) == &contact; });
}

/// Selects the followed contacts at the current poses; returns false if one is missing.
bool SustainedContacts::select(const std::vector<FollowedContact>& contacts) {
  selected_.clear();
  for (const FollowedContact& followed : contacts) {
    const Contact* found = find(followed);
    if (found == nullptr) return false;
    selected_.push_back(*found);
    // Contacts keep the key of the start, even where the face is found under another one.
    selected_.back().key = followed.key;
  }
  return true;
}

void SustainedContacts::assemble_rows(ContactProblem& problem) const {
  problem.contacts = selected_;
  problem.contact_jacobian.reset(group_.nv);
  // In the group's coordinates; fixed bodies are at rest.
  const auto column_of = [this](int tree) {
    return group_v_offset_[static_cast<std::size_t>(tree)];
  };
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    add_contact_rows(*system_, kinematics_, selected_[i], column_of, problem.contact_jacobian);
    // Forces hold tangents, too.
    clear_blocked_rows(problem, i, BlockedRows::All, problem.contact_jacobian);
  }
  problem.contact_bias = VectorXd::Zero(problem.contact_jacobian.rows());
}

bool SustainedContacts::assemble(const VectorXd& q, const VectorXd& v,
                                 const std::vector<FollowedContact>& contacts,
                                 ContactProblem& problem) {
  place(q, v);
  if (!select(contacts)) return false;
  problem.velocity = v;
  problem.mass_matrix.clear();
  for (const int a : group_.trees) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(a)];
    tree.mass_matrix(kinematics_.trees[static_cast<std::size_t>(a)],
                     problem.mass_matrix.add_zero_block(tree.num_velocities(), tree.dof_parents()));
  }
  // Smooth trees have neither joint rows nor bounded rows.
  problem.joint_jacobian.reset(group_.nv);
  problem.bounded_jacobian.reset(group_.nv);
  assemble_rows(problem);
  return true;
}

bool SustainedContacts::assemble(double time, const VectorXd& q, const VectorXd& v,
                                 const std::vector<FollowedContact>& contacts,
                                 const ServoPart& part, ContactInstant& instant) {
  if (!assemble(q, v, contacts, instant.problem)) return false;
  // The rate moves the trees, so that forces come first.
  compute_forces(time, q, v, part, instant);
  return compute_rate(q, v, contacts, instant.contact_rate);
}

void SustainedContacts::compute_forces(double time, const VectorXd& q, const VectorXd& v,
                                       const ServoPart& part, ContactInstant& instant) const {
  instant.forces.resize(group_.nv);
  instant.servo_forces.setZero(group_.nv);
  VectorXd own, bias;
  NewtonEulerWorkspace work;
  for (std::size_t k = 0; k < group_.trees.size(); ++k) {
    const auto a = static_cast<std::size_t>(group_.trees[k]);
    const Articulation& tree = system_->articulations()[a];
    const ArticulationKinematics& at = kinematics_.trees[a];
    const auto q_tree = q.segment(group_.q_offset[k], tree.num_positions());
    const auto v_tree = v.segment(group_.v_offset[k], tree.num_velocities());
    auto servos = instant.servo_forces.segment(group_.v_offset[k], tree.num_velocities());
    compute_smooth_forces(*system_, group_.trees[k], at, q_tree, v_tree, time, own);
    add_servo_forces(*system_, group_.trees[k], part, q_tree, v_tree, time, servos);
    bias.resize(tree.num_velocities());
    tree.bias_forces(at, v_tree, system_->gravity(), work, bias);
    // f = applied + servos - (C v - gravity).
    instant.forces.segment(group_.v_offset[k], tree.num_velocities()) = own + servos - bias;
  }
}

bool SustainedContacts::compute_rate(const VectorXd& q, const VectorXd& v,
                                     const std::vector<FollowedContact>& contacts, VectorXd& rate) {
  // d(J_C v)/dt along v: central differences, else backward, else forward ones.
  using Formula = std::vector<std::pair<double, double>>;  // instants and weights
  static const std::array<Formula, 3> kFormulas = {
      {{{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}},
       {{0.0, 25.0}, {-1.0, -48.0}, {-2.0, 36.0}, {-3.0, -16.0}, {-4.0, 3.0}},
       {{0.0, -25.0}, {1.0, 48.0}, {2.0, -36.0}, {3.0, 16.0}, {4.0, -3.0}}}};
  // Displacements of about kLookAhead balance rounding and the error of order h^4.
  const double h = kLookAhead / (1.0 + v.lpNorm<Eigen::Infinity>());
  return std::any_of(kFormulas.begin(), kFormulas.end(), [&](const Formula& formula) {
    rate.setZero(3 * static_cast<Index>(contacts.size()));
    for (const auto& [steps, weight] : formula) {
      move_trees(group_.integrate(*system_, q, steps * h * v), v, false);
      find_contacts();
      if (!select(contacts)) return false;
      assemble_rows(displaced_);
      rate += weight / (12.0 * h) * (displaced_.contact_jacobian * v);
    }
    return true;
  });
}

}  // namespace amontons
