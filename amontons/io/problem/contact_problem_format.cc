#include "amontons/io/hdf5/hdf5_formats.h"

namespace amontons::io {
namespace {

/// Returns the table of the attributes and vectors that lie in `/amontons` itself.
FormatMap problem() {
  return {
      "problem",
      "The problem",
      "The equations are M (v+ - v_free) = J_C'p + J'c + L'f. They connect the velocities [nv] and "
      "the impulses of nc contacts, nj joint rows and nb bounded rows.",
      // A name that begins with a point is an attribute of the group, any other a dataset.
      {{".format", "int64", "", "", "Version of the format."},
       {".step", "float64", "s", "", "Length h of the step."},
       {".gamma", "float64", "", "", "Share of an overlap that the step removes."},
       {".literal_gamma", "int64", "", "", "1 where gamma scales positive gaps, too."},
       {".rest_speed", "float64", "m/s", "", "Closing speed below which nothing bounces."},
       {".overlap_speed", "float64", "m/s, rad/s", "",
        "Largest speed at which an overlap is removed."},
       {".missing_in_fclib", "text", "", "",
        "The reason why the file has no `/fclib_global`, where it has none."},
       {".sha256", "text", "", "",
        "SHA-256 over all else in `/amontons`; a group that does not match it is refused."},
       {"mass_matrix/block_sizes", "int64 [nt]", "", "",
        "Sizes of the diagonal blocks of M, one per tree."},
       {"mass_matrix/parents", "int32 [nv]", "", "",
        "Row of the block that precedes a row on the path to the root; -1 for none."},
       {"mass_matrix/values", "float64", "kg, kg m, kg m^2", "",
        "The blocks, one after the other, by columns."},
       {"velocity", "float64 [nv]", "m/s, rad/s", "", "v at the start of the step."},
       {"free_velocity", "float64 [nv]", "m/s, rad/s", "", "Velocity v_free without impulses."},
       {"contact_bias", "float64 [3 nc]", "m/s", "", "Negative velocity of prescribed motions."},
       {"joint_error", "float64 [nj]", "m, rad", "", "Joint error Theta."},
       {"joint_bias", "float64 [nj]", "m/s, rad/s", "", "Velocity of prescribed motions."},
       {"joint_correction", "float64 [nj]", "m/s, rad/s", "-gamma Theta/h",
        "Rate at which the step corrects Theta."}}};
}

/// Returns the table of the three Jacobians, whose blocks are stored alike.
FormatMap jacobians() {
  return {
      "jacobians",
      "Jacobians",
      "They are `contact_jacobian`, `joint_jacobian` and `bounded_jacobian`, each in blocks, row "
      "by row.",
      {{"*_jacobian.columns", "int64", "", "", "Number of columns, nv."},
       {"*_jacobian/row_sizes", "int64", "", "", "Number of rows of each block row."},
       {"*_jacobian/blocks_per_row", "int64", "", "", ""},
       {"*_jacobian/block_columns", "int64", "", "", "First column of each block."},
       {"*_jacobian/block_widths", "int64", "", "", "Number of columns of each block."},
       {"*_jacobian/values", "float64", "", "", "The blocks, one after the other, by columns."}}};
}

/// Returns the table of the contacts (nc) and of the bounded rows (nb).
FormatMap rows() {
  return {
      "rows",
      "Contacts and bounded rows",
      "",
      {{"contacts/bodies", "int64 [2 nc]", "", "", "Body A and B; impulses act on B."},
       {"contacts/keys", "int64 [3 nc]", "", "", "Shape A, shape B, feature."},
       {"contacts/position_W", "float64 [3 nc]", "m", "", ""},
       {"contacts/normal_W", "float64 [3 nc]", "", "", "Unit normal from A into B, world axes."},
       {"contacts/gap", "float64 [nc]", "m", "", "Signed distance; negative for an overlap."},
       {"contacts/friction", "float64 [nc]", "", "", "Coefficient of friction mu."},
       {"contacts/viscous_friction", "float64 [nc]", "N s/m", "",
        "Coefficient of viscous friction mu_v."},
       {"contacts/restitution", "float64 [nc]", "", "", "Coefficient of restitution e."},
       {"contacts/reach", "float64 [nc]", "m", "",
        "Largest coordinate besides the position that the gap comes from."},
       {"contacts/opening_speed", "float64 [nc]", "m/s", "infinity",
        "Largest speed at which the overlap is removed, below overlap_speed; 0: no motion does."},
       // Bounded rows have one dataset for each number of contact/bounded_row.h.
       {"bounded_rows/names", "int64 [3 nb]", "", "", "Kind, index, which limit: as in a run."},
       {"bounded_rows/lower", "float64 [nb]", "N s, N m s", "", "Bound of the impulse."},
       {"bounded_rows/upper", "float64 [nb]", "N s, N m s", "", "Bound of the impulse."},
       {"bounded_rows/gap", "float64 [nb]", "m, rad", "", "Distance to the limit."},
       {"bounded_rows/offset", "float64 [nb]", "m/s, rad/s", "",
        "s of f = Proj(f - (u + s + R f))."},
       {"bounded_rows/compliance", "float64 [nb]", "1/kg, 1/(kg m^2)", "",
        "R of the same equation."},
       {"bounded_rows/restitution", "float64 [nb]", "", "", ""},
       {"bounded_rows/opening_speed", "float64 [nb]", "m/s, rad/s", "infinity",
        "The same of a passed limit."}}};
}

/// Returns the table of the solution and of the attempts of its solver.
FormatMap solution() {
  return {"solution",
          "The solution",
          "It is that of the step which was taken, where the file has one.",
          // Law and status say how to read the numbers, and what the solution claims.
          {{"solution.status", "text", "", "", "As `/solver/status` of a run."},
           {"solution.law", "text", "", "", "The law that it claims."},
           {"solution.directions", "int64", "", "",
            "Directions of its friction polygon, 0 without one."},
           {"solution.restitution", "text", "", "", "Law of restitution."},
           {"solution.activation_gap", "float64", "m", "",
            "Largest gap at which a contact may carry an impulse."},
           {"solution.within", "float64", "", "", "As `/law/within` of a run."},
           {"solution.iterations", "int64", "", "", ""},
           // Impulses and velocity, from which the certificate is computed again.
           {"solution/impulses", "float64 [3 nc]", "N s", "",
            "Impulses p, rows t1, t2, n of a contact; `solve` prints and takes n, t1, t2."},
           {"solution/compression_impulses", "float64 [3 nc]", "N s", "",
            "Part of p before restitution, by Poisson's law; else empty."},
           {"solution/joint_impulses", "float64 [nj]", "N s, N m s", "", "Impulses c."},
           {"solution/bounded_impulses", "float64 [nb]", "N s, N m s", "", "Impulses f."},
           {"solution/bounded_compression", "float64 [nb]", "N s, N m s", "", "As for contacts."},
           {"solution/velocity", "float64 [nv]", "m/s, rad/s", "", "Velocity v+ after the step."},
           {"solution/modes", "uint8 [nc]", "", "", "As in a run."},
           {"solution/bounded_modes", "uint8 [nb]", "", "", "As in a run."},
           {"solution/restitution_shares", "float64 [nc + nb]", "", "1",
            "Share of the rebound that is given back."},
           {"solution/witnesses", "float64", "", "",
            "`maximum-dissipation`: four numbers per row and phase."},
           // One entry for each method that the solver tried, na in all.
           {"solution/attempts/solver", "text [na]", "", "", "Methods that were tried."},
           {"solution/attempts/status", "text [na]", "", "", "The reason why each stopped."},
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
