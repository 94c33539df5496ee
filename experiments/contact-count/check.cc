#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/modified_pivoting.h"
#include "amontons/optimization/qp/nonnegative_quadratic_program.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/processor_stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

// Time, pivots and memory of the modified pivoting method against the number of contacts.

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStep = 1e-2, kHeight = 0.1, kTolerance = 1e-8;

/// Rows (t1, t2, n) = (x, y, z) of a point at r from a free body's center, times `sign`.
MatrixXd point_rows(const Vector3d& r, double sign) {
  MatrixXd rows(3, 6);
  rows << 0.0, r.z(), -r.y(), 1.0, 0.0, 0.0,  //
      -r.z(), 0.0, r.x(), 0.0, 1.0, 0.0,      //
      r.y(), -r.x(), 0.0, 0.0, 0.0, 1.0;
  return sign * rows;
}

/// A stack of plates, 1 m x 1 m and 1 kg, on the plane z = 0, n contacts in all at random places;
/// they fall and turn.
ContactProblem stacked_plates(int num_plates, int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-0.5, 0.5);
  ContactProblem problem;
  problem.step = kStep;
  problem.rest_speed = 1.0;
  const Index nv = 6 * num_plates;
  problem.velocity = VectorXd::Zero(nv);
  problem.free_velocity.resize(nv);

  // Plates of 1 kg that fall, each with a small random rotation.
  for (int b = 0; b < num_plates; ++b) {
    const double flat = (1.0 + kHeight * kHeight) / 12.0;
    VectorXd diagonal(6);
    diagonal << flat, flat, 1.0 / 6.0, 1.0, 1.0, 1.0;
    problem.mass_matrix.add_block(diagonal.asDiagonal().toDenseMatrix());
    problem.free_velocity.segment<6>(6 * b) << place(random), place(random), place(random), 0.3,
        0.1, -1.0;
  }

  // Contacts are distributed evenly over the interfaces, at random places.
  problem.contact_jacobian.reset(nv);
  for (int i = 0; i < n; ++i) {
    const int above = static_cast<int>(static_cast<long long>(i) * num_plates / n);
    const Vector3d at(place(random), place(random), 0.0);
    Contact contact;
    contact.body_a = above - 1;
    contact.body_b = above;
    contact.key = {above, above + 1, static_cast<std::uint32_t>(i)};
    contact.position_W = at + Vector3d(0.0, 0.0, kHeight * above);
    contact.friction = 1.0;
    problem.contacts.push_back(contact);
    problem.contact_jacobian.add_block_row(3);
    const Vector3d half(0.0, 0.0, 0.5 * kHeight);
    if (above > 0) {
      problem.contact_jacobian.add_block(6 * (above - 1), point_rows(at + half, -1.0));
    }
    problem.contact_jacobian.add_block(6 * above, point_rows(at - half, 1.0));
  }

  // There are no joints and no bounded rows.
  problem.contact_bias = VectorXd::Zero(3 * n);
  problem.joint_jacobian.reset(nv);
  problem.joint_error.resize(0);
  problem.joint_bias.resize(0);
  problem.bounded_jacobian.reset(nv);
  return problem;
}

struct Cost {
  double normals_s = 0.0;  // frictionless: assembly of the rows and pivoting
  double no_slip_s = 0.0;  // the same with FIND-INDICES over all tangents
  int pivots = 0, positive = 0;
};

/// Memory is kept from call to call, as from step to step of a simulation.
Cost measure(const ContactProblem& problem, int rounds) {
  const ProblemScaling scaling(problem);
  const std::vector<char> every(problem.num_contacts(), 1);
  const ContactPhase phase = plain_phase(problem, scaling);
  constexpr int kContactsPerRound = 30000;
  const int calls = std::max(1, kContactsPerRound / static_cast<int>(problem.num_contacts()));
  NormalImpulses method;
  Cost cost;
  cost.normals_s = least_processor_time(rounds, calls, [&] {
    method.begin(problem, scaling, every, kTolerance);
    method.solve(phase);
  });
  cost.pivots = method.solution().pivots;
  cost.positive = static_cast<int>((method.solution().z.array() > 0.0).count());
  cost.no_slip_s = least_processor_time(rounds, calls, [&] {
    method.begin(problem, scaling, every, kTolerance);
    method.hold(every);
    method.solve(phase);
  });
  return cost;
}

/// Slope of log y against log x by least squares.
double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0.0, my = 0.0, xy = 0.0, xx = 0.0;
  const double count = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    mx += std::log(x[k]) / count;
    my += std::log(y[k]) / count;
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
  }
  return xy / xx;
}

/// Lemke's method and block pivoting of the QP on the whole n x n matrix [s]; they cost n^3.
std::string dense_times(const ContactProblem& problem, bool lemke) {
  const ProblemScaling scaling(problem);
  NormalImpulses normals(problem, scaling, std::vector<char>(problem.num_contacts(), 1),
                         kTolerance);
  normals.solve(plain_phase(problem, scaling));
  const FactoredLcp& lcp = normals.problem();
  const MatrixXd rows = lcp.rows.to_dense();
  const MatrixXd A = rows * rows.transpose();
  const VectorXd q = rows * lcp.start + lcp.offset;
  const ProcessorStopwatch watch;
  if (lemke) {
    (void)solve_lemke({A, q});
  } else {
    (void)solve_block_pivoting(as_box_qp({A, q}));
  }
  return fmt::format("{:.1f}", 1e6 * watch.seconds());
}

void check_count(const Context& context, int num_plates, Findings& findings) {
  const int m = 6 * num_plates, largest = 15;
  const std::string name = fmt::format("m = {}", m);
  Table table{fmt::format("A1: {} plates, {}; processor times in us", num_plates, name),
              {"contacts", "normals", "no-slip", "pivots", "positive", "Lemke", "block pivoting"},
              {}};
  Curve normals{"normals, " + name, {}, {}}, no_slip{"no-slip, " + name, {}, {}};
  std::vector<double> n_large, normals_large, no_slip_large;
  int most_pivots = 0, most_positive = 0;
  for (int power = 4; power <= largest; ++power) {
    const int n = 1 << power;
    const ContactProblem problem = stacked_plates(num_plates, n, 5);
    const Cost cost = measure(problem, context.full() ? 50 : 5);
    most_pivots = std::max(most_pivots, cost.pivots);
    most_positive = std::max(most_positive, cost.positive);
    for (auto* curve : {&normals, &no_slip}) curve->x.push_back(n);
    normals.y.push_back(cost.normals_s);
    no_slip.y.push_back(cost.no_slip_s);
    if (power >= 9) {
      n_large.push_back(n);
      normals_large.push_back(cost.normals_s);
      no_slip_large.push_back(cost.no_slip_s);
    }
    table.rows.push_back({fmt::format("{}", n), fmt::format("{:.1f}", 1e6 * cost.normals_s),
                          fmt::format("{:.1f}", 1e6 * cost.no_slip_s),
                          fmt::format("{}", cost.pivots), fmt::format("{}", cost.positive),
                          n <= 512 ? dense_times(problem, true) : "",
                          n <= 1024 ? dense_times(problem, false) : ""});
  }
  findings.expect_at_most("A1 " + name + ": pivots at any number of contacts, 5 m + 10",
                          most_pivots, 5.0 * m + 10.0);
  // Normals of coplanar contacts between two plates have rank three.
  findings.expect_at_most("A6 " + name + ": positive normal impulses, at most the rank of N",
                          most_positive, 3.0 * num_plates);
  findings.timing_at_most("A1 " + name + ": slope of log time of normals, 2^9 to 2^15 contacts",
                          log_slope(n_large, normals_large), 1.05, "");
  findings.timing_at_most("A1 " + name + ": slope of log time of no-slip, 2^9 to 2^15 contacts",
                          log_slope(n_large, no_slip_large), 1.05, "");
  findings.tables.push_back(std::move(table));
  if (findings.figures.empty()) {
    findings.figures.push_back({"Time of a contact solve", "contacts", "time [s]", true, {}});
  }
  findings.figures.back().curves.push_back(std::move(normals));
  findings.figures.back().curves.push_back(std::move(no_slip));
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void check_hundred_thousand(Findings& findings) {
  constexpr int kMany = 100000;
  const double before = peak_memory_mib();
  const ContactProblem problem = stacked_plates(1, kMany, 6);
  const Cost cost = measure(problem, 5);
  const double used = peak_memory_mib() - before;
  findings.timing_at_most("A1: 100,000 coplanar contacts on one plate, frictionless",
                          cost.normals_s, 0.2);
  findings.timing_at_most("A1: the same without slip", cost.no_slip_s, 0.2);
  const ProcessorStopwatch watch;
  const ContactSolution whole = make_model("no-slip", {})->solve(problem, VectorXd());
  findings.notes.push_back(
      fmt::format("100,000 contacts, the whole model no-slip with problem scaling, list and "
                  "certificate: {:.3f} s.",
                  watch.seconds()));
  findings.expect_true("A1: its solution is certified", whole.status == SolveStatus::Converged,
                       to_string(whole.status));
  findings.expect_at_most("A1: memory of problem and solve, an n x n matrix being 80 GB [MiB]",
                          used, 1024.0);
}

/// Rows of contact problems that the printed algorithm may cycle on, or meet a singular block in:
/// -1, 0, 1 or random numbers, with twins; start and offsets likewise.
FactoredLcp random_problem(std::mt19937_64& random, MatrixXd& G) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(-1, 1);
  const Index n = 1 + static_cast<Index>(random() % 24), m = 1 + static_cast<Index>(random() % 8);
  const bool is_whole = random() % 2 == 0;
  const auto entry = [&] { return is_whole ? static_cast<double>(small(random)) : normal(random); };
  G = MatrixXd::NullaryExpr(n, m, entry);
  if (random() % 3 == 0) G.bottomRows(n / 2) = G.topRows(n / 2);
  FactoredLcp problem;
  problem.rows = SparseRows(G);
  problem.start = VectorXd::NullaryExpr(m, entry);
  problem.offset = VectorXd::NullaryExpr(n, entry);
  const std::uint64_t kind = random() % 3;
  if (kind == 0) problem.offset.setZero();
  if (kind == 1) problem.offset = problem.offset.cwiseAbs().eval();
  problem.allowance = VectorXd::Zero(n);
  return problem;
}

void check_random(const Context& context, Findings& findings) {
  const int problems = context.full() ? 100000 : 10000;
  std::mt19937_64 random(7);
  ModifiedPivoting method;
  FactoredLcpSolution found;
  int wrong = 0, unreported = 0, infeasible = 0, by_least_index = 0, exchanged = 0;

  // Each claim is checked: a proof by itself, a solution against Lemke's method.
  for (int k = 0; k < problems; ++k) {
    MatrixXd G;
    const FactoredLcp problem = random_problem(random, G);
    method.solve(problem, {}, {}, found);
    by_least_index += found.least_index_pivots > 0;
    exchanged += found.exchanges > 0;
    const LinearComplementarityProblem lcp{G * G.transpose(), G * problem.start + problem.offset};
    if (found.status == SolveStatus::Infeasible) {
      ++infeasible;
      wrong += !proves_infeasibility(lcp, found.proof);
    } else if (found.status == SolveStatus::Converged) {
      const LcpSolution lemke = solve_lemke(lcp);
      const VectorXd a = problem.start + G.transpose() * lemke.z;
      const double size = 1e-3 + a.norm() + problem.start.norm();
      wrong += lemke.status == SolveStatus::Infeasible ||
               (lemke.status == SolveStatus::Converged &&
                (a - context.answer(found.a)).norm() > 1e-6 * size);
    } else {
      ++unreported;
    }
  }

  // No claim is wrong, and every problem has one.
  findings.expect_at_most(
      fmt::format("A2: {} random, singular and degenerate problems: wrong solutions", problems),
      wrong, 0.0);
  findings.expect_at_most("A2: neither solved nor proved infeasible", unreported, 0.0);
  findings.notes.push_back(fmt::format(
      "A2: {} infeasible, each with a proof; {} met dependent rows (exchange step), {} came back "
      "to "
      "a set they had left, where the printed rule would cycle for ever (least index).",
      infeasible, exchanged, by_least_index));
}

/// The same contacts in another order, some of them twice.
ContactProblem shuffled(const ContactProblem& problem, std::mt19937_64& random) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    order.insert(order.end(), 1 + random() % 2, i);
  }
  std::shuffle(order.begin(), order.end(), random);
  ContactProblem result = problem;
  result.contacts.clear();
  result.contact_jacobian.reset(problem.contact_jacobian.cols());
  for (const std::size_t i : order) {
    result.contacts.push_back(problem.contacts[i]);
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(i)) {
      result.contact_jacobian.add_block(block.col, problem.contact_jacobian.values(block));
    }
  }
  result.contact_bias = VectorXd::Zero(3 * static_cast<Index>(order.size()));
  return result;
}

void check_rows(Findings& findings) {
  std::mt19937_64 random(8);
  const ContactProblem problem = stacked_plates(3, 60, 9);
  const auto model = make_model("no-slip", {});
  const VectorXd reference = model->solve(problem, VectorXd()).velocity;
  double departure = 0.0;
  for (int k = 0; k < 200; ++k) {
    const VectorXd v = model->solve(shuffled(problem, random), VectorXd()).velocity;
    departure = std::max(departure, (v - reference).lpNorm<Eigen::Infinity>());
  }
  findings.expect_at_most(
      "A3: velocity without slip, contacts in 200 other orders and some twice: departure [m/s]",
      departure, 1e-9);
}

}  // namespace

void check_contact_count(Context& context, Findings& findings) {
  for (const int plates : {1, 8}) {
    context.progress(fmt::format("contact-count: {} plates", plates));
    check_count(context, plates, findings);
  }
  check_hundred_thousand(findings);
  context.progress("contact-count: random problems");
  check_random(context, findings);
  check_rows(findings);
}

}  // namespace amontons::experiments
