#include "tools/amontons/solve_file.h"

#include "amontons/io/contact_problem_file.h"
#include "amontons/io/fclib_local.h"
#include "amontons/io/hdf5_handle.h"
#include "amontons/io/optimization_problem_file.h"
#include "amontons/models/contact_space_solver.h"
#include "amontons/models/island_solver.h"
#include "amontons/optimization/lemke.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

namespace amontons::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool file_has(const std::string& file, const char* name) {
  return io::has_object(io::open_hdf5_file(file), name);
}

ModelSettings settings_of(const SolveOptions& options) {
  ModelSettings settings;
  settings.tolerance = options.tolerance;
  settings.friction_directions = options.directions;
  return settings;
}

int total_iterations(const std::vector<SolveAttempt>& attempts) {
  return std::accumulate(attempts.begin(), attempts.end(), 0,
                         [](int sum, const SolveAttempt& a) { return sum + a.iterations; });
}

SolveReport solve_local(const SolveOptions& options) {
  const io::FclibLocalProblem local = io::load_fclib_local(options.file);
  const Clock::time_point begin = Clock::now();
  const ContactSpaceSolution answer =
      solve_in_contact_space(local.problem, options.model, settings_of(options));
  SolveReport report;
  report.time_s = seconds_since(begin);
  report.law = to_string(answer.law.kind);
  report.status = answer.status;
  report.claimed = answer.certificate.claimed;
  report.residual = std::max(answer.certificate.normal.value, answer.certificate.friction.value);
  report.coulomb = answer.certificate.coulomb.value;
  report.iterations = total_iterations(answer.attempts);
  report.rows_per_contact = local.spacedim;
  report.impulses = io::to_file_rows(answer.impulses, local.spacedim);
  report.velocities = io::to_file_rows(answer.velocity, local.spacedim);
  report.attempts = answer.attempts;
  return report;
}

SolveReport solve_global(const SolveOptions& options) {
  const ContactProblem problem = io::load_contact_problem(options.file);
  // Our own files have three rows whatever they were made from.
  const bool planar =
      !file_has(options.file, "amontons") &&
      io::read_ints(io::open_group(io::open_hdf5_file(options.file), "fclib_global"),
                    "spacedim")[0] == 2;
  const std::unique_ptr<ContactModel> model = make_model(options.model, settings_of(options));
  const Clock::time_point begin = Clock::now();
  const CertifiedSolution answer =
      solve_islands(problem, *model, Eigen::VectorXd(), options.tolerance);
  SolveReport report;
  report.time_s = seconds_since(begin);
  const Certificate& certificate = answer.certificate;
  report.law = to_string(answer.solution.law.kind);
  report.status = answer.solution.status;
  report.claimed = certificate.claimed;
  report.residual = std::max({certificate.normal.value, certificate.friction.value,
                              certificate.joint.value, certificate.dynamics.value});
  report.coulomb = certificate.coulomb.value;
  report.iterations = answer.solution.iterations;
  report.rows_per_contact = planar ? 2 : 3;
  Eigen::VectorXd u = problem.contact_jacobian * answer.solution.velocity + problem.contact_bias;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    u(ContactProblem::row(i) + 2) += problem.stabilized_gap(i);
  }
  report.impulses = io::to_file_rows(answer.solution.impulses, report.rows_per_contact);
  report.velocities = io::to_file_rows(u, report.rows_per_contact);
  report.attempts = answer.solution.attempts;
  return report;
}

SolveReport solve_lcp(const SolveOptions& options) {
  const LinearComplementarityProblem problem = io::load_lcp(options.file);
  LemkeSettings settings;
  settings.tolerance = options.tolerance;
  const Clock::time_point begin = Clock::now();
  const LcpSolution answer = solve_lemke(problem, settings);
  SolveReport report;
  report.time_s = seconds_since(begin);
  report.kind = "linear complementarity problem";
  report.model = "Lemke";
  report.status = answer.status;
  report.residual = answer.residual;
  report.claimed = answer.status == SolveStatus::Converged;
  report.iterations = answer.pivots;
  report.impulses = answer.z;
  report.velocities = problem.M * answer.z + problem.q;
  report.attempts = {{"Lemke", answer.status, answer.pivots, report.time_s, {}}};
  return report;
}

SolveReport solve_qp(const SolveOptions& options) {
  const BoxQuadraticProgram problem = io::load_box_qp(options.file);
  BoxQpSettings settings;
  settings.tolerance = options.tolerance;
  const Clock::time_point begin = Clock::now();
  const BoxQpSolution answer = solve_box_qp(problem, settings);
  SolveReport report;
  report.time_s = seconds_since(begin);
  report.kind = "box QP";
  report.model =
      answer.method == BoxQpMethod::GradientProjection ? "gradient projection" : "block pivoting";
  report.status = answer.status;
  report.residual = answer.residual;
  report.claimed = answer.status == SolveStatus::Converged;
  report.iterations = answer.iterations();
  report.impulses = answer.x;
  report.velocities = problem.H * answer.x + problem.g;
  report.attempts = {{report.model, answer.status, answer.iterations(), report.time_s, {}}};
  return report;
}

}  // namespace

bool is_contact_problem(const std::string& file) {
  return !file_has(file, "lcp") && !file_has(file, "qp");
}

SolveReport solve_file(const SolveOptions& options) {
  if (file_has(options.file, "lcp")) return solve_lcp(options);
  if (file_has(options.file, "qp")) return solve_qp(options);
  SolveReport report =
      file_has(options.file, "fclib_local") ? solve_local(options) : solve_global(options);
  report.kind = "contact problem";
  report.model = options.model;
  return report;
}

}  // namespace amontons::cli
