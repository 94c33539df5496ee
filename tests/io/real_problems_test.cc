#include "amontons/contact/certificate.h"
#include "amontons/contact/islands.h"
#include "amontons/io/contact_problem_file.h"
#include "amontons/io/hdf5_handle.h"
#include "amontons/io/sparse_matrix_file.h"
#include "amontons/models/contact_model.h"
#include "tests/support/test_size.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

// Contact problems of real simulations, where the shared data lies beside the project.

namespace amontons::io {
namespace {

// A local problem u = W r + q as a problem with unit masses: W = J J' with J from W's eigenvectors.
// W may be slightly indefinite in the file; its negative eigenvalues are rounding and are dropped.
ContactProblem problem_of_local_file(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "fclib_local");
  const Hdf5Handle vectors = open_group(group, "vectors");
  const Eigen::MatrixXd W = read_sparse_matrix(group, "W").toDense();
  const std::vector<double> q = read_doubles(vectors, "q"), mu = read_doubles(vectors, "mu");
  const Eigen::Index dimension = read_ints(group, "spacedim")[0];

  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (W + W.transpose()));
  const Eigen::MatrixXd J =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  ContactProblem problem;
  const Eigen::Index nv = W.rows();
  problem.step = 1.0;
  problem.mass_matrix.add_block(Eigen::MatrixXd::Identity(nv, nv));
  problem.velocity = Eigen::VectorXd::Zero(nv);
  problem.free_velocity = Eigen::VectorXd::Zero(nv);
  problem.contact_jacobian = BlockSparseMatrix(nv);
  problem.contact_bias = Eigen::VectorXd::Zero(3 * static_cast<Eigen::Index>(mu.size()));
  problem.joint_jacobian = BlockSparseMatrix(nv);
  problem.joint_error.resize(0);
  problem.joint_bias.resize(0);
  for (std::size_t i = 0; i < mu.size(); ++i) {
    const Eigen::Index first = dimension * static_cast<Eigen::Index>(i);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, nv);
    // FCLIB's rows are (n, t1, t2) or (n, t).
    rows.row(2) = J.row(first);
    for (Eigen::Index k = 1; k < dimension; ++k) rows.row(k - 1) = J.row(first + k);
    problem.contact_jacobian.add_block_row(3);
    problem.contact_jacobian.add_block(0, rows);
    problem.contact_bias[ContactProblem::row(i) + 2] = q[static_cast<std::size_t>(first)];
    for (Eigen::Index k = 1; k < dimension; ++k) {
      problem.contact_bias[ContactProblem::row(i) + k - 1] = q[static_cast<std::size_t>(first + k)];
    }
    Contact contact;
    contact.key.feature = static_cast<std::uint32_t>(i);
    contact.friction = mu[i];
    problem.contacts.push_back(contact);
  }
  return problem;
}

}  // namespace

TEST_CASE("T01: contact problems of real simulations are solved, or reported infeasible") {
  const std::filesystem::path folder =
      std::filesystem::path(AMONTONS_SOURCE_DIR).parent_path() / "shared/data/contact-problems";
  if (!std::filesystem::is_directory(folder)) {
    WARN("SKIPPED: no contact problems at " << folder);
    return;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  // The largest take minutes by a dense pivoting method: full size only.
  const std::size_t most_contacts = test::is_long_run() ? 1000 : 60;
  int solved = 0, infeasible = 0;
  for (const std::filesystem::path& path : files) {
    CAPTURE(path.filename().string());
    const bool is_global = has_object(open_hdf5_file(path.string()), "fclib_global");
    const ContactProblem problem =
        is_global ? load_contact_problem(path.string()) : problem_of_local_file(path.string());
    if (problem.num_contacts() > most_contacts) continue;
    const auto model = make_model("anitescu-hart", {});
    for (const Island& island : find_islands(problem)) {
      const ContactProblem part = extract(problem, island);
      const ContactSolution solution = model->solve(part, Eigen::VectorXd());
      const Certificate certificate = certify(part, solution, 1e-8);
      CAPTURE(to_string(solution.status), certificate.normal.value, certificate.friction.value,
              part.num_contacts());
      CHECK((certificate.claimed || solution.status == SolveStatus::Infeasible));
      ++(solution.status == SolveStatus::Infeasible ? infeasible : solved);
    }
  }
  CHECK(solved > 0);
  WARN(solved << " islands solved, " << infeasible << " infeasible");
}

}  // namespace amontons::io
