#include "amontons/io/problem/fclib_global.h"

#include "amontons/contact/operators/rebound.h"
#include "amontons/contact/problem_from_matrices.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_input.h"
#include "amontons/io/hdf5/sparse_matrix_file.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/io/problem/symmetry.h"
#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/SparseCore>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;
using SparseMatrix = Eigen::SparseMatrix<double>;

/// Writes a vector [n] as a dataset.
void write_vector(const Hdf5Handle& parent, const std::string& name,
                  const Eigen::VectorXd& values) {
  io::write_vector(parent, name,
                   std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
}

/// Returns M as one sparse matrix, without its zeros.
SparseMatrix sparse_mass_matrix(const BlockDiagonalMatrix& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const BlockDiagonalMatrix::Block& block : matrix.blocks()) {
    for (Index j = 0; j < block.matrix.cols(); ++j) {
      for (Index i = 0; i < block.matrix.rows(); ++i) {
        if (block.matrix(i, j) == 0.0) continue;
        entries.emplace_back(static_cast<int>(block.offset + i), static_cast<int>(block.offset + j),
                             block.matrix(i, j));
      }
    }
  }
  SparseMatrix result(matrix.size(), matrix.size());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// Returns J' [nv x rows]; with `contacts`, rows (t1, t2, n) become FCLIB's order (n, t1, t2).
SparseMatrix transposed(const BlockSparseMatrix& jacobian, Index num_columns, bool contacts) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      const Eigen::MatrixXd values = jacobian.values(block);
      for (Index i = 0; i < block.num_rows; ++i) {
        // Component i of (t1, t2, n) is component (i + 1) mod 3 of (n, t1, t2).
        const Index row = block.row + (contacts ? (i + 1) % 3 : i);
        for (Index j = 0; j < block.num_cols; ++j) {
          if (values(i, j) == 0.0) continue;
          entries.emplace_back(static_cast<int>(block.col + j), static_cast<int>(row),
                               values(i, j));
        }
      }
    }
  }
  SparseMatrix result(num_columns, jacobian.rows());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// Returns w [m/s]: the bias, with s added to the normal entries.
///
/// Here the normal condition is 0 <= p_n perp u_n + s >= 0, in FCLIB it is 0 <= r_n perp u_n >= 0.
Eigen::VectorXd shifted_bias(const ContactProblem& problem, const ContactSolution* solution) {
  Eigen::VectorXd w = problem.contact_bias;
  const Rebound rebound = find_rebound(problem, problem.contact_velocities(problem.free_velocity));
  const bool newton = solution != nullptr && solution->law.restitution == RestitutionLaw::Newton;
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    // Newton's law replaces s by the rebound speed where that asks for more.
    double s = problem.stabilized_gap(c);
    if (newton && solution->modes[c] == ContactMode::Impact) {
      s = std::min(s, -rebound.speed(static_cast<Index>(c)));
    }
    w(ContactProblem::row(c) + 2) += s;
  }
  return w;
}

/// Returns the first row of each body, where M consists of free bodies alone; else `coupled`.
///
/// A body's block that is diagonal looks like several smaller ones, so a pattern alone is not
/// enough: every multiple of `freedoms` must start a group of coupled rows.
std::vector<Index> free_body_starts(const std::vector<Index>& coupled, Index freedoms) {
  const Index size = coupled.back();
  if (size % freedoms != 0) return coupled;
  for (Index start = 0; start <= size; start += freedoms) {
    if (!std::binary_search(coupled.begin(), coupled.end(), start)) return coupled;
  }
  std::vector<Index> starts(static_cast<std::size_t>(size / freedoms + 1));
  for (std::size_t b = 0; b < starts.size(); ++b) starts[b] = static_cast<Index>(b) * freedoms;
  return starts;
}

/// Reads a problem of FCLIB's Global layout into a ContactProblem.
class FclibReader {
 public:
  explicit FclibReader(const Hdf5Handle& file)
      : file_(file_name(file)), group_(open_group(file, "fclib_global")) {}

  ContactProblem read() {
    const std::vector<std::int32_t> spacedim = read_ints(group_, "spacedim");
    if (spacedim.size() != 1 || (spacedim[0] != 2 && spacedim[0] != 3)) {
      fail("spacedim must be 2 or 3");
    }
    spacedim_ = spacedim[0];
    // With h = 1 s, gamma = 0 and gaps of 0 m, the stabilized gap is 0: w alone is the bias.
    problem_.step = 1.0;
    problem_.gamma = 0.0;
    // v_free = M^-1 f.
    read_mass_matrix();
    problem_.free_velocity = BlockDiagonalFactor(problem_.mass_matrix)
                                 .solve(read_vector("f", problem_.mass_matrix.size()));
    problem_.velocity = problem_.free_velocity;  // the file has no velocity before the step
    read_contacts();
    read_joints();
    return std::move(problem_);
  }

 private:
  /// Throws a ParseError that names the file and the group.
  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(file_, 0, 0, "/fclib_global: " + message);
  }

  /// Counts the memory of a dense block, and fails before it exceeds that of a dataset.
  void reserve(Index rows, Index cols, const char* name) {
    num_numbers_ += static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    if (num_numbers_ <= kMaxDatasetBytes / sizeof(double)) return;
    std::string message = name;
    message += " couples so many rows that its blocks take more than ";
    message += std::to_string(kMaxDatasetBytes >> 20) + " MiB";
    fail(message);
  }

  /// Reads `vectors/name`, which must have `size` entries.
  Eigen::VectorXd read_vector(const std::string& name, Index size) const {
    const std::vector<double> values = read_doubles(group_, "vectors/" + name);
    if (static_cast<Index>(values.size()) != size) {
      fail(name + " has " + std::to_string(values.size()) + " entries, expected " +
           std::to_string(size));
    }
    return Eigen::Map<const Eigen::VectorXd>(values.data(), size);
  }

  /// Reads M and splits it into blocks, which the solvers factorize one by one.
  void read_mass_matrix() {
    const SparseMatrix matrix = read_sparse_matrix(group_, "M");
    if (matrix.rows() != matrix.cols()) fail("M is not square");
    if (matrix.nonZeros() < matrix.rows()) fail("M is singular: it has more rows than entries");
    if (const std::string fault = describe_asymmetry(matrix, "M"); !fault.empty()) fail(fault);
    // Files are rounded out of symmetry; the mean of M and M' is what a factorization needs.
    const SparseMatrix symmetric = (matrix + SparseMatrix(matrix.transpose())) * 0.5;
    starts_ = free_body_starts(block_starts(symmetric), spacedim_ == 3 ? 6 : 3);
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
      const Index begin = starts_[b], size = starts_[b + 1] - begin;
      reserve(size, size, "M");
      problem_.mass_matrix.add_block(Eigen::MatrixXd(symmetric.block(begin, begin, size, size)));
    }
    // A factorization fails unless M is positive definite.
    try {
      BlockDiagonalFactor factor(problem_.mass_matrix);
    } catch (const std::domain_error& error) {
      fail(std::string("M: ") + error.what());
    }
  }

  /// Adds one block row of J = H', whose row r is column columns[r] of H (-1: zero).
  void add_rows(BlockSparseMatrix& jacobian, const SparseMatrix& transposed_jacobian,
                const std::vector<Index>& columns) {
    // Entries of H are gathered by the mass block that their row belongs to.
    std::map<Index, Eigen::MatrixXd> blocks;  // by index of the mass block
    for (std::size_t r = 0; r < columns.size(); ++r) {
      if (columns[r] < 0) continue;
      for (SparseMatrix::InnerIterator entry(transposed_jacobian, columns[r]); entry; ++entry) {
        const auto after = std::upper_bound(starts_.begin(), starts_.end(), entry.row());
        const Index b = after - starts_.begin() - 1;
        const Index size = *after - *std::prev(after);
        const auto num_rows = static_cast<Index>(columns.size());
        const auto [own, is_new] = blocks.try_emplace(b);
        Eigen::MatrixXd& block = own->second;
        if (is_new) {
          reserve(num_rows, size, "H and G");
          block.setZero(num_rows, size);
        }
        block(static_cast<Index>(r), entry.row() - *std::prev(after)) = entry.value();
      }
    }
    // Blocks enter in ascending order of their columns.
    jacobian.add_block_row(static_cast<Index>(columns.size()));
    for (const auto& [b, block] : blocks) {
      jacobian.add_block(starts_[static_cast<std::size_t>(b)], block);
    }
  }

  /// Reads H, mu and w; the contact rows become (t1, t2, n), with t2 = 0 in the plane.
  void read_contacts() {
    // The files have no geometry: contacts have a friction and a number, and gaps of 0 m.
    const std::vector<double> friction = read_doubles(group_, "vectors/mu");
    const auto nc = static_cast<Index>(friction.size());
    const Eigen::VectorXd mu = Eigen::Map<const Eigen::VectorXd>(friction.data(), nc);
    const SparseMatrix H =
        read_sparse_matrix(group_, "H", problem_.mass_matrix.size(), spacedim_ * nc);
    const Eigen::VectorXd w = read_vector("w", H.cols());
    problem_.contact_jacobian = BlockSparseMatrix(problem_.mass_matrix.size());
    problem_.contact_bias = Eigen::VectorXd::Zero(3 * nc);
    for (Index i = 0; i < nc; ++i) {
      // Column `normal` of H is n; t1 and t2 follow.
      const Index normal = spacedim_ * i;
      Contact contact;
      contact.friction = mu(i);
      contact.key.feature = static_cast<std::uint32_t>(i);
      problem_.contacts.push_back(contact);
      const bool planar = spacedim_ == 2;
      add_rows(problem_.contact_jacobian, H, {normal + 1, planar ? Index{-1} : normal + 2, normal});
      problem_.contact_bias.segment<3>(3 * i) << w(normal + 1), planar ? 0.0 : w(normal + 2),
          w(normal);
    }
  }

  /// Reads G and b of the bilateral rows, where the file has them.
  void read_joints() {
    problem_.joint_jacobian = BlockSparseMatrix(problem_.mass_matrix.size());
    problem_.joint_bias.resize(0);
    if (has_object(group_, "G")) {
      const SparseMatrix G = read_sparse_matrix(group_, "G", problem_.mass_matrix.size());
      problem_.joint_bias = read_vector("b", G.cols());
      for (Index j = 0; j < G.cols(); ++j) add_rows(problem_.joint_jacobian, G, {j});
    }
    problem_.joint_error = Eigen::VectorXd::Zero(problem_.joint_bias.size());
  }

  const std::string file_;
  const Hdf5Handle group_;
  int spacedim_ = 3;
  std::size_t num_numbers_ = 0;  // in dense blocks so far
  std::vector<Index> starts_;    // first row of each mass block, and the end
  ContactProblem problem_;
};

}  // namespace

std::string missing_in_fclib(const ContactProblem& problem) {
  // Both parts of the text name a number, so that a user sees how much is missing.
  const std::size_t rows = problem.bounded_rows.size();
  const auto viscous =
      std::count_if(problem.contacts.begin(), problem.contacts.end(),
                    [](const Contact& contact) { return contact.viscous_friction > 0.0; });
  std::string missing;
  if (rows > 0) {
    missing =
        std::to_string(rows) + " bounded rows (limits, dry friction, effort bounds of joints)";
  }
  if (viscous > 0) {
    missing += (missing.empty() ? "" : " and ") +
               ("viscous friction at " + std::to_string(viscous)) + " contacts";
  }
  return missing;
}

void write_fclib_global(const Hdf5Handle& file, const ContactProblem& problem,
                        const ContactSolution* solution) {
  const Index nv = problem.mass_matrix.size();
  const Hdf5Handle group = create_group(file, "fclib_global");
  // The problem: M v = H r + f + G l,  u = H'v + w,  G'v + b = 0.
  const std::array<std::int32_t, 1> spacedim = {3};
  io::write_vector(group, "spacedim", spacedim);
  write_sparse_matrix(group, "M", sparse_mass_matrix(problem.mass_matrix));
  write_sparse_matrix(group, "H", transposed(problem.contact_jacobian, nv, true));
  const Hdf5Handle vectors = create_group(group, "vectors");
  write_vector(vectors, "f", problem.mass_matrix * problem.free_velocity);
  write_vector(vectors, "w", to_file_rows(shifted_bias(problem, solution), 3));
  Eigen::VectorXd friction(static_cast<Index>(problem.num_contacts()));
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    friction(static_cast<Index>(c)) = problem.contacts[c].friction;
  }
  write_vector(vectors, "mu", friction);
  // G'v + b = 0 is J v = joint_target.
  if (problem.joint_jacobian.rows() > 0) {
    write_sparse_matrix(group, "G", transposed(problem.joint_jacobian, nv, false));
    write_vector(vectors, "b", -problem.joint_target());
  }
  // The solution with u in the file's sense, that is, with s in its normal entries.
  if (solution == nullptr) return;
  const Hdf5Handle vectors_of_solution = create_group(file, "solution");
  const Eigen::VectorXd u = problem.contact_jacobian * solution->velocity;
  write_vector(vectors_of_solution, "v", solution->velocity);
  write_vector(vectors_of_solution, "u", to_file_rows(u + shifted_bias(problem, solution), 3));
  write_vector(vectors_of_solution, "r", to_file_rows(solution->impulses, 3));
  if (solution->joint_impulses.size() > 0)
    write_vector(vectors_of_solution, "l", solution->joint_impulses);
}

ContactProblem read_fclib_global(const Hdf5Handle& file) { return FclibReader(file).read(); }

}  // namespace amontons::io
