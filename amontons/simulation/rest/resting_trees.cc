#include "amontons/simulation/rest/resting_trees.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/math/same_bits.h"
#include "amontons/simulation/system/tendon_length.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace amontons {
namespace {

/// Returns true if a tree ends the step with the bits of its start, and without velocity.
bool stays(const System& system, std::size_t tree, const State& start, const State& end) {
  const Articulation& own = system.articulations()[tree];
  const int q0 = system.q_offset(static_cast<int>(tree));
  const int v0 = system.v_offset(static_cast<int>(tree));
  const int nq = own.num_positions(), nv = own.num_velocities();
  return end.v.segment(v0, nv).isZero(0.0) &&
         same_bits(start.v.data() + v0, end.v.data() + v0, nv) &&
         same_bits(start.q.data() + q0, end.q.data() + q0, nq);
}

/// Finds entries by key, for keys that ascend.
template <typename Entry>
class AscendingLookup {
 public:
  explicit AscendingLookup(const std::vector<Entry>& entries)
      : next_(entries.begin()), end_(entries.end()) {}
  /// Returns the entry of a key; null if there is none.
  const Entry* operator()(const ContactKey& key) {
    while (next_ != end_ && next_->key < key) ++next_;
    return next_ != end_ && next_->key == key ? &*next_ : nullptr;
  }

 private:
  typename std::vector<Entry>::const_iterator next_, end_;
};

/// Holds the islands of a step by the names of their first trees, and those that move.
class Islands {
 public:
  /// @param stays  marks the trees that stay [articulations].
  Islands(const System& system, const ContactProblem& problem, const std::vector<char>& stays)
      : system_(&system), of_tree_(stays.size()), moves_(stays.size(), 0) {
    std::iota(of_tree_.begin(), of_tree_.end(), 0);
    const std::vector<int> of_contact = islands_of_contacts(problem);
    for (std::size_t i = 0; i < of_contact.size(); ++i) {
      for (const int tree : trees_of(system, problem.contacts[i])) {
        if (tree >= 0) of_tree_[static_cast<std::size_t>(tree)] = of_contact[i];
      }
    }
    for (std::size_t a = 0; a < stays.size(); ++a) {
      if (!stays[a]) move(static_cast<int>(a));
    }
  }

  /// Notes that the islands of a contact's trees move.
  void move(const Contact& contact) {
    for (const int tree : trees_of(*system_, contact)) {
      if (tree >= 0) move(tree);
    }
  }
  bool moves(std::size_t tree) const { return moves_[static_cast<std::size_t>(of_tree_[tree])]; }
  /// Returns true if a contact joins two islands.
  bool joins(const Contact& contact) const {
    const auto [a, b] = trees_of(*system_, contact);
    return a >= 0 && b >= 0 &&
           of_tree_[static_cast<std::size_t>(a)] != of_tree_[static_cast<std::size_t>(b)];
  }

 private:
  void move(int tree) {
    moves_[static_cast<std::size_t>(of_tree_[static_cast<std::size_t>(tree)])] = 1;
  }

  const System* system_;
  std::vector<int> of_tree_;  // [articulations] a tree without contacts has its own name
  std::vector<char> moves_;   // [articulations] by the name of the island
};

/// Notes the islands whose contacts end the step with other impulses, or were not there at one end.
void move_changed_islands(const State& start, const State& end, const ContactProblem& problem,
                          const std::vector<Contact>& contacts, Islands& islands) {
  AscendingLookup impulse_before(start.warm_start), impulse_after(end.warm_start);
  AscendingLookup contact_after(contacts);
  for (const Contact& contact : problem.contacts) {
    const WarmStartEntry* before = impulse_before(contact.key);
    const WarmStartEntry* after = impulse_after(contact.key);
    const bool same_impulse = before == nullptr || after == nullptr
                                  ? before == after
                                  : same_bits(before->impulse_W, after->impulse_W);
    if (!same_impulse || contact_after(contact.key) == nullptr) islands.move(contact);
  }
  AscendingLookup contact_before(problem.contacts);
  for (const Contact& contact : contacts) {
    if (contact_before(contact.key) == nullptr || islands.joins(contact)) islands.move(contact);
  }
}

}  // namespace

std::array<int, 2> trees_of(const System& system, const Contact& contact) {
  return {system.articulation_of_shape(contact.key.shape_a),
          system.articulation_of_shape(contact.key.shape_b)};
}

std::vector<char> trees_without_drives(const System& system) {
  std::vector<char> result(system.articulations().size(), 1);
  if (!system.motions().empty()) std::fill(result.begin(), result.end(), char{0});
  const auto exclude = [&](int tree) {
    if (tree >= 0) result[static_cast<std::size_t>(tree)] = 0;
  };
  const auto exclude_body = [&](int body) {
    if (body >= 0) exclude(system.bodies()[static_cast<std::size_t>(body)].articulation);
  };
  // Joints with coordinates, joints that are rows of J, and wrenches.
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (coordinate.v_index >= 0) exclude(system.articulation_of(coordinate.v_index));
  }
  for (const LoopJoint& joint : system.loop_joints()) {
    exclude_body(joint.body_a);
    exclude_body(joint.body_b);
  }
  for (const WrenchDrive& wrench : system.wrenches()) exclude_body(wrench.body);
  for (const LoopCoordinateSite& site : system.loop_coordinates()) {
    for (const int body : bodies_of_path(site)) exclude_body(body);
  }
  return result;
}

bool is_commanded(const System& system, std::size_t tree) {
  const Commands& commands = system.commands();
  const int own = static_cast<int>(tree);
  const int nv = system.articulations()[tree].num_velocities();
  return !commands.effort.segment(system.v_offset(own), nv).isZero(0.0) ||
         std::any_of(commands.wrenches.begin(), commands.wrenches.end(),
                     [&](const WrenchDrive& wrench) {
                       const auto body = static_cast<std::size_t>(wrench.body);
                       return system.bodies()[body].articulation == own;
                     });
}

void keep_still_trees(const System& system, const State& start, const State& end,
                      std::vector<char>& marks) {
  for (std::size_t a = 0; a < marks.size(); ++a) {
    if (!marks[a]) continue;
    marks[a] = static_cast<char>(stays(system, a, start, end) && !is_commanded(system, a));
  }
}

void keep_repeating_trees(const System& system, const State& start, const State& end,
                          const ContactProblem& problem, const std::vector<Contact>& contacts,
                          std::vector<char>& marks) {
  Islands islands(system, problem, marks);
  move_changed_islands(start, end, problem, contacts, islands);
  for (std::size_t a = 0; a < marks.size(); ++a) {
    marks[a] = static_cast<char>(marks[a] && !islands.moves(a));
  }
}

}  // namespace amontons
