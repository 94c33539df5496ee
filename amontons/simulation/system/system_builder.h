#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace amontons {

/// Builds a System from a Scene, in the order of its private functions.
///
/// Every body and link is first a *node*, placed by at most one joint. A node placed in reduced
/// coordinates belongs to the tree of its parent. One placed in maximal coordinates is a free root,
/// and its joint is rows of J. Every further joint is rows of J, too (a second parent, a cycle, a
/// distance). Each tree of nodes is merged over its fixed joints and becomes one or more
/// Articulations.
class SystemBuilder {
 public:
  SystemBuilder(const Scene& scene, System& system) : scene_(scene), system_(system) {}
  /// Fills the system.
  void build();

 private:
  // Holds a body or link, and the joint that places it.
  struct Node {
    std::string name;
    SpatialInertia inertia;
    Pose declared;  // X_WB in the file, where scene joints find their frames
    Pose initial;   // X_WB at the start, after joints have moved to their positions
    Vector6d twist = Vector6d::Zero();  // V_WB at the start, in W
    BaseType base = BaseType::Free;     // attachment of a node without placement
    // Placement by a joint.
    std::string joint_name;
    int parent = -1;  // node; -1: none
    JointGeometry joint{JointType::Free};
    Pose X_PF, X_MB;
    Pose X_WF_of_base, X_MB_of_base;  // frames of a planar base, beside those of a maximal joint
    Eigen::VectorXd q, v;             // start of that joint, or of the base
    const JointDynamics *dynamics = nullptr, *dynamics2 = nullptr;
    int first_link = -1;  // link at which its q and v begin; -1: it has none
    bool maximal = false;
    Eigen::Vector3d error_W = Eigen::Vector3d::Zero();
    int model = -1;
    const SourceLocation* where = nullptr;

    bool is_root() const { return parent < 0 || maximal; }
    bool is_base() const { return joint_name.empty() || maximal; }  // true: a base of its own
    bool has_cross() const { return !is_base() && joint.type == JointType::Universal; }
  };

  void add_bodies();
  void add_models();
  void add_model_joint(const SceneModel& model, const ModelJoint& joint, int first_node);
  void add_scene_joint(const SceneJoint& joint);
  bool closes_loop(int parent, int child) const;
  void refuse_start_of_rows(const SceneJoint& joint) const;
  void check_placement(const SceneJoint& joint, int parent, const Node& child) const;
  void add_model_loops(const SceneModel& model, int first_node);
  void add_loop(const std::string& name, const LoopJoint& loop, std::optional<double> start = {},
                const JointDynamics* dynamics = nullptr, const SourceLocation* where = nullptr);
  void refuse_dynamics_of_rows(const std::string& name, JointType type,
                               const JointDynamics& dynamics, const SourceLocation& where) const;
  void set_start_rates();
  Node* find_scalar_joint(const std::string& name);
  void place_nodes();
  void place(Node& node);
  static Eigen::VectorXd rates_of_twist(const Node& node, const Pose& X_WP, const Vector6d& V_WP,
                                        const Pose& X_WF, const Pose& X_WM);
  void set_base_coordinates(Node& node) const;
  void build_trees();
  void build_tree(int root);
  std::vector<Link> make_links(const std::vector<int>& order);
  void add_articulations(const std::vector<int>& order);
  void require_dense_matrix(const std::string& root, int num_velocities) const;
  void add_joint_of(const Node& node, int articulation);
  void add_coordinate_dynamics(const Node& node, const JointCoordinate& joint);
  void add_loop_coordinates();
  void add_loop_dynamics(std::size_t loop_joint);
  int require_loop_coordinate(JointCoordinate& joint);
  void measure_counted_angles();
  void add_tendons();
  void add_tendon(const SceneModel& model, const ModelTendon& tendon, int first_node);
  void add_couplings();
  void add_coupling(const JointCoupling& coupling, const std::string& prefix);
  void add_joint_motions();
  void add_materials();
  void add_frames();
  int rigid_link_of(int node) const;
  std::vector<int> welded_links() const;
  void add_shapes();
  void add_shapes_of(int node, const std::vector<SceneShape>& shapes,
                     const std::vector<int>& welded);
  void filter_collisions();
  void filter_model(int model, int first_node);
  void add_actuators();
  void begin_detached();
  void add_joint_drives(const std::vector<JointServo>& servos,
                        const std::vector<JointEffort>& efforts, const std::string& prefix);
  void add_muscles(const SceneModel& model);
  void add_wrenches();
  void add_wrench(const BodyWrench& wrench, const std::string& prefix);
  void check_masses() const;

  /// Throws a SceneError with the place in the scene.
  [[noreturn]] static void fail(const SourceLocation* where, const std::string& message);
  int add_node(Node node);
  int require_node(const std::string& name, const SourceLocation& where) const;
  int find_joint(const std::string& name);
  CoordinatePlace require_scalar_joint(const std::string& name, const SourceLocation& where);
  int material_index(const std::string& name, const SourceLocation& where) const;

  const Scene& scene_;
  System& system_;
  std::vector<Node> nodes_;                 // one per System::bodies_, in the same order
  std::vector<std::vector<int>> children_;  // reduced placements only
  std::map<std::string, int> node_by_name_;
  /// Holds the data of a loop joint until rows are counted, one per System::loop_joints_.
  struct Loop {
    std::string name;
    std::optional<double> start;              // its declared coordinate [rad or m]
    const JointDynamics* dynamics = nullptr;  // limits, friction and spring along it, if any
    const SourceLocation* where = nullptr;
  };
  std::vector<Loop> loops_;
  std::vector<std::string> material_names_;
  std::unordered_map<std::string, int> joint_by_name_;  // of the first num_known_joints_
  std::size_t num_known_joints_ = 0;
  std::unordered_map<std::string, int> scalar_node_by_joint_;  // placed by one coordinate
  std::vector<int> link_of_node_;  // [nodes] link in its tree, of trees that are built; else -1
  std::vector<int> first_links_;   // [articulations + 1] number of the first link of each
};

}  // namespace amontons
