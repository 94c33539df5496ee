#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"

#include <Eigen/SparseCore>

#include <string>

namespace amontons::io {

/// Writes a sparse matrix as FCLIB and CSparse store it: a group of m, n, nzmax, nz, p, i, x. The
/// format is compressed columns (nz = -1).
void write_sparse_matrix(const Hdf5Handle& parent, const std::string& name,
                         const Eigen::SparseMatrix<double>& matrix);

/// Reads compressed columns (nz = -1), compressed rows (nz = -2) and triplets (nz >= 0). Of
/// triplets only the first nz count; p holds columns, i rows. Repeated entries are added, explicit
/// zeros dropped.
/// @param num_rows  the number of rows that it must have; negative: any.
/// @param num_cols  the number of columns, likewise.
/// @throws ParseError if sizes or indices do not fit.
Eigen::SparseMatrix<double> read_sparse_matrix(const Hdf5Handle& parent, const std::string& name,
                                               Eigen::Index num_rows = -1,
                                               Eigen::Index num_cols = -1);

}  // namespace amontons::io
