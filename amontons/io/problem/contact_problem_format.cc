#include "amontons/io/hdf5/hdf5_formats.h"

namespace amontons::io {
namespace {

FormatMap problem() {
  return {
      "problem",
      "The problem",
      "M (v+ - v_free) = J_C'p + J'c + L'f between velocities [nv] and the impulses of nc "
      "contacts, nj joint rows, nb bounded rows.",
      {{".format", "int64", "", "", "Version."},
       {".step", "float64", "s", "", "h."},
       {".gamma", "float64", "", "", "Share of an overlap that the step removes."},
       {".literal_gamma", "int64", "", "", "1: positive gaps are scaled by gamma too."},
       {".rest_speed", "float64", "m/s", "", "Below it nothing bounces."},
       {".overlap_speed", "float64", "m/s, rad/s", "", "At which an overlap is removed at most."},
       {".missing_in_fclib", "text", "", "",
        "Why there is no `/fclib_global`, where there is none."},
       {"mass_matrix/block_sizes", "int64 [nt]", "", "", "M is diagonal in blocks, one per tree."},
       {"mass_matrix/parents", "int32 [nv]", "", "",
        "Row of the block that comes before a row on the way to the root, -1: none."},
       {"mass_matrix/values", "float64", "kg, kg m, kg m^2", "",
        "The blocks, one after the other, by columns."},
       {"velocity", "float64 [nv]", "m/s, rad/s", "", "v at the start of the step."},
       {"free_velocity", "float64 [nv]", "m/s, rad/s", "", "v_free."},
       {"contact_bias", "float64 [3 nc]", "m/s", "", "Minus the velocity of prescribed motions."},
       {"joint_error", "float64 [nj]", "m, rad", "", "Theta."},
       {"joint_bias", "float64 [nj]", "m/s, rad/s", "", "Velocity of prescribed motions."}}};
}

FormatMap jacobians() {
  return {
      "jacobians",
      "Jacobians",
      "`contact_jacobian`, `joint_jacobian`, `bounded_jacobian`, each in blocks, row by row.",
      {{"*_jacobian.columns", "int64", "", "", "nv."},
       {"*_jacobian/row_sizes", "int64", "", "", "Rows of each block row."},
       {"*_jacobian/blocks_per_row", "int64", "", "", ""},
       {"*_jacobian/block_columns", "int64", "", "", "First column of each block."},
       {"*_jacobian/block_widths", "int64", "", "", "Columns of each block."},
       {"*_jacobian/values", "float64", "", "", "The blocks, one after the other, by columns."}}};
}

FormatMap rows() {
  return {"rows",
          "Contacts and bounded rows",
          "",
          {{"contacts/bodies", "int64 [2 nc]", "", "", "Body A and B; impulses act on B."},
           {"contacts/keys", "int64 [3 nc]", "", "", "Shape A, shape B, feature."},
           {"contacts/position_W", "float64 [3 nc]", "m", "", ""},
           {"contacts/normal_W", "float64 [3 nc]", "", "", "Unit, from A into B."},
           {"contacts/gap", "float64 [nc]", "m", "", "Signed."},
           {"contacts/friction", "float64 [nc]", "", "", "mu."},
           {"contacts/viscous_friction", "float64 [nc]", "N s/m", "", "mu_v."},
           {"contacts/restitution", "float64 [nc]", "", "", "e."},
           {"bounded_rows/names", "int64 [3 nb]", "", "", "Kind, index, which limit: as in a run."},
           {"bounded_rows/lower", "float64 [nb]", "N s, N m s", "", "Bound of the impulse."},
           {"bounded_rows/upper", "float64 [nb]", "N s, N m s", "", "Bound of the impulse."},
           {"bounded_rows/gap", "float64 [nb]", "m, rad", "", "Way to the limit."},
           {"bounded_rows/offset", "float64 [nb]", "m/s, rad/s", "",
            "s of f = Proj(f - (u + s + R f))."},
           {"bounded_rows/compliance", "float64 [nb]", "1/kg, 1/(kg m^2)", "", "R."},
           {"bounded_rows/restitution", "float64 [nb]", "", "", ""}}};
}

FormatMap solution() {
  return {"solution",
          "The solution",
          "Of the step that was taken, where the file has one.",
          {{"solution.status", "text", "", "", "As `/solver/status` of a run."},
           {"solution.law", "text", "", "", "The law that it claims."},
           {"solution.directions", "int64", "", "", "Of its polygon."},
           {"solution.restitution", "text", "", "", "Law of restitution."},
           {"solution.activation_gap", "float64", "m", "",
            "Largest gap at which a contact may carry an impulse."},
           {"solution.iterations", "int64", "", "", ""},
           {"solution/impulses", "float64 [3 nc]", "N s", "", "p, frame t1, t2, n."},
           {"solution/compression_impulses", "float64 [3 nc]", "N s", "",
            "Its part before restitution, by Poisson's law; else empty."},
           {"solution/joint_impulses", "float64 [nj]", "N s, N m s", "", "c."},
           {"solution/bounded_impulses", "float64 [nb]", "N s, N m s", "", "f."},
           {"solution/bounded_compression", "float64 [nb]", "N s, N m s", "", "As of contacts."},
           {"solution/velocity", "float64 [nv]", "m/s, rad/s", "", "v+."},
           {"solution/modes", "uint8 [nc]", "", "", "As in a run."},
           {"solution/bounded_modes", "uint8 [nb]", "", "", "As in a run."},
           {"solution/witnesses", "float64", "", "",
            "Of `maximum-dissipation`: four numbers per row and phase."},
           {"solution/attempts/solver", "text [na]", "", "", "Methods tried."},
           {"solution/attempts/status", "text [na]", "", "", "Why each stopped."},
           {"solution/attempts/iterations", "int64 [na]", "", "", ""},
           {"solution/attempts/time_s", "float64 [na]", "s", "", "Wall time."},
           {"solution/attempts/remark", "text [na]", "", "",
            "E.g. the bodies of an infeasible squeeze."}}};
}

}  // namespace

const std::vector<FormatMap>& contact_problem_format() {
  static const std::vector<FormatMap> maps = {problem(), jacobians(), rows(), solution()};
  return maps;
}

}  // namespace amontons::io
