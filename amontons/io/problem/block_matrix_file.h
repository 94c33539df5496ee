#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"

namespace amontons::io {

// The matrices of a contact problem's file (contact_problem_file.h) are stored block by block, as
// they are in memory, so that they return bit for bit.

/// Writes the mass matrix M [nv x nv], one block per articulation, as the group `mass_matrix`.
void write_mass_matrix(const Hdf5Handle& parent, const BlockDiagonalMatrix& matrix);

/// Reads the group `mass_matrix`.
/// @throws ParseError if something is missing or does not fit.
BlockDiagonalMatrix read_mass_matrix(const Hdf5Handle& parent);

/// Writes a Jacobian [rows x nv], one block per row group and articulation, as the group `name`.
void write_jacobian(const Hdf5Handle& parent, const char* name, const BlockSparseMatrix& jacobian);

/// Reads the group `name` of write_jacobian().
/// @param num_velocities  columns at most: nv of the mass matrix, which bounds the memory.
/// @throws ParseError if something is missing or does not fit.
BlockSparseMatrix read_jacobian(const Hdf5Handle& parent, const char* name,
                                Eigen::Index num_velocities);

}  // namespace amontons::io
