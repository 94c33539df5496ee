#pragma once

#include "amontons/dynamics/composite_inertia.h"
#include "amontons/dynamics/joint.h"
#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// One link of a tree and the joint that carries it.
struct Link {
  std::string name;  ///< of the body that it is
  int parent = -1;   ///< index of the parent link; -1: the world
  /// A tree has no Fixed (merge_fixed_joints), Distance, Universal (split_universal_joints).
  JointType joint = JointType::Free;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< unit, in F
  Pose X_PF;                                         ///< joint frame on the parent (or the world)
  Pose X_MB;                                         ///< the link's frame B in the moved frame M
  SpatialInertia inertia;                            ///< in B
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitX();  ///< of a universal joint, unit, in M
  double pitch = 0.0;                                ///< of a screw [m/rad]
  double armature = 0.0;   ///< rotor inertia, on the diagonal of M for each rate [kg m^2 or kg]
  double armature2 = 0.0;  ///< of a universal joint's second rate

  /// Of the joint to its parent.
  JointGeometry geometry() const { return {joint, axis, axis2, pitch, 0.0}; }
};

/// Poses, velocities and joint axes of every link at one instant, in the world.
struct ArticulationKinematics {
  std::vector<Pose> X_WB;               ///< [links]
  std::vector<Vector6d> V_WB;           ///< [links] (w, v of B's origin), in W
  std::vector<Eigen::Vector3d> p_PB_W;  ///< [links] B's origin from the parent's, in W;
                                        ///< exact far from the world origin
  std::vector<Eigen::Vector3d> p_MB_W;  ///< [links] B's origin from M's, in W
  Eigen::Matrix<double, 6, Eigen::Dynamic> subspace;  ///< [6 x nv] column i: velocity that a unit
                                                      ///< rate i gives to B's origin of its link
  std::vector<CompositeInertia> inertias;             ///< [links] each alone
  std::vector<CompositeInertia> composites;           ///< [links] each with all that it carries
  Eigen::VectorXd rates;                              ///< v [nv]
};

/// What recursive Newton-Euler works with; its memory is kept from call to call.
struct NewtonEulerWorkspace {
  /// Of a link: angular, and of the point at its origin (not the spatial acceleration).
  struct Acceleration {
    /// Angular velocity or acceleration, in W [rad/s or rad/s^2].
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();
    Eigen::Vector3d linear =
        Eigen::Vector3d::Zero();  ///< of the link's origin, in W [m/s or m/s^2]
  };
  std::vector<Acceleration> accelerations;  ///< [links]
  std::vector<Vector6d> forces;             ///< [links]
};

/// A tree of links in reduced coordinates: q, v, M(q), bias forces, Jacobians
/// [Featherstone 2008, chapters 5 and 6]. A free rigid body is a tree of one link.
///
/// Once the memory that they are given has its size, the functions that fill given memory allocate
/// none.
class Articulation {
 public:
  /// @param links  parents before children.
  /// @throws std::invalid_argument for a parent out of order, an axis that is not unit, or a joint
  /// type that is not allowed.
  explicit Articulation(std::vector<Link> links);

  const std::vector<Link>& links() const { return links_; }          ///< depth first
  int num_links() const { return static_cast<int>(links_.size()); }  ///< links, the root included
  int num_positions() const { return nq_; }                          ///< nq
  int num_velocities() const { return nv_; }                         ///< nv
  /// Where the link's coordinates begin in q.
  int q_offset(int link) const { return q_offset_[static_cast<std::size_t>(link)]; }
  /// Where they begin in v.
  int v_offset(int link) const { return v_offset_[static_cast<std::size_t>(link)]; }

  /// Parent of each degree of freedom, -1 at a root: the sparsity of M.
  const std::vector<int>& dof_parents() const { return dof_parents_; }

  /// q of the zero pose [nq]; quaternions are (1, 0, 0, 0).
  Eigen::VectorXd neutral_position() const;

  /// Fills every member of `kinematics`; its storage is reused from call to call.
  void compute_kinematics(const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          ArticulationKinematics& kinematics) const;

  /// The same without inertias: all that Jacobians and velocities need.
  void compute_motion(const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v,
                      ArticulationKinematics& kinematics) const;

  /// M(q) [nv x nv] by the composite-rigid-body algorithm. Cost O(nv d), d the depth of the tree.
  /// Like those below, also into given memory.
  Eigen::MatrixXd mass_matrix(const ArticulationKinematics& kinematics) const;
  /// The same into given memory: M [nv x nv].
  void mass_matrix(const ArticulationKinematics& kinematics, Eigen::Ref<Eigen::MatrixXd> M) const;
  /// Its lower triangle where degrees of freedom share a branch; what else is in `M` stays.
  void lower_mass_matrix(const ArticulationKinematics& kinematics,
                         Eigen::Ref<Eigen::MatrixXd> M) const;

  /// C(q, v) v [nv]: Coriolis, centrifugal and gyroscopic forces, recursive Newton-Euler, O(nv).
  /// `v` must be the velocity at which `kinematics` was computed.
  Eigen::VectorXd bias_forces(const ArticulationKinematics& kinematics,
                              const Eigen::Ref<const Eigen::VectorXd>& v) const;

  /// Joint forces of inverse dynamics [nv]: M vdot + C(q, v) v - gravity, without external forces.
  Eigen::VectorXd inverse_dynamics(const ArticulationKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& v,
                                   const Eigen::Ref<const Eigen::VectorXd>& acceleration,
                                   const Eigen::Vector3d& gravity) const;
  /// The same into given memory: tau [nv].
  void inverse_dynamics(const ArticulationKinematics& kinematics,
                        const Eigen::Ref<const Eigen::VectorXd>& v,
                        const Eigen::Ref<const Eigen::VectorXd>& acceleration,
                        const Eigen::Vector3d& gravity, NewtonEulerWorkspace& work,
                        Eigen::Ref<Eigen::VectorXd> forces) const;

  /// The same at zero acceleration: C(q, v) v - gravity.
  void bias_forces(const ArticulationKinematics& kinematics,
                   const Eigen::Ref<const Eigen::VectorXd>& v, const Eigen::Vector3d& gravity,
                   NewtonEulerWorkspace& work, Eigen::Ref<Eigen::VectorXd> forces) const;

  /// Generalized force of a uniform gravity field [nv].
  Eigen::VectorXd gravity_forces(const ArticulationKinematics& kinematics,
                                 const Eigen::Vector3d& gravity) const;
  /// The same into given memory: tau [nv].
  void gravity_forces(const ArticulationKinematics& kinematics, const Eigen::Vector3d& gravity,
                      Eigen::Ref<Eigen::VectorXd> forces) const;

  /// Velocity of the point p_W of a link: [3 x nv], in W.
  Eigen::MatrixXd point_jacobian(const ArticulationKinematics& kinematics, int link,
                                 const Eigen::Vector3d& p_W) const;

  /// J += R point_jacobian(): the velocity in other axes, R = R_CW  [3 x nv].
  void add_point_jacobian(const ArticulationKinematics& kinematics, int link,
                          const Eigen::Vector3d& p_W, const Eigen::Matrix3d& R,
                          Eigen::Ref<Eigen::MatrixXd> J) const;

  /// (w, v of the point p_W) of a link at the velocities v, in W.
  Vector6d frame_velocity(const ArticulationKinematics& kinematics, int link,
                          const Eigen::Vector3d& p_W,
                          const Eigen::Ref<const Eigen::VectorXd>& v) const;

  /// (w, v of the point p_W) of a link: [6 x nv], in W.
  Eigen::MatrixXd frame_jacobian(const ArticulationKinematics& kinematics, int link,
                                 const Eigen::Vector3d& p_W) const;
  /// The same into given memory: J [6 x nv].
  void frame_jacobian(const ArticulationKinematics& kinematics, int link,
                      const Eigen::Vector3d& p_W, Eigen::Ref<Eigen::MatrixXd> J) const;

  /// q (+) h v.
  Eigen::VectorXd integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Eigen::Ref<const Eigen::VectorXd>& v, double h) const;
  /// The same into given memory: q_next [nq].
  void integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                 Eigen::Ref<Eigen::VectorXd> q_next) const;

  double kinetic_energy(const ArticulationKinematics& kinematics) const;  ///< [J]
  /// -sum m g . p_com [J].
  double potential_energy(const ArticulationKinematics& kinematics,
                          const Eigen::Vector3d& gravity) const;

 private:
  /// What of a link never changes, made ready.
  struct Constants {
    bool F_is_parallel = false;  ///< R_PF is the identity
    bool B_is_parallel = false;  ///< R_MB is
    bool B_is_at_M = false;      ///< p_MB is zero
    bool is_free_in_W = false;   ///< its motion subspace is the identity
    bool only_turns = false;     ///< its motion subspace, of one column, has no linear part
    int q = 0, v = 0, nv = 0;    ///< where its coordinates are
    Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();   ///< m c, in B
    Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();  ///< about B's origin, in B
  };
  static Constants constants_of(const Link& link);

  Pose moved_pose(std::size_t link, const Eigen::Matrix3d& R_WF,
                  const Eigen::Ref<const Eigen::VectorXd>& q) const;
  void compute_subspace(std::size_t link, const Eigen::Matrix3d& R_WF,
                        ArticulationKinematics& kinematics) const;
  void compute_velocity(std::size_t link, const Eigen::Ref<const Eigen::VectorXd>& v,
                        ArticulationKinematics& kinematics) const;
  void compute_inertias(ArticulationKinematics& kinematics) const;
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
