#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/io/mjcf/mjcf_reference.h"

#include <algorithm>
#include <optional>
#include <utility>

// <tendon>: weighted sums of joint coordinates, and paths in space.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Reads one tendon.
class TendonReader {
 public:
  TendonReader(MjcfReader& reader, const MjcfElement& element)
      : reader_(reader), element_(element) {}

  /// Reads the tendon and adds it to the model.
  void run(MjcfTendon record) {
    ModelTendon tendon;
    tendon.where = element_.where();
    record.is_spatial = element_.tag() == "spatial";
    if (record.is_spatial) {
      tendon.path = read_mjcf_tendon_path(reader_, element_);
    } else {
      read_terms(tendon, record);
    }
    if (record.is_spatial && has_constant_length(reader_, tendon.path)) {
      element_.note(ImportFate::Ignored,
                    "its length is constant: it does not pass from one body to another that moves");
    } else {
      read_dynamics(tendon.dynamics, record);
    }
    tendon.name = reader_.name_in_model(element_, record.name, "_tendon");
    record.model_name = tendon.name;
    reader_.model.tendons.push_back(std::move(tendon));
    reader_.tendons.push_back(std::move(record));
  }

 private:
  void read_terms(ModelTendon& tendon, MjcfTendon& record) {
    for (const XMLElement* xml : reader_.file.document.children(element_.xml(), "joint")) {
      const MjcfElement term = reader_.element(*xml, "");
      const MjcfJoint& joint = reader_.find_joint(term, "joint");
      if (num_velocities(reader_.joint_of(joint).type) != 1) {
        term.fail("joint", "must have one coordinate, and '" + joint.name + "' has not");
      }
      if (!term.has("coef")) term.fail("needs the attribute 'coef'");
      const double coefficient = term.number("coef", 0.0);
      record.rest_length += coefficient * joint.ref;
      tendon.terms.push_back({joint.name, coefficient});
    }
    if (tendon.terms.empty()) element_.fail("needs a <joint>");
  }

  /// Reads limits, friction and spring; flags switch them off as those of joints.
  void read_dynamics(JointDynamics& dynamics, MjcfTendon& record) {
    read_limits(dynamics);
    if (const auto range = read_mjcf_effort_range(reader_, element_)) {
      dynamics.effort_limit = range->size();
    }
    const double friction = element_.linear_coefficient("frictionloss");
    if (reader_.flags.frictionloss) dynamics.coulomb_friction = friction;
    const double damping = element_.linear_coefficient("damping");
    const double stiffness = element_.linear_coefficient("stiffness");
    if (reader_.flags.damper) dynamics.viscous_friction = damping;
    if (reader_.flags.spring) dynamics.stiffness = stiffness;
    if (element_.linear_coefficient("armature") != 0.0) {
      element_.note("armature", ImportFate::Refused, "a tendon has no rotor here");
    }
    // Two numbers leave the spring slack between them; one counts as both. A length that is not
    // given follows later (set_rest_lengths). It is written as -1; a sum of joint coordinates may
    // have other negative lengths.
    std::vector<double> rest = element_.numbers("springlength", 1, 2);
    rest.resize(2, rest.empty() ? -1.0 : rest[0]);
    if (rest[0] > rest[1]) element_.fail("springlength", "must have the smaller length first");
    record.rests_at_springref = rest[0] == -1.0 && rest[1] == -1.0;
    dynamics.rest_position = rest[0];
    dynamics.slack = rest[1] - rest[0];
  }

  void read_limits(JointDynamics& dynamics) {
    const auto range = mjcf_range(reader_, element_, "");
    if (!range) return;
    if (reader_.flags.limit) {
      dynamics.limits = *range;
      element_.note_softness("solreflimit");
    } else {
      element_.note("range", ImportFate::Ignored, "limits are switched off");
    }
  }

  MjcfReader& reader_;
  const MjcfElement& element_;
};

/// Gives springs without a length of rest that at the references of the joints' springs.
void set_rest_lengths(MjcfReader& reader) {
  std::optional<MjcfReference> springs;
  for (ModelTendon& tendon : reader.model.tendons) {
    const auto is_open = [&](const MjcfTendon& record) {
      return record.model_name == tendon.name && record.rests_at_springref;
    };
    if (!(tendon.dynamics.stiffness > 0.0) ||
        std::none_of(reader.tendons.begin(), reader.tendons.end(), is_open)) {
      continue;
    }
    if (!springs) springs.emplace(reader, MjcfConfiguration::Springs);
    tendon.dynamics.rest_position = springs->tendon_length(tendon.name);
  }
}

}  // namespace

void read_mjcf_tendons(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  for (const XMLElement* section : document.children(document.root(), "tendon")) {
    reader.element(*section, "");
    for (const XMLElement* xml : document.children(*section)) {
      const std::string tag = xml->Name();
      if (tag != "fixed" && tag != "spatial") continue;
      const MjcfElement element = reader.element(*xml, MjcfDefaults::kMain);
      MjcfTendon record;
      record.element = element;
      record.name = element.text("name", "tendon_" + std::to_string(reader.tendons.size()));
      while (!element.has("name") && reader.gives("tendon", record.name)) record.name += "_";
      if (reader.leaves_out(element, ImportFate::Refused)) {
        reader.tendons.push_back(record);  // without a name in the model
        continue;
      }
      if (!reader.faults.attempt([&] { TendonReader(reader, element).run(record); })) {
        reader.tendons.push_back(record);  // what acts on it has no fault
      }
    }
  }
  if (reader.faults.empty()) set_rest_lengths(reader);
}

}  // namespace amontons::io
