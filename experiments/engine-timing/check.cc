#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/engine-timing/solvers.h"
#include "experiments/engine/engine_scene.h"
#include "experiments/median.h"
#include "experiments/processor_stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

// The engine's contact problems by Lemke's method and by the phases of the convex model.

namespace amontons::experiments {
namespace {

constexpr double kPaperFailure = 0.0025;  // [s] where the paper's Lemke ended

Scene engine_of(int cylinders, int facets, const std::string& method, double step, double duration,
                double horizon = 0.0) {
  EngineParameters engine;
  engine.cylinders = cylinders;
  engine.facets = facets;
  Scene scene = engine_scene(engine);
  scene.simulation.method = method;
  scene.simulation.steps = {step};
  scene.simulation.duration = duration;
  scene.simulation.model = "frictionless";  // phase I; without friction the motion is the same
  if (method == "event-driven") {
    scene.simulation.events.impact_model = "frictionless";
  } else {
    scene.simulation.v_max = horizon / step;
  }
  return scene;
}

/// Holds the results of one solver on all problems of a run.
struct Record {
  std::vector<double> time, seconds;  // simulation time and time of the solve [s]
  int failures = 0;
  double first_failure = std::numeric_limits<double>::infinity();  // [s]
  double difference = 0.0;  // from the velocities of phase I, relative, where solved
  double residual = 0.0;    // of what it solved
  int beyond = 0;           // answers to its own tolerance that are not within kEngineTolerance
};

struct Contest {
  std::vector<Record> records = std::vector<Record>(engine_solvers().size());
  std::vector<double> contacts;
  double smallest_order = std::numeric_limits<double>::infinity(), largest_order = 0.0;
  int missed = 0;

  const Record& of(const char* solver) const {
    const auto& all = engine_solvers();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [solver](const EngineSolver& s) { return s.key == solver; });
    return records[static_cast<std::size_t>(found - all.begin())];
  }
  /// Order of the LCPs on the median.
  double order() const { return 6.0 * median(contacts); }
  /// How many times faster a solver is than the paper's Lemke, on the medians.
  double advantage_of(const char* solver) const {
    return median(of("described").seconds) / median(of(solver).seconds);
  }
};

/// Solves every problem with contacts of a run, or every `every`-th of them, by all solvers.
Contest contest(const Context& context, const Scene& scene, int every = 1) {
  Contest result;
  int met = 0;
  result.missed =
      context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
        if (report.problem.num_contacts() == 0 || met++ % every != 0) return;
        const EngineProblem problem(report.problem);
        const double contacts = static_cast<double>(report.problem.num_contacts());
        result.contacts.push_back(contacts);
        result.smallest_order = std::min(result.smallest_order, problem.order() / contacts);
        result.largest_order = std::max(result.largest_order, problem.order() / contacts);
        for (std::size_t k = 0; k < engine_solvers().size(); ++k) {
          Record& record = result.records[k];
          EngineAnswer answer = engine_solvers()[k].solve(problem);
          answer.velocity = context.answer(answer.velocity);
          record.time.push_back(simulator.time());
          record.seconds.push_back(answer.seconds);
          if (!answer.solved) {
            ++record.failures;
            record.first_failure = std::min(record.first_failure, simulator.time());
            continue;
          }
          record.residual = std::max(record.residual, answer.residual);
          record.beyond += answer.residual > kEngineTolerance;
          record.difference =
              std::max(record.difference, (answer.velocity - report.solution.velocity).norm() /
                                              (1.0 + report.solution.velocity.norm()));
        }
      });
  return result;
}

void add_table(const std::string& title, const Contest& contest, Findings& findings) {
  Table table{title,
              {"solver", "tolerance", "problems", "not solved", "first at [s]", "beyond 1e-8",
               "worst residual", "median [ms]", "worst [ms]", "velocities from phase I"},
              {}};
  for (std::size_t k = 0; k < engine_solvers().size(); ++k) {
    const Record& record = contest.records[k];
    table.rows.push_back(
        {engine_solvers()[k].name, fmt::format("{:g}", engine_solvers()[k].tolerance),
         fmt::format("{}", record.time.size()), fmt::format("{}", record.failures),
         record.failures > 0 ? fmt::format("{:.5f}", record.first_failure) : "",
         fmt::format("{}", record.beyond), fmt::format("{:.1e}", record.residual),
         fmt::format("{:.3f}", 1e3 * median(record.seconds)),
         fmt::format("{:.2f}",
                     1e3 * *std::max_element(record.seconds.begin(), record.seconds.end())),
         fmt::format("{:.1e}", record.difference)});
  }
  findings.tables.push_back(std::move(table));
}

void expect_solved(const std::string& name, const Contest& contest, Findings& findings) {
  findings.expect_at_most(name + "steps without certificate", contest.missed, 0.0);
  findings.expect_within(name + "order of the LCP over the number of contacts, smallest",
                         contest.smallest_order, 6.0, 6.0);
  findings.expect_within(name + "order of the LCP over the number of contacts, largest",
                         contest.largest_order, 6.0, 6.0);
  findings.expect_at_most("(a) " + name + "problems that phase I did not solve",
                          contest.of("phase-1").failures, 0.0);
  findings.expect_at_most("(a) " + name + "problems that all phases did not solve",
                          contest.of("phases").failures, 0.0);
  findings.expect_at_most("(b) " + name + "problems that lexicographic Lemke did not solve",
                          contest.of("lexicographic").failures, 0.0);
  findings.expect_at_most("(b) " + name + "its largest residual",
                          contest.of("lexicographic").residual, 1e-8);
  // Without friction the velocity is unique: another one would be a wrong answer called solved.
  double difference = 0.0;
  for (std::size_t k = 0; k < engine_solvers().size(); ++k) {
    if (engine_solvers()[k].tolerance > kEngineTolerance) continue;
    difference = std::max(difference, contest.records[k].difference);
  }
  findings.expect_at_most("(c) " + name + "velocities of our solvers, relative difference",
                          difference, 1e-6);
}

/// Says how the paper's Lemke fared beside the paper.
std::string routine_note(const std::string& name, const Contest& contest) {
  const auto fared = [](const Record& record) {
    if (record.failures == 0) return fmt::format("solves all {} problems", record.time.size());
    return fmt::format("misses {} of {} problems, first at {:.5f} s", record.failures,
                       record.time.size(), record.first_failure);
  };
  const Record& described = contest.of("described");
  return fmt::format(
      "{}the paper's Lemke as described {} within its own 1e-5 ({} beyond 1e-8); as published it "
      "{} (the paper's run ended at {} s).",
      name, fared(described), described.beyond, fared(contest.of("published")), kPaperFailure);
}

/// The verdict from all contests. The claim is that Lemke's method fails and phase I does not.
std::string verdict_of(const std::vector<Contest>& contests) {
  int described = 0, published = 0;
  std::size_t problems = 0;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const Contest& contest : contests) {
    described += contest.of("described").failures;
    published += contest.of("published").failures;
    problems += contest.of("described").time.size();
    least = std::min(least, contest.advantage_of("phase-1"));
    most = std::max(most, contest.advantage_of("phase-1"));
  }
  return fmt::format(
      "{}: the paper's Lemke as published misses {} of {} problems, as described {}; phase I is "
      "{:.0f} to {:.0f} times faster",
      described + published > 0 ? "reproduced" : "not reproduced", published, problems, described,
      least, most);
}

/// Sets failures and times of the paper beside ours.
void compare_with_paper(const std::vector<Contest>& contests, Findings& findings) {
  int described = 0, published = 0;
  std::size_t problems = 0;
  std::string phase_one, phases;
  for (const Contest& contest : contests) {
    described += contest.of("described").failures;
    published += contest.of("published").failures;
    problems += contest.of("described").time.size();
    const char* separator = phase_one.empty() ? "" : ", ";
    phase_one += fmt::format("{}{:.2g}", separator, contest.advantage_of("phase-1"));
    phases += fmt::format("{}{:.2g}", separator, contest.advantage_of("phases"));
  }
  findings.compare(
      "engine: problems that the paper's Lemke does not solve",
      "it fails after 0.0025 s, PATH after one step", "",
      fmt::format("as published {}, as described {} of {}", published, described, problems));
  findings.compare(
      "engine: time of the paper's Lemke over that of the convex model, medians", "above 1", "",
      fmt::format("phase I {}, all phases {} (one cylinder event by event, by time stepping, four "
                  "cylinders)",
                  phase_one, phases));
}

/// Event by event, as in the paper, where our parts meet in a few points at a time.
Contest check_event_by_event(const Context& context, Findings& findings) {
  const std::string name = "one cylinder, event by event: ";
  const double duration = context.full() ? 0.02 : 0.004;
  const Contest events = contest(context, engine_of(1, 32, "event-driven", 1e-3, duration));
  expect_solved(name, events, findings);
  add_table(fmt::format("One cylinder, event by event, {:g} s, LCP of order {} on the median",
                        duration, events.order()),
            events, findings);
  findings.notes.push_back(routine_note(name, events));
  return events;
}

/// Fig. 4, time against simulation time. Time stepping lists all contacts that a step could close.
Contest check_one_cylinder(const Context& context, Findings& findings) {
  context.progress("engine-timing: one cylinder");
  const std::string name = "one cylinder: ";
  const int every = context.full() ? 1 : 5;
  const Contest one = contest(context, engine_of(1, 32, "time-stepping", 5e-5, 0.01, 3e-5), every);
  expect_solved(name, one, findings);
  add_table(fmt::format("Fig. 4: one cylinder by time stepping, LCP of order {} on the median",
                        one.order()),
            one, findings);
  Figure figure{"Fig. 4: time of a contact solve, one cylinder",
                "simulation time [s]",
                "time of the solve [s]",
                true,
                {}};
  for (std::size_t k = 0; k < engine_solvers().size(); ++k) {
    figure.curves.push_back(
        {engine_solvers()[k].name, one.records[k].time, one.records[k].seconds});
  }
  findings.figures.push_back(std::move(figure));
  findings.notes.push_back(routine_note(name, one));
  for (const char* phases : {"phase-1", "phases"}) {
    findings.timing_at_most(
        fmt::format("(d) one cylinder: median of {} against the paper's Lemke", phases),
        1e3 * median(one.of(phases).seconds), 1e3 * median(one.of("described").seconds), " ms");
  }
  return one;
}

Contest check_four_cylinders(const Context& context, Findings& findings) {
  context.progress("engine-timing: four cylinders");
  const int every = context.full() ? 50 : 400;
  const Contest four = contest(context, engine_of(4, 32, "time-stepping", 5e-5, 0.05, 3e-5), every);
  expect_solved("four cylinders: ", four, findings);
  add_table(
      fmt::format("Four cylinders by time stepping, LCP of order {} on the median", four.order()),
      four, findings);
  findings.notes.push_back(routine_note("four cylinders: ", four));
  findings.timing_at_most("(d) four cylinders: phase I's median against the paper's Lemke",
                          1e3 * median(four.of("phase-1").seconds),
                          1e3 * median(four.of("described").seconds), " ms");
  return four;
}

}  // namespace

void check_engine_timing(Context& context, Findings& findings) {
  const std::vector<Contest> contests = {check_event_by_event(context, findings),
                                         check_one_cylinder(context, findings),
                                         check_four_cylinders(context, findings)};
  findings.verdict = verdict_of(contests);
  compare_with_paper(contests, findings);
  findings.size = fmt::format("1 cylinder, LCPs of order {:g} and {:g}, 4 cylinders of order {:g}",
                              contests[0].order(), contests[1].order(), contests[2].order());

  const ProcessorStopwatch watch;
  const int missed = context.simulate(engine_of(1, 16, "time-stepping", 1e-3, 1.0, 4e-4), {});
  findings.expect_at_most("one second of 16 facets: steps without certificate", missed, 0.0);
  findings.timing_at_most("one second of 16 facets takes, processor time", watch.seconds(), 1.0);
}

}  // namespace amontons::experiments
