#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/inertia_check.h"
#include "amontons/io/scene/scene_reader.h"

#include <cmath>

namespace amontons::io {
namespace {

/// Returns the inertia of all shapes at a uniform density [kg/m^3]; where shapes overlap, both
/// count.
SpatialInertia combine_shapes(const std::vector<ReadShape>& shapes, double density) {
  SpatialInertia total;
  for (const ReadShape& shape : shapes) {
    if (!shape.solid || !(shape.solid->volume > 0.0)) continue;
    total = combine(total, transform(shape.scene_shape.X_BG, with_density(*shape.solid, density)));
  }
  return total;
}

/// Returns the sum of the volumes [m^3]; where shapes overlap, both count.
double total_volume(const std::vector<ReadShape>& shapes) {
  double volume = 0.0;
  for (const ReadShape& shape : shapes) volume += shape.solid ? shape.solid->volume : 0.0;
  return volume;
}

/// Refuses a mass or inertia that is not finite or not positive. Numbers that are within bounds one
/// by one can still overflow or vanish together.
void check_result(const MapReader& body, const SpatialInertia& inertia) {
  if (!std::isfinite(inertia.mass) || !(inertia.mass > 0.0) || !inertia.inertia.allFinite() ||
      !inertia.center_of_mass.allFinite()) {
    fail_at(body.where(), body.what() + ": its shapes are too large or too small to have a mass");
  }
  const std::string fault = inertia_fault(inertia.inertia);
  if (!fault.empty()) fail_at(body.where(), "inertia of " + body.what() + " " + fault);
}

}  // namespace

Eigen::Matrix3d read_inertia_matrix(const MapReader& map, const Eigen::Matrix3d& otherwise) {
  const YamlValue& value = map.required("inertia");
  const std::string what = map.name_of("inertia");
  const std::size_t count = value.is_partial_list ? 6 : read_list(value, what).size();
  if (count != 3 && count != 6) {
    fail_at(value.where, what + " must be [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz], but " +
                             "has " + std::to_string(count) + " entries");
  }
  // The six numbers are the upper triangle: [ixx, iyy, izz, ixy, ixz, iyz].
  std::vector<double> numbers = {otherwise(0, 0), otherwise(1, 1), otherwise(2, 2),
                                 otherwise(0, 1), otherwise(0, 2), otherwise(1, 2)};
  numbers.resize(count);
  numbers = map.numbers("inertia", numbers);
  Eigen::Matrix3d inertia = Eigen::Vector3d(numbers[0], numbers[1], numbers[2]).asDiagonal();
  if (count == 6) {
    inertia(0, 1) = inertia(1, 0) = numbers[3];
    inertia(0, 2) = inertia(2, 0) = numbers[4];
    inertia(1, 2) = inertia(2, 1) = numbers[5];
  }
  // The scene's author can correct a matrix that no rigid body has, so that it is an error here.
  const std::string fault = inertia_fault(inertia);
  if (!fault.empty()) fail_at(value.where, what + " " + fault);
  return inertia;
}

SpatialInertia read_inertia(SceneReader& reader, const MapReader& body,
                            const std::vector<ReadShape>& shapes) {
  // Exactly one of mass [kg] and density [kg/m^3] sets the scale of the inertia.
  const YamlValue* mass = body.find("mass");
  const YamlValue* density = body.find("density");
  if (mass && density) {
    fail_at(density->where, body.what() + " gives mass and density; give one of them");
  }
  if (!mass && !density) {
    fail_at(body.where(), body.what() + " moves and needs a mass or a density (or fixed: true)");
  }
  if (density && shapes.empty()) {
    fail_at(density->where, body.what() + " has no shapes; give its mass instead of a density");
  }
  // Flat meshes have no volume, and the tiniest ones none that a number can hold.
  const bool has_volume = total_volume(shapes) >= kSmallestNumber;
  if (!shapes.empty() && !has_volume && (density || !body.find("inertia"))) {
    fail_at(shapes.front().where, body.what() +
                                      " asks its shapes for their mass, but they have no volume; "
                                      "give mass and inertia (or fixed: true)");
  }
  // Given a mass m, the shapes have the uniform density m / (sum of their volumes).
  SpatialInertia result;
  if (has_volume) {
    const double rho = density ? read_positive(*density, body.name_of("density"))
                               : read_positive(*mass, body.name_of("mass")) / total_volume(shapes);
    result = combine_shapes(shapes, rho);
  }
  if (mass) result.mass = read_positive(*mass, body.name_of("mass"));

  // Keys of the body override single parts of what the shapes give.
  const YamlValue* center = body.find("center_of_mass");
  result.center_of_mass = body.vector3("center_of_mass", result.center_of_mass);
  if (body.has("inertia")) {
    result.inertia = read_inertia_matrix(body, result.inertia);
  } else if (shapes.empty()) {
    fail_at(body.where(), body.what() + " has no shapes, so that it needs the key 'inertia'");
  } else if (center) {
    // The shapes' inertia about their own center of mass is kept and used about the given center.
    reader.note(ImportFate::Approximated, body.name_of("inertia"),
                "that of its shapes about their own center, moved to the center of mass given",
                center->where);
  }
  check_result(body, result);
  return result;
}

}  // namespace amontons::io
