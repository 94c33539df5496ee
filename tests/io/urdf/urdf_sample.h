#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/io/scene/scene_file.h"

#include <string>

namespace amontons::test {

/// Returns a robot that uses every element of the format, and some that are not of it.
inline std::string sample_urdf() {
  return R"(<?xml version="1.0"?>
<robot name="sample" version="1.0" xmlns:xacro="http://ros.org/xacro">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="world"/>
  <link name="base" type="odd">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>
    </inertial>
    <visual name="look">
      <origin xyz="0 0 0"/>
      <geometry><mesh filename="package://nowhere/gone.dae"/></geometry>
      <material name="undefined"/>
    </visual>
    <collision name="left">
      <origin xyz="0 0.1 0" rpy="0 0 0"/>
      <geometry><box size="0.4 0.5 0.6"/></geometry>
    </collision>
    <collision>
      <geometry><sphere radius="0.3"/></geometry>
      <contact_coefficients mu="0" kp="1000" kd="1"/>
    </collision>
    <contact><lateral_friction value="1.0"/></contact>
  </link>
  <joint name="weld" type="fixed">
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <parent link="world"/>
    <child link="base"/>
  </joint>
  <link name="upper">
    <inertial>
      <mass value=" 1.5 "/>
      <inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.1" iyz="0.03" izz="0.1"/>
    </inertial>
    <collision>
      <origin xyz="0 0 -0.2"/>
      <geometry><cylinder radius="0.35" length="0.4"/></geometry>
    </collision>
  </link>
  <link name="finger">
    <inertial>
      <origin xyz="0 0 0.05"/>
      <mass value="0.2"/>
      <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/>
    </inertial>
    <contact><stiffness value="3e4"/></contact>
    <collision>
      <geometry><mesh filename="package://sample_description/tip.obj" scale="0.1 0.1 0.1"/></geometry>
    </collision>
  </link>
  <link name="tool"/>
  <joint name="slide" type="prismatic">
    <origin xyz="0.5 0 0"/>
    <parent link="upper"/>
    <child link="finger"/>
    <axis xyz="0 0 2"/>
    <limit lower="0.01" upper="0.05" effort="10" velocity="0.5"/>
    <mimic joint="elbow" multiplier="2" offset="0.02"/>
    <safety_controller k_velocity="1" k_position="2"/>
    <calibration rising="0.0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <dynamics damping="0.7" friction="0.3"/>
    <limit lower="-1" upper="2" effort="50" velocity="3"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="finger"/>
    <child link="tool"/>
  </joint>
  <transmission name="drive"><joint name="elbow"/></transmission>
  <gazebo reference="upper"><mu1>0.2</mu1><kp>1e6</kp></gazebo>
</robot>
)";
}

/// Returns a tetrahedron with a corner at the origin and edges of length 1.
inline std::string tetrahedron_mesh() {
  return "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}

/// Returns a scene of one robot, with further keys of the model.
inline std::string robot_scene(const std::string& keys = "", const std::string& rest = "") {
  return "amontons: 1\n"
         "simulation: {step: 0.01, duration: 1}\n"
         "models:\n"
         "  - {name: r, file: robots/sample.urdf" +
         keys + "}\n" + rest;
}

/// Returns files in memory that are found under package:// names.
inline io::MemoryFiles robot_files(const std::string& urdf) {
  io::MemoryFiles files;
  files.add("robots/sample.urdf", urdf);
  files.add("package://sample_description/tip.obj", tetrahedron_mesh());
  return files;
}

inline Scene load_robot(const std::string& urdf, const std::string& keys = "",
                        const std::string& rest = "") {
  return io::parse_scene(robot_scene(keys, rest), "scenes/scene.yaml", robot_files(urdf));
}

}  // namespace amontons::test
