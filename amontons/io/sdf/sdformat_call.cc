#include "amontons/io/sdf/sdformat_call.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdformat_collision.h"
#include "amontons/io/sdf/sdformat_context.h"
#include "amontons/io/sdf/sdformat_joint.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <exception>
#include <iostream>
#include <mutex>
#include <sdf/sdf.hh>
#include <sstream>

namespace amontons::io {
namespace {

/// Discards messages of libsdformat while it exists. Some messages bypass the library's own
/// console, which also complains of a missing HOME when it is made. The streams are one for the
/// whole process, so that only one text can be parsed at a time.
class SilentConsole {
 public:
  SilentConsole() : lock_(mutex()), errors_(std::cerr.rdbuf(nowhere_.rdbuf())) {
    sdf::Console::Instance()->SetQuiet(true);
  }
  ~SilentConsole() { std::cerr.rdbuf(errors_); }
  SilentConsole(const SilentConsole&) = delete;
  SilentConsole& operator=(const SilentConsole&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex only_one;
    return only_one;
  }

  std::lock_guard<std::mutex> lock_;
  std::ostringstream nowhere_;
  std::streambuf* errors_;
};

/// Returns the settings of the parser: no search for files, errors instead of warnings.
sdf::ParserConfig make_config() {
  sdf::ParserConfig config;
  config.SetFindCallback([](const std::string&) { return std::string(); });
  config.SetWarningsPolicy(sdf::EnforcementPolicy::ERR);
  config.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::ERR);
  config.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::LOG);
  return config;
}

/// Turns libsdformat's objects into plain data. Nested models become one, and poses and axes are
/// resolved into our frames.
class Resolver {
 public:
  explicit Resolver(const SdformatContext& context) : context_(context) {}

  /// Returns the world, or the model, of a file.
  SdfWorld resolve(const sdf::Root& root) const;

 private:
  /// Returns a model with all models nested in it.
  SdfModel resolve_model(const sdf::Model& model) const;
  /// Returns the prefix and pose of a nested model in the outermost one.
  SdformatScope scope_of(const sdf::Model& inner, const SdformatScope& outer) const;
  /// Adds the links of a model and of all models nested in it.
  void add_links(const sdf::Model& model, const SdformatScope& scope, SdfModel& result) const;
  /// Adds a joint with the world for each link of a static model within one that moves.
  /// @param first  link of the result from which on they are the model's.
  void weld_to_world(const sdf::Model& model, std::size_t first, SdfModel& result) const;
  /// Adds the joints alike; they find their ends among the links, which must be complete.
  void add_joints(const sdf::Model& model, const SdformatScope& scope, SdfModel& result) const;
  /// Returns a link with its inertia [kg, kg m^2] and collisions.
  SdfLink resolve_link(const sdf::Link& link, const SdformatScope& scope) const;

  const SdformatContext& context_;
};

// A file holds a world, or a single model.
SdfWorld Resolver::resolve(const sdf::Root& root) const {
  SdfWorld result;
  if (root.WorldCount() > 0) {
    const sdf::World& world = *root.WorldByIndex(0);
    result.is_world = true;
    result.gravity = to_vector(world.Gravity());
    result.step = world.PhysicsDefault() ? world.PhysicsDefault()->MaxStepSize() : 0.0;
    for (std::uint64_t i = 0; i < world.ModelCount(); ++i) {
      result.models.push_back(resolve_model(*world.ModelByIndex(i)));
    }
  } else if (root.Model() != nullptr) {
    result.models.push_back(resolve_model(*root.Model()));
  }
  return result;
}

SdfModel Resolver::resolve_model(const sdf::Model& model) const {
  SdfModel result;
  result.name = model.Name();
  result.X_WM = context_.resolve(model.SemanticPose(), "");
  result.is_static = model.Static();
  result.self_collide = model.SelfCollide();
  result.where = context_.place_of(model.Element());
  add_links(model, {}, result);
  add_joints(model, {}, result);
  return result;
}

// Poses of nested models are relative to the model around them.
SdformatScope Resolver::scope_of(const sdf::Model& inner, const SdformatScope& outer) const {
  return {outer.prefix + inner.Name() + "::",
          outer.X_MN * context_.resolve(inner.SemanticPose(), "__model__")};
}

void Resolver::add_links(const sdf::Model& model, const SdformatScope& scope,
                         SdfModel& result) const {
  for (std::uint64_t i = 0; i < model.LinkCount(); ++i) {
    result.links.push_back(resolve_link(*model.LinkByIndex(i), scope));
  }
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& inner = *model.ModelByIndex(i);
    const std::size_t first = result.links.size();
    add_links(inner, scope_of(inner, scope), result);
    if (inner.Static() && !result.is_static) weld_to_world(inner, first, result);
  }
}

void Resolver::weld_to_world(const sdf::Model& model, std::size_t first, SdfModel& result) const {
  for (std::size_t i = first; i < result.links.size(); ++i) {
    SdfJoint weld;
    weld.name = result.links[i].name + " weld";
    weld.type = "fixed";
    weld.child = static_cast<int>(i);
    weld.X_MJ = result.links[i].X_ML;
    weld.where = context_.place_of(model.Element());
    result.joints.push_back(std::move(weld));
  }
}

void Resolver::add_joints(const sdf::Model& model, const SdformatScope& scope,
                          SdfModel& result) const {
  for (std::uint64_t i = 0; i < model.JointCount(); ++i) {
    result.joints.push_back(resolve_joint(context_, *model.JointByIndex(i), scope, result.links));
  }
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& inner = *model.ModelByIndex(i);
    if (!inner.Static()) add_joints(inner, scope_of(inner, scope), result);
  }
}

SdfLink Resolver::resolve_link(const sdf::Link& link, const SdformatScope& scope) const {
  SdfLink result;
  result.name = scope.prefix + link.Name();
  result.X_ML = scope.X_MN * context_.resolve(link.SemanticPose(), "__model__");
  result.inertia = to_inertia(link.Inertial());
  const sdf::ElementPtr inertial = find_child(link.Element(), "inertial");
  const sdf::ParamPtr automatic = inertial ? inertial->GetAttribute(kAutoInertia) : nullptr;
  result.auto_inertia = automatic != nullptr && automatic->GetAsString() == "true";
  result.mass = number_in(inertial, "mass");
  result.auto_density = number_in(inertial, "amontons:density");
  result.gravity = flag_in(link.Element(), "gravity", true);
  result.self_collide = flag_in(link.Element(), "self_collide", false);
  result.where = context_.place_of(link.Element());
  for (std::uint64_t i = 0; i < link.CollisionCount(); ++i) {
    result.collisions.push_back(resolve_collision(context_, *link.CollisionByIndex(i)));
  }
  return result;
}

}  // namespace

SdfWorld resolve_with_sdformat(const SdfDocument& document, const std::string& text) {
  // The library reports most faults as errors, some as exceptions.
  const SilentConsole silence;
  sdf::Root root;
  sdf::Errors errors;
  try {
    errors = root.LoadSdfString(text, make_config());
  } catch (const std::exception& error) {
    fail_at({document.main().shown, document.main().original->RootElement()->GetLineNum(), 0},
            std::string("not a valid SDF file: ") + error.what());
  }
  const SdformatContext context(document);
  context.check(errors);
  return Resolver(context).resolve(root);
}

}  // namespace amontons::io
