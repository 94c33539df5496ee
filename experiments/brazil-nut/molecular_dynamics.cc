#include "experiments/brazil-nut/molecular_dynamics.h"

#include "experiments/brazil-nut/penalty_disks.h"

#include <algorithm>
#include <utility>

namespace amontons::experiments {

void Tops::add(double shake, double large_top, std::vector<double> tops) {
  const auto at =
      tops.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(tops.size()));
  std::nth_element(tops.begin(), at, tops.end());
  shakes.push_back(shake);
  large.push_back(large_top);
  small.push_back(*at);
  if (emerged < 0.0 && large.back() > small.back()) emerged = shake;
}

Tops shake_by_penalty(const Scene& scene, double width, double period, int most) {
  constexpr double kAmplitude = 2.0;
  std::vector<PenaltyDisk> disks;
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    PenaltyDisk disk;
    disk.radius = std::get<Sphere>(body.shapes[0].shape).radius;
    disk.mass = body.inertia.mass;
    disk.position = {body.pose.translation.x(), body.pose.translation.z()};
    disks.push_back(disk);
  }
  PenaltyDisks motion(std::move(disks), {width, kAmplitude, period}, {});
  Tops result;
  for (int shake = 1; shake <= most && result.emerged < 0.0; ++shake) {
    motion.advance_to(shake * period);
    std::vector<double> tops;
    for (const PenaltyDisk& disk : motion.disks()) tops.push_back(disk.position.y() + disk.radius);
    const double large_top = tops.front();
    tops.erase(tops.begin());
    result.add(shake, large_top, std::move(tops));
  }
  return result;
}

double restitution_of_penalty() {
  constexpr double kDown = 5.0;
  PenaltyDisk disk;
  disk.radius = 0.5;
  disk.mass = 1.0;
  disk.position = {0.0, 0.5001};
  disk.velocity = {0.0, -kDown};
  PenaltySettings settings;
  settings.gravity = 0.0;
  PenaltyDisks motion({disk}, {10.0, 0.0, 1.0}, settings);
  motion.advance_to(0.05);
  return motion.disks().front().velocity.y() / kDown;
}

}  // namespace amontons::experiments
