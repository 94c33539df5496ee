#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

enum class ContactMode : std::uint8_t { Open = 0, Stick = 1, Slide = 2, Impact = 3 };

/// One solver that was tried, and why it stopped.
struct SolveAttempt {
  std::string solver;                        ///< its name, e.g. "Lemke"
  SolveStatus status = SolveStatus::NotRun;  ///< why it stopped
  int iterations = 0;                        ///< how many it took
  double time_s = 0.0;                       ///< wall time
  std::string remark;  ///< e.g. the bodies of an infeasible squeeze; may be empty
};

/// What proves the optimality conditions of the law `MaximumDissipation` at one contact, in one
/// phase of the step: Drumwright and Shell's phases I and II. The judge checks it and believes none
/// of it (dissipation_residual.h).
struct DissipationWitness {
  double phase_one = 0.0;          ///< y, normal impulse of phase I, whose sum is the cap [N s]
  double multiplier = 0.0;         ///< lambda of the contact's nonpenetration in phase II [N s]
  double price = 0.0;              ///< eta of the cap, the same at all contacts of an island [m/s]
  double restitution_share = 1.0;  ///< of e that was given back; less where e would add energy
};

/// What a contact model answers. A step always returns one.
struct ContactSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< the law asked, or a weaker one
  ContactLaw law;                            ///< the law that this answer claims to satisfy
  Eigen::VectorXd impulses;                  ///< p [3 nc] on body B, frame (t1, t2, n) [N s]
  /// [3 nc] the compression part of p where Poisson restitution acted, else empty [N s].
  Eigen::VectorXd compression_impulses;
  /// [nc + nb] for each phase (two where Poisson restitution acted) if the law is
  /// MaximumDissipation; else empty.
  std::vector<std::vector<DissipationWitness>> witnesses;
  Eigen::VectorXd joint_impulses;    ///< c [nj]
  Eigen::VectorXd bounded_impulses;  ///< f [nb]
  /// [nb] the compression part of f where Poisson restitution acted, else empty.
  Eigen::VectorXd bounded_compression;
  std::vector<ContactMode> bounded_modes;  ///< [nb]
  Eigen::VectorXd velocity;                ///< v+ [nv]
  /// [nc]. Under the law `NoSlip` they are the list of contacts that stick: Stick, or Impact, where
  /// the contact may (may_stick()).
  std::vector<ContactMode> modes;
  int iterations = 0;                  ///< of all attempts
  std::vector<SolveAttempt> attempts;  ///< in order

  /// Whether Poisson restitution acted.
  bool has_two_phases() const {
    return compression_impulses.size() > 0 || bounded_compression.size() > 0;
  }
};

}  // namespace amontons
