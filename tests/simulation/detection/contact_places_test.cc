#include "amontons/simulation/detection/contact_places.h"

#include "amontons/geometry/shapes/height_field.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

// Contacts of a body on a plane, at a pose of the body and at another one.

namespace amontons::test {
namespace {

using Eigen::Vector3d;

/// Makes a body on the ground, z <= 0.
Scene on_ground(const Shape& shape, const Vector3d& position) {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  add_ground(scene);
  add_body(scene, "body", shape, 1.0, position);
  return scene;
}

/// Returns the places of all contacts of the ground (body 0) and the body (body 1) up to a gap.
std::vector<ContactPlace> places_at(const System& system, const std::vector<Pose>& X_WB,
                                    double gap) {
  std::vector<ContactPoint> points;
  std::vector<Contact> contacts;
  append_pair_contacts(system, 0, X_WB[0], 1, X_WB[1], {gap}, points, contacts);
  std::vector<ContactPlace> places;
  for (const Contact& contact : contacts) {
    places.push_back({contact.key, contact.position_W, contact.gap});
  }
  return places;
}

}  // namespace

TEST_CASE("A contact of a ball stays midway between its lowest point and the plane") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto draw = [&] { return Vector3d(unit(random), unit(random), unit(random)); };
  for (int i = 0; i < num_cases(2000); ++i) {
    const double radius = 0.3 + 0.2 * unit(random);
    const System system(on_ground(Sphere{radius}, {0.0, 0.0, radius}));
    // It rolls, slides and jumps by up to three of its radii.
    std::vector<Pose> then(2), now(2);
    then[1] = {rotation_from_vector(draw()), {unit(random), unit(random), radius}};
    now[1] = {rotation_from_vector(3.0 * draw()), then[1].translation + radius * 3.0 * draw()};
    now[1].translation.z() = radius * (1.2 + unit(random));
    std::vector<ContactPlace> places = places_at(system, then, 0.01);
    REQUIRE(places.size() == 1);
    move_contact_places(system, then, now, places);
    const Vector3d& center = now[1].translation;
    const Vector3d expected(center.x(), center.y(), 0.5 * (center.z() - radius));
    CHECK((places[0].position_W - expected).norm() < 1e-12);
  }
}

TEST_CASE("Contacts of a box stay midway between its corners and the plane") {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Vector3d half(0.2, 0.3, 0.1);
  const System system(on_ground(Box{2.0 * half}, {0.0, 0.0, half.z()}));
  for (int i = 0; i < num_cases(2000); ++i) {
    std::vector<Pose> then(2), now(2);
    then[1].translation = {unit(random), unit(random), half.z()};
    const Vector3d turn(0.3 * unit(random), 0.3 * unit(random), unit(random));
    now[1] = {rotation_from_vector(turn), then[1].translation};
    now[1].translation += Vector3d(unit(random), unit(random), 0.2 * unit(random));
    std::vector<ContactPlace> places = places_at(system, then, 0.01);
    REQUIRE(places.size() == 4);
    const std::vector<ContactPlace> before = places;
    move_contact_places(system, then, now, places);
    for (std::size_t k = 0; k < places.size(); ++k) {
      Vector3d corner = now[1] * (then[1].inverse() * before[k].position_W);
      corner.z() *= 0.5;
      CHECK((places[k].position_W - corner).norm() < 1e-12);
    }
  }
}

TEST_CASE(
    "A contact whose feature the shapes no longer have takes the nearest point, or the mean") {
  const System system(on_ground(Sphere{0.1}, {0.0, 0.0, 0.1}));
  std::vector<Pose> then(2), now(2);
  then[1].translation = now[1].translation = {0.0, 0.0, 0.1};
  now[1].translation.x() = 0.4;
  std::vector<ContactPlace> places = {{{0, 1, 77}, {0.0, 0.0, 0.0}, 0.0},
                                      {{0, 1, 78}, {0.0, 0.0, 0.0}, 0.0}};
  move_contact_places(system, then, now, places);
  // The ball has one point; the mean of the plane's and the ball's motion is half of the way.
  CHECK((places[0].position_W - Vector3d(0.4, 0.0, 0.0)).norm() < 1e-15);
  CHECK((places[1].position_W - Vector3d(0.2, 0.0, 0.0)).norm() < 1e-15);
}

// The triangles of the floor have 5 cm, so that the ball leaves its own.
TEST_CASE("A contact of a ball that rolls over a terrain stays below its center") {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double radius = 0.1;
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  const auto flat = std::make_shared<const HeightField>(Eigen::MatrixXd::Zero(41, 41), 2.0, 2.0);
  SceneBody terrain;
  terrain.name = "terrain";
  terrain.base = BaseType::Fixed;
  terrain.shapes.push_back({flat, Pose{}, "default"});
  scene.bodies.push_back(terrain);
  add_body(scene, "ball", Sphere{radius}, 1.0, {0.0, 0.0, radius});
  const System system(scene);
  for (int i = 0; i < num_cases(2000); ++i) {
    std::vector<Pose> then(2), now(2);
    then[1].translation = {0.5 * unit(random), 0.5 * unit(random), radius};
    // It rolls without slip: its lowest point is at rest.
    const Vector3d way(0.3 * unit(random), 0.3 * unit(random), 0.0);
    now[1] = {rotation_from_vector(Vector3d::UnitZ().cross(way) / radius),
              then[1].translation + way};
    std::vector<ContactPlace> places = places_at(system, then, 0.001);
    REQUIRE(places.size() >= 1);
    move_contact_places(system, then, now, places);
    const Vector3d lowest = now[1].translation - Vector3d(0.0, 0.0, radius);
    CHECK((places[0].position_W - lowest).norm() < 1e-9);
  }
}

TEST_CASE("Contacts of bodies that stay keep their places to the bit") {
  const System system(on_ground(Box{{0.2, 0.3, 0.1}}, {0.0, 0.0, 0.05}));
  std::vector<Pose> poses(2);
  poses[1] = {rotation_from_vector({0.01, 0.02, 0.7}), {1.0 / 3.0, 0.7, 0.05}};
  std::vector<ContactPlace> places = places_at(system, poses, 0.1);
  const std::vector<ContactPlace> before = places;
  move_contact_places(system, poses, poses, places);
  CHECK(std::ranges::equal(places, before, [](const ContactPlace& a, const ContactPlace& b) {
    return a.position_W == b.position_W;
  }));
  places[0].key.shape_b = 7;
  CHECK_THROWS_WITH(move_contact_places(system, poses, poses, places),
                    Catch::Contains("names the shape 7, but the scene has 2"));
}

}  // namespace amontons::test
