#include "amontons/io/mjcf/actuators/mjcf_transmission.h"

#include <algorithm>
#include <string>

namespace amontons::io {

namespace {

/// Returns the straight way from one site to another.
TendonSegment between(const ModelFrame& a, const ModelFrame& b) {
  return {{a.link, a.X_LF.translation}, {b.link, b.X_LF.translation}, {}};
}

/// Returns true if one link is part of the world, or carries another.
bool carries(const MjcfReader& reader, int carrier, int link) {
  const std::vector<MjcfBody>& bodies = reader.bodies;
  const int above = reader.body_of_link(carrier);
  if (bodies[static_cast<std::size_t>(above)].first_rigid_body == 0) return true;
  // Bound: the depth of the tree, in which parents come first.
  for (int b = reader.body_of_link(link); b >= 0; b = bodies[static_cast<std::size_t>(b)].parent) {
    if (bodies[static_cast<std::size_t>(b)].link == carrier) return true;
  }
  return false;
}

/// Adds a tendon of one way to the model, along which an actuator acts.
/// @param line  receives its name.
void add_way(MjcfReader& reader, const MjcfElement& element, const TendonSegment& way,
             MjcfLine& line) {
  ModelTendon tendon;
  tendon.where = element.where();
  tendon.name = element.text("name", "slider_" + std::to_string(reader.model.tendons.size()));
  tendon.name = reader.name_in_model(element, tendon.name, "_slider");
  tendon.path = {way};
  line.name = tendon.name;
  line.is_path = true;
  reader.model.tendons.push_back(std::move(tendon));
}

}  // namespace

void check_mjcf_transmission(const MjcfElement& element) {
  const char* first = nullptr;
  for (const char* target : {"joint", "jointinparent", "tendon", "site", "body", "cranksite"}) {
    if (!element.has(target)) continue;
    if (first != nullptr) {
      element.fail(target, std::string("and ") + first + " both say what it acts on; give one");
    }
    first = target;
  }
}

std::optional<MjcfLine> mjcf_joint_line(const MjcfReader& reader, const MjcfElement& element) {
  const std::string attribute = element.has("joint") ? "joint" : "jointinparent";
  const MjcfJoint& joint = reader.find_joint(element, attribute);
  const ModelJoint& own = reader.joint_of(joint);
  if (num_velocities(own.type) != 1) return std::nullopt;
  const auto number = static_cast<std::size_t>(&joint - reader.joints.data());
  return MjcfLine{joint.name,
                  own.dynamics.limits,
                  read_mjcf_effort_range(reader, joint.element).value_or(EffortRange{}),
                  false,
                  {{number, 1.0}},
                  mjcf_gear(element)[0]};
}

std::optional<MjcfLine> mjcf_tendon_line(const MjcfReader& reader, const MjcfElement& element) {
  const MjcfTendon& tendon = reader.find_tendon(element, "tendon");
  const std::vector<ModelTendon>& all = reader.model.tendons;
  const int place = reader.places.model_tendons.find(all, tendon.model_name);
  if (tendon.model_name.empty() || place < 0) return std::nullopt;
  const ModelTendon* own = &all[static_cast<std::size_t>(place)];
  MjcfLine line{own->name, own->dynamics.limits,
                read_mjcf_effort_range(reader, *tendon.element).value_or(EffortRange{})};
  line.is_path = !own->path.empty();
  line.gear = mjcf_gear(element)[0];
  for (const TendonTerm& term : own->terms) {
    const int joint = reader.places.joints.find(reader.joints, term.joint);
    if (joint >= 0) line.joints.emplace_back(static_cast<std::size_t>(joint), term.coefficient);
  }
  return line;
}

std::optional<MjcfLine> mjcf_slider_line(MjcfReader& reader, const MjcfElement& element) {
  const std::array<double, 6> gear = mjcf_gear(element);
  TendonSegment way;
  MjcfLine line;
  if (element.has("cranksite")) {
    if (!element.has("slidersite")) element.fail("needs the attribute 'slidersite'");
    const double rod = element.number("cranklength", 0.0);
    if (!(rod > 0.0)) element.fail("needs a positive 'cranklength'");
    const ModelFrame& slider = reader.find_site(element, "slidersite");
    way = between(slider, reader.find_site(element, "cranksite"));
    way.slide = TendonSlide{slider.X_LF.rotation.col(2), rod};
    line.gear = gear[0];
  } else {
    const ModelFrame& reference = reader.find_site(element, "refsite");
    const ModelFrame& site = reader.find_site(element, "site");
    const Eigen::Vector3d push(gear[0], gear[1], gear[2]);
    if (push.isZero(0.0) && mjcf_turns(element)) return std::nullopt;
    if (!carries(reader, reference.link, site.link)) {
      element.leave_out(ImportFate::Refused,
                        "it exerts no force: its reference is part of neither the world nor a body "
                        "that carries its site");
      return std::nullopt;
    }
    line.gear = push.norm();
    way = between(reference, site);
    // An actuator without gear exerts nothing along any axis.
    const Eigen::Vector3d axis =
        line.gear > 0.0 ? Eigen::Vector3d(push / line.gear) : Eigen::Vector3d::UnitX();
    way.slide = TendonSlide{reference.X_LF.rotation * axis, {}};
  }
  if (has_constant_length(reader, {way})) {
    element.note(ImportFate::Applied, "it moves nothing: both of its sites are on one body");
    return std::nullopt;
  }
  add_way(reader, element, way, line);
  return line;
}

std::optional<MjcfLine> mjcf_free_line(MjcfReader& reader, const MjcfElement& element) {
  const MjcfJoint& record =
      reader.find_joint(element, element.has("joint") ? "joint" : "jointinparent");
  const ModelJoint& joint = reader.joint_of(record);
  const std::array<double, 6> gear = mjcf_gear(element);
  const Eigen::Vector3d push(gear[0], gear[1], gear[2]), turn(gear[3], gear[4], gear[5]);
  if (joint.type != JointType::Free || !turn.isZero(0.0) || push.isZero(0.0)) return std::nullopt;
  // The world is the root link, and the velocities of a free joint are those of the body's frame.
  MjcfLine line;
  line.gear = push.norm();
  line.has_length = false;
  TendonSegment way{{0, Eigen::Vector3d::Zero()}, {joint.child, Eigen::Vector3d::Zero()}, {}};
  way.slide = TendonSlide{push / line.gear, {}};
  add_way(reader, element, way, line);
  return line;
}

std::array<double, 6> mjcf_gear(const MjcfElement& element) {
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> written = element.merged_numbers("gear", 1, 6);
  std::copy(written.begin(), written.end(), gear.begin());
  return gear;
}

bool mjcf_turns(const MjcfElement& element) {
  const std::array<double, 6> gear = mjcf_gear(element);
  return std::any_of(gear.begin() + 3, gear.end(), [](double number) { return number != 0.0; });
}

void note_other_mjcf_transmission(const MjcfElement& element) {
  bool named = false;
  for (const char* target : {"tendon", "body"}) {
    named = named || element.has(target);
  }
  if (!named) element.fail("needs the attribute 'joint'");
  element.leave_out(ImportFate::Refused,
                    "it exerts nothing: actuators act on joints, tendons, sites and slider-cranks");
}

}  // namespace amontons::io
