#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons::experiments {

/// Holds a disk of the plane (x, z).
struct PenaltyDisk {
  double radius = 0.0, mass = 0.0;                               ///< [m], [kg]
  Eigen::Vector2d position, velocity = Eigen::Vector2d::Zero();  ///< [m], [m/s]
  double angle = 0.0, spin = 0.0;  ///< about the axis along which x turns to z [rad], [rad/s]
};

/// Describes a box that moves up and down: a floor z >= 0 and walls |x| <= width / 2 in its frame.
struct ShakenBox {
  double width = 0.0, amplitude = 0.0, period = 1.0;  ///< [m], [m], [s]; z = a sin(2 pi t / T)
};

/// Holds the laws of the penalty method.
struct PenaltySettings {
  double step = 1e-5;                        ///< [s]
  double stiffness = 1e6;                    ///< k of normals [N/m]
  double restitution = 0.5, friction = 0.5;  ///< [-]
  double gravity = 9.81;                     ///< [m/s^2]
};

/// Simulates disks as molecular dynamics does [Cundall, Strack 1979]: overlaps push with a linear
/// spring and a damper that gives the restitution of two disks, and slip is resisted by a spring of
/// 2/7 of that stiffness, up to friction times the normal force. Semi-implicit Euler.
class PenaltyDisks {
 public:
  PenaltyDisks(std::vector<PenaltyDisk> disks, const ShakenBox& box,
               const PenaltySettings& settings);

  /// Simulates until a time [s].
  void advance_to(double time);

  double time() const { return static_cast<double>(count_) * settings_.step; }  ///< [s]
  const std::vector<PenaltyDisk>& disks() const { return disks_; }

 private:
  struct Slip {
    double stretch = 0.0;  // of the tangential spring [m]
  };
  void find_neighbors();
  void step();
  void press(PenaltyDisk* other, std::size_t own, const Eigen::Vector2d& normal, double overlap,
             const Eigen::Vector2d& wall_velocity, Slip& slip);

  std::vector<PenaltyDisk> disks_;
  ShakenBox box_;
  PenaltySettings settings_;
  double damping_ = 0.0;                 // share of critical damping
  long long count_ = 0;                  // steps taken
  double left_ = 0.0;                    // way that disks may go until pairs are sought again [m]
  std::vector<std::size_t> neighbors_;   // pairs i < j as i n + j, ascending
  std::vector<Slip> slips_;              // of all pairs [n n]
  std::vector<Slip> slips_at_walls_;     // floor, left, right of each disk [3 n]
  std::vector<Eigen::Vector3d> forces_;  // x, z and torque [n] [N, N, N m]
};

}  // namespace amontons::experiments
