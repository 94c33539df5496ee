#include "amontons/io/problem/contact_problem_file.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/hdf5/sparse_matrix_file.h"
#include "amontons/io/problem/fclib_global.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>

namespace amontons::io {
namespace {

using Eigen::Index;

/// Owns a file in the system's temporary folder, removed at the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() /
              ("amontons_contact_problem_" + name + "_" + std::to_string(std::random_device{}()) +
               ".h5"))
                 .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  const std::string path;
};

/// Makes two links on ball joints and free bodies, with prescribed motions: no field has its
/// default.
ContactProblem rich_problem() {
  test::SceneBuilder scene(1e-2);
  const int upper = scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.2}, {0.2, 0.1, 0.0});
  const int lower = scene.add_box(1.5, {0.1, 0.2, 0.4}, {0.0, 0.0, -0.6}, {0.5, 0.0, 0.3});
  const int ball = scene.add_ball(0.3, 0.1, {0.15, 0.0, -0.7}, {-1.0, 0.0, 0.2});
  scene.add_ball_joint(test::kWorld, upper, {0.0, 0.0, 0.0}, {1e-4, 0.0, -1e-4});
  scene.add_ball_joint(upper, lower, {0.0, 0.0, -0.4}, {0.0, 2e-4, 0.0});
  scene.add_contact(lower, ball, {0.05, 0.0, -0.7}, {1.0, 0.1, 0.0}, 1e-5, 0.4, 0.3);
  scene.add_contact(test::kWorld, lower, {0.0, 0.1, -0.8}, {0.0, -1.0, 0.2}, -2e-5, 0.7, 0.0);
  ContactProblem problem = scene.build(0.5);
  problem.literal_gamma = true;
  problem.contacts[1].viscous_friction = 0.25;
  problem.contacts[1].opening_speed = 0.125;
  problem.contacts[0].key = {3, 5, 4000000000u};
  problem.contacts[1].key = {3, 6, 1};
  problem.contact_bias << 0.1, -0.2, 0.05, 0.0, 0.3, -0.01;
  problem.joint_bias << 0.01, 0.02, 0.03, -0.01, -0.02, -0.03;
  return problem;
}

void check_equal(const BlockSparseMatrix& a, const BlockSparseMatrix& b) {
  CHECK(a.cols() == b.cols());
  REQUIRE(a.num_block_rows() == b.num_block_rows());
  for (std::size_t r = 0; r < a.num_block_rows(); ++r) {
    CHECK(a.num_rows(r) == b.num_rows(r));
    CHECK(a.block_row(r).size() == b.block_row(r).size());
  }
  CHECK(a.to_dense() == b.to_dense());
}

void check_equal(const ContactProblem& a, const ContactProblem& b) {
  CHECK(a.step == b.step);
  CHECK(a.gamma == b.gamma);
  CHECK(a.literal_gamma == b.literal_gamma);
  CHECK(a.rest_speed == b.rest_speed);
  CHECK(a.overlap_speed == b.overlap_speed);
  REQUIRE(a.mass_matrix.blocks().size() == b.mass_matrix.blocks().size());
  for (std::size_t i = 0; i < a.mass_matrix.blocks().size(); ++i) {
    CHECK(a.mass_matrix.blocks()[i].matrix == b.mass_matrix.blocks()[i].matrix);
    CHECK(std::ranges::equal(a.mass_matrix.block(i).parents, b.mass_matrix.block(i).parents));
  }
  CHECK(a.velocity == b.velocity);
  CHECK(a.free_velocity == b.free_velocity);
  REQUIRE(a.num_contacts() == b.num_contacts());
  for (std::size_t i = 0; i < a.num_contacts(); ++i) {
    const Contact &x = a.contacts[i], &y = b.contacts[i];
    CHECK(x.body_a == y.body_a);
    CHECK(x.body_b == y.body_b);
    CHECK(x.key == y.key);
    CHECK(x.position_W == y.position_W);
    CHECK(x.normal_W == y.normal_W);
    CHECK(x.gap == y.gap);
    CHECK(x.friction == y.friction);
    CHECK(x.viscous_friction == y.viscous_friction);
    CHECK(x.restitution == y.restitution);
    CHECK(x.opening_speed == y.opening_speed);
  }
  check_equal(a.contact_jacobian, b.contact_jacobian);
  check_equal(a.joint_jacobian, b.joint_jacobian);
  CHECK(a.contact_bias == b.contact_bias);
  CHECK(a.joint_error == b.joint_error);
  CHECK(a.joint_bias == b.joint_bias);
}

TEST_CASE("A contact problem and its solution come back bit for bit") {
  const TemporaryFile file("round_trip");
  const ContactProblem problem = rich_problem();
  ContactSolution solution = make_model("anitescu-hart", {.restitution = RestitutionLaw::Poisson})
                                 ->solve(problem, Eigen::VectorXd());
  solution.attempts[0].remark = "é, and more";
  save_contact_problem(file.path, problem, &solution);
  check_equal(load_contact_problem(file.path), problem);

  const std::optional<ContactSolution> loaded = load_contact_solution(file.path);
  REQUIRE(loaded.has_value());
  CHECK(loaded->status == solution.status);
  CHECK(loaded->law.kind == solution.law.kind);
  CHECK(loaded->law.restitution == RestitutionLaw::Poisson);
  CHECK(loaded->law.activation_gap == solution.law.activation_gap);
  CHECK(loaded->impulses == solution.impulses);
  CHECK(loaded->compression_impulses == solution.compression_impulses);
  CHECK(loaded->joint_impulses == solution.joint_impulses);
  CHECK(loaded->velocity == solution.velocity);
  CHECK(loaded->modes == solution.modes);
  REQUIRE(loaded->attempts.size() == solution.attempts.size());
  CHECK(loaded->attempts[0].remark == "é, and more");
  CHECK(loaded->attempts[0].time_s == solution.attempts[0].time_s);
  CHECK(certify(load_contact_problem(file.path), *loaded, 1e-8).holds ==
        certify(problem, solution, 1e-8).holds);
}

TEST_CASE("Problems without contacts, joints or solution come back too") {
  const TemporaryFile file("empty");
  test::SceneBuilder scene(1e-3);
  scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
  save_contact_problem(file.path, scene.build());
  check_equal(load_contact_problem(file.path), scene.build());
  CHECK_FALSE(load_contact_solution(file.path).has_value());
}

// FCLIB knows no gaps: they are in w, and the problem is the same. It has no place for viscous
// friction.
TEST_CASE("Read as a plain FCLIB file, the problem has the same answer") {
  const TemporaryFile file("fclib");
  ContactProblem problem = rich_problem();
  for (Contact& contact : problem.contacts) contact.restitution = contact.viscous_friction = 0.0;
  save_contact_problem(file.path, problem);
  const ContactProblem plain = read_fclib_global(open_hdf5_file(file.path));
  validate(plain);
  const std::unique_ptr<ContactModel> model = make_model("anitescu-hart", {});
  const ContactSolution expected = model->solve(problem, Eigen::VectorXd());
  const ContactSolution found = model->solve(plain, Eigen::VectorXd());
  REQUIRE(expected.status == SolveStatus::Converged);
  CHECK(found.status == SolveStatus::Converged);
  CHECK(expected.impulses.norm() > 0.0);
  CHECK((found.velocity - expected.velocity).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((found.impulses - expected.impulses).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((found.joint_impulses - expected.joint_impulses).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE(
    "Balls come back from FCLIB, whose M is then diagonal, as bodies and not as coordinates") {
  test::SceneBuilder scene(1e-2);
  for (const double x : {0.0, 1.0}) {
    const int ball = scene.add_ball(2.0, 0.1, {x, 0.0, 0.1});
    scene.add_contact(test::kWorld, ball, {x, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  }
  const TemporaryFile file("balls");
  const ContactProblem problem = scene.build();
  save_contact_problem(file.path, problem);
  const ContactProblem plain = read_fclib_global(open_hdf5_file(file.path));
  REQUIRE(plain.mass_matrix.num_blocks() == 2);
  CHECK(plain.mass_matrix.is_free(1));
  CHECK(plain.mass_matrix.to_dense() == problem.mass_matrix.to_dense());
  CHECK(plain.contact_jacobian.to_dense() == problem.contact_jacobian.to_dense());
}

TEST_CASE(
    "A problem for which FCLIB has no place is not written as another one, and the file says so") {
  const TemporaryFile file("missing");
  ContactProblem problem = rich_problem();
  CHECK(missing_in_fclib(problem) == "viscous friction at 1 contacts");
  problem.bounded_rows.push_back(
      {.kind = BoundedRowKind::Friction, .index = 0, .lower = -0.1, .upper = 0.1});
  problem.bounded_jacobian.reset(problem.mass_matrix.size());
  problem.bounded_jacobian.add_block_row(1);
  problem.bounded_jacobian.add_block(0, Eigen::MatrixXd::Ones(1, 6));
  save_contact_problem(file.path, problem);
  const Hdf5Handle h5 = open_hdf5_file(file.path);
  CHECK_FALSE(has_object(h5, "fclib_global"));
  CHECK(read_string_attribute(open_group(h5, "amontons"), "missing_in_fclib") ==
        "1 bounded rows (limits, dry friction, effort bounds of joints) and viscous friction at 1 "
        "contacts");
  CHECK(load_contact_problem(file.path).bounded_rows.size() == 1);
  for (Contact& contact : problem.contacts) contact.viscous_friction = 0.0;
  problem.bounded_rows.clear();
  problem.bounded_jacobian.reset(problem.mass_matrix.size());
  CHECK(missing_in_fclib(problem).empty());
}

TEST_CASE("The FCLIB part of a file obeys FCLIB's equations, normal rows first") {
  const TemporaryFile file("equations");
  ContactProblem problem = rich_problem();
  for (Contact& contact : problem.contacts) contact.viscous_friction = 0.0;
  const ContactSolution solution =
      make_model("anitescu-hart", {})->solve(problem, Eigen::VectorXd());
  save_contact_problem(file.path, problem, &solution);

  const Hdf5Handle h5 = open_hdf5_file(file.path);
  const Hdf5Handle group = open_group(h5, "fclib_global");
  const auto vector = [](const Hdf5Handle& parent, const std::string& name) {
    const std::vector<double> values = read_doubles(parent, name);
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size())));
  };
  const Eigen::SparseMatrix<double> M = read_sparse_matrix(group, "M");
  const Eigen::SparseMatrix<double> H = read_sparse_matrix(group, "H");
  const Eigen::SparseMatrix<double> G = read_sparse_matrix(group, "G");
  const Eigen::VectorXd v = vector(h5, "solution/v"), u = vector(h5, "solution/u"),
                        r = vector(h5, "solution/r"), l = vector(h5, "solution/l");
  CHECK((M * v - H * r - G * l - vector(group, "vectors/f")).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((H.transpose() * v + vector(group, "vectors/w") - u).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((G.transpose() * v + vector(group, "vectors/b")).cwiseAbs().maxCoeff() < 1e-13);
  // Signorini's law with the normal row first.
  for (Index i = 0; i < r.size(); i += 3) {
    CHECK(r(i) >= 0.0);
    CHECK(u(i) >= -1e-12);
    CHECK(std::abs(r(i) * u(i)) < 1e-12);
  }
}

TEST_CASE("A planar FCLIB problem in triplets is read with the second tangent empty") {
  const TemporaryFile file("planar");
  {
    // A particle of 2 kg in the plane, falling at 1 m/s on a floor whose normal is its second axis.
    const Hdf5Handle h5 = create_hdf5_file(file.path, file.path);
    const Hdf5Handle group = create_group(h5, "fclib_global");
    const auto ints = [](const Hdf5Handle& parent, const char* name, std::vector<std::int32_t> v) {
      write_vector(parent, name, v);
    };
    const auto doubles = [](const Hdf5Handle& parent, const char* name, std::vector<double> v) {
      write_vector(parent, name, v);
    };
    ints(group, "spacedim", {2});
    const Hdf5Handle M = create_group(group, "M");
    ints(M, "m", {2});
    ints(M, "n", {2});
    ints(M, "nz", {2});
    ints(M, "nzmax", {3});
    ints(M, "p", {0, 1, 77});  // beyond nz: not to be read
    ints(M, "i", {0, 1, 77});
    doubles(M, "x", {2.0, 2.0, 1e300});
    const Hdf5Handle H = create_group(group, "H");  // columns (n, t), stored by rows
    ints(H, "m", {2});
    ints(H, "n", {2});
    ints(H, "nz", {-2});
    ints(H, "nzmax", {2});
    ints(H, "p", {0, 1, 2});
    ints(H, "i", {1, 0});
    doubles(H, "x", {1.0, 1.0});
    const Hdf5Handle vectors = create_group(group, "vectors");
    doubles(vectors, "f", {0.2, -2.0});
    doubles(vectors, "w", {0.25, 0.0});
    doubles(vectors, "mu", {0.5});
  }
  const ContactProblem problem = load_contact_problem(file.path);
  REQUIRE(problem.num_contacts() == 1);
  const ContactSolution solution =
      make_model("anitescu-hart", {})->solve(problem, Eigen::VectorXd());
  CHECK(certify(problem, solution, 1e-8).holds);
  // It may keep 0.25 m/s; 0.1 m/s of slip stop within mu of 1.5 N s.
  CHECK(solution.velocity(1) == Approx(-0.25).epsilon(1e-14));
  CHECK(solution.velocity(0) == Approx(0.0).margin(1e-15));
  CHECK(solution.impulses(0) == Approx(-0.2).epsilon(1e-14));
  CHECK(solution.impulses(1) == 0.0);
  CHECK(solution.impulses(2) == Approx(1.5).epsilon(1e-14));
}

TEST_CASE("A file that is none, or lacks a part, is refused with its name and the part") {
  const TemporaryFile file("broken");
  CHECK_THROWS_WITH(load_contact_problem(file.path), Catch::Matchers::Contains(file.path));
  std::ofstream(file.path) << "not HDF5";
  CHECK_THROWS_AS(load_contact_problem(file.path), ParseError);
  create_hdf5_file(file.path, file.path).close();
  CHECK_THROWS_WITH(load_contact_problem(file.path),
                    Catch::Matchers::Contains("not a contact problem"));
  save_contact_problem(file.path, rich_problem());
  {
    const Hdf5Handle h5(H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Ldelete(h5.id(), "amontons/free_velocity", H5P_DEFAULT);
  }
  CHECK_THROWS_WITH(load_contact_problem(file.path), Catch::Matchers::Contains("free_velocity"));
  CHECK_THROWS_AS(save_contact_problem("/no/such/folder/problem.h5", rich_problem()), OutputError);
}

TEST_CASE("A problem that makes no sense is refused when it is read") {
  const TemporaryFile file("nonsense");
  save_contact_problem(file.path, rich_problem());
  {
    const Hdf5Handle h5(H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Ldelete(h5.id(), "amontons/contacts/friction", H5P_DEFAULT);
    const std::array<double, 2> friction = {0.4, -1.0};
    write_vector(open_group(h5, "amontons/contacts"), "friction", friction);
  }
  CHECK_THROWS_WITH(load_contact_problem(file.path),
                    Catch::Matchers::Contains("/amontons: does not match its SHA-256"));
  // Files by others have no digest.
  {
    const Hdf5Handle h5(H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Adelete_by_name(h5.id(), "amontons", "sha256", H5P_DEFAULT);
  }
  CHECK_THROWS_WITH(load_contact_problem(file.path),
                    Catch::Matchers::Contains("contacts[1].friction"));
}

}  // namespace
}  // namespace amontons::io
