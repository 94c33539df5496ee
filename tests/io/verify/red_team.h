#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/io/run/run_row.h"
#include "amontons/models/common/contact_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

// Wrong engines: ways to be wrong about a step, each of one line, that certificate and verification
// must find.

namespace amontons::test {

/// Says where an engine goes wrong.
enum class Stage {
  Problem,   ///< it solves another problem, honestly
  Solution,  ///< it answers the right problem wrongly
  Answer,    ///< the same, where the certificate, which knows no scene, may allow it
  Record,    ///< it writes another row than its step
};

/// Describes a wrong engine.
struct WrongEngine {
  const char* name;
  Stage stage;
  /// Names the residual of the certificate that must show it, or alternatives after `|`. Empty
  /// where the certificate alone, which knows no scene and no row, cannot know.
  const char* residual;
  /// Names the check of verification that must show it, or alternatives.
  const char* check;
  /// Does wrong; returns false if the step offers no occasion.
  std::function<bool(ContactProblem&, ContactSolution&)> corrupt;
  /// Does the same to a row.
  std::function<bool(io::RunRow&)> corrupt_row = {};
};

/// Gives a solution the velocity and the joint impulses that follow from its impulses.
inline bool respond(const ContactProblem& problem, ContactSolution& solution) {
  const ContactProblem given = problem.bounded_rows.empty()
                                   ? problem
                                   : with_prescribed_rows(problem, solution.bounded_impulses);
  ImpulseResponse(given, ProblemScaling(given))
      .apply(solution.impulses, solution.velocity, solution.joint_impulses);
  return true;
}

/// Returns the place of the contact with the largest normal impulse, or -1 if none is loaded.
inline Eigen::Index most_loaded(const ContactSolution& solution) {
  Eigen::Index best = -1;
  double most = 1e-6;
  for (Eigen::Index i = 0; i < solution.impulses.size() / 3; ++i) {
    if (solution.impulses(3 * i + 2) <= most) continue;
    most = solution.impulses(3 * i + 2);
    best = i;
  }
  return best;
}

/// Returns the place of the contact with the largest friction, or -1 if none has any to speak of.
inline Eigen::Index most_rubbed(const ContactSolution& solution) {
  Eigen::Index best = -1;
  double most = 1e-5;
  for (Eigen::Index i = 0; i < solution.impulses.size() / 3; ++i) {
    const double friction = solution.impulses.segment<2>(3 * i).norm();
    if (friction <= most) continue;
    most = friction;
    best = i;
  }
  return best;
}

/// Changes the friction of the contact that has most, and moves on as it follows.
template <typename Change>
bool change_friction(ContactProblem& problem, ContactSolution& solution, const Change& change) {
  const Eigen::Index i = most_rubbed(solution);
  if (i < 0) return false;
  const Eigen::Vector2d before = solution.impulses.segment<2>(3 * i);
  solution.impulses.segment<2>(3 * i) = change(before);
  return respond(problem, solution);
}

/// Changes the loaded contact; `change` gets its place.
template <typename Change>
bool change_contact(const ContactSolution& solution, const Change& change) {
  const Eigen::Index i = most_loaded(solution);
  if (i < 0) return false;
  change(static_cast<std::size_t>(i));
  return true;
}

/// Holds a contact without a load by friction alone, as the published list of no-slip does.
inline bool hang(const ContactProblem& problem, ContactSolution& solution) {
  if (!problem.bounded_rows.empty()) return false;
  const ProblemScaling scaling(problem);
  const ImpulseResponse response(problem, scaling);
  const std::vector<int> island = islands_of_contacts(problem);
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    // A contact alone, so that no other one sees what holds it.
    if (std::count(island.begin(), island.end(), island[c]) != 1) continue;
    const Eigen::Index row = ContactProblem::row(c);
    const Contact& contact = problem.contacts[c];
    if (!(contact.friction > 0.0) || contact.gap > 1e-4 ||
        !solution.impulses.segment<3>(row).isZero(0.0)) {
      continue;
    }
    // u_t is linear in p_t: two unit impulses give its matrix.
    const Eigen::Vector2d slip = problem.contact_velocities(solution.velocity).segment<2>(row);
    if (slip.norm() < 1e-3) continue;
    const Eigen::VectorXd before = response.contact_velocities(solution.impulses);
    Eigen::Matrix2d A;
    for (Eigen::Index t = 0; t < 2; ++t) {
      Eigen::VectorXd p = solution.impulses;
      p(row + t) += 1.0;
      A.col(t) = (response.contact_velocities(p) - before).segment<2>(row);
    }
    solution.impulses.segment<2>(row) = -A.inverse() * slip;
    solution.modes[c] = ContactMode::Stick;
    return respond(problem, solution);
  }
  return false;
}

/// Holds also what nothing presses, beside contacts that bear a load: the list of no-slip has all
/// that touch.
inline bool hang_beside_loads(const ContactProblem& problem, ContactSolution& solution) {
  if (solution.law.kind != LawKind::NoSlip || most_loaded(solution) < 0) return false;
  const ContactSolution held = make_model("no-slip", {.sticking = StickingList::Touching})
                                   ->solve(problem, Eigen::VectorXd());
  if (held.status != SolveStatus::Converged) return false;
  if ((held.velocity - solution.velocity).norm() < 1e-3) return false;
  solution = held;
  return true;
}

/// Takes the impulse of the first loaded row of a kind away.
inline bool drop_row(const ContactProblem& problem, ContactSolution& solution,
                     BoundedRowKind kind) {
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    double& impulse = solution.bounded_impulses(static_cast<Eigen::Index>(i));
    if (problem.bounded_rows[i].kind != kind || std::abs(impulse) < 1e-6) continue;
    impulse = 0.0;
    return respond(problem, solution);
  }
  return false;
}

/// Takes the loaded contact out of a problem.
inline bool leave_out(ContactProblem& problem, const ContactSolution& solution) {
  const Eigen::Index left_out = most_loaded(solution);
  if (left_out < 0) return false;
  Island rest;
  const auto all = [](std::vector<int>& places, std::size_t count) {
    places.resize(count);
    std::iota(places.begin(), places.end(), 0);
  };
  all(rest.blocks, problem.mass_matrix.num_blocks());
  all(rest.contacts, problem.num_contacts());
  all(rest.joint_rows, problem.joint_jacobian.num_block_rows());
  all(rest.bounded_rows, problem.bounded_rows.size());
  rest.contacts.erase(rest.contacts.begin() + left_out);
  problem = extract(problem, rest);
  return true;
}

/// Changes a mode of the record; returns false if no contact has the wanted one.
inline bool rename_mode(io::RunRow& row, ContactMode from, ContactMode to) {
  for (io::RunContact& contact : row.contacts) {
    if (contact.mode != from || contact.impulse.z() < 1e-6) continue;
    contact.mode = to;
    return true;
  }
  return false;
}

/// Lists the wrong engines; a new one joins by one line.
inline const std::vector<WrongEngine>& wrong_engines() {
  using P = ContactProblem;
  using S = ContactSolution;
  using Eigen::Vector2d;
  static const std::vector<WrongEngine> all = {
      // Wrong answers to the right problem.
      {"friction dropped at one contact", Stage::Solution, "friction|normal",
       "friction law|normal law",
       [](P& p, S& s) { return change_friction(p, s, [](Vector2d) { return Vector2d(0, 0); }); }},
      {"friction doubled", Stage::Solution, "friction|normal", "friction law|normal law",
       [](P& p, S& s) {
         return change_friction(p, s, [](Vector2d f) { return Vector2d(2 * f); });
       }},
      {"friction that drives", Stage::Solution, "friction|normal", "friction law|normal law",
       [](P& p, S& s) { return change_friction(p, s, [](Vector2d f) { return Vector2d(-f); }); }},
      {"friction a tenth askew", Stage::Solution, "friction|normal", "friction law|normal law",
       [](P& p, S& s) {
         return change_friction(
             p, s, [](Vector2d f) { return Vector2d(f.x() - 0.1 * f.y(), f.y() + 0.1 * f.x()); });
       }},
      {"one contact gives nothing", Stage::Solution, "normal", "normal law",
       [](P& p, S& s) {
         return change_contact(
                    s, [&](std::size_t i) { s.impulses.segment<3>(P::row(i)).setZero(); }) &&
                respond(p, s);
       }},
      {"a contact that pulls", Stage::Solution, "normal", "normal law",
       [](P&, S& s) {
         return change_contact(s, [&](std::size_t i) { s.impulses(P::row(i) + 2) *= -1.0; });
       }},
      {"impulses a thousandth too large", Stage::Solution, "normal|friction",
       "normal law|friction law",
       [](P& p, S& s) {
         s.impulses *= 1.001;
         return most_loaded(s) >= 0 && respond(p, s);
       }},
      {"impulses scaled, the motion kept", Stage::Solution, "dynamics", "dynamics",
       [](P&, S& s) {
         s.impulses *= 1.001;
         return most_loaded(s) >= 0;
       }},
      {"energy added to the motion", Stage::Solution, "dynamics", "dynamics",
       [](P&, S& s) {
         s.velocity *= 1.0 + 1e-6;
         return s.velocity.norm() > 1e-3;
       }},
      {"a velocity that no impulse gave", Stage::Solution, "dynamics", "dynamics",
       [](P&, S& s) {
         s.velocity(0) += 1e-4;
         return true;
       }},
      {"free motion through the contacts", Stage::Solution, "normal", "normal law",
       [](P& p, S& s) {
         const bool is_loaded = most_loaded(s) >= 0;
         s.impulses.setZero();
         return is_loaded && respond(p, s);
       }},
      {"a loop opened", Stage::Solution, "joint", "joint law",
       [](P& p, S& s) {
         if (s.joint_impulses.size() == 0 || s.joint_impulses.norm() < 1e-6) return false;
         s.velocity -= (p.mass_matrix.to_dense().llt().solve(
             Eigen::VectorXd(p.joint_jacobian.transpose_times(s.joint_impulses))));
         s.joint_impulses.setZero();
         return true;
       }},
      {"joint impulses a thousandth too large", Stage::Solution, "dynamics", "dynamics",
       [](P&, S& s) {
         s.joint_impulses *= 1.001;
         return s.joint_impulses.size() > 0 && s.joint_impulses.norm() > 1e-6;
       }},
      {"a servo that gives nothing", Stage::Solution, "joint_friction", "joint friction law",
       [](P& p, S& s) { return drop_row(p, s, BoundedRowKind::Servo); }},
      {"dry friction of a joint dropped", Stage::Solution, "joint_friction", "joint friction law",
       [](P& p, S& s) { return drop_row(p, s, BoundedRowKind::Friction); }},
      {"a limit that lets pass", Stage::Solution, "limit", "limit law",
       [](P& p, S& s) { return drop_row(p, s, BoundedRowKind::Limit); }},
      {"a bounce that is claimed where nothing may bounce", Stage::Solution, "normal", "normal law",
       [](P&, S& s) {
         return change_contact(s, [&](std::size_t i) { s.modes[i] = ContactMode::Impact; });
       }},
      {"friction under a law that has none", Stage::Solution, "friction", "friction law",
       [](P&, S& s) {
         s.law.kind = LawKind::Frictionless;
         return most_rubbed(s) >= 0;
       }},
      {"numbers that are none", Stage::Solution, "dynamics", "positions",
       [](P&, S& s) {
         s.velocity(0) = std::nan("");
         return true;
       }},
      {"a body that hangs on a wall that nothing presses it to", Stage::Answer, "", "friction law",
       [](P& p, S& s) { return hang(p, s); }},
      {"a body that hangs on a wall and bears on another", Stage::Answer, "", "friction law",
       [](P& p, S& s) { return hang_beside_loads(p, s); }},
      // Honest answers to another problem.
      {"a gap 1 mm too wide", Stage::Problem, "", "gap",
       [](P& p, S& s) {
         return change_contact(s, [&](std::size_t i) { p.contacts[i].gap += 1e-3; });
       }},
      {"a gap 1 mm too narrow", Stage::Problem, "", "gap",
       [](P& p, S& s) {
         return change_contact(s, [&](std::size_t i) { p.contacts[i].gap -= 1e-3; });
       }},
      {"another coefficient of friction", Stage::Problem, "", "friction",
       [](P& p, S& s) {
         return change_contact(s, [&](std::size_t i) { p.contacts[i].friction += 0.01; });
       }},
      {"restitution invented", Stage::Problem, "", "restitution",
       [](P& p, S& s) {
         return change_contact(s, [&](std::size_t i) { p.contacts[i].restitution = 0.7; });
       }},
      {"a contact left out", Stage::Problem, "", "contact set",
       [](P& p, S& s) { return leave_out(p, s); }},
      {"half of gravity forgotten", Stage::Problem, "", "free velocity",
       [](P& p, S&) {
         p.free_velocity -= 0.5 * (p.free_velocity - p.velocity);
         return true;
       }},
      {"a tenth more gravity", Stage::Problem, "", "free velocity",
       [](P& p, S&) {
         p.free_velocity += 0.1 * (p.free_velocity - p.velocity);
         return true;
       }},
      {"an error of the joints overlooked", Stage::Problem, "", "joint law|dynamics",
       [](P& p, S&) {
         p.joint_error.array() += 1e-4;
         return p.joint_error.size() > 0 && p.gamma > 0.0;
       }},
      {"a motor stronger than its bound", Stage::Problem, "", "bounded rows",
       [](P& p, S&) {
         for (BoundedRow& row : p.bounded_rows) {
           if (row.kind != BoundedRowKind::Servo) continue;
           row.lower *= 1.1;
           row.upper *= 1.1;
           return true;
         }
         return false;
       }},
      // Rows that say another thing than the step.
      {"sliding called sticking",
       Stage::Record,
       "",
       "modes|friction law",
       {},
       [](io::RunRow& r) { return rename_mode(r, ContactMode::Slide, ContactMode::Stick); }},
      {"loaded called open",
       Stage::Record,
       "",
       "modes",
       {},
       [](io::RunRow& r) {
         return rename_mode(r, ContactMode::Slide, ContactMode::Open) ||
                rename_mode(r, ContactMode::Stick, ContactMode::Open);
       }},
      {"an open contact that slips called sticking",
       Stage::Record,
       "",
       "modes",
       {},
       [](io::RunRow& r) {
         for (io::RunContact& contact : r.contacts) {
           if (!contact.impulse.isZero(0.0) || contact.velocity.head<2>().norm() < 1e-3) continue;
           contact.mode = ContactMode::Stick;
           return true;
         }
         return false;
       }},
      {"the normal flipped",
       Stage::Record,
       "",
       "contact point",
       {},
       [](io::RunRow& r) {
         if (r.contacts.empty()) return false;
         r.contacts[0].normal_W *= -1.0;
         return true;
       }},
      {"another law claimed",
       Stage::Record,
       "",
       "law",
       {},
       [](io::RunRow& r) {
         r.law.kind = r.law.kind == LawKind::Viscous ? LawKind::NoSlip : LawKind::Viscous;
         return !r.contacts.empty();
       }},
      {"contacts beyond a gap left out of the law",
       Stage::Record,
       "",
       "law",
       {},
       [](io::RunRow& r) {
         r.law.activation_gap = -1.0;
         return true;
       }},
      {"success that was none",
       Stage::Record,
       "",
       "status",
       {},
       [](io::RunRow& r) {
         r.status = SolveStatus::Stalled;
         return true;
       }},
      {"a residual understated",
       Stage::Record,
       "",
       "claim",
       {},
       [](io::RunRow& r) {
         r.certificate.coulomb.value += 1e-3;
         return true;
       }},
      {"a missed contact kept quiet",
       Stage::Record,
       "",
       "claim",
       {},
       [](io::RunRow& r) {
         r.certificate.missed_contacts += 1;
         return true;
       }},
      {"work of friction left out",
       Stage::Record,
       "",
       "energy",
       {},
       [](io::RunRow& r) {
         r.energy.contact_friction += 1e-4;
         return true;
       }},
      {"bodies put elsewhere",
       Stage::Record,
       "",
       "positions",
       {},
       [](io::RunRow& r) {
         r.q(0) += 1e-6;
         return true;
       }},
      {"a step longer than the scene's",
       Stage::Record,
       "",
       "times",
       {},
       [](io::RunRow& r) {
         r.step *= 1.001;
         return true;
       }},
      {"an event in a run that has none",
       Stage::Record,
       "",
       "events",
       {},
       [](io::RunRow& r) {
         r.events.steady = !r.events.steady;
         return true;
       }},
      {"a share of restitution given away",
       Stage::Record,
       "",
       "witnesses",
       {},
       [](io::RunRow& r) {
         if (r.contacts.empty()) return false;
         r.contacts[0].restitution_share *= 0.5;
         return true;
       }},
  };
  return all;
}

}  // namespace amontons::test
