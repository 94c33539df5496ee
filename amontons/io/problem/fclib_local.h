#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"

#include <string>

namespace amontons::io {

/// A contact problem as it stands in a file.
struct FclibLocalProblem {
  ContactSpaceProblem problem;  ///< W, q, mu
  int spacedim = 3;             ///< rows per contact in the file: (n, t1, t2) or (n, t1)
};

/// Reads `/fclib_local` of an FCLIB file [Acary et al. 2014]: W, q, mu. W is kept as it is,
/// rounded out of symmetry as such files are; its explicit zeros are dropped.
/// @throws ParseError with the file and what is missing or wrong. Problems with bilateral rows (V,
/// R) are refused.
FclibLocalProblem load_fclib_local(const std::string& path);

/// Contact rows (t1, t2, n) as the file has them.
Eigen::VectorXd to_file_rows(const Eigen::VectorXd& rows, int spacedim);

}  // namespace amontons::io
