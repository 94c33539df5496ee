#include "amontons/io/verify/verify.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_step.h"
#include "amontons/simulation/system/divergence_error.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Checks the names of bodies and joints, the places of joints, and the seed.
void check_header(const RunHeader& header, const Scene& scene, const System& system,
                  VerificationChecks& checks) {
  const auto check = [&checks](bool fits, const char* name) {
    if (!fits) checks.record(Check::Header, 1.0, name);
  };
  check(header.seed == scene.simulation.seed, "/.seed");
  const std::vector<Body>& bodies = system.bodies();
  check(std::equal(bodies.begin(), bodies.end(), header.body_names.begin(), header.body_names.end(),
                   [](const Body& own, const std::string& name) { return own.name == name; }),
        "/bodies/name");
  const std::vector<JointCoordinate>& joints = system.joints();
  check(std::equal(
            joints.begin(), joints.end(), header.joint_names.begin(), header.joint_names.end(),
            [](const JointCoordinate& own, const std::string& name) { return own.name == name; }),
        "/joints/name");
  const auto check_places = [&](const std::vector<std::int32_t>& recorded,
                                int JointCoordinate::*place, const char* name) {
    check(
        std::equal(joints.begin(), joints.end(), recorded.begin(), recorded.end(),
                   [place](const JointCoordinate& own, std::int32_t r) { return own.*place == r; }),
        name);
  };
  check_places(header.joint_q_offset, &JointCoordinate::q_offset, "/joints/q_offset");
  check_places(header.joint_v_offset, &JointCoordinate::v_offset, "/joints/v_offset");
  check_places(header.joint_first_row, &JointCoordinate::first_row, "/joints/first_row");
  check_places(header.joint_num_rows, &JointCoordinate::num_rows, "/joints/num_rows");
}

/// Checks that a step begins exactly where the step before it ended, if that one is recorded.
///
/// A program may set the state between two steps, with its time and number; the row then says so.
/// @param has_all_rows  the run keeps a row of every step.
void check_chain(const RunRow& before, const RunRow& row, bool has_all_rows,
                 VerificationChecks& checks) {
  if (row.start_was_set) return;
  if (has_all_rows && row.step_count != before.step_count + 1) {
    checks.record(Check::Chain, 1.0, "/step_count: not the next step");
  }
  if (row.step_count <= before.step_count || !(row.time >= before.time)) {
    checks.record(Check::Chain, 1.0, "rows out of order");
  } else if (row.step_count == before.step_count + 1) {
    const double jump = (row.q_start - before.q).lpNorm<Eigen::Infinity>() +
                        (row.v_start - before.v).lpNorm<Eigen::Infinity>() +
                        std::abs(row.time_start - before.time);
    checks.record(Check::Chain, jump);
  }
}

/// Checks a row on its own. Throws ParseError if it holds numbers of which no step can be made:
/// such a row was not recorded, but damaged.
void check_row(const std::string& path, StepVerifier& verifier, const RunRow& row,
               bool is_initial) {
  const auto refuse = [&](const std::exception& error) {
    throw ParseError(path, 0, 0,
                     "the row of step " + std::to_string(row.step_count) +
                         " cannot be rebuilt: " + error.what());
  };
  try {
    is_initial ? verifier.check_initial(row) : verifier.check_step(row);
  } catch (const DivergenceError& error) {
    refuse(error);
  } catch (const std::invalid_argument& error) {
    refuse(error);
  } catch (const std::domain_error& error) {
    refuse(error);
  }
}

}  // namespace

bool VerifyReport::passed() const {
  return std::all_of(checks.begin(), checks.end(),
                     [](const VerificationCheck& check) { return check.passed(); });
}

VerifyReport verify_run(const std::string& path, const std::function<void(double)>& progress) {
  RunReader reader(path);
  VerifyReport report;
  // Facts about the file.
  report.path = path;
  report.num_rows = reader.num_rows();
  report.unfinished = reader.ending() == RunEnding::Growing;
  if (report.num_rows == 0) throw ParseError(path, 0, 0, "the run has no rows");
  // The recorded scene, not the one on the disk; without contacts the laws cannot be evaluated.
  const Scene scene = reader.load_scene();
  if (scene.output.contacts == RecordedContacts::None) {
    throw ParseError(path, 0, 0,
                     "recorded without contacts (output.contacts: none): cannot be verified");
  }
  VerificationChecks checks(scene.simulation.tolerance, scene.simulation.acceptable_tolerance);
  report.tally = LawTally(scene.simulation.tolerance);
  report.accept = scene.simulation.accept;
  // A scene that makes no system is a fault of the file, so the error names it.
  std::optional<RunRow> before;
  const std::unique_ptr<StepVerifier> verifier = [&] {
    try {
      return std::make_unique<StepVerifier>(scene, checks);
    } catch (const std::invalid_argument& error) {
      throw ParseError(path, 0, 0, std::string("the recorded scene: ") + error.what());
    }
  }();
  check_run_of_system(reader.header(), verifier->system(), path);
  check_header(reader.header(), scene, verifier->system(), checks);
  for (std::size_t i = 0; i < report.num_rows; ++i) {
    // Row 0 is the initial state; every other row is checked on its own and against the one before.
    RunRow row = reader.row(i);
    checks.begin_row(row.step_count, row.time);
    if (before) check_chain(*before, row, !(scene.output.every > 0.0), checks);
    check_row(path, *verifier, row, !before);
    if (before) {
      report.tally.add(answered_step(row, report.tally.tolerance()));
      report.integration.add(row.energy);
    } else {
      report.integration.start(row.energy);
    }
    // Parts of a run that are taken as recorded are counted, so that the report can say so.
    report.num_contacts += row.contacts.size();
    report.num_without_contacts += row.has_contacts() ? 0 : 1;
    report.num_set_starts += row.start_was_set ? 1 : 0;
    report.num_commanded += row.commands.empty() ? 0 : 1;
    report.time = row.time;
    before = std::move(row);
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(report.num_rows));
  }
  report.checks = checks.release();
  return report;
}

}  // namespace amontons::io
