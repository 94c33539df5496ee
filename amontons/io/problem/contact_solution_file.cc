#include "amontons/io/problem/contact_solution_file.h"

#include "amontons/io/problem/contact_problem_group.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

/// Returns the enumerator whose to_string() is `name`. Throws ParseError if there is none.
template <typename Enum>
Enum enumerator(const Hdf5Handle& group, const std::string& name, int count) {
  for (int value = 0; value < count; ++value) {
    if (name == to_string(static_cast<Enum>(value))) return static_cast<Enum>(value);
  }
  fail_in_problem(group, "unknown value '" + name + "'");
}

// Names are searched up to the last enumerator of each kind.
constexpr int kNumStatuses = static_cast<int>(kLastSolveStatus) + 1;
constexpr int kNumLaws = static_cast<int>(kLastLaw) + 1;
constexpr int kNumRestitutionLaws = static_cast<int>(RestitutionLaw::Stronge) + 1;

/// Writes the multipliers of maximum dissipation [phases, nc + nb, 4]; empty for other laws.
void write_witnesses(const Hdf5Handle& group, const ContactSolution& solution) {
  std::vector<double> values;
  for (const std::vector<DissipationWitness>& witness : solution.witnesses) {
    for (const DissipationWitness& own : witness) {
      values.insert(values.end(),
                    {own.phase_one, own.multiplier, own.price, own.restitution_share});
    }
  }
  write_vector(group, "witnesses", values);
}

/// Reads the multipliers of maximum dissipation. The modes, read before, give their number.
void read_witnesses(const Hdf5Handle& group, ContactSolution& solution) {
  const std::vector<double> values = read_doubles(group, "witnesses");
  const std::size_t num_rows = solution.modes.size() + solution.bounded_modes.size();
  // A law without witnesses has none to restore. Poisson's law has one set for each of two phases.
  if (values.empty() && !dissipates_most(solution.law.kind)) return;
  const std::size_t phases = solution.has_two_phases() ? 2 : 1;
  if (values.size() != 4 * num_rows * phases)
    fail_in_problem(group, "witnesses do not fit the contacts");
  solution.witnesses.resize(phases);
  for (std::size_t k = 0; k < values.size(); k += 4) {
    solution.witnesses[k / (4 * num_rows)].push_back(
        {values[k], values[k + 1], values[k + 2], values[k + 3]});
  }
}

/// Writes the modes of contacts or bounded rows, one byte each.
void write_modes(const Hdf5Handle& group, const char* name, const std::vector<ContactMode>& modes) {
  std::vector<std::uint8_t> bytes;
  for (const ContactMode mode : modes) bytes.push_back(static_cast<std::uint8_t>(mode));
  write_vector(group, name, bytes);
}

/// Reads the attempts of the solver: method, status, iterations, wall time [s], remark.
std::vector<SolveAttempt> read_attempts(const Hdf5Handle& parent) {
  const Hdf5Handle group = open_group(parent, "attempts");
  const std::vector<std::string> solvers = read_strings(group, "solver");
  const std::vector<std::string> statuses = read_strings(group, "status");
  const std::vector<std::int64_t> iterations = read_long_ints(group, "iterations");
  const std::vector<double> times = read_doubles(group, "time_s");
  const std::vector<std::string> remarks = read_strings(group, "remark");
  // The five lists have one entry for each attempt; another length means a damaged file.
  const std::size_t n = solvers.size();
  if (statuses.size() != n || iterations.size() != n || times.size() != n || remarks.size() != n) {
    fail_in_problem(group, "attempts are incomplete");
  }
  std::vector<SolveAttempt> attempts;
  for (std::size_t i = 0; i < n; ++i) {
    attempts.push_back({solvers[i], enumerator<SolveStatus>(group, statuses[i], kNumStatuses),
                        narrowed<int>(group, "attempts/iterations", iterations[i]), times[i],
                        remarks[i]});
  }
  return attempts;
}

/// Reads the modes of write_modes(). Throws ParseError for a byte without meaning.
std::vector<ContactMode> read_modes(const Hdf5Handle& group, const char* name) {
  std::vector<ContactMode> modes;
  for (const std::uint8_t mode : read_bytes(group, name)) {
    if (mode > static_cast<std::uint8_t>(ContactMode::Impact))
      fail_in_problem(group, "unknown contact mode");
    modes.push_back(static_cast<ContactMode>(mode));
  }
  return modes;
}

/// Throws a ParseError if the vectors of a solution have other lengths than its modes ask for.
void check_sizes(const Hdf5Handle& group, const ContactSolution& solution) {
  const auto check = [&group](const char* name, Eigen::Index size, std::size_t expected,
                              bool may_be_empty) {
    if (static_cast<std::size_t>(size) == expected || (may_be_empty && size == 0)) return;
    fail_in_problem(group, std::string("solution/") + name + " has " + std::to_string(size) +
                               " numbers, expected " + std::to_string(expected));
  };
  const std::size_t nc = solution.modes.size(), nb = solution.bounded_modes.size();
  check("impulses", solution.impulses.size(), 3 * nc, false);
  check("compression_impulses", solution.compression_impulses.size(), 3 * nc, true);
  check("bounded_impulses", solution.bounded_impulses.size(), nb, false);
  check("bounded_compression", solution.bounded_compression.size(), nb, true);
  check("restitution_shares", solution.restitution_shares.size(), nc + nb, true);
}

}  // namespace

void write_solution(const Hdf5Handle& parent, const ContactSolution& solution) {
  const Hdf5Handle group = create_group(parent, "solution");
  // Enumerators are written by name, so that a file outlives a change of their numbers.
  write_attribute(group, "status", to_string(solution.status));
  write_attribute(group, "law", to_string(solution.law.kind));
  write_attribute(group, "directions", std::int64_t{solution.law.directions});
  write_attribute(group, "restitution", to_string(solution.law.restitution));
  write_attribute(group, "activation_gap", solution.law.activation_gap);
  write_attribute(group, "within", solution.law.within);
  write_attribute(group, "iterations", std::int64_t{solution.iterations});
  // Impulses [N s, N m s] of both phases and the velocity v+ [m/s, rad/s].
  write(group, "impulses", solution.impulses);
  write(group, "compression_impulses", solution.compression_impulses);
  write_witnesses(group, solution);
  write(group, "restitution_shares", solution.restitution_shares);
  write(group, "joint_impulses", solution.joint_impulses);
  write(group, "bounded_impulses", solution.bounded_impulses);
  write(group, "bounded_compression", solution.bounded_compression);
  write(group, "velocity", solution.velocity);
  write_modes(group, "modes", solution.modes);
  write_modes(group, "bounded_modes", solution.bounded_modes);

  // The attempts as a table by columns, which HDF5 stores without a compound type.
  std::vector<std::string> solvers, statuses, remarks;
  std::vector<std::int64_t> iterations;
  std::vector<double> times;
  for (const SolveAttempt& attempt : solution.attempts) {
    solvers.push_back(attempt.solver);
    statuses.emplace_back(to_string(attempt.status));
    iterations.push_back(attempt.iterations);
    times.push_back(attempt.time_s);
    remarks.push_back(attempt.remark);
  }
  const Hdf5Handle attempts = create_group(group, "attempts");
  write_strings(attempts, "solver", solvers);
  write_strings(attempts, "status", statuses);
  write_vector(attempts, "iterations", iterations);
  write_vector(attempts, "time_s", times);
  write_strings(attempts, "remark", remarks);
}

ContactSolution read_solution(const Hdf5Handle& group) {
  ContactSolution solution;
  // Status and claimed law; they decide how the numbers below are read.
  solution.status =
      enumerator<SolveStatus>(group, read_string_attribute(group, "status"), kNumStatuses);
  solution.law.kind = enumerator<LawKind>(group, read_string_attribute(group, "law"), kNumLaws);
  solution.law.directions =
      narrowed<int>(group, "directions", read_int_attribute(group, "directions"));
  solution.law.restitution = enumerator<RestitutionLaw>(
      group, read_string_attribute(group, "restitution"), kNumRestitutionLaws);
  solution.law.activation_gap = read_double_attribute(group, "activation_gap");
  // Files of earlier versions claim every law to the tolerance.
  if (has_attribute(group, "within")) solution.law.within = read_double_attribute(group, "within");
  solution.iterations = narrowed<int>(group, "iterations", read_int_attribute(group, "iterations"));
  // Impulses and velocity of contacts and joints.
  solution.impulses = read(group, "impulses");
  solution.compression_impulses = read(group, "compression_impulses");
  solution.joint_impulses = read(group, "joint_impulses");
  solution.velocity = read(group, "velocity");
  solution.modes = read_modes(group, "modes");
  // Older files have no bounded rows.
  if (has_object(group, "bounded_impulses")) {
    solution.bounded_impulses = read(group, "bounded_impulses");
    solution.bounded_compression = read(group, "bounded_compression");
    solution.bounded_modes = read_modes(group, "bounded_modes");
  }
  // Shares of the rebound are written where any is below 1.
  if (has_object(group, "restitution_shares")) {
    solution.restitution_shares = read(group, "restitution_shares");
  }
  check_sizes(group, solution);
  read_witnesses(group, solution);
  solution.attempts = read_attempts(group);
  return solution;
}

}  // namespace amontons::io
