#pragma once

#include "amontons/io/replay/replay_html.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace amontons::test {

/// Makes bodies of every shape that fall, land flat and slide to rest. Their motion is in closed
/// form, so that the replay page can be tested without a simulator.
class ReplayDemo {
 public:
  ReplayDemo(int num_bodies, int num_frames, unsigned long long seed, double friction = 0.4)
      : friction_(friction),
        columns_(static_cast<int>(std::ceil(std::sqrt(num_bodies)))),
        random_(seed) {
    run_.title = "falling demo";
    add_ground();
    for (int i = 0; i < num_bodies; ++i) add_body(i);
    for (int f = 0; f < num_frames; ++f) add_frame(2.0 * f / std::max(num_frames - 1, 1));
    add_series();
  }

  io::ReplayRun take() { return std::move(run_); }

 private:
  struct Fall {
    Eigen::Vector3d rest = Eigen::Vector3d::Zero();  // final position of the body
    double height = 0.0, speed = 0.0, heading = 0.0, foot = 0.0;
    Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
    double tilt = 0.0;
  };

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  void add_ground() {
    run_.bodies.push_back({"ground", true, {{"half_space", {0, 0, 1, 0}, {}, {}, {}, {}}}});
    falls_.emplace_back();
  }

  io::ReplayShape tetrahedron(double size) {
    const auto s = static_cast<float>(size);
    return {"mesh",
            {},
            {},
            {s, 0, -s, -s, s, -s, -s, -s, -s, 0, 0, s},
            {0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1},
            {}};
  }

  void add_body(int i) {
    const double size = uniform(0.06, 0.12);
    const std::array<io::ReplayShape, 6> shapes = {
        io::ReplayShape{"box", {2 * size, 2.4 * size, 2 * size}, {}, {}, {}, {}},
        io::ReplayShape{"sphere", {size}, {}, {}, {}, {}},
        io::ReplayShape{"cylinder", {size, 2 * size}, {}, {}, {}, {}},
        io::ReplayShape{"ellipsoid", {1.3 * size, 0.8 * size, size}, {}, {}, {}, {}},
        io::ReplayShape{"capsule", {0.5 * size, size}, {}, {}, {}, {}},
        tetrahedron(size)};
    const std::size_t kind = i % 2 == 0 ? 0 : static_cast<std::size_t>(i / 2) % shapes.size();
    run_.bodies.push_back({"body " + std::to_string(i), false, {shapes[kind]}});
    falls_.push_back(
        {{0.34 * (i % columns_ - 0.5 * columns_), 0.34 * (i / columns_ - 0.5 * columns_), size},
         uniform(0.15, 2.2),
         uniform(0.0, 1.2),
         uniform(0.0, 6.28),
         size,
         Eigen::Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized(),
         uniform(0.3, 3.0)});
  }

  io::ReplayPose pose_of(const Fall& fall, double t, double& sliding_speed,
                         bool& has_landed) const {
    const double landing = std::sqrt(2.0 * fall.height / kGravity);
    const double stopping = fall.speed / (friction_ * kGravity);
    const double flown = std::min(t, landing), slid = std::clamp(t - landing, 0.0, stopping);
    const double total = fall.speed * (landing + 0.5 * stopping);
    const double path =
        fall.speed * flown + fall.speed * slid - 0.5 * friction_ * kGravity * slid * slid;
    const Eigen::Vector3d heading(std::cos(fall.heading), std::sin(fall.heading), 0.0);
    has_landed = t >= landing;
    sliding_speed = has_landed ? fall.speed - friction_ * kGravity * slid : 0.0;
    io::ReplayPose pose;
    pose.position = fall.rest + (path - total) * heading;
    pose.position.z() += fall.height - 0.5 * kGravity * flown * flown;
    const Eigen::Quaterniond q(Eigen::AngleAxisd(fall.tilt * (1.0 - flown / landing), fall.axis));
    pose.quat_wxyz << q.w(), q.vec();
    return pose;
  }

  void add_contacts(io::ReplayFrame& frame, int body, const Fall& fall, double sliding_speed,
                    double since_landing) const {
    for (int corner = 0; corner < 4; ++corner) {
      io::ReplayContact contact;
      contact.body_b = body;
      contact.position =
          frame.poses.back().position +
          fall.foot * Eigen::Vector3d(corner % 2 == 0 ? 0.9 : -0.9, corner < 2 ? 0.9 : -0.9, -1.0);
      const bool slides = sliding_speed > 0.0;
      const double normal_force =
          2.5e3 * std::pow(fall.foot, 3) * kGravity * (1.0 + 2.0 * std::exp(-60.0 * since_landing));
      contact.force = Eigen::Vector3d(0, 0, normal_force);
      if (slides) {
        contact.force -= friction_ * normal_force *
                         Eigen::Vector3d(std::cos(fall.heading), std::sin(fall.heading), 0.0);
      }
      contact.gap = -1e-6 * (corner + 1);
      contact.friction = friction_;
      contact.mode = since_landing < 0.02 ? io::ReplayContactMode::Impact
                     : slides             ? io::ReplayContactMode::Slide
                                          : io::ReplayContactMode::Stick;
      frame.contacts.push_back(contact);
    }
  }

  void add_frame(double t) {
    io::ReplayFrame frame;
    frame.time = t;
    frame.poses.emplace_back();
    for (std::size_t b = 1; b < falls_.size(); ++b) {
      double sliding_speed = 0.0;
      bool has_landed = false;
      frame.poses.push_back(pose_of(falls_[b], t, sliding_speed, has_landed));
      const double landing = std::sqrt(2.0 * falls_[b].height / kGravity);
      if (has_landed) {
        add_contacts(frame, static_cast<int>(b), falls_[b], sliding_speed, t - landing);
      }
    }
    run_.frames.push_back(std::move(frame));
  }

  void add_curve(const std::string& chart, const std::string& name, const std::string& unit,
                 bool log_scale, double limit, double (*value)(double)) {
    io::ReplaySeries series{name, unit, {}, log_scale, chart, limit};
    for (const double t : run_.series_time) series.values.push_back(value(t));
    run_.series.push_back(std::move(series));
  }

  void add_series() {
    for (int k = 0; k <= 2000; ++k) run_.series_time.push_back(1e-3 * k);
    const double none = std::nan("");
    add_curve("Energy", "kinetic", "J", false, none,
              [](double t) { return 40.0 * t * std::exp(-6.0 * t * t); });
    add_curve("Energy", "potential", "J", false, none,
              [](double t) { return 22.0 * std::exp(-2.5 * t * t) + 3.0; });
    add_curve("Energy", "friction", "J", false, none,
              [](double t) { return -9.0 * (1.0 - std::exp(-3.0 * t * t)); });
    add_curve("Energy", "impacts", "J", false, none,
              [](double t) { return -14.0 * (1.0 - std::exp(-4.0 * t * t)); });
    add_curve("Worst gap", "penetration", "m", true, none,
              [](double t) { return 1e-6 * (1.1 + std::sin(9.0 * t)); });
    add_curve("Certificate", "claimed", "", true, 1e-8,
              [](double t) { return std::pow(10.0, -11.0 + std::sin(7.0 * t)); });
    add_curve("Certificate", "coulomb", "", true, 1e-8,
              [](double t) { return std::pow(10.0, -5.0 + 0.6 * std::sin(31.0 * t)); });
    add_curve("Certificate", "dissipation", "", true, 1e-8,
              [](double t) { return std::pow(10.0, -13.0 + std::cos(3.0 * t)); });
    add_curve("Contacts", "contacts", "", false, none,
              [](double t) { return std::floor(120.0 * (1.0 - std::exp(-3.0 * t * t))); });
    add_curve("Solve time", "step", "s", false, none,
              [](double t) { return 1.4e-3 * (1.0 - std::exp(-3.0 * t * t)) + 2e-4; });
    add_curve("Solve time", "solve", "s", false, none, [](double t) {
      return 1.1e-3 * (1.0 - std::exp(-3.0 * t * t)) * (1.0 + 0.2 * std::sin(50 * t)) + 5e-5;
    });
    run_.num_steps = 2000;
    run_.certified = true;
    run_.verdict = "all steps certified";
    run_.summary = {"model coulomb, step 0.001 s", "worst claimed residual 9.8e-11 at 0.225 s",
                    "real-time factor 3.2"};
  }

  static constexpr double kGravity = 9.81;  // m/s^2

  double friction_;
  int columns_;  // columns of the grid on which the bodies come to rest
  std::mt19937_64 random_;
  std::vector<Fall> falls_;
  io::ReplayRun run_;
};

}  // namespace amontons::test
