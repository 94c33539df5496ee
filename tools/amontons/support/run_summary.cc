#include "tools/amontons/support/run_summary.h"

#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "tools/amontons/support/law_answers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace amontons::cli {
namespace {

enum ResidualIndex : std::size_t {
  kNormal,
  kFriction,
  kLimit,
  kJointFriction,
  kJoint,
  kDynamics,
  kDissipation,
  kCoulomb,
  kLawDistance,
  kEnergyGained,
  kLoop,
  kOverlap,
  kEnergyCreated,
  kInfeasibility,
  kNumResiduals
};

// Dissipation, coulomb and law distance are for information; all other residuals decide the
// certificate or bound an error.
constexpr const char* kResidualNames[kNumResiduals] = {
    "normal",   "friction",    "limit",          "joint friction", "joint",
    "dynamics", "dissipation", "coulomb",        "law distance",   "energy gained",
    "loop",     "overlap",     "energy created", "infeasibility"};
constexpr const char* kResidualUnits[kNumResiduals] = {"", "", "",  "", "", "",  "",
                                                       "", "", "J", "", "", "J", "m"};

struct WorkTerm {
  const char* name;
  double EnergyLedger::*work;
};
constexpr WorkTerm kWorkTerms[] = {{"gravity", &EnergyLedger::gravity},
                                   {"actuators", &EnergyLedger::actuators},
                                   {"contact normal", &EnergyLedger::contact_normal},
                                   {"contact friction", &EnergyLedger::contact_friction},
                                   {"springs", &EnergyLedger::springs},
                                   {"joint friction", &EnergyLedger::joint_friction},
                                   {"impacts", &EnergyLedger::impacts},
                                   {"stabilization", &EnergyLedger::stabilization},
                                   {"integration", &EnergyLedger::integration},
                                   {"unexplained", &EnergyLedger::unexplained}};

/// Returns a name as a key of JSON.
std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

RunSummary::RunSummary(const System& system, const SimulationSettings& settings)
    : system_(&system),
      joint_rank_(compute_joint_rank(system, system.initial_state())),
      tally_(settings.tolerance),
      accept_(settings.accept),
      residuals_(kNumResiduals) {
  for (std::size_t i = 0; i < kNumResiduals; ++i) {
    residuals_[i].name = kResidualNames[i];
    residuals_[i].unit = kResidualUnits[i];
  }
}

void RunSummary::observe(const StepReport& report) {
  // The initial report has no step: it sets the energies and the infeasibility of the start.
  end_time_ = report.end->time;
  if (report.start == nullptr) {
    first_energy_ = energy_ = report.energy;
    integration_.start(report.energy);
    note(kInfeasibility, report.certificate.infeasibility, end_time_, "at the start");
    return;
  }

  // Counts and times of the steps.
  ++num_steps_;
  step_time_s_ += report.step_time_s;
  solve_time_s_ += report.solve_time_s;
  const auto contacts = static_cast<std::int64_t>(report.problem.num_contacts());
  num_contacts_ += contacts;
  most_contacts_ = std::max(most_contacts_, contacts);

  // Overlaps that are too deep for one step are removed at a limited speed.
  if (report.problem.num_deferred_overlaps() > 0) {
    ++num_relaxed_;
    last_relaxed_time_ = end_time_;
    overlap_speed_ = report.problem.overlap_speed;
  }

  // A step with the number of the last one has its solution, and islands may keep theirs.
  const bool repeats =
      report.solution_number > 0 && report.solution_number == last_solution_number_;
  last_solution_number_ = report.solution_number;

  // The worst residuals, the work by cause and the statistics of each solver.
  observe_events(report.events);
  observe_certificate(report);
  failures_.observe(*system_, report);
  if (!repeats) loading_ = self_loading(report.problem, report.solution, kSelfLoaded);
  observe_self_loading(report);
  observe_energy(report.energy);
  ++statuses_[to_string(report.solution.status)];
  for (const SolveAttempt& attempt : report.solution.attempts) {
    if (repeats || attempt.remark == kReusedAnswer) {
      ++num_reused_;
      continue;
    }
    SolverStatistics& statistics = solvers_[attempt.solver];
    ++statistics.attempts;
    statistics.iterations += attempt.iterations;
    statistics.most_iterations = std::max(statistics.most_iterations, attempt.iterations);
    statistics.time_s += attempt.time_s;
    ++statistics.endings[to_string(attempt.status)];
  }
}

void RunSummary::observe_events(const StepEvents& events) {
  events_.impacts += events.impact ? 1 : 0;
  events_.zeno += events.zeno ? 1 : 0;
  events_.sliding += events.sliding != SlidingLaw::Determined ? 1 : 0;
  events_.became_steady += events.became_steady;
  events_.became_bouncing += events.became_bouncing;
  events_.by_forces += events.by_forces > 0 ? 1 : 0;
  events_.force_error = std::max(events_.force_error, events.force_error);
}

void RunSummary::observe_certificate(const StepReport& report) {
  const Certificate& certificate = report.certificate;
  if (!certificate.holds && tally_.num_missed() == 0) {
    first_missed_ = report.end->step_count;
    first_missed_time_ = end_time_;
  }
  tally_.add(answered_step(*system_, report, tally_.tolerance()));
  const Residual* contact_residuals[] = {&certificate.normal, &certificate.friction,
                                         &certificate.dissipation, &certificate.coulomb,
                                         &certificate.law_distance};
  constexpr ResidualIndex contact_indices[] = {kNormal, kFriction, kDissipation, kCoulomb,
                                               kLawDistance};
  // Names are made only for what is worse than before.
  const auto note_at = [this](std::size_t index, const Residual& residual, const auto& name) {
    if (is_worst(index, residual.value)) {
      note(index, residual.value, end_time_, name(residual.where));
    }
  };
  const auto name_of_contact = [&](int contact) { return contact_name(*system_, report, contact); };
  for (std::size_t i = 0; i < std::size(contact_indices); ++i) {
    note_at(contact_indices[i], *contact_residuals[i], name_of_contact);
  }
  const auto row_name = [&](int row) {
    const std::vector<BoundedRow>& rows = report.problem.bounded_rows;
    const bool known = row >= 0 && row < static_cast<int>(rows.size());
    return known ? name_of(*system_, rows[static_cast<std::size_t>(row)]) : std::string();
  };
  const auto name_of_joint = [this](int row) { return joint_name(row); };
  note_at(kLimit, certificate.limit, row_name);
  note_at(kJointFriction, certificate.joint_friction, row_name);
  note_at(kJoint, certificate.joint, name_of_joint);
  note(kDynamics, certificate.dynamics.value, end_time_, "");
  note(kEnergyGained, certificate.energy_gained, end_time_, "");
  note_at(kLoop, certificate.loop, name_of_joint);
  note_at(kOverlap, certificate.overlap, name_of_contact);
  note(kEnergyCreated, certificate.energy_created, end_time_, "");
  note(kInfeasibility, certificate.infeasibility, end_time_, "");
}

void RunSummary::observe_self_loading(const StepReport& report) {
  if (!(loading_.ratio > kSelfLoaded)) return;
  ++self_loaded_.steps;
  if (!(loading_.ratio > self_loaded_.ratio)) return;
  const auto contact = static_cast<std::size_t>(loading_.contact);
  self_loaded_.ratio = loading_.ratio;
  self_loaded_.impulse = report.solution.impulses(ContactProblem::row(contact) + 2);
  self_loaded_.time = end_time_;
  self_loaded_.where = contact_name(*system_, report, loading_.contact);
}

std::string RunSummary::self_loading_text() const {
  if (self_loaded_.steps == 0) return "";
  return fmt::format(
      "reactions: more than {:g} times what loads them in {} steps, the most {:.3g} times at t = "
      "{:.6g} s, {} with {:.3g} N s; amontons info --jams finds contacts that load each other\n",
      kSelfLoaded, self_loaded_.steps, self_loaded_.ratio, self_loaded_.time, self_loaded_.where,
      self_loaded_.impulse);
}

void RunSummary::observe_energy(const EnergyLedger& energy) {
  energy_.kinetic = energy.kinetic;
  integration_.add(energy);
  energy_.potential = energy.potential;
  for (const WorkTerm& term : kWorkTerms) {
    energy_.*term.work += energy.*term.work;
    exchanged_ += std::abs(energy.*term.work);
  }
  exchanged_ -= std::abs(energy.unexplained);
  unexplained_ += std::abs(energy.unexplained);
}

// A value that is not a number is worse than any number.
bool RunSummary::is_worst(std::size_t residual, double value) const {
  const double worst = residuals_[residual].value;
  return !std::isnan(worst) && (std::isnan(value) || value > worst);
}

void RunSummary::note(std::size_t residual, double value, double time, const std::string& where) {
  if (!is_worst(residual, value)) return;
  WorstResidual& worst = residuals_[residual];
  worst.value = value;
  worst.time = time;
  worst.where = where;
}

std::string RunSummary::joint_name(int row) const {
  for (const JointCoordinate& joint : system_->joints()) {
    if (row >= joint.first_row && row < joint.first_row + joint.num_rows) return joint.name;
  }
  return "";
}

std::string RunSummary::text() const {
  // The law asked, then size and speed of the run.
  const double factor = step_time_s_ > 0.0 ? end_time_ / step_time_s_ : 0.0;
  const double n = static_cast<double>(std::max<std::int64_t>(1, num_steps_));
  std::string out = tally_.text() + "\n";
  out += fmt::format(
      "{} steps to t = {:.6g} s in {:.3g} s, {:.3g} times real time; {:.1f} contacts a step, at "
      "most "
      "{}\n",
      num_steps_, end_time_, step_time_s_, factor, static_cast<double>(num_contacts_) / n,
      most_contacts_);

  // Redundant rows of J and events, where there are any.
  if (joint_rank_.redundant() > 0) {
    out += fmt::format("joints: {} rows of J, rank {} at the start; {} redundant, in {}\n",
                       joint_rank_.rows, joint_rank_.rank, joint_rank_.redundant(),
                       fmt::join(joint_rank_.redundant_joints, ", "));
  }
  out += events_text();

  // The certificate, with the worst value of each residual.
  out += certificate_text();
  out += failures_.text();
  out += self_loading_text();
  if (num_relaxed_ > 0) {
    out += fmt::format(
        "overlap: too deep for one step in {} steps, the last at t = {:.6g} s; removed at {:g} m/s "
        "at most (simulation.overlap_speed)\n",
        num_relaxed_, last_relaxed_time_, overlap_speed_);
  }
  for (const WorstResidual& residual : residuals_) {
    if (residual.value == 0.0) continue;
    out += fmt::format("  worst {:<14} {:.2e}{}{} at t = {:.6g} s{}{}\n", residual.name,
                       residual.value, *residual.unit == '\0' ? "" : " ", residual.unit,
                       residual.time, residual.where.empty() ? "" : ", ", residual.where);
  }

  // Energies at both ends, and the work of each cause that acted.
  out += fmt::format("energy [J]: kinetic {:.6g} -> {:.6g}, potential {:.6g} -> {:.6g}\n",
                     first_energy_.kinetic, energy_.kinetic, first_energy_.potential,
                     energy_.potential);
  for (const WorkTerm& term : kWorkTerms) {
    if (energy_.*term.work == 0.0) continue;
    out += fmt::format("  {:<20} {:+.6g}\n", term.name, energy_.*term.work);
  }
  if (exchanged_ > 0.0) {
    out += fmt::format("  exchanged in all steps {:.6g}, left unexplained {:.1e}\n", exchanged_,
                       unexplained_);
  }
  if (const std::string text = integration_.text(); !text.empty()) {
    out += "accuracy: " + text + "\n";
  }

  // The endings of steps, and the share of each solver.
  out += "solver:";
  for (const auto& [status, count] : statuses_) out += fmt::format(" {} {}", count, status);
  for (const auto& [solver, statistics] : solvers_) {
    out += fmt::format(
        "\n  {}: {} solves, {:.3g} iterations each, at most {}, {:.3g} s;", solver,
        statistics.attempts,
        static_cast<double>(statistics.iterations) / static_cast<double>(statistics.attempts),
        statistics.most_iterations, statistics.time_s);
    for (const auto& [ending, count] : statistics.endings)
      out += fmt::format(" {} {}", count, ending);
  }
  if (num_reused_ > 0) {
    out += fmt::format("\n  {} answers were kept from earlier steps", num_reused_);
  }
  return out;
}

/// Returns the line on the certificate. "Met by every step" is said of the law asked alone.
std::string RunSummary::certificate_text() const {
  if (tally_.num_missed() > 0) {
    return fmt::format("certificate: MISSED by {} of {} steps, first by step {} (t = {:.6g} s)\n",
                       tally_.num_missed(), num_steps_, first_missed_, first_missed_time_);
  }
  if (tally_.is_exact()) return "certificate: met by every step\n";
  return fmt::format("certificate: met for a weaker law than asked in {} of {} steps ({})\n",
                     num_steps_ - tally_.num_asked(), num_steps_,
                     tally_.is_accepted(accept_) ? fmt::format("accepted: {}", to_string(accept_))
                                                 : "not accepted");
}

/// Returns a line for runs that have events, else nothing.
std::string RunSummary::events_text() const {
  std::vector<std::string> parts;
  const auto add = [&parts](std::int64_t count, const std::string& what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(events_.impacts, "impacts");
  add(events_.became_steady, "pairs came into sustained contact");
  add(events_.became_bouncing, "pairs in sustained contact bounced");
  add(events_.zeno, "steps ended sequences of ever smaller bounces");
  add(events_.sliding, "steps with no or several forces of a sliding contact (Painleve)");
  add(events_.by_forces,
      fmt::format("steps by contact forces (estimated error of the integrator at most {:.1e})",
                  events_.force_error));
  return parts.empty() ? "" : fmt::format("events: {}\n", fmt::join(parts, ", "));
}

nlohmann::ordered_json RunSummary::json() const {
  nlohmann::ordered_json residuals, energy;
  auto statuses = nlohmann::ordered_json::object(), solvers = nlohmann::ordered_json::object();

  // Worst residuals and energies by the names of the summary, as keys.
  for (const WorstResidual& residual : residuals_) {
    residuals[key_of(residual.name)] = {
        {"value", residual.value}, {"time", residual.time}, {"where", residual.where}};
  }
  energy["kinetic"] = {first_energy_.kinetic, energy_.kinetic};
  energy["potential"] = {first_energy_.potential, energy_.potential};
  for (const WorkTerm& term : kWorkTerms) energy[key_of(term.name)] = energy_.*term.work;
  energy["exchanged"] = exchanged_;
  energy["unexplained_in_all_steps"] = unexplained_;

  // Endings of steps and statistics of each solver.
  for (const auto& [status, count] : statuses_) statuses[status] = count;
  for (const auto& [solver, statistics] : solvers_) {
    solvers[solver] = {{"attempts", statistics.attempts},
                       {"iterations", statistics.iterations},
                       {"most_iterations", statistics.most_iterations},
                       {"time_s", statistics.time_s},
                       {"endings", statistics.endings}};
  }
  return {{"law", law_json(tally_, accept_)},
          {"steps", num_steps_},
          {"time", end_time_},
          {"step_time_s", step_time_s_},
          {"solve_time_s", solve_time_s_},
          {"real_time_factor", step_time_s_ > 0.0 ? end_time_ / step_time_s_ : 0.0},
          {"joint_rows", joint_rank_.rows},
          {"joint_rank", joint_rank_.rank},
          {"contacts", num_contacts_},
          {"events",
           {{"impacts", events_.impacts},
            {"zeno", events_.zeno},
            {"sliding_without_one_force", events_.sliding},
            {"became_steady", events_.became_steady},
            {"became_bouncing", events_.became_bouncing},
            {"steps_by_forces", events_.by_forces},
            {"force_error", events_.force_error}}},
          {"missed_certificates", tally_.num_missed()},
          {"relaxed_steps", num_relaxed_},
          {"unmet", failures_.json()},
          {"self_loaded",
           {{"steps", self_loaded_.steps},
            {"ratio", self_loaded_.ratio},
            {"impulse", self_loaded_.impulse},
            {"time", self_loaded_.time},
            {"where", self_loaded_.where}}},
          {"certificate", residuals},
          {"energy", energy},
          {"integration_share", integration_.share()},
          {"status", statuses},
          {"solvers", solvers},
          {"reused_answers", num_reused_}};
}

}  // namespace amontons::cli
