#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <algorithm>
#include <string>
#include <vector>

namespace amontons {

/// Names the motion at a contact after the step; an impact is a contact that bounced.
enum class ContactMode : std::uint8_t { Open = 0, Stick = 1, Slide = 2, Impact = 3 };

/// Records one solver that was tried, and why it stopped.
struct SolveAttempt {
  std::string solver;                        ///< its name, e.g. "Lemke"
  SolveStatus status = SolveStatus::NotRun;  ///< why it stopped
  int iterations = 0;                        ///< number of its iterations
  double time_s = 0.0;                       ///< wall time [s]
  std::string remark;  ///< e.g. the bodies of an infeasible squeeze; may be empty
};

/// Holds multipliers that prove the conditions of the law `MaximumDissipation` at one contact or
/// bounded row, in one phase. The phases are Drumwright and Shell's I and II. For a row y is f of
/// phase I, and lambda its answer phi; nothing is assumed about them (dissipation_residual.h).
struct DissipationWitness {
  double phase_one = 0.0;          ///< y, normal impulse of phase I; their sum is the cap [N s]
  double multiplier = 0.0;         ///< lambda of the contact's nonpenetration in phase II [N s]
  double price = 0.0;              ///< eta of the cap, the same at all contacts that share it [m/s]
  double restitution_share = 1.0;  ///< share of e given back [-], below 1 where e would add energy
};

/// Holds the solution of a contact model. A step always returns one.
struct ContactSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< success, or the weaker law that holds
  ContactLaw law;  ///< the law that this solution claims; of several islands that of the weakest
  /// [nc] The law claimed at each contact, where islands claim different ones; empty: `law` at all.
  std::vector<LawKind> contact_laws;
  Eigen::VectorXd impulses;  ///< p [3 nc] on body B, frame (t1, t2, n) [N s]
  /// [3 nc] The compression part of p where Poisson restitution acted, else empty [N s].
  Eigen::VectorXd compression_impulses;
  /// [nc + nb] For each phase (two where Poisson restitution acted) if the law is
  /// MaximumDissipation; else empty.
  std::vector<std::vector<DissipationWitness>> witnesses;
  /// [nc + nb] Share of the rebound that contacts and limits give back [-], in [0, 1]. It is below
  /// 1 where the whole rebound would add energy (models/common/restitution.h); empty: all of it.
  Eigen::VectorXd restitution_shares;
  Eigen::VectorXd joint_impulses;    ///< c [nj]
  Eigen::VectorXd bounded_impulses;  ///< f [nb]
  /// [nb] The compression part of f where Poisson restitution acted, else empty.
  Eigen::VectorXd bounded_compression;
  std::vector<ContactMode> bounded_modes;  ///< [nb]
  Eigen::VectorXd velocity;                ///< v+ [nv]
  /// [nc] Under the law `NoSlip` the modes are the list of contacts that stick: Stick, or Impact,
  /// where the contact may stick (may_stick()).
  std::vector<ContactMode> modes;
  int iterations = 0;                  ///< sum over all attempts
  std::vector<SolveAttempt> attempts;  ///< all attempts, in order

  /// Makes this the solution of a problem that is not solved yet. Impulses of contacts and velocity
  /// keep their memory and values, which mean nothing until they are written.
  void reset() {
    status = SolveStatus::NotRun;
    law = {};
    contact_laws.clear();
    compression_impulses.resize(0);
    witnesses.clear();
    restitution_shares.resize(0);
    joint_impulses.resize(0);
    bounded_impulses.resize(0);
    bounded_compression.resize(0);
    bounded_modes.clear();
    modes.clear();
    iterations = 0;
    attempts.clear();
  }

  /// Returns the law claimed at a contact.
  LawKind law_of(std::size_t contact) const {
    return contact_laws.empty() ? law.kind : contact_laws[contact];
  }

  /// Returns true if the law of any contact, or the law of all, has a friction polygon.
  bool has_polygons() const {
    return has_polygon(law.kind) ||
           std::any_of(contact_laws.begin(), contact_laws.end(), has_polygon);
  }

  /// Returns true if Poisson restitution acted.
  bool has_two_phases() const {
    return compression_impulses.size() > 0 || bounded_compression.size() > 0;
  }
};

}  // namespace amontons
