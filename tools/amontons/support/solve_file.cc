#include "tools/amontons/support/solve_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/io/problem/optimization_problem_file.h"
#include "amontons/math/effort.h"
#include "amontons/math/stop.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/impulse_solution.h"
#include "amontons/models/islands/contact_space_solver.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/optimization/lcp/worst_pair.h"
#include "amontons/optimization/programs/box_qp_methods.h"
#include "amontons/optimization/programs/lcp_methods.h"
#include "amontons/optimization/qp/worst_variable.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace amontons::cli {
namespace {

// The first of short solves pays for page faults: they are repeated, the shortest time counts.
constexpr double kShort = 0.02;  // [s]
constexpr int kMaxRepeats = 20;

int total_iterations(const std::vector<SolveAttempt>& attempts) {
  return std::accumulate(attempts.begin(), attempts.end(), 0,
                         [](int sum, const SolveAttempt& a) { return sum + a.iterations; });
}

SolveReport contact_report(const std::string& model) {
  SolveReport report;
  report.kind = "contact problem";
  report.model = model;
  return report;
}

SolveReport report_of(const io::FclibLocalProblem& local, const ContactSpaceSolution& solution,
                      const std::string& model) {
  SolveReport report = contact_report(model);
  report.law = to_string(solution.law.kind);
  report.status = solution.status;
  report.holds = solution.certificate.holds;
  report.residual =
      std::max({solution.certificate.normal.value, solution.certificate.friction.value,
                solution.certificate.rounding.value});
  report.coulomb = solution.certificate.coulomb.value;
  report.law_distance = solution.certificate.law_distance.value;
  report.iterations = total_iterations(solution.attempts);
  report.rows_per_contact = local.spacedim;
  report.asymmetry = local.asymmetry;
  report.impulses = io::to_file_rows(solution.impulses, local.spacedim);
  report.velocities = io::to_file_rows(solution.velocity, local.spacedim);
  report.attempts = solution.attempts;
  report.solution.law = solution.law;
  report.solution.impulses = solution.impulses;
  return report;
}

SolveReport report_of(const GlobalProblem& global, const CertifiedSolution& solution,
                      const std::string& model) {
  const ContactProblem& problem = global.problem;
  SolveReport report = contact_report(model);
  const Certificate& certificate = solution.certificate;
  report.law = to_string(solution.solution.law.kind);
  report.status = solution.solution.status;
  report.holds = certificate.holds;
  report.residual =
      std::max({certificate.normal.value, certificate.friction.value, certificate.limit.value,
                certificate.joint_friction.value, certificate.joint.value,
                certificate.dynamics.value, certificate.rounding.value});
  report.coulomb = certificate.coulomb.value;
  report.law_distance = certificate.law_distance.value;
  report.iterations = solution.solution.iterations;
  report.rows_per_contact = global.rows_per_contact;
  Eigen::VectorXd u = problem.contact_velocities(solution.solution.velocity);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    u(ContactProblem::row(i) + 2) += problem.stabilized_gap(i);
  }
  report.impulses = io::to_file_rows(solution.solution.impulses, report.rows_per_contact);
  report.velocities = io::to_file_rows(u, report.rows_per_contact);
  report.attempts = solution.solution.attempts;
  report.solution = solution.solution;
  return report;
}

SolveReport solve_one(const io::FclibLocalProblem& local, ContactSpaceSolver& solver,
                      const std::string& model) {
  const Stopwatch watch;
  const ContactSpaceSolution solution = solver.solve(local.problem);
  const double time_s = watch.seconds();
  SolveReport report = report_of(local, solution, model);
  report.time_s = time_s;
  return report;
}

SolveReport solve_one(const GlobalProblem& global, IslandwiseSolver& solver,
                      const std::string& model, double tolerance) {
  const Stopwatch watch;
  const CertifiedSolution solution = solver.solve(global.problem, Eigen::VectorXd(), tolerance);
  const double time_s = watch.seconds();
  SolveReport report = report_of(global, solution, model);
  report.time_s = time_s;
  return report;
}

/// Returns true if a program is solved by numbers that doubles hold.
bool is_finite_solution(const SolveReport& report) {
  return report.status == SolveStatus::Converged && report.impulses.allFinite() &&
         report.velocities.allFinite();
}

/// Returns the report of a program without its slack.
SolveReport program_report(const char* kind, const std::string& method, ProgramAnswer answer,
                           double time_s) {
  SolveReport report;
  report.time_s = time_s;
  report.kind = kind;
  report.model = method;
  report.status = answer.status;
  report.residual = answer.residual;
  report.iterations = answer.iterations;
  report.impulses = std::move(answer.x);
  report.attempts = {{method, report.status, report.iterations, time_s, {}}};
  return report;
}

SolveReport solve_one(const LinearComplementarityProblem& problem, const std::string& method,
                      double tolerance) {
  const Stopwatch watch;
  ProgramAnswer answer;
  if (method.empty()) {
    LemkeSettings settings;
    settings.tolerance = tolerance;
    LcpSolution found = solve_each_pair(problem, settings);
    answer = {found.status, std::move(found.z), found.residual, found.pivots};
  } else {
    answer = solve_lcp(problem, method, tolerance);
  }
  SolveReport report =
      program_report("linear complementarity problem", method.empty() ? "Lemke" : method,
                     std::move(answer), watch.seconds());
  report.velocities = problem.M * report.impulses + problem.q;
  report.holds = is_finite_solution(report);
  return report;
}

SolveReport solve_one(const MixedComplementarityProblem& problem, const std::string& method,
                      double tolerance) {
  const std::string name = method.empty() ? "lemke" : method;
  const Stopwatch watch;
  ProgramAnswer answer = solve_mixed_lcp(problem, name, tolerance);
  SolveReport report = program_report("mixed linear complementarity problem", name,
                                      std::move(answer), watch.seconds());
  report.velocities = problem.M * report.impulses + problem.q;
  report.holds = is_finite_solution(report);
  return report;
}

SolveReport solve_one(const BoxQuadraticProgram& problem, const std::string& method,
                      double tolerance) {
  const Stopwatch watch;
  ProgramAnswer answer;
  std::string name = method;
  if (method.empty()) {
    BoxQpSettings settings;
    settings.tolerance = tolerance;
    BoxQpSolution found = solve_each_variable(problem, settings);
    name =
        found.method == BoxQpMethod::GradientProjection ? "gradient projection" : "block pivoting";
    answer = {found.status, std::move(found.x), found.residual, found.iterations()};
  } else {
    answer = solve_box_qp_by(problem, method, tolerance);
  }
  SolveReport report = program_report("box QP", name, std::move(answer), watch.seconds());
  report.velocities = problem.H * report.impulses + problem.g;
  report.holds = is_finite_solution(report);
  return report;
}

/// Returns a function that solves one problem at each call, and keeps memory as a simulation does.
class Solver {
 public:
  Solver(const std::string& model, const ModelSettings& settings)
      : name_(model), settings_(settings) {}

  SolveReport operator()(const io::FclibLocalProblem& local) {
    if (!contact_space_) contact_space_.emplace(name_, settings_);
    return solve_one(local, *contact_space_, name_);
  }

  SolveReport operator()(const GlobalProblem& global) {
    if (!model_) {
      model_ = make_model(name_, settings_);
      islandwise_.emplace(*model_);
    }
    return solve_one(global, *islandwise_, name_, settings_.tolerance);
  }

  template <typename Program>
  SolveReport operator()(const Program& program) {
    return solve_one(program, name_, settings_.tolerance);
  }

 private:
  const std::string& name_;
  const ModelSettings& settings_;
  std::optional<ContactSpaceSolver> contact_space_;
  std::unique_ptr<ContactModel> model_;
  std::optional<IslandwiseSolver> islandwise_;
};

/// Reads impulses in rows (t1, t2, n) [3 nc] [N s].
Eigen::VectorXd read_answer(const std::string& path, int rows_per_contact, std::size_t nc) {
  const io::Hdf5Handle file = io::open_hdf5_file(path);
  const bool is_fclib = !io::has_object(file, "impulses") && io::has_object(file, "solution/r");
  const std::string name = is_fclib ? "solution/r" : "impulses";
  const std::vector<double> values = io::read_doubles(file, name);
  const std::size_t needed = nc * static_cast<std::size_t>(rows_per_contact);
  if (values.size() != needed) {
    throw io::ParseError(path, 0, 0,
                         name + " has " + std::to_string(values.size()) +
                             " entries; the problem needs " + std::to_string(needed));
  }
  const Eigen::Map<const Eigen::VectorXd> rows(values.data(),
                                               static_cast<Eigen::Index>(values.size()));
  if (!rows.allFinite())
    throw io::ParseError(path, 0, 0, name + " has numbers that are not finite");
  return io::from_file_rows(rows, rows_per_contact);
}

/// Certifies impulses, rows (t1, t2, n), of a problem without bodies.
SolveReport certify_rows(const io::FclibLocalProblem& local, const Eigen::VectorXd& impulses,
                         const std::string& answer, const ModelTraits& traits,
                         const ModelSettings& settings) {
  ContactSpaceSolution solution;
  solution.law = traits.law;
  solution.impulses = impulses;
  solution.velocity = contact_velocities(local.problem, solution.impulses);
  solution.certificate =
      certify(local.problem, solution.law, solution.impulses, settings.tolerance);
  solution.status =
      solution.certificate.holds ? SolveStatus::Converged : SolveStatus::IterationLimit;
  SolveReport report = report_of(local, solution, answer);
  report.law_asked = to_string(solution.law.kind);
  report.law_distance = report.residual;
  return report;
}

/// Certifies impulses, rows (t1, t2, n), of a problem with bodies.
SolveReport certify_rows(const GlobalProblem& global, const Eigen::VectorXd& impulses,
                         const std::string& answer, const ModelTraits& traits,
                         const ModelSettings& settings) {
  const ContactLaw law = law_on(traits, global.problem);
  const CertifiedSolution certified =
      certify_impulses(global.problem, impulses, Eigen::VectorXd(), law, settings.tolerance);
  SolveReport report = report_of(global, certified, answer);
  report.law_asked = to_string(law.kind);
  report.law_distance = report.residual;
  return report;
}

/// Returns a remark on a refused answer that another order of its rows would have certified.
/// @param impulses  rows (t1, t2, n), read from rows (n, t1, t2).
/// @param holds     certifies rows (t1, t2, n).
template <typename Holds>
std::string remark_on_order(const SolveReport& report, const Eigen::VectorXd& impulses,
                            const Holds& holds) {
  if (report.holds || report.rows_per_contact != 3) return "";
  // The rows as the file has them.
  const Eigen::VectorXd in_file = io::to_file_rows(impulses, 3);
  if (!holds(in_file)) return "";
  return "certified if its rows are (t1, t2, n), the order of Python's solution.impulses: write "
         "(n, t1, t2) of each contact";
}

}  // namespace

SolvableProblem load_solvable(const std::string& file) {
  const io::Hdf5Handle handle = io::open_hdf5_file(file);
  if (io::has_object(handle, "lcp/free")) return io::load_mixed_lcp(file);
  if (io::has_object(handle, "lcp")) return io::load_lcp(file);
  if (io::has_object(handle, "qp")) return io::load_box_qp(file);
  if (io::has_object(handle, "fclib_local")) return io::load_fclib_local(file);
  // Our own files have three rows whatever they were made from.
  const bool planar = !io::has_object(handle, "amontons") &&
                      io::has_object(handle, "fclib_global") &&
                      io::read_ints(io::open_group(handle, "fclib_global"), "spacedim") ==
                          std::vector<std::int32_t>{2};
  return GlobalProblem{io::load_contact_problem(file), planar ? 2 : 3};
}

bool is_accepted(const SolveReport& report, AcceptedAnswers accept) {
  LawTally tally;
  tally.add({.status = report.status, .holds = report.holds, .distance = report.law_distance});
  return tally.is_accepted(accept);
}

bool is_contact_problem(const SolvableProblem& problem) {
  return std::holds_alternative<io::FclibLocalProblem>(problem) ||
         std::holds_alternative<GlobalProblem>(problem);
}

std::vector<std::string> method_names(const SolvableProblem& problem) {
  if (std::holds_alternative<LinearComplementarityProblem>(problem) ||
      std::holds_alternative<MixedComplementarityProblem>(problem)) {
    return lcp_method_names();
  }
  if (std::holds_alternative<BoxQuadraticProgram>(problem)) return box_qp_method_names();
  return {};
}

SolveReport solve(const SolvableProblem& problem, const std::string& model,
                  const ModelSettings& settings, double max_effort) {
  Solver solver(model, settings);
  const auto once = [&] {
    const EffortBudget budget(max_effort);
    return std::visit([&](const auto& one) { return solver(one); }, problem);
  };
  SolveReport report = once();
  if (is_contact_problem(problem)) {
    report.law_asked = to_string(make_model(model, settings)->traits().law.kind);
  }
  double spent = report.time_s;
  for (int k = 0; k < kMaxRepeats && spent < kShort; ++k) {
    try {
      const double again = once().time_s;
      spent += again;
      report.time_s = std::min(report.time_s, again);
    } catch (const Stopped&) {
      break;  // the answer is there: a time limit ends its repetition alone
    }
  }
  return report;
}

SolveReport certify_answer(const SolvableProblem& problem, const std::string& answer,
                           const std::string& model, const ModelSettings& settings) {
  const ModelTraits traits = make_model(model, settings)->traits();
  const auto certify_with = [&](const auto& contacts, int rows_per_contact) {
    const auto certified = [&](const Eigen::VectorXd& rows) {
      return certify_rows(contacts, rows, answer, traits, settings);
    };
    const Eigen::VectorXd impulses = read_answer(
        answer, rows_per_contact, static_cast<std::size_t>(contacts.problem.num_contacts()));
    SolveReport report = certified(impulses);
    report.remark = remark_on_order(
        report, impulses, [&](const Eigen::VectorXd& rows) { return certified(rows).holds; });
    return report;
  };
  if (const auto* local = std::get_if<io::FclibLocalProblem>(&problem)) {
    return certify_with(*local, local->spacedim);
  }
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    return certify_with(*global, global->rows_per_contact);
  }
  throw std::invalid_argument("--certify needs a contact problem");
}

}  // namespace amontons::cli
