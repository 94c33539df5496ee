#include "amontons/simulation/detection.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Closing speeds are estimates: impulses at other contacts may speed a body up within the step.
constexpr double kSafetyFactor = 2.0;

// Contacts at rest are found whatever rounding did to their gap. Relative to the shape's size.
constexpr double kTouchingMargin = 1e-7;

}  // namespace

double ContactDetector::shape_margin(const SystemKinematics& kinematics, std::size_t shape,
                                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                                     const Eigen::Ref<const Eigen::VectorXd>& v_free,
                                     double h) const {
  const CollisionShape& s = system_->shapes()[shape];
  const Body& body = system_->bodies()[static_cast<std::size_t>(s.body)];
  if (body.articulation < 0) {
    return kSafetyFactor * h * prescribed_velocity(*system_, body, kinematics.time, h).norm();
  }
  const double radius = bounding_radius(s.shape);
  double speed = 0.0;
  for (const auto* v : {&v_start, &v_free}) {
    const Vector6d V = body_velocity(*system_, kinematics, s.body, X_WG_[shape].translation, *v);
    speed = std::max(speed, V.tail<3>().norm() + radius * V.head<3>().norm());
  }
  return kSafetyFactor * h * (speed + h * system_->gravity().norm()) + kTouchingMargin * radius;
}

void ContactDetector::find_contacts(const SystemKinematics& kinematics,
                                    const Eigen::Ref<const Eigen::VectorXd>& v_start,
                                    const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                                    const std::optional<double>& v_max,
                                    std::vector<Contact>& contacts) {
  const std::vector<CollisionShape>& shapes = system_->shapes();
  X_WG_.resize(shapes.size());
  margins_.resize(shapes.size());
  boxes_.resize(shapes.size());
  is_static_.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Body& body = system_->bodies()[static_cast<std::size_t>(shapes[i].body)];
    X_WG_[i] = kinematics.X_WB[static_cast<std::size_t>(shapes[i].body)] * shapes[i].X_BG;
    margins_[i] = v_max ? 0.5 * *v_max * h : shape_margin(kinematics, i, v_start, v_free, h);
    boxes_[i] = bounding_box(shapes[i].shape, X_WG_[i]);
    boxes_[i].lower.array() -= margins_[i];
    boxes_[i].upper.array() += margins_[i];
    is_static_[i] = static_cast<char>(body.articulation < 0);
  }

  contacts.clear();
  for (const auto& [a, b] : broad_phase_.find_pairs(boxes_, is_static_)) {
    if (!system_->may_collide(a, b)) continue;
    const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
    points_.clear();
    find_contact_manifold(shapes[ia].shape, X_WG_[ia], shapes[ib].shape, X_WG_[ib],
                          margins_[ia] + margins_[ib], points_);
    if (points_.empty()) continue;
    const PairProperties pair = system_->pair_properties(a, b);
    const auto first = static_cast<std::ptrdiff_t>(contacts.size());
    for (const ContactPoint& point : points_) {
      Contact contact;
      contact.body_a = shapes[ia].body;
      contact.body_b = shapes[ib].body;
      contact.key = {a, b, point.feature};
      contact.position_W = point.position_W;
      contact.normal_W = point.normal_W;
      contact.gap = point.gap;
      contact.friction = pair.friction;
      contact.viscous_friction = pair.viscous_friction;
      contact.restitution = pair.restitution;
      contacts.push_back(contact);
    }
    // Pairs come in the order of keys.
    std::stable_sort(contacts.begin() + first, contacts.end(),
                     [](const Contact& x, const Contact& y) { return x.key < y.key; });
  }
}

}  // namespace amontons
