#include "amontons/io/common/integration_tally.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/io/run/run_reader.h"
#include "tools/amontons/info/info.h"
#include "tools/amontons/support/law_answers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons::cli {

nlohmann::ordered_json describe_run(const std::string& file) {
  // The header is complete even in a run without rows.
  io::RunReader reader(file);
  const io::RunHeader& header = reader.header();
  nlohmann::ordered_json result = {{"file", file},
                                   {"kind", "run"},
                                   {"law", nullptr},
                                   {"closed", reader.ending() == io::RunEnding::Closed},
                                   {"build", header.build},
                                   {"scene", header.scene_file},
                                   {"overrides", header.overrides},
                                   {"inputs", nlohmann::ordered_json::array()},
                                   {"seed", header.seed},
                                   {"bodies", header.body_names},
                                   {"joints", header.joint_names},
                                   {"rows", reader.num_rows()}};
  for (const InputFile& input : header.inputs) {
    result["inputs"].push_back({{"path", input.path}, {"bytes", input.bytes.size()}});
  }
  if (reader.num_rows() == 0) return result;

  // A value that is not a number counts as the worst one.
  const SimulationSettings settings = reader.load_scene().simulation;
  LawTally tally(settings.tolerance);
  io::IntegrationTally integration;
  std::size_t num_missed = 0, num_contacts = 0, most_contacts = 0, num_without = 0;
  double limit = 0.0, joint_friction = 0.0, law_distance = 0.0;
  double normal = 0.0, friction = 0.0, joint = 0.0, infeasibility = 0.0, wall_time = 0.0;
  const auto raise = [](double& worst, double value) {
    if (std::isnan(value) || value > worst) worst = value;
  };

  // Row 0 is the initial state, which no solver certified.
  for (std::size_t i = 0; i < reader.num_rows(); ++i) {
    const io::RunRow row = reader.row(i);
    num_missed += row.certificate.holds || i == 0 ? 0 : 1;
    if (i > 0) {
      tally.add(io::answered_step(row, tally.tolerance()));
      integration.add(row.energy);
    } else {
      integration.start(row.energy);
    }
    raise(law_distance, row.certificate.law_distance.value);
    num_contacts += static_cast<std::size_t>(row.num_contacts);
    most_contacts = std::max(most_contacts, static_cast<std::size_t>(row.num_contacts));
    num_without += row.has_contacts() ? 0 : 1;
    raise(normal, row.certificate.normal.value);
    raise(friction, row.certificate.friction.value);
    raise(limit, row.certificate.limit.value);
    raise(joint_friction, row.certificate.joint_friction.value);
    raise(joint, row.certificate.joint.value);
    raise(infeasibility, row.certificate.infeasibility);
    wall_time += row.step_time_s;
  }

  // Time and energies come from the last row.
  const io::RunRow last = reader.row_without_contacts(reader.num_rows() - 1);
  result["law"] = law_json(tally, settings.accept);
  result["steps"] = last.step_count;
  result["time_s"] = last.time;
  result["step_time_s"] = wall_time;
  result["contacts"] = num_contacts;
  result["most_contacts"] = most_contacts;
  result["rows_without_contacts"] = num_without;
  result["missed_certificates"] = num_missed;
  result["worst"] = {{"normal", normal},
                     {"friction", friction},
                     {"limit", limit},
                     {"joint_friction", joint_friction},
                     {"joint", joint},
                     {"law_distance", law_distance},
                     {"infeasibility_m", infeasibility}};
  result["energy_at_end_J"] = {{"kinetic", last.energy.kinetic},
                               {"potential", last.energy.potential}};
  result["integration_share"] = integration.share();
  result["accuracy"] = integration.text();
  return result;
}

}  // namespace amontons::cli
