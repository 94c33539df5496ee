#include "amontons/io/scene/coupled_starts.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/simulation/scene/initial_joint_position.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
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

/// Returns the couplings of a circle in the order in which they follow each other; the last one
/// among `rest` that belongs to it comes last. All couplings of `rest` follow another of them.
std::vector<JointCoupling> find_circle(const std::vector<JointCoupling>& rest) {
  const auto before = [&](const JointCoupling& coupling) {
    return std::find_if(rest.begin(), rest.end(), [&](const JointCoupling& other) {
      return &other != &coupling && other.joint == coupling.reference;
    });
  };
  // As many steps against the order as there are couplings lead into the circle.
  auto own = rest.begin();
  for (std::size_t i = 0; i < rest.size(); ++i) own = before(*own);
  auto last = own;
  for (auto next = before(*own); next != own; next = before(*next)) last = std::max(last, next);
  std::vector<JointCoupling> circle{*last};
  for (auto next = before(*last); next != last; next = before(*next)) circle.push_back(*next);
  std::reverse(circle.begin(), circle.end());
  return circle;
}

/// Lets the joint that the first coupling of a circle follows start where it does: the last
/// coupling repeats what the others say. @throws ParseError if it contradicts them there.
void settle_circle(const std::vector<JointCoupling>& circle, std::map<std::string, Start>& starts) {
  const auto found = starts.find(circle.front().reference);
  if (found == starts.end()) return;  // lengths of tendons are only compared
  Start& start = found->second;
  start.given = true;
  double position = start.position;
  for (const JointCoupling& coupling : circle) position = coupling.curve.value(position);
  const double scale = std::max(1.0, std::abs(start.position));
  if (std::abs(position - start.position) <= kVisibleError * scale) return;
  const JointCoupling& last = circle.back();
  fail_at(last.where, "the couplings of joint '" + last.joint +
                          "' form a circle that contradicts itself: where it starts at " +
                          shortest_text(start.position) + ", they want " + shortest_text(position));
}

/// Returns the couplings ordered such that every reference precedes the joints that follow it. In
/// a circle the coupling that is given last comes last.
std::vector<JointCoupling> sort_couplings(std::vector<JointCoupling> rest,
                                          std::map<std::string, Start>& starts) {
  std::vector<JointCoupling> order;
  while (!rest.empty()) {
    // A coupling is ready once no remaining one determines its reference.
    const auto is_ready = [&](const JointCoupling& coupling) {
      return std::none_of(rest.begin(), rest.end(), [&](const JointCoupling& other) {
        return &other != &coupling && other.joint == coupling.reference;
      });
    };
    auto ready = std::find_if(rest.begin(), rest.end(), is_ready);
    // If none is ready, some of the remaining couplings form a circle.
    if (ready == rest.end()) {
      const std::vector<JointCoupling> circle = find_circle(rest);
      settle_circle(circle, starts);
      ready = std::find_if(rest.begin(), rest.end(), [&](const JointCoupling& coupling) {
        return coupling.joint == circle.front().joint &&
               coupling.reference == circle.front().reference;
      });
    }
    order.push_back(*ready);
    rest.erase(ready);
  }
  return order;
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

}  // namespace

void start_coupled_joints(Scene& scene) {
  // References come first, so that each start is final when another joint follows it.
  std::map<std::string, Start> starts = collect_starts(scene);
  const auto is_known = [&starts](const JointCoupling& coupling) {
    return starts.contains(coupling.joint) &&
           (coupling.reference.empty() || starts.contains(coupling.reference));
  };
  std::vector<JointCoupling> of_tendons;
  for (const JointCoupling& coupling : sort_couplings(collect_couplings(scene), starts)) {
    if (is_known(coupling)) {
      settle_start(coupling, starts, scene.ledger);
    } else {
      of_tendons.push_back(coupling);
    }
  }
  // Lengths of tendons follow from their joints; couplings of them only compare.
  add_tendons(scene, starts);
  for (const JointCoupling& coupling : of_tendons) {
    if (is_known(coupling)) settle_start(coupling, starts, scene.ledger);
  }
}

}  // namespace amontons::io
