#include "amontons/io/sdf/sdf_plain.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/sdf/sdf_frames.h"
#include "amontons/io/sdf/sdf_plain_joints.h"
#include "amontons/io/sdf/sdf_plain_reader.h"
#include "amontons/io/sdf/shapes/newer_shapes.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/math/stop.h"

#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr const char* kModelFrame = "__model__";
constexpr const char* kWorldFrame = "world";
// Version from which a pose may be relative to any frame.
constexpr double kPosesInFrames = 1.7;

/// Returns an attribute, or `otherwise` where there is none.
std::string attribute_of(const XMLElement& element, const char* name,
                         const std::string& otherwise) {
  const char* value = element.Attribute(name);
  return value != nullptr ? value : otherwise;
}

/// Reads one plain model. It gives up at the first part that needs more than this file.
class PlainModel : private PlainReader {
 public:
  PlainModel(const SdfFile& file, const XMLElement& element)
      : file_(file),
        element_(element),
        version_(file.used->RootElement()->Attribute("version")),
        frames_(kModelFrame, canonical_link()) {}

  /// Returns the model with its pose in the frame that its element names, or nothing if it is not
  /// plain.
  std::optional<SdfModel> read() {
    check_stop();
    allow(element_, {"static", "self_collide", "pose", "link", "joint", "frame"},
          {"name", "canonical_link", "placement_frame"});
    SdfModel model;
    model.name = name_of(element_);
    model.is_static = flag_in(element_, "static", false);
    model.self_collide = flag_in(element_, "self_collide", false);
    model.where = {file_.shown, line_in_file(element_), 0};
    read_frames();
    if (!is_plain()) return std::nullopt;
    const std::string placed = attribute_of(element_, "placement_frame", kModelFrame);
    const std::optional<Pose> X_MP = frames_.pose_of(placed);
    require(X_MP.has_value());
    model.X_WM = pose_in_frame(element_, kWorldFrame).first;
    if (X_MP && placed != kModelFrame) model.X_WM = model.X_WM * X_MP->inverse();
    for (const XMLElement* link = element_.FirstChildElement("link"); link != nullptr && is_plain();
         link = link->NextSiblingElement("link")) {
      model.links.push_back(read_link(*link));
    }
    if (!is_plain() || model.links.empty()) return std::nullopt;
    std::optional<std::vector<SdfJoint>> joints =
        read_plain_joints(element_, version_, file_.shown, frames_, model.links);
    if (!joints) return std::nullopt;
    model.joints = std::move(*joints);
    return model;
  }

 private:
  /// Returns the link that the frame of the model moves with.
  std::string canonical_link() const {
    const XMLElement* first = element_.FirstChildElement("link");
    return attribute_of(element_, "canonical_link",
                        first != nullptr ? attribute_of(*first, "name", "") : "");
  }

  /// Resolves the frames of links, joints and those by themselves.
  void read_frames() {
    double version = 0.0;
    const bool has_frames = parse_number(version_, version).empty() && version >= kPosesInFrames;
    const auto add = [&](const XMLElement& element, const std::string& default_frame,
                         const std::optional<std::string>& attached_to) {
      const auto [pose, frame] = pose_in_frame(element, default_frame);
      require(has_frames || frame == default_frame);
      // libsdformat reports a name that is given twice.
      require(frames_.add(name_of(element), pose, frame, attached_to));
    };
    for (const XMLElement* e = element_.FirstChildElement(); e != nullptr && is_plain();
         e = e->NextSiblingElement()) {
      const std::string_view kind = e->Name();
      if (kind == "link") {
        add(*e, kModelFrame, std::nullopt);
      } else if (kind == "joint") {
        const std::string child = trimmed_text(e->FirstChildElement("child"));
        add(*e, child, child);
      } else if (kind == "frame") {
        require(has_frames);
        allow(*e, {"pose"}, {"name", "attached_to"});
        const std::string body = attribute_of(*e, "attached_to", kModelFrame);
        add(*e, body, body);
      }
    }
    require(is_plain() && frames_.resolve() && frames_.body_of(canonical_link()).has_value());
  }

  SdfLink read_link(const XMLElement& element) {
    allow(
        element,
        {"pose", "gravity", "self_collide", "kinematic", "velocity_decay", "inertial", "collision"},
        {"name"});
    SdfLink link;
    link.name = name_of(element);
    link.X_ML = frames_.pose_of(link.name).value_or(Pose{});
    link.gravity = flag_in(element, "gravity", true);
    link.self_collide = flag_in(element, "self_collide", false);
    link.where = {file_.shown, line_in_file(element), 0};
    const XMLElement* inertial = element.FirstChildElement("inertial");
    link.inertia = read_inertia(inertial);
    link.auto_inertia = inertial != nullptr && inertial->BoolAttribute(kAutoInertia);
    link.mass = number_in(inertial, "mass");
    link.auto_density = number_in(inertial, "amontons:density");
    for (const XMLElement* collision = element.FirstChildElement("collision"); collision != nullptr;
         collision = collision->NextSiblingElement("collision")) {
      link.collisions.push_back(read_collision(*collision, link));
    }
    return link;
  }

  /// Reads an inertia [kg, kg m^2]; the format's defaults are ones.
  SpatialInertia read_inertia(const XMLElement* inertial) {
    Pose X_LI;
    if (inertial != nullptr) {
      allow(*inertial, {"pose", "mass", "inertia", "amontons:density"}, {kAutoInertia});
      X_LI = pose_in_holder(*inertial);
    }
    const XMLElement* inertia = inertial ? inertial->FirstChildElement("inertia") : nullptr;
    const auto entry = [&](const char* name, double otherwise) {
      return number_in(inertia, name).value_or(otherwise);
    };
    const double xy = entry("ixy", 0.0), xz = entry("ixz", 0.0), yz = entry("iyz", 0.0);
    Eigen::Matrix3d I;
    I << entry("ixx", 1.0), xy, xz,  //
        xy, entry("iyy", 1.0), yz,   //
        xz, yz, entry("izz", 1.0);
    return {number_in(inertial, "mass").value_or(1.0), X_LI.translation,
            X_LI.rotation * I * X_LI.rotation.transpose()};
  }

  SdfCollision read_collision(const XMLElement& element, const SdfLink& link) {
    allow(element, {"pose", "geometry", "surface", "amontons:density"}, {"name"});
    SdfCollision collision;
    collision.name = name_of(element);
    const auto [pose, frame] = pose_in_frame(element, link.name);
    collision.X_LG = pose;
    if (frame != link.name) {
      const std::optional<Pose> X_MF = frames_.pose_of(frame);
      require(X_MF.has_value());
      collision.X_LG = link.X_ML.inverse() * X_MF.value_or(Pose{}) * pose;
    }
    collision.file = file_.path;
    collision.line = line_in_file(element);
    collision.density = number_in(&element, "amontons:density");
    const XMLElement* geometry = element.FirstChildElement("geometry");
    collision.shape_line = line_in_file(*geometry);
    read_shape(*geometry->FirstChildElement(), collision);
    if (const XMLElement* surface = element.FirstChildElement("surface")) {
      read_surface(*surface, collision);
    }
    return collision;
  }

  void read_shape(const XMLElement& shape, SdfCollision& collision) {
    const std::string_view kind = shape.Name();
    const Eigen::Vector3d round(number_in(&shape, "radius").value_or(0.0),
                                number_in(&shape, "length").value_or(0.0), 0.0);
    if (kind == "empty") return;
    if (kind == "box") {
      collision.kind = SdfShapeKind::Box;
      collision.size = vector_in(shape, "size", Eigen::Vector3d::Zero());
    } else if (kind == "sphere" || kind == "cylinder" || kind == "capsule" ||
               kind == "amontons:cone") {
      collision.kind = kind == "sphere"     ? SdfShapeKind::Sphere
                       : kind == "cylinder" ? SdfShapeKind::Cylinder
                       : kind == "capsule"  ? SdfShapeKind::Capsule
                                            : SdfShapeKind::Cone;
      collision.size = round;
    } else if (kind == "ellipsoid") {
      collision.kind = SdfShapeKind::Ellipsoid;
      collision.size = vector_in(shape, "radii", Eigen::Vector3d::Zero());
    } else if (kind == "plane") {
      collision.kind = SdfShapeKind::Plane;
      collision.size = vector_in(shape, "normal", Eigen::Vector3d::UnitZ()).normalized();
      require(collision.size.norm() > 0.5);  // not of a zero vector
    } else if (kind == "mesh") {
      collision.kind = SdfShapeKind::Mesh;
      collision.size = vector_in(shape, "scale", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.as_hull = shape.Attribute(kMeshOptimization, kConvexHull) != nullptr;
      allow(shape, {"uri", "scale"}, {kMeshOptimization});
    } else if (kind == "heightmap") {
      collision.kind = SdfShapeKind::HeightMap;
      collision.size = vector_in(shape, "size", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.X_LG.translation +=
          collision.X_LG.rotation * vector_in(shape, "pos", Eigen::Vector3d::Zero());
    } else if (kind == kPolylines) {
      collision.kind = SdfShapeKind::Polylines;
      collision.uri = text_of(shape);
      collision.shape_line = line_in_file(shape);
    } else {
      require(false);
    }
  }

  /// Reads friction and restitution; bit masks are left to libsdformat.
  void read_surface(const XMLElement& surface, SdfCollision& collision) {
    allow(surface, {"friction", "bounce", "contact"});
    const auto child_of = [](const XMLElement* element, const char* name) {
      return element ? element->FirstChildElement(name) : nullptr;
    };
    const auto read = [&](const XMLElement* element, const char* name, std::optional<double>& to) {
      const XMLElement* found = child_of(element, name);
      if (found && !to) to = number_in(element, name);
    };
    const XMLElement* friction = surface.FirstChildElement("friction");
    read(child_of(friction, "ode"), "mu", collision.friction);
    read(child_of(friction, "bullet"), "friction", collision.friction);
    read(surface.FirstChildElement("bounce"), "restitution_coefficient", collision.restitution);
    if (const XMLElement* contact = surface.FirstChildElement("contact")) {
      allow(*contact, {"collide_without_contact"});
      collision.only_sensed = flag_in(*contact, "collide_without_contact", false);
    }
  }

  const SdfFile& file_;
  const XMLElement& element_;
  std::string version_;
  SdfFrames frames_;
};

/// Reads a model that a world includes. What the include gives replaces name, pose and flag.
std::optional<SdfModel> read_include(const SdfDocument& document, const XMLElement& include) {
  const SdfFile& file = document.file_of(std::string(text_of(*include.FirstChildElement("uri"))));
  const XMLElement* element = file.used->RootElement()->FirstChildElement("model");
  if (element == nullptr || element->NextSiblingElement() != nullptr) return std::nullopt;
  std::optional<SdfModel> model = PlainModel(file, *element).read();
  if (!model) return std::nullopt;
  // Frames that the file does not hold itself are left to libsdformat.
  const std::optional<WrittenPose> own = written_pose(*element);
  if (!own->relative_to.empty() || element->Attribute("placement_frame")) return std::nullopt;
  for (const XMLElement* e = include.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view key = e->Name(), text = text_of(*e);
    if (key == "name") {
      model->name = text;
    } else if (key == "static") {
      model->is_static = text == "true" || text == "1";
    } else if (key == "placement_frame") {
      return std::nullopt;
    }
  }
  // Its pose replaces that of the model, also where it is empty.
  const std::optional<WrittenPose> pose = written_pose(include);
  if (!pose) return std::nullopt;
  if (include.FirstChildElement("pose") != nullptr) model->X_WM = pose->X;
  return model;
}

/// Returns the name of a model or include in the world.
std::string name_in_world(const SdfDocument& document, const XMLElement& element) {
  if (const char* name = element.Attribute("name")) return name;
  if (const XMLElement* name = element.FirstChildElement("name")) {
    return std::string(text_of(*name));
  }
  const SdfFile& file = document.file_of(std::string(text_of(*element.FirstChildElement("uri"))));
  const XMLElement* model = file.used->RootElement()->FirstChildElement("model");
  const char* name = model ? model->Attribute("name") : nullptr;
  return name ? name : "";
}

/// Places the models of a world whose poses are relative to frames.
class PlainWorld {
 public:
  PlainWorld(const SdfDocument& document, const XMLElement& holder)
      : document_(document), holder_(holder) {}

  /// Returns the models, or nothing where their places need libsdformat.
  std::optional<std::vector<std::optional<SdfModel>>> read() {
    std::vector<std::optional<SdfModel>> models;
    std::vector<std::string> names;
    for (const XMLElement* e = holder_.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      const std::string_view kind = e->Name();
      const XMLElement* pose = e->FirstChildElement("pose");
      const bool is_relative = pose != nullptr && pose->Attribute("relative_to") != nullptr;
      uses_frames_ = uses_frames_ || kind == "frame" || is_relative;
      if (kind == "frame") {
        if (!add_frame(*e)) return std::nullopt;
      } else if (kind == "model" || kind == "include") {
        models.push_back(kind == "model" ? PlainModel(document_.main(), *e).read()
                                         : read_include(document_, *e));
        names.push_back(name_in_world(document_, *e));
        // Names of the world must differ; libsdformat reports it if they do not.
        if (!add_model(*e, names.back(), models.back())) return std::nullopt;
      } else if (is_relative) {
        return std::nullopt;
      }
    }
    if (!uses_frames_) return models;
    // A model that libsdformat resolves needs all that others may be relative to.
    if (!frames_.resolve()) return std::nullopt;
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (!models[i]) return std::nullopt;
      models[i]->X_WM = *frames_.pose_of(names[i]);
    }
    return models;
  }

 private:
  bool add_frame(const XMLElement& element) {
    const std::optional<WrittenPose> pose = written_pose(element);
    if (!pose) return false;
    const std::string body = attribute_of(element, "attached_to", kWorldFrame);
    return frames_.add(attribute_of(element, "name", ""), pose->X,
                       pose->relative_to.empty() ? body : pose->relative_to, body);
  }

  bool add_model(const XMLElement& element, const std::string& name,
                 const std::optional<SdfModel>& model) {
    const std::optional<WrittenPose> pose = written_pose(element);
    const std::string frame = pose && !pose->relative_to.empty() ? pose->relative_to : kWorldFrame;
    return frames_.add(name, model ? model->X_WM : Pose{}, frame, std::nullopt);
  }

  const SdfDocument& document_;
  const XMLElement& holder_;
  SdfFrames frames_{kWorldFrame, kWorldFrame};
  bool uses_frames_ = false;
};

}  // namespace

std::optional<Pose> plain_pose(const XMLElement& element) {
  const std::optional<WrittenPose> pose = written_pose(element);
  if (!pose || !pose->relative_to.empty()) return std::nullopt;
  return pose->X;
}

std::optional<PlainModels> read_plain_models(const SdfDocument& document) {
  const XMLElement& root = *document.main().used->RootElement();
  PlainModels result;
  // A file holds a world, or a single model.
  const XMLElement* holder = root.FirstChildElement("world");
  result.is_world = holder != nullptr;
  if (holder != nullptr && holder->NextSiblingElement("world") != nullptr) return std::nullopt;
  if (holder == nullptr) holder = &root;
  auto models = PlainWorld(document, *holder).read();
  if (!models || (!result.is_world && models->size() != 1)) return std::nullopt;
  result.models = std::move(*models);
  return result;
}

}  // namespace amontons::io
