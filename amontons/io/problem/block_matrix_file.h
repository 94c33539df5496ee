#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"

namespace amontons::io {

/// Matrices of a contact problem's file (contact_problem_file.h), block by block as they are in
/// memory. Reading throws ParseError if something is missing or does not fit.

void write_mass_matrix(const Hdf5Handle& parent, const BlockDiagonalMatrix& matrix);
BlockDiagonalMatrix read_mass_matrix(const Hdf5Handle& parent);

void write_jacobian(const Hdf5Handle& parent, const char* name, const BlockSparseMatrix& jacobian);
BlockSparseMatrix read_jacobian(const Hdf5Handle& parent, const char* name);

}  // namespace amontons::io
