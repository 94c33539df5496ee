#include "amontons/io/picture/picture_maker.h"

#include "amontons/io/tables/png_image.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

namespace amontons::io {
namespace {

ReplayShape shape(const std::string& type, std::vector<double> size) {
  ReplayShape result;
  result.type = type;
  result.size = std::move(size);
  return result;
}

/// Returns a run of one red form at a place, with a floor or without.
ReplayRun run_of(ReplayShape form, const Eigen::Vector3d& place, bool has_floor) {
  form.color = std::array<float, 3>{1.0f, 0.0f, 0.0f};
  ReplayRun run;
  run.bodies.push_back({"form", false, {std::move(form)}});
  ReplayFrame frame;
  frame.poses.push_back({place, {1.0, 0.0, 0.0, 0.0}});
  if (has_floor) {
    run.bodies.push_back({"ground", true, {shape("half_space", {0.0, 0.0, 1.0, 0.0})}});
    frame.poses.push_back({});
  }
  run.frames.push_back(frame);
  return run;
}

PictureStyle style_of(double distance) {
  PictureStyle style;
  style.width = 320;
  style.height = 240;
  style.overlays = {.points = false, .forces = false, .cones = false};
  style.camera.follow = "form";
  style.camera.distance = distance;
  return style;
}

Image picture(const ReplayRun& run, const PictureStyle& style, int num_threads = 1) {
  return PictureMaker({run}, style, num_threads).draw({&run.frames.front()});
}

Eigen::Vector3d color(const Image& image, int x, int y) {
  const auto at = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                       static_cast<std::size_t>(x));
  return {static_cast<double>(image.rgb[at]), static_cast<double>(image.rgb[at + 1]),
          static_cast<double>(image.rgb[at + 2])};
}

/// Returns the share of the pixels that are red.
double red_share(const Image& image) {
  int number = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Eigen::Vector3d c = color(image, x, y);
      number += c.x() > 1.5 * std::max(c.y(), c.z()) && c.x() > 40.0;
    }
  }
  return static_cast<double>(number) / (image.width * image.height);
}

TEST_CASE("a ball takes the part of a picture that perspective gives it, from any side") {
  const double radius = 0.3, distance = 3.0;
  // The rays that touch the ball make a cone; its middle is the axis of the view.
  const double opening = std::tan(std::asin(radius / distance));
  const double slope = std::tan(17.5 * std::numbers::pi / 180.0);
  const double rows = 120.0 * opening / slope;
  const double expected = std::numbers::pi * rows * rows / (320.0 * 240.0);
  for (const double elevation : {-60.0, 0.0, 24.0, 90.0}) {
    PictureStyle style = style_of(distance);
    style.camera.elevation = elevation;
    style.camera.azimuth = 77.0;
    const Image image = picture(run_of(shape("sphere", {radius}), {5.0, -2.0, 9.0}, false), style);
    // A polygon of 40 sides is smaller by 0.4 %, and the edge takes parts of pixels.
    CHECK(red_share(image) == Approx(expected).epsilon(0.04));
    style.camera.zoom = 1.5;
    CHECK(red_share(picture(run_of(shape("sphere", {radius}), {5.0, -2.0, 9.0}, false), style)) ==
          Approx(2.25 * expected).epsilon(0.04));
  }
}

TEST_CASE("a box seen from the front is as large as its face") {
  // Its face is nearer than the target by half its depth.
  const ReplayRun run = run_of(shape("box", {0.8, 0.4, 0.5}), {0.0, 0.0, 1.0}, false);
  PictureStyle style = style_of(4.0);
  style.camera.view = "front";
  const double scale = 120.0 / (std::tan(17.5 * std::numbers::pi / 180.0) * 3.8);
  CHECK(red_share(picture(run, style)) ==
        Approx(0.8 * scale * 0.5 * scale / (320.0 * 240.0)).epsilon(0.04));
}

TEST_CASE("every type of shape is drawn") {
  ReplayShape mesh = shape("mesh", {});
  mesh.vertices = {0, 0, 0, 0.4f, 0, 0, 0, 0.4f, 0, 0, 0, 0.4f};
  mesh.triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  for (const ReplayShape& form :
       {shape("sphere", {0.2}), shape("box", {0.3, 0.3, 0.3}), shape("capsule", {0.1, 0.3}),
        shape("cylinder", {0.1, 0.3}), shape("ellipsoid", {0.1, 0.2, 0.3}), mesh}) {
    INFO(form.type);
    CHECK(red_share(picture(run_of(form, {0.0, 0.0, 0.5}, true), style_of(3.0))) > 0.005);
  }
}

TEST_CASE("a ball above a floor throws its shadow to where the sun's ray meets the floor") {
  ReplayRun run = run_of(shape("sphere", {0.2}), {0.0, 0.0, 0.6}, true);
  PictureStyle style = style_of(5.0);
  const Eigen::Vector3d sun = Lighting::to_sun().cast<double>();
  style.camera.view = "top";
  style.camera.follow.clear();
  // The shadow's middle is in the middle of the picture.
  style.camera.target = Eigen::Vector3d(-0.6 * sun.x() / sun.z(), -0.6 * sun.y() / sun.z(), 0.0);
  const double shade = color(picture(run, style), 160, 120).sum();
  run.frames.front().poses.front().position.x() += 3.0;
  const double sunny = color(picture(run, style), 160, 120).sum();
  CHECK(shade < 0.9 * sunny);
}

TEST_CASE("a body in the floor is hidden by it, and seen from below it is not") {
  const ReplayRun run = run_of(shape("sphere", {0.2}), {0.0, 0.0, -0.25}, true);
  PictureStyle style = style_of(3.0);
  style.camera.elevation = 80.0;  // far from where the floor fades
  CHECK(red_share(picture(run, style)) == 0.0);
  style.camera.elevation = -40.0;
  CHECK(red_share(picture(run, style)) > 0.01);
}

TEST_CASE("a camera within a box draws what lies beyond the near plane") {
  ReplayRun run = run_of(shape("box", {4.0, 4.0, 0.2}), {0.0, 0.0, 0.0}, false);
  PictureStyle style = style_of(1.0);
  style.camera.elevation = 12.0;  // above the box, most of whose top is behind the camera
  CHECK(red_share(picture(run, style)) > 0.4);
}

TEST_CASE("pictures have the same bytes with any number of threads, and PNG keeps them") {
  const ReplayRun run = run_of(shape("capsule", {0.2, 0.4}), {0.0, 0.0, 0.4}, true);
  PictureStyle style = style_of(2.0);
  style.height = 203;
  const Image one = picture(run, style, 1);
  CHECK(one.rgb == picture(run, style, 3).rgb);
  const std::string png = encode_png(one);
  REQUIRE(is_png(png));
  CHECK(encode_png(one) == png);
}

TEST_CASE("arrows point along forces, on both sides of a contact") {
  ReplayRun run = run_of(shape("box", {0.4, 0.4, 0.4}), {0.0, 0.0, 0.2}, true);
  PictureStyle style = style_of(3.0);
  style.camera.view = "front";
  const Image bare = picture(run, style);
  style.overlays.forces = true;
  for (const double side : {-1.0, 1.0}) {
    ReplayContact contact;
    contact.position = {0.0, -0.2, 0.2};
    contact.force = {side * 5.0, 0.0, 0.0};
    contact.mode = ReplayContactMode::Stick;
    run.frames.front().contacts = {contact};
    const Image image = picture(run, style);
    int left = 0, right = 0;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        if (color(image, x, y) != color(bare, x, y)) ++(x < 160 ? left : right);
      }
    }
    CHECK(left + right > 25);
    CHECK((side > 0.0 ? right : left) > 5 * (side > 0.0 ? left : right));
  }
}

TEST_CASE("open contacts are marked only where their dots reach the bodies") {
  ReplayRun run = run_of(shape("box", {0.4, 0.4, 0.4}), {0.0, 0.0, 0.2}, true);
  PictureStyle style = style_of(3.0);
  style.camera.view = "front";
  const Image bare = picture(run, style);
  style.overlays.points = true;
  for (const auto mode : {ReplayContactMode::Open, ReplayContactMode::Stick}) {
    for (const double gap : {0.0, 0.3}) {
      ReplayContact contact;
      contact.position = {0.0, -0.2, 0.2};
      contact.mode = mode;
      contact.gap = gap;
      run.frames.front().contacts = {contact};
      const bool is_marked = mode == ReplayContactMode::Stick || gap == 0.0;
      CHECK((picture(run, style).rgb != bare.rgb) == is_marked);
    }
  }
}

TEST_CASE("cameras and sizes that make no sense are refused") {
  const ReplayRun run = run_of(shape("sphere", {0.2}), {0.0, 0.0, 0.2}, true);
  const auto refused = [&](auto change) {
    PictureStyle style = style_of(2.0);
    change(style);
    CHECK_THROWS_AS(PictureMaker({run}, style), std::invalid_argument);
  };
  refused([](PictureStyle& s) { s.width = 8; });
  refused([](PictureStyle& s) { s.height = 5000; });
  refused([](PictureStyle& s) { s.camera.follow = "former"; });
  refused([](PictureStyle& s) { s.camera.distance = 0.0; });
  refused([](PictureStyle& s) { s.camera.zoom = std::nan(""); });
  refused([](PictureStyle& s) { s.camera.elevation = 91.0; });
  refused([](PictureStyle& s) { s.camera.view = "back"; });
  CHECK_THROWS_AS(PictureMaker({}, PictureStyle{}), std::invalid_argument);
  CHECK_THROWS_AS(PictureMaker({run}, style_of(2.0)).draw({}), std::invalid_argument);
}

}  // namespace
}  // namespace amontons::io
