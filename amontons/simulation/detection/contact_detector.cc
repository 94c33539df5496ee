#include "amontons/simulation/detection/contact_detector.h"

#include "amontons/geometry/shape_kinds.h"
#include "amontons/math/same_bits.h"
#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Closing speeds are estimates: impulses at other contacts may speed a body up within the step.
constexpr double kSafetyFactor = 2.0;

// Share of the speeds of the shapes themselves that their relative speed is raised by: impulses at
// other contacts may stop one of two bodies that move together.
constexpr double kOwnShare = 0.25;

// Margin as a share of the shape's size: contacts at rest are found despite rounding of their gaps.
constexpr double kTouchingMargin = 1e-7;

// Calls in which a pair of meshes is searched before its distance is measured again, where that was
// of little use: within its horizon, or for fewer calls than kWorthMeasuring.
constexpr int kCallsToWait = 16, kWorthMeasuring = 3;

/// Returns how far a shape of some bounding radius may travel within a step at a speed [m].
double travel(double speed, double radius, double h) {
  return kSafetyFactor * h * speed + kTouchingMargin * radius;
}

/// Returns how B moves against A at both of their velocities, in the world.
ClosingMotion relative_motion(const std::array<ShapeVelocity, 2>& A, const Pose& X_WA,
                              const std::array<ShapeVelocity, 2>& B, const Pose& X_WB) {
  ClosingMotion motion;
  for (std::size_t i = 0; i < 2; ++i) {
    motion.twists[i].linear = B[i].at(-X_WB.translation) - A[i].at(-X_WA.translation);
    motion.twists[i].angular = B[i].angular - A[i].angular;
  }
  return motion;
}

/// Returns true if a face of one shape may turn into the other (outline_contacts.h).
bool may_rock(const Shape& a, const Shape& b) {
  const bool are_balls = std::holds_alternative<Sphere>(a) && std::holds_alternative<Sphere>(b);
  return is_bounded_convex(a) && is_bounded_convex(b) && !are_balls;
}

/// Returns the angular velocities of a shape [rad/s].
ClosingMotion::Turning turning_of(const std::array<ShapeVelocity, 2>& own) {
  return {own[0].angular, own[1].angular};
}

}  // namespace

double ContactDetector::shape_margin(const SystemKinematics& kinematics, std::size_t shape,
                                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                                     const Eigen::Ref<const Eigen::VectorXd>& v_free, double h) {
  const CollisionShape& s = system_->shapes()[shape];
  const Body& body = system_->bodies()[static_cast<std::size_t>(s.body)];
  std::array<ShapeVelocity, 2>& own = velocities_[shape];
  if (body.articulation < 0) {
    // A fixed body moves at its prescribed velocity alone.
    own.fill({prescribed_velocity(*system_, body, kinematics.time, h), Vector3d::Zero(),
              bounding_radius(s.shape)});
    return kSafetyFactor * h * own[0].linear.norm();
  }
  // The margin covers the travel at the larger speed, and what gravity adds within the step.
  const int index = static_cast<int>(shape);
  own = {link_velocities_[0].of_shape(*system_, kinematics, index, X_WG_[shape], v_start),
         link_velocities_[1].of_shape(*system_, kinematics, index, X_WG_[shape], v_free)};
  const double speed = std::max(own[0].speed(), own[1].speed());
  return travel(speed + h * system_->gravity().norm(), own[0].radius, h);
}

double ContactDetector::margin_within(int tree, std::size_t shape, double h) const {
  const std::array<ShapeVelocity, 2>& own = velocities_[shape];
  return travel(inner_pairs_.speed_within(tree, own, X_WG_[shape].translation), own[0].radius, h);
}

ContactHorizon ContactDetector::pair_horizon(std::size_t a, std::size_t b, double h,
                                             const ClosingSpeed& closing) const {
  const Shape &shape_a = system_->shapes()[a].shape, &shape_b = system_->shapes()[b].shape;
  const double whole = margins_[a] + margins_[b];
  ContactHorizon horizon{whole};
  const auto set_motion = [&](double time, double still) {
    horizon.motion = relative_motion(velocities_[a], X_WG_[a], velocities_[b], X_WG_[b]);
    horizon.motion->time = time;
    horizon.motion->still = still;
    if (!may_rock(shape_a, shape_b)) return;
    if (tree_of(static_cast<int>(a)) >= 0) horizon.motion->turning[0] = turning_of(velocities_[a]);
    if (tree_of(static_cast<int>(b)) >= 0) horizon.motion->turning[1] = turning_of(velocities_[b]);
  };
  if (h > 0.0 && (is_bounded_convex(shape_a) || is_bounded_convex(shape_b))) set_motion(h, 0.0);
  if (closing.v_max) return horizon;
  // Shapes that move together close no gap. Where contacts are dear to find, those that turn
  // together do not, either. Elsewhere the wider list stays: one that changes less is solved
  // faster.
  const Vector3d offset = X_WG_[b].translation - X_WG_[a].translation;
  const bool is_dear = PairClearance::pays(shape_a, shape_b);
  double relative = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const ShapeVelocity &A = velocities_[a][i], &B = velocities_[b][i];
    relative =
        std::max(relative, is_dear ? relative_speed(A, B, offset) : difference_of_speeds(A, B));
  }
  // What nothing outside can touch closes gaps by the motion within its tree.
  const int inner = is_dear ? inner_pairs_.tree_of(static_cast<int>(a), static_cast<int>(b)) : -1;
  const double own = inner < 0 ? whole : margin_within(inner, a, h) + margin_within(inner, b, h);
  const double by_speed = kSafetyFactor * h * relative + kOwnShare * own;
  const double least = closing.least * h + system_->protective_layer();
  horizon.gap = std::min(whole, std::max(by_speed, least));
  if (is_mesh(shape_a) && is_mesh(shape_b)) {
    set_motion(kSafetyFactor * h, std::max(kOwnShare * own, least));
  }
  return horizon;
}

void ContactDetector::place_shapes(const SystemKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& v_start,
                                   const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                                   const ClosingSpeed& closing, std::span<const char> kept) {
  const std::vector<CollisionShape>& shapes = system_->shapes();
  // Shapes do not change their number; the first call alone resizes.
  const bool first_call = X_WG_.size() != shapes.size();
  X_WG_.resize(shapes.size());
  margins_.resize(shapes.size());
  boxes_.resize(shapes.size());
  is_static_.resize(shapes.size());
  is_kept_.resize(shapes.size());
  velocities_.resize(shapes.size());
  if (first_call) {
    thickness_.clear();
    for (const CollisionShape& shape : shapes) {
      // Only bounded convex shapes may pass each other.
      double smallest = 0.0;
      if (is_bounded_convex(shape.shape)) {
        const Aabb box = bounding_box(shape.shape, Pose{});
        smallest = (box.upper - box.lower).minCoeff();
      }
      thickness_.push_back(0.5 * smallest);
    }
  }
  link_velocities_[0].compute(*system_, kinematics, v_start, kept);
  link_velocities_[1].compute(*system_, kinematics, v_free, kept);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Body& body = system_->bodies()[static_cast<std::size_t>(shapes[i].body)];
    const bool is_fixed = body.articulation < 0;
    // Where a shape that collides with nothing is does not matter.
    const bool stays =
        !is_fixed && (is_marked(kept, static_cast<std::size_t>(body.articulation)) ||
                      (!first_call && system_->collides_with_nothing(static_cast<int>(i))));
    is_static_[i] = static_cast<char>(is_fixed || stays);
    if (stays) {
      is_kept_[i] = 1;
      continue;
    }
    const Pose X_WG = kinematics.X_WB[static_cast<std::size_t>(shapes[i].body)] * shapes[i].X_BG;
    // A shape at rest keeps its pose bit for bit.
    const bool is_kept = !first_call && same_bits(X_WG, X_WG_[i]);
    X_WG_[i] = X_WG;
    const std::array<ShapeVelocity, 2> last_velocities = velocities_[i];
    // Each shape contributes half of what is given for a pair. Its own velocity is then that at an
    // instant: events look for contacts with a unit of time.
    const double own = shape_margin(kinematics, i, v_start, v_free, closing.v_max ? 0.0 : h);
    const double by_speed = closing.v_max ? 0.5 * *closing.v_max * h : own;
    const double margin =
        std::max(by_speed, 0.5 * closing.least * h) + 0.5 * system_->protective_layer();
    is_kept_[i] = static_cast<char>(is_kept && same_bits(margin, margins_[i]) &&
                                    velocities_[i] == last_velocities);
    if (is_kept_[i]) continue;
    // The box contains every point that the shape may reach.
    margins_[i] = margin;
    boxes_[i] = containing_box(shapes[i].shape, X_WG).grown(margin);
  }
}

void append_pair_contacts(const System& system, int a, const Pose& X_WA, int b, const Pose& X_WB,
                          const ContactHorizon& horizon, std::vector<ContactPoint>& points,
                          std::vector<Contact>& contacts) {
  const CollisionShape &A = system.shapes()[static_cast<std::size_t>(a)],
                       &B = system.shapes()[static_cast<std::size_t>(b)];
  check_stop();
  // Geometry has neither materials nor a protective layer; both enter here.
  points.clear();
  find_contact_manifold(A.shape, X_WA, B.shape, X_WB, horizon, points);
  if (points.empty()) return;
  const PairProperties pair = system.pair_properties(a, b);
  const double reach = std::max(X_WA.translation.lpNorm<Eigen::Infinity>(),
                                X_WB.translation.lpNorm<Eigen::Infinity>());
  const auto first = static_cast<std::ptrdiff_t>(contacts.size());
  for (const ContactPoint& point : points) {
    Contact contact;
    contact.body_a = A.body;
    contact.body_b = B.body;
    contact.key = {a, b, point.feature};
    contact.position_W = point.position_W;
    contact.normal_W = point.normal_W;
    contact.gap = point.gap - system.protective_layer();
    contact.reach = reach;
    contact.friction = pair.friction;
    contact.viscous_friction = pair.viscous_friction;
    contact.restitution = pair.restitution;
    contacts.push_back(contact);
  }
  // Pairs come in the order of keys. A sort takes memory, which most pairs do not need.
  const auto by_key = [](const Contact& x, const Contact& y) { return x.key < y.key; };
  if (std::is_sorted(contacts.begin() + first, contacts.end(), by_key)) return;
  std::stable_sort(contacts.begin() + first, contacts.end(), by_key);
}

void ContactDetector::search_pair(const PairContacts* last, const ContactHorizon& horizon,
                                  PairContacts& pair) {
  const auto [a, b] = pair.shapes;
  const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
  const Shape &A = system_->shapes()[ia].shape, &B = system_->shapes()[ib].shape;
  if (last != nullptr && last->clearance >= 0) {
    const PairClearance& known = last_clearances_[static_cast<std::size_t>(last->clearance)];
    if (known.exceeds(horizon.gap, X_WG_[ia], B, X_WG_[ib])) {
      keep_clearance(*last, pair);
      return;
    }
  }
  const int calls_to_wait = last == nullptr ? 0 : calls_before_measurement(*last);
  append_pair_contacts(*system_, a, X_WG_[ia], b, X_WG_[ib], horizon, points_, contacts_);
  // A pair that stays without contacts is measured, to be left out in the coming steps.
  const bool stays_apart =
      last != nullptr && last->first == last->last && contacts_.size() == pair.first;
  if (!stays_apart || !PairClearance::pays(A, B)) return;
  if (calls_to_wait > 0) {
    pair.calls_to_wait = calls_to_wait - 1;
    return;
  }
  PairClearance clearance;
  clearance.measure(A, X_WG_[ia], B, X_WG_[ib], horizon.gap);
  if (!clearance.exceeds(horizon.gap, X_WG_[ia], B, X_WG_[ib])) {
    pair.calls_to_wait = kCallsToWait;
    return;
  }
  pair.clearance = static_cast<int>(clearances_.size());
  clearances_.push_back(clearance);
}

void ContactDetector::keep_clearance(const PairContacts& last, PairContacts& pair) {
  if (last.clearance < 0) return;
  pair.clearance = static_cast<int>(clearances_.size());
  pair.calls_left_out = last.calls_left_out + 1;
  clearances_.push_back(last_clearances_[static_cast<std::size_t>(last.clearance)]);
}

int ContactDetector::calls_before_measurement(const PairContacts& last) {
  // A clearance that a fast motion used up at once was not worth its measurement.
  const bool is_used_up = last.clearance >= 0 && last.calls_left_out < kWorthMeasuring;
  return is_used_up ? kCallsToWait : last.calls_to_wait;
}

void ContactDetector::check_number(std::pair<int, int> last) const {
  const std::size_t most = kMostContacts + kMostContactsEach * system_->articulations().size();
  if (contacts_.size() <= most) return;
  const auto name = [this](int shape) {
    const int body = system_->shapes()[static_cast<std::size_t>(shape)].body;
    return "'" + system_->bodies()[static_cast<std::size_t>(body)].name + "'";
  };
  throw std::domain_error("more than " + std::to_string(most) + " contacts at once: many bodies, " +
                          name(last.first) + " and " + name(last.second) +
                          " among them, overlap, or travel far within a step");
}

void ContactDetector::find_contacts(const SystemKinematics& kinematics,
                                    const Eigen::Ref<const Eigen::VectorXd>& v_start,
                                    const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                                    const ClosingSpeed& closing, std::vector<Contact>& contacts,
                                    std::span<const char> kept) {
  place_shapes(kinematics, v_start, v_free, h, closing, kept);
  // Contacts of the last call remain readable while the new ones are written.
  std::swap(contacts_, last_contacts_);
  std::swap(pairs_, last_pairs_);
  std::swap(clearances_, last_clearances_);
  contacts_.clear();
  pairs_.clear();
  clearances_.clear();
  passing_.clear();
  // Both lists of pairs are sorted, so that one pass finds the matches.
  auto last = last_pairs_.begin();
  const std::vector<std::pair<int, int>>& pairs = broad_phase_.find_pairs(boxes_, is_static_);
  inner_pairs_.find(kinematics, v_start, v_free, pairs);
  for (const std::pair<int, int>& pair : pairs) {
    const auto [a, b] = pair;
    if (!system_->may_collide(a, b)) continue;
    while (last != last_pairs_.end() && last->shapes < pair) ++last;
    const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
    const ContactHorizon horizon = pair_horizon(ia, ib, h, closing);
    PairContacts own{pair, contacts_.size(), 0, horizon.gap};
    const bool is_known = last != last_pairs_.end() && last->shapes == pair;
    // Same poses and horizons have the same contacts, so that the search is skipped.
    if (is_known && !last->passes && last->is_whole && is_kept_[ia] && is_kept_[ib] &&
        same_bits(last->horizon, own.horizon)) {
      const auto begin = last_contacts_.begin();
      contacts_.insert(contacts_.end(), begin + static_cast<std::ptrdiff_t>(last->first),
                       begin + static_cast<std::ptrdiff_t>(last->last));
      keep_clearance(*last, own);
    } else {
      search_pair(is_known ? &*last : nullptr, horizon, own);
    }
    own.last = contacts_.size();
    pairs_.push_back(own);
    check_number(pair);
  }
  if (closing.leaves_out_passing) {
    leave_out_covered();
    leave_out_passing(h);
  }
  contacts = contacts_;
}

}  // namespace amontons
