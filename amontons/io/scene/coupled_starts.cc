#include "amontons/io/scene/coupled_starts.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/simulation/scene/initial_joint_position.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

// A start that differs from its coupling by more than this gets a warning [m or rad].
constexpr double kVisibleError = 1e-9;

/// Holds the start of a joint, its origin, and where to write a start that nobody gives.
struct Start {
  double position = 0.0;                    ///< [m or rad]
  bool given = false;                       ///< by the scene or by a file
  std::optional<double>* target = nullptr;  ///< field of the scene that holds the start
};

/// Returns the starts of all joints by full name, those of models as model/joint.
std::map<std::string, Start> collect_starts(Scene& scene) {
  std::map<std::string, Start> starts;
  for (SceneJoint& joint : scene.joints) {
    starts[joint.name] = {joint.position.value_or(0.0), joint.position.has_value(),
                          &joint.position};
  }
  for (SceneModel& model : scene.models) {
    for (ModelJoint& joint : model.joints) {
      starts[model.name + "/" + joint.name] = {
          start_position(model, joint),
          joint.start.has_value() || model.joint_positions.contains(joint.name), &joint.start};
    }
  }
  return starts;
}

/// Returns all couplings and prescribed motions, with the full names of their joints.
std::vector<JointCoupling> collect_couplings(const Scene& scene) {
  std::vector<JointCoupling> couplings;
  for (const SceneModel& model : scene.models) {
    for (JointCoupling coupling : model.couplings) {
      coupling.joint = model.name + "/" + coupling.joint;
      if (!coupling.reference.empty()) coupling.reference = model.name + "/" + coupling.reference;
      couplings.push_back(std::move(coupling));
    }
  }
  couplings.insert(couplings.end(), scene.couplings.begin(), scene.couplings.end());
  // A prescribed motion is a coupling without reference here: q = q(t = 0).
  for (const JointMotion& motion : scene.joint_motions) {
    JointCoupling held;
    held.name = "motion of " + motion.joint;
    held.joint = motion.joint;
    held.curve.offset = motion.position(0.0);
    held.where = motion.where;
    couplings.push_back(std::move(held));
  }
  return couplings;
}

/// Lists couplings, by their indices, under the joints that they determine.
using ByJoint = std::multimap<std::string_view, std::size_t>;

/// Returns a coupling and all that it follows, directly or not, in the order of their distance.
/// `next` receives for each of them the one that follows it.
std::vector<std::size_t> find_followed(const std::vector<JointCoupling>& rest,
                                       const ByJoint& by_joint, std::size_t coupling,
                                       std::vector<std::size_t>& next) {
  next.assign(rest.size(), rest.size());
  std::vector<std::size_t> found{coupling};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, end] = by_joint.equal_range(rest[found[i]].reference);
    for (auto own = first; own != end; ++own) {
      if (own->second == coupling || next[own->second] != rest.size()) continue;
      next[own->second] = found[i];
      found.push_back(own->second);
    }
  }
  return found;
}

/// Returns a circle of couplings, by their indices, in the order in which they follow each other.
/// All couplings of `rest` follow another of them. No coupling outside of the knot of circles that
/// it is part of determines a joint of that knot. The last coupling of the circle is the last one
/// of its knot whose joint has a given start, if any, else the last one.
std::vector<std::size_t> find_circle(const std::vector<JointCoupling>& rest,
                                     const std::map<std::string, Start>& starts) {
  // The coupling that follows the fewest belongs to a knot that follows nothing else.
  ByJoint by_joint;
  for (std::size_t i = 0; i < rest.size(); ++i) by_joint.emplace(rest[i].joint, i);
  std::vector<std::size_t> knot, next;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    std::vector<std::size_t> followed = find_followed(rest, by_joint, i, next);
    if (knot.empty() || followed.size() < knot.size()) knot = std::move(followed);
  }
  std::sort(knot.begin(), knot.end());
  const auto is_given = [&](std::size_t i) {
    const auto start = starts.find(rest[i].joint);
    return start != starts.end() && start->second.given;
  };
  const auto given = std::find_if(knot.rbegin(), knot.rend(), is_given);
  const std::size_t last = given != knot.rend() ? *given : knot.back();
  // Of all that it follows, the nearest coupling that follows its joint closes the circle.
  const std::vector<std::size_t> followed = find_followed(rest, by_joint, last, next);
  std::size_t own = *std::find_if(followed.begin(), followed.end(), [&](std::size_t i) {
    return rest[i].reference == rest[last].joint;
  });
  std::vector<std::size_t> circle{own};
  for (; own != last; circle.push_back(own)) own = next[own];
  return circle;
}

/// Lets the joint that the first coupling of a circle follows start where it does: the last
/// coupling repeats what the others say. @throws ParseError if it contradicts them there.
void settle_root(const std::vector<JointCoupling>& rest, const std::vector<std::size_t>& circle,
                 std::map<std::string, Start>& starts) {
  const JointCoupling& last = rest[circle.back()];
  const auto found = starts.find(last.joint);
  if (found == starts.end()) return;  // lengths of tendons are only compared
  Start& start = found->second;
  start.given = true;
  double position = start.position;
  for (const std::size_t i : circle) position = rest[i].curve.value(position);
  const double scale = std::max(1.0, std::abs(start.position));
  if (std::abs(position - start.position) <= kVisibleError * scale) return;
  fail_at(last.where, "the couplings of joint '" + last.joint +
                          "' form a circle that contradicts itself: where it starts at " +
                          shortest_text(start.position) + ", they want " + shortest_text(position));
}

/// Returns true if the starts of a coupling's joint and of its reference are among those known.
bool is_known(const JointCoupling& coupling, const std::map<std::string, Start>& starts) {
  return starts.contains(coupling.joint) &&
         (coupling.reference.empty() || starts.contains(coupling.reference));
}

/// Sets the start that a coupling gives, or compares it with the one that is given.
void settle_start(const JointCoupling& coupling, std::map<std::string, Start>& starts,
                  ImportLedger& ledger) {
  Start& start = starts.at(coupling.joint);
  // q = curve(q(reference)), also as a text for the ledger.
  const CouplingCurve& curve = coupling.curve;
  double wanted = curve.offset;
  std::string law = shortest_text(curve.offset);
  if (!coupling.reference.empty()) {
    wanted = curve.value(starts.at(coupling.reference).position);
    law = curve.is_linear()
              ? shortest_text(curve.multiplier) + " '" + coupling.reference + "' + " + law
              : "a curve of '" + coupling.reference + "'";
  }
  const std::string element = "joint '" + coupling.joint + "': start position";
  // A start that nobody gives is set, one that is given is only compared.
  if (!start.given) {
    if (wanted != start.position) {
      ledger.add(ImportFate::Applied, element, shortest_text(wanted) + " = " + law, coupling.where);
    }
    start.position = wanted;
    start.given = true;
    *start.target = wanted;
  } else if (std::abs(start.position - wanted) > kVisibleError) {
    ledger.add(ImportFate::Warning, element,
               "it starts at " + shortest_text(start.position) +
                   ", but its coupling or motion wants " + shortest_text(wanted) + " = " + law,
               coupling.where);
  }
}

/// Adds the lengths of the tendons where all joints start.
void add_tendons(const Scene& scene, std::map<std::string, Start>& starts) {
  for (const SceneModel& model : scene.models) {
    for (const ModelTendon& tendon : model.tendons) {
      if (!tendon.path.empty()) continue;  // its length needs the poses of the bodies
      Start length{0.0, true, nullptr};
      for (const TendonTerm& term : tendon.terms) {
        length.position += term.coefficient * starts.at(model.name + "/" + term.joint).position;
      }
      starts[model.name + "/" + tendon.name] = length;
    }
  }
}

/// Settles all starts that couplings of joints give, a reference ahead of the joints that follow
/// it. Returns the couplings with lengths of tendons, which are not known yet, in the same order.
std::vector<JointCoupling> settle_joints(std::vector<JointCoupling> rest,
                                         std::map<std::string, Start>& starts,
                                         ImportLedger& ledger) {
  std::vector<JointCoupling> of_tendons;
  while (!rest.empty()) {
    // A coupling is ready once no remaining one determines its reference.
    const auto is_ready = [&](const JointCoupling& coupling) {
      return std::none_of(rest.begin(), rest.end(), [&](const JointCoupling& other) {
        return &other != &coupling && other.joint == coupling.reference;
      });
    };
    auto ready = std::find_if(rest.begin(), rest.end(), is_ready);
    // If none is ready, some of the remaining couplings form a circle. All starts outside that it
    // depends on are settled then.
    if (ready == rest.end()) {
      const std::vector<std::size_t> circle = find_circle(rest, starts);
      settle_root(rest, circle, starts);
      ready = rest.begin() + static_cast<std::ptrdiff_t>(circle.front());
    }
    if (is_known(*ready, starts)) {
      settle_start(*ready, starts, ledger);
    } else {
      of_tendons.push_back(*ready);
    }
    rest.erase(ready);
  }
  return of_tendons;
}

}  // namespace

void start_coupled_joints(Scene& scene) {
  std::map<std::string, Start> starts = collect_starts(scene);
  const std::vector<JointCoupling> of_tendons =
      settle_joints(collect_couplings(scene), starts, scene.ledger);
  // Lengths of tendons follow from their joints; couplings of them only compare.
  add_tendons(scene, starts);
  for (const JointCoupling& coupling : of_tendons) {
    if (is_known(coupling, starts)) settle_start(coupling, starts, scene.ledger);
  }
}

}  // namespace amontons::io
