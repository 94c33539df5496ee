#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/simulation/simulator.h"
#include "tools/amontons/live/live_channel.h"
#include "tools/amontons/live/live_feed.h"
#include "tools/amontons/live/live_pace.h"
#include "tools/amontons/live/live_pull.h"
#include "tools/amontons/live/live_requests.h"
#include "tools/amontons/live/live_server.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace amontons::live {

/// Sets how a simulation is shown and what its pages may do.
struct LiveSettings {
  std::string owner = "view";  ///< names the caller in errors
  int port = 0;                ///< 0: a free one
  double speed = 1.0;          ///< simulated time by wall time; 0: as fast as possible
  bool waits_alone = false;    ///< keeps to the speed also while no browser looks
  bool begins_paused = false;  ///< waits for a browser, and for the reader to end the pause
  /// Returns the simulation to its start; empty: pages cannot ask for that.
  std::function<void(Simulator&)> restart = {};
  std::function<void()> stop = {};  ///< is called by a thread of the server; may be empty
};

/// Shows a simulation in browsers on this machine, and carries out what their pages ask: pause,
/// steps, speed, restart, pulls of bodies and targets of servos.
///
///   LiveSession session(settings);
///   session.begin(sim, "scene.yaml", visuals);
///   sim.add_observer(session.feed());
///   while (session.await_step(sim)) sim.step();
class LiveSession {
 public:
  /// Opens the port. @throws io::ParseError if it is taken or not allowed.
  explicit LiveSession(LiveSettings settings);
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  ~LiveSession();

  /// Begins to serve the page, at the simulation's present state.
  /// @param file  of the scene.
  void begin(const Simulator& sim, const std::string& file, const io::ModelVisuals& visuals);
  std::string address() const { return server_->address(); }
  int num_viewers() const { return server_->num_viewers(); }
  /// Returns the observer that publishes the steps; begin() has made it.
  LiveFeed& feed() { return *feed_; }

  /// Carries out what pages ask, and waits until the next step is due. A pause lasts until it is
  /// ended, or two seconds after the last browser has gone.
  /// @returns false where a page has asked to stop.
  /// @throws Stopped where the calling thread is asked to stop (math/stop.h), within 50 ms.
  bool await_step(Simulator& sim);

  bool is_paused() const { return shown_paused_; }
  /// Publishes the last state and ends the stream. @param reason  in words.
  void end(const std::string& reason);

 private:
  /// Carries out restarts, targets and positions.
  void obey(Simulator& sim, const LiveRequests::Asked& asked);
  /// Returns true if a browser looks, or did so within two seconds.
  bool is_watched();
  void publish_status(const LiveRequests::Asked& asked);

  LiveSettings settings_;
  LiveChannel channel_;
  std::unique_ptr<LiveFeed> feed_;
  std::unique_ptr<LiveRequests> requests_;
  // After what it calls: it ends first.
  std::unique_ptr<LiveServer> server_;
  LivePace pace_;
  PullDrive pull_;
  std::map<std::size_t, double> targets_before_;  // of servos that pages have set, by joint
  std::chrono::steady_clock::time_point watched_;
  bool was_watched_ = false;
  bool has_status_ = false, shown_paused_ = false;
  double shown_speed_ = 1.0;
};

}  // namespace amontons::live
