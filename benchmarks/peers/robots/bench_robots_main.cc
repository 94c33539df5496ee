// Times whole steps of the same robots in Amontons and MuJoCo, as ratios of one run. It first
// checks that both read the same robot.
//
//   bench_robots [FILE...] [--package NAME=FOLDER...] [-o FOLDER]

#include "amontons/geometry/shapes/collision_mesh.h"
#include "benchmarks/peers/report.h"
#include "benchmarks/peers/robots/colliding_robot.h"
#include "benchmarks/peers/robots/robot_run.h"
#include "benchmarks/peers/robots/robot_scene.h"
#include "benchmarks/peers/robots/robot_table.h"
#include "benchmarks/peers/robots/start_differences.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <mujoco/mujoco.h>

namespace amontons::peers {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> files, packages;
  int num_rounds = 5;
  std::string output = AMONTONS_SOURCE_DIR "/benchmarks/results", name = "robots-mujoco";
};

const std::vector<StepWindow>& windows() {
  static const std::vector<StepWindow> all{
      {"falling", 0, 500}, {"settling", 500, 1500}, {"lying", 1500, 2500}};
  return all;
}

bool has_meshes(const Scene& scene) {
  const System system(scene);
  return std::any_of(
      system.shapes().begin(), system.shapes().end(), [](const CollisionShape& shape) {
        return std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape.shape);
      });
}

std::vector<RobotEntrant> make_entrants(const RobotSource& source, const RobotPose& pose,
                                        const Scene& hulls, const World& world) {
  std::vector<RobotEntrant> entrants;
  entrants.push_back({"mujoco", make_mujoco_stepper(world)});
  entrants.push_back({"hull 1e-8", make_amontons_stepper(hulls, 1e-8)});
  entrants.push_back({"hull 1e-3", make_amontons_stepper(hulls, 1e-3)});
  const Scene meshes = robot_scene(source, pose, "mesh");
  if (has_meshes(meshes)) entrants.push_back({"mesh 1e-8", make_amontons_stepper(meshes, 1e-8)});
  return entrants;
}

json to_json(const std::string& name, const WindowResult& result) {
  json own{{"name", name},
           {"us", result.median_us},
           {"spread", result.spread},
           {"contacts", result.contacts},
           {"missed", result.missed},
           {"weaker", result.weaker},
           {"repeated", result.repeated}};
  double whole = 0.0;
  for (const double time : result.times.seconds) whole += time;
  for (std::size_t part = 0; part < kNumStepParts; ++part) {
    own["shares"][to_string(static_cast<StepPart>(part))] = result.times.seconds[part] / whole;
  }
  return own;
}

json measure_robot(const RobotSource& source, int num_rounds) {
  json result{{"robot", source.name}, {"rows", json::array()}};
  for (const RobotPose& pose : robot_poses()) {
    const Scene hulls = robot_scene(source, pose, "hull");
    const CollidingRobot own = colliding_robot(hulls);
    const StartDifferences differences = start_differences(own.robot);
    require_equal(differences);
    result["start"] = to_json(differences);
    result["dofs"] = own.robot.system.num_velocities();
    result["shapes"] = own.robot.system.shapes().size() - own.robot.world.fixed_bodies.size();
    result["pairs"] = own.num_pairs;
    result["extra_pairs"] = own.num_extra_pairs;
    std::vector<RobotEntrant> entrants = make_entrants(source, pose, hulls, own.robot.world);
    const auto results = run_windows(entrants, windows(), num_rounds);
    for (std::size_t w = 0; w < results.size(); ++w) {
      json row{{"pose", pose.name}, {"window", windows()[w].name}, {"entrants", json::array()}};
      for (std::size_t e = 0; e < entrants.size(); ++e) {
        row["entrants"].push_back(to_json(entrants[e].name, results[w][e]));
      }
      result["rows"].push_back(row);
    }
    std::cerr << source.name << ", " << pose.name << ": done\n";
  }
  return result;
}

std::vector<RobotSource> robots_of(const Options& options) {
  if (options.files.empty()) return default_robots();
  std::map<std::string, std::filesystem::path> packages;
  for (const std::string& package : options.packages) {
    const std::size_t equals = package.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("--package needs NAME=FOLDER");
    packages[package.substr(0, equals)] = package.substr(equals + 1);
  }
  std::vector<RobotSource> robots;
  for (const std::string& file : options.files) robots.push_back(robot_from(file, packages));
  return robots;
}

int run(const Options& options) {
  json report{{"machine", describe_machine()},
              {"mujoco", mj_versionString()},
              {"rounds", options.num_rounds},
              {"robots", json::array()},
              {"skipped", json::array()}};
  for (const RobotSource& robot : robots_of(options)) {
    try {
      report["robots"].push_back(measure_robot(robot, options.num_rounds));
    } catch (const std::exception& error) {
      report["skipped"].push_back(robot.name + ": " + error.what());
      std::cerr << "SKIPPED " << robot.name << ": " << error.what() << "\n";
    }
  }
  const std::string markdown = robot_table(report);
  std::cout << markdown;
  write_report(report, markdown, options.output, options.name);
  return 0;
}

}  // namespace
}  // namespace amontons::peers

int main(int argc, char** argv) {
  using namespace amontons::peers;
  Options options;
  CLI::App app("Whole steps of the same robots in Amontons and MuJoCo.");
  app.add_option("files", options.files, "robot files; without any: Solo12, HyQ, Panda, humanoid");
  app.add_option("--package", options.packages, "NAME=FOLDER of a package");
  app.add_option("--rounds", options.num_rounds, "rounds")->check(CLI::PositiveNumber);
  app.add_option("-o,--output", options.output, "folder of the results");
  app.add_option("--name", options.name, "name of the results");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench_robots: " << error.what() << "\n";
    return 1;
  }
}
