#include "amontons/io/contact_problem_file.h"

#include "amontons/io/bounded_rows_file.h"
#include "amontons/io/fclib_global.h"
#include "amontons/io/hdf5_handle.h"
#include "amontons/io/parse_error.h"

#include <Eigen/Core>

#include <span>
#include <stdexcept>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;

constexpr std::int64_t kFormat = 3;

// Eigen and std containers ---------------------------------------------------------------------

void write(const Hdf5Handle& group, const char* name, const Eigen::VectorXd& values) {
  write_vector(group, name,
               std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
}

Eigen::VectorXd read(const Hdf5Handle& group, const char* name) {
  const std::vector<double> values = read_doubles(group, name);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

[[noreturn]] void fail(const Hdf5Handle& group, const std::string& message) {
  throw ParseError(file_name(group), 0, 0, "/amontons: " + message);
}

/// The enumerator whose to_string() is `name`.
template <typename Enum>
Enum enumerator(const Hdf5Handle& group, const std::string& name, int count) {
  for (int value = 0; value < count; ++value) {
    if (name == to_string(static_cast<Enum>(value))) return static_cast<Enum>(value);
  }
  fail(group, "unknown value '" + name + "'");
}

constexpr int kNumStatuses = static_cast<int>(SolveStatus::NumericalFailure) + 1;
constexpr int kNumLaws = static_cast<int>(LawKind::Viscous) + 1;
constexpr int kNumRestitutionLaws = static_cast<int>(RestitutionLaw::Stronge) + 1;

// Matrices -------------------------------------------------------------------------------------

void write_mass_matrix(const Hdf5Handle& parent, const BlockDiagonalMatrix& matrix) {
  std::vector<std::int64_t> sizes;
  std::vector<std::int32_t> parents;
  std::vector<double> values;
  for (const BlockDiagonalMatrix::Block& block : matrix.blocks()) {
    sizes.push_back(block.matrix.rows());
    parents.insert(parents.end(), block.parents.begin(), block.parents.end());
    values.insert(values.end(), block.matrix.data(), block.matrix.data() + block.matrix.size());
  }
  const Hdf5Handle group = create_group(parent, "mass_matrix");
  write_vector(group, "block_sizes", sizes);
  write_vector(group, "parents", parents);
  write_vector(group, "values", values);
}

BlockDiagonalMatrix read_mass_matrix(const Hdf5Handle& parent) {
  const Hdf5Handle group = open_group(parent, "mass_matrix");
  const std::vector<std::int64_t> sizes = read_long_ints(group, "block_sizes");
  const std::vector<std::int32_t> parents = read_ints(group, "parents");
  const std::vector<double> values = read_doubles(group, "values");
  BlockDiagonalMatrix matrix;
  std::size_t next_value = 0, next_parent = 0;
  for (const std::int64_t size : sizes) {
    const auto n = static_cast<std::size_t>(size);
    if (size < 0 || next_parent + n > parents.size() || next_value + n * n > values.size()) {
      fail(group, "mass_matrix is incomplete");
    }
    const auto first = parents.begin() + static_cast<std::ptrdiff_t>(next_parent);
    matrix.add_block(Eigen::Map<const Eigen::MatrixXd>(values.data() + next_value, size, size),
                     {first, first + size});
    next_value += n * n;
    next_parent += n;
  }
  return matrix;
}

void write_jacobian(const Hdf5Handle& parent, const char* name, const BlockSparseMatrix& jacobian) {
  std::vector<std::int64_t> row_sizes, blocks_per_row, columns, column_counts;
  std::vector<double> values;
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    row_sizes.push_back(jacobian.num_rows(r));
    blocks_per_row.push_back(static_cast<std::int64_t>(jacobian.block_row(r).size()));
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      columns.push_back(block.col);
      column_counts.push_back(block.num_cols);
      const BlockSparseMatrix::ConstBlockMap map = jacobian.values(block);
      values.insert(values.end(), map.data(), map.data() + map.size());
    }
  }
  const Hdf5Handle group = create_group(parent, name);
  write_attribute(group, "columns", static_cast<std::int64_t>(jacobian.cols()));
  write_vector(group, "row_sizes", row_sizes);
  write_vector(group, "blocks_per_row", blocks_per_row);
  write_vector(group, "block_columns", columns);
  write_vector(group, "block_widths", column_counts);
  write_vector(group, "values", values);
}

BlockSparseMatrix read_jacobian(const Hdf5Handle& parent, const char* name) {
  const Hdf5Handle group = open_group(parent, name);
  const std::vector<std::int64_t> row_sizes = read_long_ints(group, "row_sizes");
  const std::vector<std::int64_t> blocks_per_row = read_long_ints(group, "blocks_per_row");
  const std::vector<std::int64_t> columns = read_long_ints(group, "block_columns");
  const std::vector<std::int64_t> widths = read_long_ints(group, "block_widths");
  const std::vector<double> values = read_doubles(group, "values");
  BlockSparseMatrix jacobian(read_int_attribute(group, "columns"));
  if (blocks_per_row.size() != row_sizes.size() || widths.size() != columns.size()) {
    fail(group, std::string(name) + " is incomplete");
  }
  std::size_t next_block = 0, next_value = 0;
  for (std::size_t r = 0; r < row_sizes.size(); ++r) {
    jacobian.add_block_row(row_sizes[r]);
    for (std::int64_t b = 0; b < blocks_per_row[r]; ++b, ++next_block) {
      const bool fits = next_block < columns.size() && widths[next_block] >= 0 && row_sizes[r] >= 0;
      const std::size_t size =
          fits ? static_cast<std::size_t>(row_sizes[r] * widths[next_block]) : 0;
      if (!fits || next_value + size > values.size()) {
        fail(group, std::string(name) + " is incomplete");
      }
      jacobian.add_block(columns[next_block],
                         Eigen::Map<const Eigen::MatrixXd>(values.data() + next_value, row_sizes[r],
                                                           widths[next_block]));
      next_value += size;
    }
  }
  return jacobian;
}

// Contacts -------------------------------------------------------------------------------------

/// Calls visit(name, member) for each number that a contact holds.
template <typename Visitor>
void visit_numbers(Visitor visit) {
  visit("gap", &Contact::gap);
  visit("friction", &Contact::friction);
  visit("viscous_friction", &Contact::viscous_friction);
  visit("restitution", &Contact::restitution);
}

void write_contacts(const Hdf5Handle& parent, const std::vector<Contact>& contacts) {
  const Hdf5Handle group = create_group(parent, "contacts");
  std::vector<std::int64_t> bodies, keys;
  std::vector<double> positions, normals;
  for (const Contact& contact : contacts) {
    bodies.insert(bodies.end(), {contact.body_a, contact.body_b});
    keys.insert(keys.end(), {contact.key.shape_a, contact.key.shape_b, contact.key.feature});
    positions.insert(positions.end(), contact.position_W.begin(), contact.position_W.end());
    normals.insert(normals.end(), contact.normal_W.begin(), contact.normal_W.end());
  }
  write_vector(group, "bodies", bodies);
  write_vector(group, "keys", keys);
  write_vector(group, "position_W", positions);
  write_vector(group, "normal_W", normals);
  visit_numbers([&](const char* name, double Contact::*member) {
    std::vector<double> values;
    for (const Contact& contact : contacts) values.push_back(contact.*member);
    write_vector(group, name, values);
  });
}

std::vector<Contact> read_contacts(const Hdf5Handle& parent) {
  const Hdf5Handle group = open_group(parent, "contacts");
  const std::vector<std::int64_t> bodies = read_long_ints(group, "bodies");
  const std::vector<std::int64_t> keys = read_long_ints(group, "keys");
  const std::vector<double> positions = read_doubles(group, "position_W");
  const std::vector<double> normals = read_doubles(group, "normal_W");
  std::vector<Contact> contacts(bodies.size() / 2);
  const std::size_t n = contacts.size();
  if (bodies.size() != 2 * n || keys.size() != 3 * n || positions.size() != 3 * n ||
      normals.size() != 3 * n) {
    fail(group, "contacts are incomplete");
  }
  for (std::size_t i = 0; i < n; ++i) {
    contacts[i].body_a = static_cast<int>(bodies[2 * i]);
    contacts[i].body_b = static_cast<int>(bodies[2 * i + 1]);
    contacts[i].key = {static_cast<std::int32_t>(keys[3 * i]),
                       static_cast<std::int32_t>(keys[3 * i + 1]),
                       static_cast<std::uint32_t>(keys[3 * i + 2])};
    contacts[i].position_W = Eigen::Map<const Eigen::Vector3d>(positions.data() + 3 * i);
    contacts[i].normal_W = Eigen::Map<const Eigen::Vector3d>(normals.data() + 3 * i);
  }
  visit_numbers([&](const char* name, double Contact::*member) {
    const std::vector<double> values = read_doubles(group, name);
    if (values.size() != n) fail(group, "contacts are incomplete");
    for (std::size_t i = 0; i < n; ++i) contacts[i].*member = values[i];
  });
  return contacts;
}

// Problem and solution -------------------------------------------------------------------------

void write_problem(const Hdf5Handle& group, const ContactProblem& problem) {
  write_attribute(group, "format", kFormat);
  write_attribute(group, "step", problem.step);
  write_attribute(group, "gamma", problem.gamma);
  write_attribute(group, "literal_gamma", std::int64_t{problem.literal_gamma});
  write_attribute(group, "rest_speed", problem.rest_speed);
  write_attribute(group, "overlap_speed", problem.overlap_speed);
  write_mass_matrix(group, problem.mass_matrix);
  write(group, "velocity", problem.velocity);
  write(group, "free_velocity", problem.free_velocity);
  write_contacts(group, problem.contacts);
  write_jacobian(group, "contact_jacobian", problem.contact_jacobian);
  write(group, "contact_bias", problem.contact_bias);
  write_jacobian(group, "joint_jacobian", problem.joint_jacobian);
  write(group, "joint_error", problem.joint_error);
  write(group, "joint_bias", problem.joint_bias);
  write_bounded_rows(group, problem.bounded_rows);
  write_jacobian(group, "bounded_jacobian", problem.bounded_jacobian);
}

ContactProblem read_problem(const Hdf5Handle& group) {
  const std::int64_t format = read_int_attribute(group, "format");
  if (format < 1 || format > kFormat)
    fail(group, "format " + std::to_string(format) + " is not known");
  ContactProblem problem;
  problem.step = read_double_attribute(group, "step");
  problem.gamma = read_double_attribute(group, "gamma");
  problem.literal_gamma = read_int_attribute(group, "literal_gamma") != 0;
  problem.rest_speed = read_double_attribute(group, "rest_speed");
  if (format >= 3) problem.overlap_speed = read_double_attribute(group, "overlap_speed");
  problem.mass_matrix = read_mass_matrix(group);
  problem.velocity = read(group, "velocity");
  problem.free_velocity = read(group, "free_velocity");
  problem.contacts = read_contacts(group);
  problem.contact_jacobian = read_jacobian(group, "contact_jacobian");
  problem.contact_bias = read(group, "contact_bias");
  problem.joint_jacobian = read_jacobian(group, "joint_jacobian");
  problem.joint_error = read(group, "joint_error");
  problem.joint_bias = read(group, "joint_bias");
  if (format == 1) {
    problem.bounded_jacobian.reset(problem.mass_matrix.size());
  } else {
    problem.bounded_rows = read_bounded_rows(group);
    problem.bounded_jacobian = read_jacobian(group, "bounded_jacobian");
  }
  return problem;
}

// [phases, nc, 4] one after the other; empty without witnesses.
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

void read_witnesses(const Hdf5Handle& group, ContactSolution& solution) {
  const std::vector<double> values = read_doubles(group, "witnesses");
  const std::size_t nc = solution.modes.size() + solution.bounded_modes.size();
  if (values.empty() && solution.law.kind != LawKind::MaximumDissipation) return;
  const std::size_t phases = solution.has_two_phases() ? 2 : 1;
  if (values.size() != 4 * nc * phases) fail(group, "witnesses do not fit the contacts");
  solution.witnesses.resize(phases);
  for (std::size_t k = 0; k < values.size(); k += 4) {
    solution.witnesses[k / (4 * nc)].push_back(
        {values[k], values[k + 1], values[k + 2], values[k + 3]});
  }
}

void write_modes(const Hdf5Handle& group, const char* name, const std::vector<ContactMode>& modes) {
  std::vector<std::uint8_t> bytes;
  for (const ContactMode mode : modes) bytes.push_back(static_cast<std::uint8_t>(mode));
  write_vector(group, name, bytes);
}

void write_solution(const Hdf5Handle& parent, const ContactSolution& solution) {
  const Hdf5Handle group = create_group(parent, "solution");
  write_attribute(group, "status", to_string(solution.status));
  write_attribute(group, "law", to_string(solution.law.kind));
  write_attribute(group, "directions", std::int64_t{solution.law.directions});
  write_attribute(group, "restitution", to_string(solution.law.restitution));
  write_attribute(group, "activation_gap", solution.law.activation_gap);
  write_attribute(group, "iterations", std::int64_t{solution.iterations});
  write(group, "impulses", solution.impulses);
  write(group, "compression_impulses", solution.compression_impulses);
  write_witnesses(group, solution);
  write(group, "joint_impulses", solution.joint_impulses);
  write(group, "bounded_impulses", solution.bounded_impulses);
  write(group, "bounded_compression", solution.bounded_compression);
  write(group, "velocity", solution.velocity);
  write_modes(group, "modes", solution.modes);
  write_modes(group, "bounded_modes", solution.bounded_modes);

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

std::vector<SolveAttempt> read_attempts(const Hdf5Handle& parent) {
  const Hdf5Handle group = open_group(parent, "attempts");
  const std::vector<std::string> solvers = read_strings(group, "solver");
  const std::vector<std::string> statuses = read_strings(group, "status");
  const std::vector<std::int64_t> iterations = read_long_ints(group, "iterations");
  const std::vector<double> times = read_doubles(group, "time_s");
  const std::vector<std::string> remarks = read_strings(group, "remark");
  const std::size_t n = solvers.size();
  if (statuses.size() != n || iterations.size() != n || times.size() != n || remarks.size() != n) {
    fail(group, "attempts are incomplete");
  }
  std::vector<SolveAttempt> attempts;
  for (std::size_t i = 0; i < n; ++i) {
    attempts.push_back({solvers[i], enumerator<SolveStatus>(group, statuses[i], kNumStatuses),
                        static_cast<int>(iterations[i]), times[i], remarks[i]});
  }
  return attempts;
}

std::vector<ContactMode> read_modes(const Hdf5Handle& group, const char* name) {
  std::vector<ContactMode> modes;
  for (const std::uint8_t mode : read_bytes(group, name)) {
    if (mode > static_cast<std::uint8_t>(ContactMode::Impact)) fail(group, "unknown contact mode");
    modes.push_back(static_cast<ContactMode>(mode));
  }
  return modes;
}

ContactSolution read_solution(const Hdf5Handle& group) {
  ContactSolution solution;
  solution.status =
      enumerator<SolveStatus>(group, read_string_attribute(group, "status"), kNumStatuses);
  solution.law.kind = enumerator<LawKind>(group, read_string_attribute(group, "law"), kNumLaws);
  solution.law.directions = static_cast<int>(read_int_attribute(group, "directions"));
  solution.law.restitution = enumerator<RestitutionLaw>(
      group, read_string_attribute(group, "restitution"), kNumRestitutionLaws);
  solution.law.activation_gap = read_double_attribute(group, "activation_gap");
  solution.iterations = static_cast<int>(read_int_attribute(group, "iterations"));
  solution.impulses = read(group, "impulses");
  solution.compression_impulses = read(group, "compression_impulses");
  solution.joint_impulses = read(group, "joint_impulses");
  solution.velocity = read(group, "velocity");
  solution.modes = read_modes(group, "modes");
  if (has_object(group, "bounded_impulses")) {
    solution.bounded_impulses = read(group, "bounded_impulses");
    solution.bounded_compression = read(group, "bounded_compression");
    solution.bounded_modes = read_modes(group, "bounded_modes");
  }
  read_witnesses(group, solution);
  solution.attempts = read_attempts(group);
  return solution;
}

}  // namespace

void save_contact_problem(const std::string& path, const ContactProblem& problem,
                          const ContactSolution* solution) {
  validate(problem);
  Hdf5Handle file = create_hdf5_file(path);
  write_fclib_global(file, problem, solution);
  {
    const Hdf5Handle group = create_group(file, "amontons");
    write_problem(group, problem);
    if (solution != nullptr) write_solution(group, *solution);
  }
  file.close();
}

ContactProblem load_contact_problem(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const bool ours = has_object(file, "amontons");
  if (!ours && !has_object(file, "fclib_global")) {
    throw ParseError(path, 0, 0, "neither /amontons nor /fclib_global: not a contact problem");
  }
  try {
    const ContactProblem problem =
        ours ? read_problem(open_group(file, "amontons")) : read_fclib_global(file);
    validate(problem);
    return problem;
  } catch (const std::invalid_argument& error) {
    throw ParseError(path, 0, 0, error.what());
  }
}

std::optional<ContactSolution> load_contact_solution(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!has_object(file, "amontons/solution")) return std::nullopt;
  return read_solution(open_group(file, "amontons/solution"));
}

}  // namespace amontons::io
