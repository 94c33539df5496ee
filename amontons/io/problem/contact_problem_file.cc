#include "amontons/io/problem/contact_problem_file.h"

#include "amontons/contact/problem_magnitudes.h"
#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/replacement_file.h"
#include "amontons/io/hdf5/hdf5_digest.h"
#include "amontons/io/problem/block_matrix_file.h"
#include "amontons/io/problem/bounded_rows_file.h"
#include "amontons/io/problem/contact_problem_group.h"
#include "amontons/io/problem/contact_solution_file.h"
#include "amontons/io/problem/fclib_global.h"
#include "amontons/math/block_diagonal_factor.h"

#include <stdexcept>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

/// Version of the group `/amontons`: 2 added bounded rows, 3 the overlap speed, 4 the reach of
/// contacts, 5 opening speeds. All are readable.
constexpr std::int64_t kFormat = 5;

/// Calls visit(name, member) for each number that a contact holds, so that writer and reader agree.
template <typename Visitor>
void visit_numbers(std::int64_t format, Visitor visit) {
  visit("gap", &Contact::gap);
  visit("friction", &Contact::friction);
  visit("viscous_friction", &Contact::viscous_friction);
  visit("restitution", &Contact::restitution);
  if (format >= 4) visit("reach", &Contact::reach);
  if (format >= kFirstWithOpeningSpeeds) visit("opening_speed", &Contact::opening_speed);
}

/// Writes the group `contacts`: keys, geometry, and one dataset for each coefficient.
void write_contacts(const Hdf5Handle& parent, const std::vector<Contact>& contacts) {
  const Hdf5Handle group = create_group(parent, "contacts");
  // Vectors of several numbers per contact: bodies [2 nc], keys [3 nc], position and normal [3 nc].
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
  visit_numbers(kFormat, [&](const char* name, double Contact::*member) {
    std::vector<double> values;
    for (const Contact& contact : contacts) values.push_back(contact.*member);
    write_vector(group, name, values);
  });
}

/// Reads the group `contacts`. Throws ParseError if its datasets differ in length.
std::vector<Contact> read_contacts(const Hdf5Handle& parent, std::int64_t format) {
  const Hdf5Handle group = open_group(parent, "contacts");
  const std::vector<std::int64_t> bodies = read_long_ints(group, "bodies");
  const std::vector<std::int64_t> keys = read_long_ints(group, "keys");
  const std::vector<double> positions = read_doubles(group, "position_W");
  const std::vector<double> normals = read_doubles(group, "normal_W");
  // The number of contacts nc follows from the bodies; every other dataset must fit it.
  std::vector<Contact> contacts(bodies.size() / 2);
  const std::size_t n = contacts.size();
  if (bodies.size() != 2 * n || keys.size() != 3 * n || positions.size() != 3 * n ||
      normals.size() != 3 * n) {
    fail_in_problem(group, "contacts are incomplete");
  }
  for (std::size_t i = 0; i < n; ++i) {
    // Key and geometry, as write_contacts() laid them out.
    contacts[i].body_a = narrowed<int>(group, "bodies", bodies[2 * i]);
    contacts[i].body_b = narrowed<int>(group, "bodies", bodies[2 * i + 1]);
    contacts[i].key = {narrowed<std::int32_t>(group, "keys", keys[3 * i]),
                       narrowed<std::int32_t>(group, "keys", keys[3 * i + 1]),
                       narrowed<std::uint32_t>(group, "keys", keys[3 * i + 2])};
    contacts[i].position_W = Eigen::Map<const Eigen::Vector3d>(positions.data() + 3 * i);
    contacts[i].normal_W = Eigen::Map<const Eigen::Vector3d>(normals.data() + 3 * i);
  }
  visit_numbers(format, [&](const char* name, double Contact::*member) {
    const std::vector<double> values = read_doubles(group, name);
    if (values.size() != n) fail_in_problem(group, "contacts are incomplete");
    for (std::size_t i = 0; i < n; ++i) contacts[i].*member = values[i];
  });
  return contacts;
}

/// Writes the group `/amontons`, from which read_problem() restores every bit of the problem.
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
  write(group, "joint_correction", problem.joint_correction);
  write_bounded_rows(group, problem.bounded_rows);
  write_jacobian(group, "bounded_jacobian", problem.bounded_jacobian);
}

/// Reads the group `/amontons`. Throws ParseError for a format that is not known.
ContactProblem read_problem(const Hdf5Handle& group) {
  const std::int64_t format = read_int_attribute(group, "format");
  if (format < 1 || format > kFormat)
    fail_in_problem(group, "format " + std::to_string(format) + " is not known");
  ContactProblem problem;
  // Parameters of the step: h [s], the share of an overlap removed, and thresholds of speed.
  problem.step = read_double_attribute(group, "step");
  problem.gamma = read_double_attribute(group, "gamma");
  problem.literal_gamma = read_int_attribute(group, "literal_gamma") != 0;
  problem.rest_speed = read_double_attribute(group, "rest_speed");
  if (format >= 3) problem.overlap_speed = read_double_attribute(group, "overlap_speed");
  // M (v+ - v_free) = J_C'p + J'c + L'f: the system, then its contacts, joints and bounded rows.
  problem.mass_matrix = read_mass_matrix(group);
  const Eigen::Index num_velocities = problem.mass_matrix.size();
  problem.velocity = read(group, "velocity");
  problem.free_velocity = read(group, "free_velocity");
  problem.contacts = read_contacts(group, format);
  problem.contact_jacobian = read_jacobian(group, "contact_jacobian", num_velocities);
  problem.contact_bias = read(group, "contact_bias");
  problem.joint_jacobian = read_jacobian(group, "joint_jacobian", num_velocities);
  problem.joint_error = read(group, "joint_error");
  problem.joint_bias = read(group, "joint_bias");
  if (has_object(group, "joint_correction")) {
    problem.joint_correction = read(group, "joint_correction");
  }
  // Files of the first format have no bounded rows; their Jacobian still needs its width nv.
  if (format == 1) {
    problem.bounded_jacobian.reset(problem.mass_matrix.size());
  } else {
    problem.bounded_rows = read_bounded_rows(group, format);
    problem.bounded_jacobian = read_jacobian(group, "bounded_jacobian", num_velocities);
  }
  // What is missing has been named; all that is there must be as it was written.
  check_digest(group, "/amontons");
  return problem;
}

}  // namespace

void save_contact_problem(const std::string& path, const ContactProblem& problem,
                          const ContactSolution* solution) {
  validate(problem);
  ReplacementFile replacement(path);
  Hdf5Handle file = create_hdf5_file(replacement.aside(), path);
  const std::string missing = missing_in_fclib(problem);
  if (missing.empty()) write_fclib_global(file, problem, solution);
  // The group is closed before the file: an open handle would keep the file open.
  {
    const Hdf5Handle group = create_group(file, "amontons");
    if (!missing.empty()) write_attribute(group, "missing_in_fclib", std::string_view(missing));
    write_problem(group, problem);
    if (solution != nullptr) write_solution(group, *solution);
    write_digest(group);
  }
  file.close();
  replacement.place();
}

bool is_own_contact_problem(const std::string& path) {
  return is_hdf5_file(path) && has_object(open_hdf5_file(path), "amontons");
}

ContactProblem load_contact_problem(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  // `/amontons` is exact and comes first; a plain FCLIB file has the Global layout alone.
  const bool ours = has_object(file, "amontons");
  if (!ours && !has_object(file, "fclib_global")) {
    for (const char* rolling : {"fclib_global_rolling", "fclib_local_rolling"}) {
      if (!has_object(file, rolling)) continue;
      throw ParseError(path, 0, 0,
                       "/" + std::string(rolling) +
                           " has rolling friction, which is not read; write the problem without "
                           "its rolling rows as /fclib_global or /fclib_local");
    }
    throw ParseError(path, 0, 0,
                     "neither /amontons, /fclib_global nor /fclib_local: not a contact problem");
  }
  // A problem that cannot be valid is reported as a fault of the file, with its name.
  try {
    const ContactProblem problem =
        ours ? read_problem(open_group(file, "amontons")) : read_fclib_global(file);
    validate(problem);
    require_magnitudes(problem);
    // Every method begins with a factorization of M.
    if (ours) BlockDiagonalFactor factor(problem.mass_matrix);
    return problem;
  } catch (const std::invalid_argument& error) {
    throw ParseError(path, 0, 0, error.what());
  } catch (const std::domain_error& error) {
    throw ParseError(path, 0, 0, std::string("/amontons: mass_matrix: ") + error.what());
  }
}

std::optional<ContactSolution> load_contact_solution(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!has_object(file, "amontons/solution")) return std::nullopt;
  return read_solution(open_group(file, "amontons/solution"));
}

}  // namespace amontons::io
