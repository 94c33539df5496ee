// Times mass matrix, bias, forward dynamics and a Jacobian of the same robots in Amontons, MuJoCo
// and DART, as ratios of one run. It first checks that all of them compute the same.
//
//   bench_dynamics [FILE...] [-o FOLDER]

#include "benchmarks/peers/dynamics/dynamics_engine.h"
#include "benchmarks/peers/report.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>

namespace amontons::peers {
namespace {

using nlohmann::json;

constexpr int kStates = 100, kRounds = 41;

struct Options {
  std::vector<std::string> files;
  std::string output = AMONTONS_SOURCE_DIR "/benchmarks/results", name = "dynamics";
};

struct Entrant {
  std::string name;
  std::unique_ptr<DynamicsEngine> engine;
};

struct Quantity {
  const char* name;
  void (DynamicsEngine::*compute)(const JointState&);
  double (*difference)(DynamicsEngine&, DynamicsEngine&);
};

/// Returns the largest difference over the largest entry.
template <typename Matrix>
double relative_difference(const Matrix& x, const Matrix& y) {
  return (x - y).template lpNorm<Eigen::Infinity>() / x.template lpNorm<Eigen::Infinity>();
}

const Quantity kQuantities[] = {
    {"mass matrix", &DynamicsEngine::compute_mass_matrix,
     [](DynamicsEngine& x, DynamicsEngine& y) {
       return relative_difference(x.mass_matrix(), y.mass_matrix());
     }},
    {"bias", &DynamicsEngine::compute_bias,
     [](DynamicsEngine& x, DynamicsEngine& y) { return relative_difference(x.bias(), y.bias()); }},
    {"forward dynamics", &DynamicsEngine::compute_forward_dynamics,
     [](DynamicsEngine& x, DynamicsEngine& y) {
       return relative_difference(x.acceleration(), y.acceleration());
     }},
    {"jacobian", &DynamicsEngine::compute_jacobian,
     [](DynamicsEngine& x, DynamicsEngine& y) {
       return relative_difference(x.jacobian(), y.jacobian());
     }},
};

std::vector<Entrant> make_entrants(const Robot& robot) {
  std::vector<Entrant> entrants;
  entrants.push_back({"amontons", make_amontons_dynamics(robot)});
#ifdef AMONTONS_PEER_MUJOCO
  entrants.push_back({"mujoco", make_mujoco_dynamics(robot)});
#endif
#ifdef AMONTONS_PEER_DART
  entrants.push_back({"dart", make_dart_dynamics(robot)});
#endif
  return entrants;
}

std::vector<JointState> random_states(const Robot& robot) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto n = static_cast<Eigen::Index>(robot.world.joints.size());
  std::vector<JointState> states(kStates);
  for (JointState& state : states) {
    state.position = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(generator); });
    state.rate = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(generator); });
  }
  return states;
}

double cpu_time_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

/// Returns the CPU time of one call [us] in each entrant: the median of rounds, which alternate.
std::vector<double> measure(const std::vector<Entrant>& entrants, const Quantity& quantity,
                            const std::vector<JointState>& states) {
  std::vector<std::vector<double>> times(entrants.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      const double start = cpu_time_us();
      for (const JointState& state : states) (*entrants[e].engine.*quantity.compute)(state);
      times[e].push_back((cpu_time_us() - start) / static_cast<double>(states.size()));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& own : times) {
    std::nth_element(own.begin(), own.begin() + kRounds / 2, own.end());
    medians.push_back(own[kRounds / 2]);
  }
  return medians;
}

json measure_robot(const std::filesystem::path& file) {
  const Robot robot = load_robot(file);
  const std::vector<Entrant> entrants = make_entrants(robot);
  const std::vector<JointState> states = random_states(robot);
  json result{{"robot", file.filename().string()},
              {"dofs", robot.system.num_velocities()},
              {"joints", robot.world.joints.size()},
              {"quantities", json::array()}};
  for (const Quantity& quantity : kQuantities) {
    json row{{"name", quantity.name}, {"us", json::object()}, {"difference", json::object()}};
    const std::vector<double> times = measure(entrants, quantity, states);
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      row["us"][entrants[e].name] = times[e];
      if (e == 0) continue;
      row["difference"][entrants[e].name] =
          quantity.difference(*entrants[0].engine, *entrants[e].engine);
    }
    result["quantities"].push_back(row);
  }
  return result;
}

std::string ratio(const json& row, const char* peer) {
  if (!row["us"].contains(peer)) return "- | - | -";
  const double own = row["us"]["amontons"], other = row["us"][peer];
  return fmt::format("{:.3g} | {:.2f} | {:.1e}", other, own / other,
                     row["difference"][peer].get<double>());
}

std::string table(const json& report) {
  std::string text = fmt::format(
      "# Dynamics beside MuJoCo and DART\n\n{}, load {:.1f}, {}. CPU time of one call in "
      "microseconds, kinematics included; A/p is Amontons over the peer.\n\n"
      "| robot | dofs | quantity | amontons | mujoco | A/p | differs | dart | A/p | differs |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      report["machine"]["processor"].get<std::string>(), report["machine"]["load"].get<double>(),
      report["machine"]["time"].get<std::string>());
  for (const json& robot : report["robots"]) {
    for (const json& row : robot["quantities"]) {
      text += fmt::format("| {} | {} | {} | {:.3g} | {} | {} |\n",
                          robot["robot"].get<std::string>(), robot["dofs"].get<int>(),
                          row["name"].get<std::string>(), row["us"]["amontons"].get<double>(),
                          ratio(row, "mujoco"), ratio(row, "dart"));
    }
  }
  for (const json& skipped : report["skipped"]) text += "\n- " + skipped.get<std::string>() + "\n";
  return text;
}

std::vector<std::string> default_files() {
  const std::filesystem::path source = AMONTONS_SOURCE_DIR;
  const std::filesystem::path data = source / "../shared/data/robots/example-robot-data/robots";
  std::vector<std::string> files{source / "benchmarks/peers/scenes/arm.yaml",
                                 source / "benchmarks/peers/scenes/quadruped.yaml",
                                 source / "examples/arm/arm.urdf",
                                 source / "examples/quadruped/quadruped.urdf"};
  for (const char* file :
       {"hyq_description/robots/hyq_no_sensors.urdf", "solo_description/robots/solo12.urdf",
        "double_pendulum_description/urdf/double_pendulum.urdf"}) {
    files.push_back(data / file);
  }
  return files;
}

int run(const Options& options) {
  json report{
      {"machine", describe_machine()}, {"robots", json::array()}, {"skipped", json::array()}};
  for (const std::string& file : options.files.empty() ? default_files() : options.files) {
    try {
      report["robots"].push_back(measure_robot(file));
    } catch (const std::exception& error) {
      report["skipped"].push_back("SKIPPED " + file + ": " + error.what());
    }
  }
  const std::string markdown = table(report);
  std::cout << markdown;
  write_report(report, markdown, options.output, options.name);
  return 0;
}

}  // namespace
}  // namespace amontons::peers

int main(int argc, char** argv) {
  using namespace amontons::peers;
  Options options;
  CLI::App app("Dynamics of the same robots in Amontons, MuJoCo and DART.");
  app.add_option("files", options.files, "scenes or robot files");
  app.add_option("-o,--output", options.output, "folder of the results");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench_dynamics: " << error.what() << "\n";
    return 1;
  }
}
