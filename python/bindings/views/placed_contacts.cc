#include "python/bindings/views/placed_contacts.h"

#include "amontons/math/same_bits.h"

#include <algorithm>

namespace amontons::python {

const std::vector<ContactPlace>& PlacedContacts::of(Model& model, const StepReport& report) {
  const State& now = model.state();
  if (known_ && are_of(report, now)) return now_;
  known_ = false;
  note(report, now);
  now_ = then_;
  // Most methods find contacts at the start of the step, whose kinematics are known.
  const bool is_at_start = report.evaluation_velocity.isZero(0.0);
  const std::vector<Pose> ahead =
      is_at_start ? std::vector<Pose>()
                  : poses_of_contacts(model.system(), report.start->q, report.evaluation_velocity,
                                      report.step, report.start->time);
  move_contact_places(model.system(), is_at_start ? model.at_start(report).X_WB : ahead,
                      model.now().X_WB, now_);
  known_ = true;
  return now_;
}

bool PlacedContacts::are_of(const StepReport& report, const State& now) const {
  const auto is_same = [](const ContactPlace& place, const Contact& contact) {
    return place.key == contact.key && same_bits(place.position_W, contact.position_W) &&
           same_bits(place.gap, contact.gap);
  };
  return time_start_ == report.start->time && step_ == report.step && time_now_ == now.time &&
         same_bits(q_start_, report.start->q) && same_bits(q_now_, now.q) &&
         same_bits(evaluation_velocity_, report.evaluation_velocity) &&
         std::ranges::equal(then_, report.problem.contacts, is_same);
}

void PlacedContacts::note(const StepReport& report, const State& now) {
  then_.clear();
  for (const Contact& contact : report.problem.contacts) {
    then_.push_back({contact.key, contact.position_W, contact.gap});
  }
  time_start_ = report.start->time;
  step_ = report.step;
  time_now_ = now.time;
  q_start_ = report.start->q;
  q_now_ = now.q;
  evaluation_velocity_ = report.evaluation_velocity;
}

}  // namespace amontons::python
