#include "amontons/contact/certificate/face_columns.h"

#include "amontons/math/row_complement.h"
#include "amontons/math/row_factor.h"

#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sine up to which a held row depends on others [-].
constexpr double kDependentRow = 1e-9;

// The same for normals, whose program is scaled to rows of length 1.
constexpr double kDependentNormal = 1e-8;

// Number of held contacts and normals from which most rows depend on others, and are tested first.
constexpr std::size_t kManyContacts = 64;

/// Writes the normal row of a contact over all velocities, over sqrt(w).
void write_normal(const ProblemScaling& scaling, int contact, VectorXd& x) {
  write_contact_row(scaling, contact, 2, x);
  x /= std::sqrt(scaling.scales.inverse_mass(contact));
}

/// Adds each row to the span of those before it, and takes the basis from that.
MatrixXd columns_of_few(const ProblemScaling& scaling, const std::vector<int>& held,
                        const std::vector<int>& normals) {
  RowFactor span;
  const RowFactor& joints = scaling.independent_joints.factor;
  if (joints.size() > 0) {
    span.reset(joints);
  } else {
    span.reset(scaling.contact_rows.cols());
  }
  VectorXd row;
  for (const int c : held) {
    for (Index t = 0; t < 2; ++t) {
      write_contact_row(scaling, c, t, row);
      span.add(row, kDependentRow * row.norm());
    }
  }
  // Normals follow, in the basis that all columns together add.
  const Index num_held = span.size();
  std::vector<VectorXd> columns;
  for (const int c : normals) {
    write_normal(scaling, c, row);
    columns.push_back(row);
    span.add(row, kDependentNormal * row.norm());
  }
  const Index rank = span.size() - num_held;
  MatrixXd A(rank, static_cast<Index>(normals.size()));
  for (Index j = 0; j < A.cols(); ++j) {
    A.col(j) = span.basis().rightCols(rank).transpose() * columns[static_cast<std::size_t>(j)];
  }
  return A;
}

/// Returns the velocities that some contacts move, ascending.
std::vector<Index> velocities_of(const ProblemScaling& scaling, const std::vector<int>& held,
                                 const std::vector<int>& normals) {
  std::vector<char> moves(static_cast<std::size_t>(scaling.contact_rows.cols()), 0);
  for (const std::vector<int>* contacts : {&held, &normals}) {
    for (const int c : *contacts) {
      for (const BlockSparseMatrix::Block& block :
           scaling.contact_rows.block_row(static_cast<std::size_t>(c))) {
        for (Index k = 0; k < block.num_cols; ++k) {
          moves[static_cast<std::size_t>(block.col + k)] = 1;
        }
      }
    }
  }
  std::vector<Index> result;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    if (moves[k]) result.push_back(static_cast<Index>(k));
  }
  return result;
}

/// Tests rows by the complement of those held, whose size falls as rows are held, and takes the
/// basis from the normals alone.
MatrixXd columns_of_many(const ProblemScaling& scaling, const std::vector<int>& held,
                         const std::vector<int>& normals) {
  const std::vector<Index> velocities = velocities_of(scaling, held, normals);
  RowComplement complement;
  complement.reset(static_cast<Index>(velocities.size()));
  VectorXd row;
  for (const int c : held) {
    for (Index t = 0; t < 2 && complement.size() > 0; ++t) {
      write_contact_row(scaling, c, t, row);
      if (complement.rest(row(velocities)) > kDependentRow * row.norm()) complement.take();
    }
  }
  // Coordinates of the normals in the complement, then in the basis that they span.
  const Index k = complement.size(), n = static_cast<Index>(normals.size());
  MatrixXd left(k, n);
  RowComplement others;
  RowFactor span;
  others.reset(k);
  span.reset(k);
  for (Index j = 0; j < n; ++j) {
    write_normal(scaling, normals[static_cast<std::size_t>(j)], row);
    complement.rest(row(velocities));
    left.col(j) = complement.coordinates();
    if (others.size() == 0 || !(others.rest(left.col(j)) > kDependentNormal * row.norm())) continue;
    others.take();
    span.add(left.col(j), 0.0);
  }
  return span.basis().transpose() * left;
}

}  // namespace

void write_contact_row(const ProblemScaling& scaling, int contact, Index row, VectorXd& x) {
  const BlockSparseMatrix& G = scaling.contact_rows;
  x.setZero(G.cols());
  for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(contact))) {
    x.segment(block.col, block.num_cols) = G.values(block).row(row).transpose();
  }
}

MatrixXd face_columns(const ProblemScaling& scaling, const std::vector<int>& held,
                      const std::vector<int>& normals) {
  const bool are_many = held.size() + normals.size() >= kManyContacts;
  return are_many && scaling.independent_joints.factor.size() == 0
             ? columns_of_many(scaling, held, normals)
             : columns_of_few(scaling, held, normals);
}

}  // namespace amontons
