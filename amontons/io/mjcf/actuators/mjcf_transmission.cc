#include "amontons/io/mjcf/actuators/mjcf_transmission.h"

#include <algorithm>
#include <string>

namespace amontons::io {

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
                  {{number, 1.0}}};
}

std::optional<MjcfLine> mjcf_tendon_line(const MjcfReader& reader, const MjcfElement& element) {
  const MjcfTendon& tendon = reader.find_tendon(element, "tendon");
  const std::vector<ModelTendon>& all = reader.model.tendons;
  const auto own = std::find_if(all.begin(), all.end(), [&](const ModelTendon& candidate) {
    return candidate.name == tendon.model_name;
  });
  if (tendon.model_name.empty() || own == all.end()) return std::nullopt;
  MjcfLine line{own->name, own->dynamics.limits,
                read_mjcf_effort_range(reader, *tendon.element).value_or(EffortRange{})};
  line.is_path = !own->path.empty();
  for (const TendonTerm& term : own->terms) {
    for (std::size_t j = 0; j < reader.joints.size(); ++j) {
      if (reader.joints[j].name == term.joint) line.joints.emplace_back(j, term.coefficient);
    }
  }
  return line;
}

std::array<double, 6> mjcf_gear(const MjcfElement& element) {
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> written = element.merged_numbers("gear", 1, 6);
  std::copy(written.begin(), written.end(), gear.begin());
  return gear;
}

void note_other_mjcf_transmission(const MjcfElement& element) {
  bool named = false;
  for (const char* target : {"tendon", "site", "refsite", "body", "cranksite", "slidersite"}) {
    named = named || element.has(target);
  }
  if (!named) element.fail("needs the attribute 'joint'");
  element.leave_out(
      ImportFate::Refused,
      "it exerts nothing: actuators act on joints, on tendons, and on a site without a "
      "reference");
}

}  // namespace amontons::io
