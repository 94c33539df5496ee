#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/contact_space_solver.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// Contact problems of real simulations, where the shared data lies beside the project.

namespace amontons::io {
namespace {

std::vector<std::filesystem::path> problem_files() {
  const std::filesystem::path folder =
      std::filesystem::path(AMONTONS_SOURCE_DIR).parent_path() / "shared/data/contact-problems";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) {
    WARN("SKIPPED: no contact problems at " << folder);
    return files;
  }
  // Folders below hold problems of other laws, such as rolling friction.
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  return files;
}

bool is_global(const std::filesystem::path& path) {
  return has_object(open_hdf5_file(path.string()), "fclib_global");
}

}  // namespace

TEST_CASE("T01: contact problems of real simulations are solved, or reported infeasible") {
  // The largest take minutes by a dense pivoting method: full size only.
  const std::size_t most_contacts = test::is_long_run() ? 1000 : 60;
  int solved = 0, infeasible = 0;
  const std::vector<std::filesystem::path> files = problem_files();
  if (files.empty()) return;
  for (const std::filesystem::path& path : files) {
    CAPTURE(path.filename().string());
    const ContactProblem problem = is_global(path)
                                       ? load_contact_problem(path.string())
                                       : with_unit_masses(load_fclib_local(path.string()).problem);
    if (problem.num_contacts() > most_contacts) continue;
    const auto model = make_model("anitescu-hart", {});
    for (const Island& island : find_islands(problem)) {
      const ContactProblem part = extract(problem, island);
      const ContactSolution solution = model->solve(part, Eigen::VectorXd());
      const Certificate certificate = certify(part, solution, 1e-8);
      CAPTURE(to_string(solution.status), certificate.normal.value, certificate.friction.value,
              part.num_contacts());
      CHECK((certificate.holds || solution.status == SolveStatus::Infeasible));
      ++(solution.status == SolveStatus::Infeasible ? infeasible : solved);
    }
  }
  CHECK(solved > 0);
  WARN(solved << " islands solved, " << infeasible << " infeasible");
}

TEST_CASE("Contact problems of real simulations are solved under the exact Coulomb law, to 1e-10") {
  for (const std::filesystem::path& path : problem_files()) {
    for (const char* model : {"coulomb", "convex-relaxation"}) {
      for (const double tolerance : {1e-8, 1e-10}) {
        CAPTURE(path.filename().string(), model, tolerance);
        const ModelSettings settings{.tolerance = tolerance};
        if (is_global(path)) {
          const ContactProblem problem = load_contact_problem(path.string());
          const CertifiedSolution solution =
              solve_islands(problem, *make_model(model, settings), Eigen::VectorXd(), tolerance);
          CHECK(solution.solution.status == SolveStatus::Converged);
          CHECK(solution.certificate.holds);
        } else {
          const ContactSpaceProblem problem = load_fclib_local(path.string()).problem;
          const ContactSpaceSolution solution = ContactSpaceSolver(model, settings).solve(problem);
          CHECK(solution.status == SolveStatus::Converged);
          CHECK(solution.certificate.holds);
        }
      }
    }
  }
}

// Far from any body a problem may be given as W alone; the certificate is that of equal bodies.
TEST_CASE("A contact problem given as W is solved under maximum dissipation") {
  int certified = 0, solved = 0;
  for (const std::filesystem::path& path : problem_files()) {
    if (is_global(path)) continue;
    const ContactSpaceProblem problem = load_fclib_local(path.string()).problem;
    if (problem.num_contacts() > 60) continue;
    CAPTURE(path.filename().string());
    const ContactSpaceSolution solution =
        ContactSpaceSolver("maximum-dissipation", {}).solve(problem);
    CHECK(solution.certificate.holds);
    ++certified;
    if (solution.status == SolveStatus::Converged) ++solved;
  }
  CHECK((solved > 0 || certified == 0));
}

}  // namespace amontons::io
