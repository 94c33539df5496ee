#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/io/mjcf/mjcf_reference.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

// <equality>: connect, weld, joint, tendon.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Reads one constraint.
class EqualityReader {
 public:
  /// @param at_qpos0  receives the model at qpos0 where a constraint needs it.
  EqualityReader(MjcfReader& reader, const MjcfElement& element,
                 std::optional<MjcfReference>& at_qpos0)
      : reader_(reader), element_(element), at_qpos0_(at_qpos0) {}

  /// Reads the constraint, or says why it is left out.
  void run() {
    const std::string tag = element_.tag();
    const bool is_loop = tag == "connect" || tag == "weld";
    if (!is_active() && !is_loop) {
      element_.note(ImportFate::Ignored, "it is not active at the start, and nothing activates it");
    } else if (!reader_.flags.equality) {
      element_.leave_out(ImportFate::Ignored, "equality constraints are switched off");
    } else if (tag.rfind("flex", 0) == 0) {
      element_.leave_out(ImportFate::Refused, "it holds a soft body, which is not simulated");
    } else if (reader_.leaves_out(element_, ImportFate::Refused)) {
      return;
    } else if (tag == "joint" || tag == "tendon" || is_loop) {
      // What begins detached is as rigid when it is attached.
      const std::optional<MjcfElement> soft = giver_of("solref");
      if (soft && is_active()) soft->note_softness("solref");
      if (tag == "joint") read_joint();
      if (tag == "tendon") read_tendon();
      if (is_loop) read_loop(tag == "weld");
    } else {
      element_.leave_out(ImportFate::Refused, "there is no constraint of this kind");
    }
  }

 private:
  /// Returns what gives an attribute: the constraint, or the <equality> of its class.
  std::optional<MjcfElement> giver_of(const std::string& attribute) const {
    if (element_.has(attribute)) return element_;
    const std::string name_of_class = element_.text("class", MjcfDefaults::kMain);
    for (const XMLElement* layer : reader_.file.defaults.layers(name_of_class, "equality")) {
      if (layer->FindAttribute(attribute.c_str())) return reader_.element(*layer, "");
    }
    return std::nullopt;
  }

  /// Returns true unless the constraint, or the <equality> of its class, says that it is inactive.
  bool is_active() const {
    const std::optional<MjcfElement> giver = giver_of("active");
    return !giver || giver->flag("active").value_or(true);
  }

  /// Returns the constraint's name in the model, or another one if it has none.
  std::string name(const std::string& otherwise) const {
    return reader_.name_in_model(element_, element_.text("name", otherwise), "_constraint");
  }

  /// Reads <connect> as a spherical and <weld> as a fixed loop joint.
  void read_loop(bool weld) {
    if (element_.has("site1") || element_.has("site2")) {
      read_site_loop(weld);
      return;
    }
    const int a = reader_.find_body(element_, "body1");
    // Without a second body the first is joined to the world.
    const int b = element_.has("body2") ? reader_.find_body(element_, "body2") : 0;
    if (a == b) element_.fail("body2", "must be another body than body1");
    const MjcfBody& body_a = reader_.bodies[static_cast<std::size_t>(a)];
    const MjcfBody& body_b = reader_.bodies[static_cast<std::size_t>(b)];
    ModelLoop loop;
    loop.name = name(body_a.name + (weld ? "_weld_" : "_connect_") + body_b.name);
    loop.type = type_of(weld);
    loop.link_a = body_a.link;
    loop.link_b = body_b.link;
    // The loop is closed in the pose at qpos0.
    const Pose X_AB = body_a.X_WB.inverse() * body_b.X_WB;  // at qpos0
    if (weld) {
      // A weld that may turn does so about its anchor, which is given in body 2; a relative pose
      // has the place of the anchor in body 1, not that of body 2.
      loop.X_BM.translation = anchor_in(body_b);
      loop.X_AF = read_relative_pose(X_AB * loop.X_BM);
    } else {
      if (!element_.has("anchor")) element_.fail("needs the attribute 'anchor'");
      loop.X_AF.translation = anchor_in(body_a);
      loop.X_BM = X_AB.inverse() * loop.X_AF;
    }
    add(std::move(loop));
  }

  /// Returns the anchor in a body, whose frame it counts from unless coordinates are global.
  Eigen::Vector3d anchor_in(const MjcfBody& body) const {
    const Eigen::Vector3d written = element_.vector3("anchor", Eigen::Vector3d::Zero());
    return reader_.compiler_of(element_).global ? body.X_WB.inverse() * written : written;
  }

  /// Returns the joint of a <weld> or <connect>: without torque a weld holds a point alone.
  JointType type_of(bool weld) const {
    if (!weld || !element_.has("torquescale")) {
      return weld ? JointType::Fixed : JointType::Spherical;
    }
    if (element_.number("torquescale", 1.0) == 0.0) return JointType::Spherical;
    element_.note("torquescale", ImportFate::Ignored,
                  "softens a constraint; constraints are rigid here");
    return JointType::Fixed;
  }

  /// Adds a loop joint, detached where the constraint is not active.
  void add(ModelLoop loop) {
    loop.where = element_.where();
    loop.is_attached = is_active();
    if (!loop.is_attached) {
      element_.note(ImportFate::Applied,
                    "it is not active at the start: the joint begins detached, until a program "
                    "attaches it");
    }
    reader_.model.loops.push_back(std::move(loop));
  }

  /// Reads a loop joint that holds two sites together.
  void read_site_loop(bool weld) {
    const ModelFrame& a = reader_.find_site(element_, "site1");
    const ModelFrame& b = reader_.find_site(element_, "site2");
    if (a.link == b.link) element_.fail("site2", "must be on another body than site1");
    ModelLoop loop;
    loop.name = name(a.name + (weld ? "_weld_" : "_connect_") + b.name);
    loop.type = type_of(weld);
    loop.link_a = a.link;
    loop.link_b = b.link;
    loop.X_AF = a.X_LF;
    loop.X_BM = b.X_LF;
    add(std::move(loop));
  }

  /// Reads relpose, the anchor in body 1 with the orientation of body 2, where its quaternion is
  /// not zero; else it is that at qpos0.
  Pose read_relative_pose(const Pose& at_qpos0) const {
    const std::vector<double> numbers = element_.numbers("relpose", 7, 7);
    if (numbers.empty()) return at_qpos0;
    const Eigen::Vector4d wxyz(numbers[3], numbers[4], numbers[5], numbers[6]);
    if (wxyz.isZero(0.0)) {
      element_.note("relpose", ImportFate::Ignored,
                    "a quaternion of zeros: the pose at qpos0 counts");
      return at_qpos0;
    }
    const Eigen::Vector3d written(numbers[0], numbers[1], numbers[2]);
    if (!(wxyz.stableNorm() > 1e-15)) {
      element_.note("relpose", ImportFate::Applied,
                    "a quaternion without length counts as no turn");
      return {Eigen::Matrix3d::Identity(), written};
    }
    return {quaternion_from_wxyz(wxyz.normalized()).toRotationMatrix(), written};
  }

  /// Holds what a coupling joins: the name in the model, and the position at qpos0.
  struct Side {
    std::string name;
    double at_qpos0 = 0.0;
  };

  Side joint_side(const std::string& attribute) const {
    const MjcfJoint& joint = reader_.find_joint(element_, attribute);
    if (num_velocities(reader_.joint_of(joint).type) != 1) {
      element_.fail("couples joints of one coordinate, and '" + joint.name + "' is none");
    }
    return {joint.name, joint.ref};
  }

  /// Reads a constraint of one joint, or of two.
  void read_joint() {
    const Side y = joint_side("joint1");
    couple(y, element_.has("joint2") ? joint_side("joint2") : Side{});
  }

  /// Reads a constraint of one tendon, or of two.
  void read_tendon() {
    const MjcfTendon& y = reader_.find_tendon(element_, "tendon1");
    const MjcfTendon x = element_.has("tendon2") ? reader_.find_tendon(element_, "tendon2") : y;
    if (y.model_name.empty() || x.model_name.empty()) {
      element_.leave_out(ImportFate::Refused, "it couples a tendon that is not modeled");
      return;
    }
    couple(tendon_side(y), element_.has("tendon2") ? tendon_side(x) : Side{});
  }

  Side tendon_side(const MjcfTendon& tendon) const {
    if (!tendon.is_spatial) return {tendon.model_name, tendon.rest_length};
    if (!at_qpos0_) at_qpos0_.emplace(reader_, MjcfConfiguration::Qpos0);
    return {tendon.model_name, at_qpos0_->tendon_length(tendon.model_name)};
  }

  /// Adds the coupling y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4, with positions relative to
  /// qpos0. Without x it keeps y where it is.
  void couple(const Side& y, const Side& x) {
    // Missing coefficients are zero; without any, y follows x.
    std::vector<double> a = element_.numbers("polycoef", 1, 5);
    if (a.empty()) a = {0.0, 1.0};
    a.resize(5, 0.0);
    a[0] += y.at_qpos0;
    if (!x.name.empty()) shift(a, x.at_qpos0);
    JointCoupling coupling;
    coupling.name = name(x.name.empty() ? y.name + "_lock" : y.name + "_gear_" + x.name);
    coupling.joint = y.name;
    coupling.reference = x.name;
    coupling.curve = {a[1], a[0], {a[2], a[3], a[4]}};
    coupling.where = element_.where();
    reader_.model.couplings.push_back(std::move(coupling));
  }

  /// Makes the coefficients of a polynomial of x - x0 those of one of x, by Horner's scheme.
  static void shift(std::vector<double>& a, double x0) {
    for (std::size_t k = 0; k + 1 < a.size(); ++k) {
      for (std::size_t i = a.size() - 1; i > k; --i) a[i - 1] -= x0 * a[i];
    }
  }

  MjcfReader& reader_;
  const MjcfElement& element_;
  std::optional<MjcfReference>& at_qpos0_;
};

}  // namespace

void read_mjcf_equality(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  std::optional<MjcfReference> at_qpos0;
  for (const XMLElement* section : document.children(document.root(), "equality")) {
    reader.element(*section, "");
    for (const XMLElement* xml : document.children(*section)) {
      // Defaults of constraints are those of <equality>, of which `active` alone acts here.
      const MjcfElement element = reader.element(*xml, "");
      reader.faults.attempt([&] { EqualityReader(reader, element, at_qpos0).run(); });
    }
  }
}

}  // namespace amontons::io
