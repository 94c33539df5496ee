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
          const EngineAnswer answer = engine_solvers()[k].solve(problem);
          record.time.push_back(simulator.time());
          record.seconds.push_back(answer.seconds);
          if (!answer.solved) {
            ++record.failures;
            record.first_failure = std::min(record.first_failure, simulator.time());
            continue;
          }
          record.residual = std::max(record.residual, answer.residual);
          record.difference =
              std::max(record.difference, (answer.velocity - report.solution.velocity).norm() /
                                              (1.0 + report.solution.velocity.norm()));
        }
      });
  return result;
}

void add_table(const std::string& title, const Contest& contest, Findings& findings) {
  Table table{title,
              {"solver", "problems", "not solved", "first at [s]", "median [ms]", "worst [ms]",
               "velocities from phase I"},
              {}};
  for (std::size_t k = 0; k < engine_solvers().size(); ++k) {
    const Record& record = contest.records[k];
    table.rows.push_back({engine_solvers()[k].name, fmt::format("{}", record.time.size()),
                          fmt::format("{}", record.failures),
                          record.failures > 0 ? fmt::format("{:.5f}", record.first_failure) : "",
                          fmt::format("{:.3f}", 1e3 * median(record.seconds)),
                          fmt::format("{:.2f}", 1e3 * *std::max_element(record.seconds.begin(),
                                                                        record.seconds.end())),
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
  for (const Record& record : contest.records) difference = std::max(difference, record.difference);
  findings.expect_at_most("(c) " + name + "velocities of all solvers, relative difference",
                          difference, 1e-6);
}

/// Says how the paper's Lemke fared beside the paper.
std::string routine_note(const std::string& name, const Contest& contest) {
  const Record& routine = contest.of("routine");
  const std::size_t problems = routine.time.size();
  if (routine.failures == 0) {
    return fmt::format(
        "{}the paper's Lemke solves all {} problems, where the paper's run ended at "
        "{} s.",
        name, problems, kPaperFailure);
  }
  return fmt::format(
      "{}the paper's Lemke misses {} of {} problems, first at {:.5f} s (paper: {} s).", name,
      routine.failures, problems, routine.first_failure, kPaperFailure);
}

/// Event by event, as in the paper, where our parts meet in a few points at a time.
void check_event_by_event(const Context& context, Findings& findings) {
  const std::string name = "one cylinder, event by event: ";
  const double duration = context.full() ? 0.02 : 0.004;
  const Contest events = contest(context, engine_of(1, 32, "event-driven", 1e-3, duration));
  expect_solved(name, events, findings);
  add_table(fmt::format("One cylinder, event by event, {:g} s, LCP of order {} on the median",
                        duration, 6.0 * median(events.contacts)),
            events, findings);
  findings.notes.push_back(routine_note(name, events));
}

/// Fig. 4, time against simulation time. Time stepping lists all contacts that a step could close.
void check_one_cylinder(const Context& context, Findings& findings) {
  context.progress("engine-timing: one cylinder");
  const std::string name = "one cylinder: ";
  const int every = context.full() ? 1 : 5;
  const Contest one = contest(context, engine_of(1, 32, "time-stepping", 5e-5, 0.01, 3e-5), every);
  expect_solved(name, one, findings);
  add_table(fmt::format("Fig. 4: one cylinder by time stepping, LCP of order {} on the median",
                        6.0 * median(one.contacts)),
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
        1e3 * median(one.of(phases).seconds), 1e3 * median(one.of("routine").seconds), " ms");
  }
}

void check_four_cylinders(const Context& context, Findings& findings) {
  context.progress("engine-timing: four cylinders");
  const int every = context.full() ? 50 : 400;
  const Contest four = contest(context, engine_of(4, 32, "time-stepping", 5e-5, 0.05, 3e-5), every);
  expect_solved("four cylinders: ", four, findings);
  add_table(fmt::format("Four cylinders by time stepping, LCP of order {} on the median",
                        6.0 * median(four.contacts)),
            four, findings);
  findings.notes.push_back(routine_note("four cylinders: ", four));
  findings.timing_at_most("(d) four cylinders: phase I's median against the paper's Lemke",
                          1e3 * median(four.of("phase-1").seconds),
                          1e3 * median(four.of("routine").seconds), " ms");
}

}  // namespace

void check_engine_timing(Context& context, Findings& findings) {
  check_event_by_event(context, findings);
  check_one_cylinder(context, findings);
  check_four_cylinders(context, findings);

  const ProcessorStopwatch watch;
  const int missed = context.simulate(engine_of(1, 16, "time-stepping", 1e-3, 1.0, 4e-4), {});
  findings.expect_at_most("one second of 16 facets: steps without certificate", missed, 0.0);
  findings.timing_at_most("one second of 16 facets takes, processor time", watch.seconds(), 1.0);
}

}  // namespace amontons::experiments
