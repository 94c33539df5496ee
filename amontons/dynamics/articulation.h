#pragma once

#include "amontons/dynamics/composite_inertia.h"
#include "amontons/dynamics/joint.h"
#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// Holds one link of a tree and the joint that connects it to its parent.
struct Link {
  std::string name;  ///< name of the body
  int parent = -1;   ///< index of the parent link; -1: the world
  /// A tree has no Fixed (merge_fixed_joints), Distance (loops only) or Universal
  /// (split_universal_joints) joints.
  JointType joint = JointType::Free;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< unit, in F
  Pose X_PF;                                         ///< joint frame F on the parent (or the world)
  Pose X_MB;                                         ///< the link's frame B in the moved frame M
  SpatialInertia inertia;                            ///< mass and inertia, in B
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitX();  ///< universal: second axis, unit, in M
  double pitch = 0.0;                                ///< screw: travel along the axis [m/rad]
  double armature = 0.0;   ///< rotor inertia, on the diagonal of M for each rate [kg m^2 or kg]
  double armature2 = 0.0;  ///< rotor inertia at a universal joint's second rate [kg m^2]

  /// Returns the geometry of the joint to the parent.
  JointGeometry geometry() const { return {joint, axis, axis2, pitch, 0.0}; }
};

/// Holds poses, velocities and joint axes of every link at one instant, in the world.
struct ArticulationKinematics {
  std::vector<Pose> X_WB;               ///< [links]
  std::vector<Vector6d> V_WB;           ///< [links] (w, v of B's origin), in W
  std::vector<Eigen::Vector3d> p_PB_W;  ///< [links] B's origin from the parent's, in W;
                                        ///< exact far from the world origin
  std::vector<Eigen::Vector3d> p_MB_W;  ///< [links] B's origin from M's, in W
  Eigen::Matrix<double, 6, Eigen::Dynamic> subspace;  ///< [6 x nv] column i: velocity that a unit
                                                      ///< rate i gives to B's origin of its link
  std::vector<CompositeInertia> inertias;             ///< [links] inertia of the link alone
  std::vector<CompositeInertia> composites;  ///< [links] inertia of the link with its subtree
  Eigen::VectorXd rates;                     ///< v [nv]
};

/// Holds the intermediate results of recursive Newton-Euler. Its memory is reused from call to
/// call.
struct NewtonEulerWorkspace {
  /// Holds a link's angular acceleration and that of the point at its origin (not the spatial
  /// acceleration).
  struct Acceleration {
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< in W [rad/s^2]
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< at the link's origin, in W [m/s^2]
  };
  std::vector<Acceleration> accelerations;  ///< [links] acceleration of each link
  std::vector<Vector6d> forces;  ///< [links] (torque about B's origin [N m], force [N]), in W
  std::vector<Eigen::Vector3d> angular_velocities;  ///< [links] at the velocities v, in W [rad/s]
};

/// Represents a tree of links in reduced coordinates: q, v, M(q), bias forces, Jacobians
/// [Featherstone 2008, chapters 5 and 6]. A free rigid body is a tree of one link.
///
/// Functions that fill given memory allocate none once that memory has its size.
class Articulation {
 public:
  /// @param links  parents before children.
  /// @throws std::invalid_argument for a parent out of order, an axis that is not unit, or a joint
  /// type that is not allowed.
  explicit Articulation(std::vector<Link> links);

  const std::vector<Link>& links() const { return links_; }  ///< depth first
  /// Returns the number of links, the root included.
  int num_links() const { return static_cast<int>(links_.size()); }
  /// Returns true for a body alone whose rates are (w, v of its origin) in W.
  bool is_free_body_in_W() const { return links_.size() == 1 && constants_[0].is_free_in_W; }
  /// Returns true for such a body if its mass is centered at its origin and its inertia is the same
  /// about every axis: no motion of its own changes its angular velocity.
  bool has_central_inertia() const {
    return is_free_body_in_W() && constants_[0].is_isotropic &&
           constants_[0].first_moment.isZero(0.0);
  }
  int num_positions() const { return nq_; }   ///< nq
  int num_velocities() const { return nv_; }  ///< nv
  /// Returns the index of the link's first coordinate in q.
  int q_offset(int link) const { return q_offset_[static_cast<std::size_t>(link)]; }
  /// Returns the index of the link's first rate in v.
  int v_offset(int link) const { return v_offset_[static_cast<std::size_t>(link)]; }

  /// Returns the parent of each degree of freedom, -1 at a root. It gives the sparsity of M.
  const std::vector<int>& dof_parents() const { return dof_parents_; }

  /// Returns q of the zero pose [nq]; quaternions are (1, 0, 0, 0).
  Eigen::VectorXd neutral_position() const;

  /// Fills every member of `kinematics`; its storage is reused from call to call.
  void compute_kinematics(const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          ArticulationKinematics& kinematics) const;

  /// Fills all members but the inertias: enough for Jacobians and velocities.
  void compute_motion(const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v,
                      ArticulationKinematics& kinematics) const;

  /// Returns M(q) [nv x nv] by the composite-rigid-body algorithm, at a cost of O(nv d), d the
  /// depth of the tree. This function and those below have a second form that writes into given
  /// memory.
  Eigen::MatrixXd mass_matrix(const ArticulationKinematics& kinematics) const;
  /// Writes M [nv x nv] into the given memory.
  void mass_matrix(const ArticulationKinematics& kinematics, Eigen::Ref<Eigen::MatrixXd> M) const;
  /// Writes the lower triangle of M where degrees of freedom share a branch. All other entries of
  /// `M` stay as they are.
  void lower_mass_matrix(const ArticulationKinematics& kinematics,
                         Eigen::Ref<Eigen::MatrixXd> M) const;

  /// Returns C(q, v) v [nv]: Coriolis, centrifugal and gyroscopic forces [N or N m]. Recursive
  /// Newton-Euler computes them in O(nv). `v` may differ from the velocity at which `kinematics`
  /// was computed, because only its poses are read.
  Eigen::VectorXd bias_forces(const ArticulationKinematics& kinematics,
                              const Eigen::Ref<const Eigen::VectorXd>& v) const;

  /// Returns the joint forces of inverse dynamics [nv], without external forces: M vdot + C(q, v) v
  /// - gravity.
  Eigen::VectorXd inverse_dynamics(const ArticulationKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& v,
                                   const Eigen::Ref<const Eigen::VectorXd>& acceleration,
                                   const Eigen::Vector3d& gravity) const;
  /// Writes the same forces, tau [nv], into the given memory.
  void inverse_dynamics(const ArticulationKinematics& kinematics,
                        const Eigen::Ref<const Eigen::VectorXd>& v,
                        const Eigen::Ref<const Eigen::VectorXd>& acceleration,
                        const Eigen::Vector3d& gravity, NewtonEulerWorkspace& work,
                        Eigen::Ref<Eigen::VectorXd> forces) const;

  /// Writes the joint forces at zero acceleration: C(q, v) v - gravity [nv].
  void bias_forces(const ArticulationKinematics& kinematics,
                   const Eigen::Ref<const Eigen::VectorXd>& v, const Eigen::Vector3d& gravity,
                   NewtonEulerWorkspace& work, Eigen::Ref<Eigen::VectorXd> forces) const;

  /// Returns the generalized force of a uniform gravity field [nv].
  Eigen::VectorXd gravity_forces(const ArticulationKinematics& kinematics,
                                 const Eigen::Vector3d& gravity) const;
  /// Writes the same force, tau [nv], into the given memory.
  void gravity_forces(const ArticulationKinematics& kinematics, const Eigen::Vector3d& gravity,
                      Eigen::Ref<Eigen::VectorXd> forces) const;

  /// Returns the Jacobian [3 x nv] of the velocity of a link's point p_W, in W.
  Eigen::MatrixXd point_jacobian(const ArticulationKinematics& kinematics, int link,
                                 const Eigen::Vector3d& p_W) const;

  /// Adds the point's Jacobian in other axes: J += R point_jacobian(), R = R_CW  [3 x nv].
  void add_point_jacobian(const ArticulationKinematics& kinematics, int link,
                          const Eigen::Vector3d& p_W, const Eigen::Matrix3d& R,
                          Eigen::Ref<Eigen::MatrixXd> J) const;

  /// Adds that of the velocity of link b's point against link a's point at the same place:
  /// J += R (J_b - J_a)  [3 x nv]. Columns of rates that move both links alike stay as they are.
  void add_relative_jacobian(const ArticulationKinematics& kinematics, int link_a, int link_b,
                             const Eigen::Vector3d& p_W, const Eigen::Matrix3d& R,
                             Eigen::Ref<Eigen::MatrixXd> J) const;

  /// Writes (w, v of the origin) of all links at the velocities v, in W [links]. It costs less than
  /// frame_velocity() of each.
  void link_velocities(const ArticulationKinematics& kinematics,
                       const Eigen::Ref<const Eigen::VectorXd>& v,
                       std::vector<Vector6d>& V_WB) const;

  /// Returns (w, v of the point p_W) of a link at the velocities v, in W.
  Vector6d frame_velocity(const ArticulationKinematics& kinematics, int link,
                          const Eigen::Vector3d& p_W,
                          const Eigen::Ref<const Eigen::VectorXd>& v) const;

  /// Returns the Jacobian [6 x nv] of (w, v of the point p_W) of a link, in W.
  Eigen::MatrixXd frame_jacobian(const ArticulationKinematics& kinematics, int link,
                                 const Eigen::Vector3d& p_W) const;
  /// Writes the same Jacobian, J [6 x nv], into the given memory.
  void frame_jacobian(const ArticulationKinematics& kinematics, int link,
                      const Eigen::Vector3d& p_W, Eigen::Ref<Eigen::MatrixXd> J) const;

  /// Returns q (+) h v: quaternions by the exponential map, the rest by addition.
  Eigen::VectorXd integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Eigen::Ref<const Eigen::VectorXd>& v, double h) const;
  /// Writes the same position, q_next [nq], into the given memory.
  void integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                 Eigen::Ref<Eigen::VectorXd> q_next) const;

  /// Returns T = 1/2 v' M v [J].
  double kinetic_energy(const ArticulationKinematics& kinematics) const;
  /// Returns -sum m g . p_com [J].
  double potential_energy(const ArticulationKinematics& kinematics,
                          const Eigen::Vector3d& gravity) const;

 private:
  /// Holds properties of a link that never change. They select the shorter forms of the recursions.
  struct Constants {
    bool F_is_parallel = false;       ///< R_PF is the identity
    bool B_is_parallel = false;       ///< R_MB is the identity
    bool B_is_at_M = false;           ///< p_MB is zero
    bool is_free_in_W = false;        ///< its motion subspace is the identity
    bool is_isotropic = false;        ///< its second moment is the same about every axis
    bool has_no_linear_part = false;  ///< its motion subspace, of one column, has no linear part
    int q = 0, v = 0, nv = 0;  ///< offsets of its coordinates in q and v, and its number of rates
    Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();   ///< m c, in B [kg m]
    Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();  ///< about B's origin, in B [kg m^2]
  };
  static Constants constants_of(const Link& link);

  /// Returns the pose of M: its orientation in W, and its origin relative to F's, in W.
  Pose moved_pose(std::size_t link, const Eigen::Matrix3d& R_WF,
                  const Eigen::Ref<const Eigen::VectorXd>& q) const;
  /// Fills the link's columns of the motion subspace, at B's origin and in W.
  void compute_subspace(std::size_t link, const Eigen::Matrix3d& R_WF,
                        ArticulationKinematics& kinematics) const;
  /// Returns (w, v of the origin) of a link, in W, from those of its parent in `V_WB`.
  Vector6d link_velocity(const ArticulationKinematics& kinematics, std::size_t link,
                         const Eigen::Ref<const Eigen::VectorXd>& v,
                         const std::vector<Vector6d>& V_WB) const;
  /// Fills the inertias of links and subtrees in world axes.
  void compute_inertias(ArticulationKinematics& kinematics) const;
  /// Runs recursive Newton-Euler with joint accelerations indexed by coordinate.
  template <typename Rates>
  void run_newton_euler(const ArticulationKinematics& kinematics,
                        const Eigen::Ref<const Eigen::VectorXd>& v, const Rates& acceleration,
                        const Eigen::Vector3d& gravity, NewtonEulerWorkspace& work,
                        Eigen::Ref<Eigen::VectorXd> forces) const;

  std::vector<Link> links_;
  std::vector<Constants> constants_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> subspace_F_;  ///< [6 x nv] motion subspaces, in F
  std::vector<int> q_offset_, v_offset_, dof_parents_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace amontons
