#include "experiments/brazil-nut/penalty_disks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace amontons::experiments {
namespace {

constexpr double kSkin = 0.2;  // gap up to which pairs are listed [m]
constexpr double kTangentialShare = 2.0 / 7.0;

// Restitution of a spring with a share b < 1/sqrt(2) of critical damping, in a contact that ends
// when its force does [Schwager, Poschel 2007].
double restitution_of(double b) {
  const double root = std::sqrt(1.0 - b * b);
  const double phase = std::numbers::pi - std::atan2(2.0 * b * root, 1.0 - 2.0 * b * b);
  return std::exp(-b / root * phase);
}

// Share of critical damping that gives a restitution, by bisection.
double damping_ratio(double restitution) {
  double low = 0.0, high = 0.7;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle) > restitution ? low : high) = middle;
  }
  return low;
}

}  // namespace

PenaltyDisks::PenaltyDisks(std::vector<PenaltyDisk> disks, const ShakenBox& box,
                           const PenaltySettings& settings)
    : disks_(std::move(disks)),
      box_(box),
      settings_(settings),
      damping_(damping_ratio(settings.restitution)),
      slips_(disks_.size() * disks_.size()),
      slips_at_walls_(3 * disks_.size()),
      forces_(disks_.size()) {}

void PenaltyDisks::find_neighbors() {
  neighbors_.clear();
  const std::size_t n = disks_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double reach = disks_[i].radius + disks_[j].radius + kSkin;
      const bool near = (disks_[i].position - disks_[j].position).squaredNorm() < reach * reach;
      if (near) {
        neighbors_.push_back(i * n + j);
      } else {
        slips_[i * n + j] = {};
      }
    }
  }
  left_ = 0.5 * kSkin;
}

/// Adds the forces of one contact.
/// @param other    the other disk, or null for a wall.
/// @param normal   from the disk `own` to the other body.
void PenaltyDisks::press(PenaltyDisk* other, std::size_t own, const Eigen::Vector2d& normal,
                         double overlap, const Eigen::Vector2d& wall_velocity, Slip& slip) {
  if (!(overlap > 0.0)) {
    slip = {};
    return;
  }
  const PenaltyDisk& disk = disks_[own];
  // Positive spin turns x to z, so that a point at r has the velocity spin (-r_z, r_x).
  const Eigen::Vector2d tangent(-normal.y(), normal.x());
  Eigen::Vector2d relative = disk.velocity + disk.spin * disk.radius * tangent;
  double mass = disk.mass;
  if (other != nullptr) {
    relative -= other->velocity - other->spin * other->radius * tangent;
    mass = disk.mass * other->mass / (disk.mass + other->mass);
  } else {
    relative -= wall_velocity;
  }
  // Spring and damper, which never pull.
  const double damper = 2.0 * damping_ * std::sqrt(mass * settings_.stiffness);
  const double push = std::max(0.0, settings_.stiffness * overlap + damper * relative.dot(normal));
  // The tangential spring follows the slip up to Coulomb's bound.
  const double stiffness = kTangentialShare * settings_.stiffness;
  slip.stretch += settings_.step * relative.dot(tangent);
  const double bound = settings_.friction * push / stiffness;
  slip.stretch = std::clamp(slip.stretch, -bound, bound);
  const double drag = stiffness * slip.stretch;
  const Eigen::Vector2d force = -push * normal - drag * tangent;
  forces_[own] += Eigen::Vector3d(force.x(), force.y(), -disk.radius * drag);
  if (other == nullptr) return;
  const auto k = static_cast<std::size_t>(other - disks_.data());
  forces_[k] += Eigen::Vector3d(-force.x(), -force.y(), -other->radius * drag);
}

void PenaltyDisks::step() {
  if (left_ <= 0.0) find_neighbors();
  const double omega = 2.0 * std::numbers::pi / box_.period, now = time();
  const double floor = box_.amplitude * std::sin(omega * now);
  const Eigen::Vector2d box_velocity(0.0, box_.amplitude * omega * std::cos(omega * now));
  const std::size_t n = disks_.size();
  for (std::size_t i = 0; i < n; ++i) {
    forces_[i] = {0.0, -disks_[i].mass * settings_.gravity, 0.0};
    const PenaltyDisk& disk = disks_[i];
    // Floor, left wall, right wall.
    press(nullptr, i, {0.0, -1.0}, disk.radius - (disk.position.y() - floor), box_velocity,
          slips_at_walls_[3 * i]);
    press(nullptr, i, {-1.0, 0.0}, disk.radius - (disk.position.x() + 0.5 * box_.width),
          box_velocity, slips_at_walls_[3 * i + 1]);
    press(nullptr, i, {1.0, 0.0}, disk.radius - (0.5 * box_.width - disk.position.x()),
          box_velocity, slips_at_walls_[3 * i + 2]);
  }
  for (const std::size_t pair : neighbors_) {
    const std::size_t i = pair / n, j = pair % n;
    const Eigen::Vector2d apart = disks_[j].position - disks_[i].position;
    const double distance = apart.norm();
    press(&disks_[j], i, apart / distance, disks_[i].radius + disks_[j].radius - distance,
          Eigen::Vector2d::Zero(), slips_[pair]);
  }
  // Velocities first, then positions with them.
  double fastest = 0.0;
  const double h = settings_.step;
  for (std::size_t i = 0; i < n; ++i) {
    PenaltyDisk& disk = disks_[i];
    disk.velocity += h / disk.mass * forces_[i].head<2>();
    disk.spin += h * forces_[i].z() / (0.5 * disk.mass * disk.radius * disk.radius);
    disk.position += h * disk.velocity;
    disk.angle += h * disk.spin;
    fastest = std::max(fastest, disk.velocity.squaredNorm());
  }
  left_ -= h * std::sqrt(fastest);
  ++count_;
}

void PenaltyDisks::advance_to(double time) {
  const long long end = std::llround(time / settings_.step);
  while (count_ < end) step();
}

}  // namespace amontons::experiments
