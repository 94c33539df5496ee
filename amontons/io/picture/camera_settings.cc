#include "amontons/io/picture/camera_settings.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace amontons::io {
namespace {

const std::vector<std::string> kViews = {"usual", "front", "side", "top"};
const std::vector<std::string> kKeys = {"azimuth", "elevation", "target", "distance",
                                        "follow",  "zoom",      "orbit"};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void refuse(const std::string& entry, const std::string& why) {
  throw ParseError("camera " + entry, 0, 0, why);
}

double number_of(const std::string& entry, const std::string& text) {
  double number = 0.0;
  const std::string fault = parse_number(text, number);
  if (!fault.empty()) refuse(entry, fault);
  return number;
}

Eigen::Vector3d point_of(const std::string& entry, const std::string& text) {
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; std::getline(words, word, ':');) numbers.push_back(number_of(entry, word));
  if (numbers.size() != 3) refuse(entry, "must be three coordinates [m], X:Y:Z, such as 0:0:0.5");
  return {numbers[0], numbers[1], numbers[2]};
}

void set(CameraSettings& camera, const std::string& entry, const std::string& key,
         const std::string& value) {
  if (value.empty()) refuse(entry, "must be KEY=VALUE, such as azimuth=30");
  if (key == "azimuth") {
    camera.azimuth = number_of(entry, value);
  } else if (key == "elevation") {
    camera.elevation = number_of(entry, value);
  } else if (key == "target") {
    camera.target = point_of(entry, value);
  } else if (key == "distance") {
    camera.distance = number_of(entry, value);
  } else if (key == "follow") {
    camera.follow = value;
  } else if (key == "zoom") {
    camera.zoom = number_of(entry, value);
  } else if (key == "orbit") {
    camera.orbit = number_of(entry, value);
  } else {
    refuse(entry, "unknown key; the keys are " + listed(kKeys) + did_you_mean(key, kKeys));
  }
}

}  // namespace

void check_camera(const CameraSettings& camera) {
  const auto need = [](bool is_met, const std::string& what) {
    if (!is_met) throw std::invalid_argument("camera: " + what);
  };
  need(std::find(kViews.begin(), kViews.end(), camera.view) != kViews.end(),
       "view must be one of " + listed(kViews) + ", not " + camera.view);
  need(std::isfinite(camera.azimuth.value_or(0.0)), "azimuth must be finite [deg]");
  need(std::abs(camera.elevation.value_or(0.0)) <= 90.0,
       "elevation must be between -90 and 90 [deg]");
  need(!camera.target || camera.target->allFinite(), "target must be finite [m]");
  const double distance = camera.distance.value_or(1.0);
  need(distance > 0.0 && std::isfinite(distance), "distance must be positive [m]");
  need(camera.zoom > 0.0 && std::isfinite(camera.zoom), "zoom must be positive");
  need(std::isfinite(camera.orbit), "orbit must be finite [deg/s]");
}

CameraSettings parse_camera(const std::string& text, const std::string& view) {
  CameraSettings camera;
  camera.view = view;
  std::istringstream entries(text);
  std::vector<std::string> seen;
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string key = entry.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) refuse(entry, "is given twice");
    seen.push_back(key);
    set(camera, entry, key, entry.substr(std::min(equals + 1, entry.size())));
  }
  try {
    check_camera(camera);
  } catch (const std::invalid_argument& error) {
    throw ParseError("camera " + text, 0, 0, std::string(error.what()).substr(8));
  }
  return camera;
}

}  // namespace amontons::io
