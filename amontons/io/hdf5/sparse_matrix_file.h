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
/// @throws ParseError if sizes or indices do not fit.
Eigen::SparseMatrix<double> read_sparse_matrix(const Hdf5Handle& parent, const std::string& name);

}  // namespace amontons::io
