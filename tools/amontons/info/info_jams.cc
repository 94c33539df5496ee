#include "amontons/models/reactions/jam.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "tools/amontons/info/info.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Returns a contact of a jam, with its share of all normal reactions and its friction.
Json describe_contact(const System& system, const Contact& contact,
                      const Eigen::Vector3d& reaction) {
  const auto name = [&system](int body) {
    return system.bodies()[static_cast<std::size_t>(body)].name;
  };
  const auto& at = contact.position_W;
  return {{"between", name(contact.body_a)},
          {"and", name(contact.body_b)},
          {"at_m", {at.x(), at.y(), at.z()}},
          {"normal", {contact.normal_W.x(), contact.normal_W.y(), contact.normal_W.z()}},
          {"normal_share", reaction.z()},
          {"friction_share", reaction.head<2>().norm()}};
}

}  // namespace

Json describe_jams(const std::string& file, const SceneOptions& options) {
  const Scene scene = load_scene_or_model(file, options);
  Simulator simulator = make_simulator(scene, file, 1);
  // The problem of the first step holds the contacts at the start.
  const StepReport& report = simulator.step();
  const System& system = simulator.system();
  const JamSearch search = find_jams(report.problem);
  Json jams = Json::array();
  for (const Jam& jam : search.jams) {
    Json contacts = Json::array();
    for (std::size_t i = 0; i < jam.contacts.size(); ++i) {
      contacts.push_back(describe_contact(
          system, report.problem.contacts[static_cast<std::size_t>(jam.contacts[i])],
          jam.reactions.col(static_cast<Eigen::Index>(i))));
    }
    Json limits = Json::array();
    for (std::size_t i = 0; i < jam.limits.size(); ++i) {
      const auto row = static_cast<std::size_t>(jam.limits[i]);
      limits.push_back({{"limit", name_of(system, report.problem.bounded_rows[row])},
                        {"share", jam.limit_reactions[i]}});
    }
    jams.push_back({{"contacts", std::move(contacts)}, {"limits", std::move(limits)}});
  }
  return {{"examined_islands", search.num_examined},
          {"skipped_islands", search.num_skipped},
          {"pointed_islands", search.openings.size()},
          {"jams", std::move(jams)}};
}

}  // namespace amontons::cli
