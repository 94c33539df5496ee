#include "amontons/io/verify_step.h"

#include "amontons/contact/islands.h"
#include "amontons/io/verify_island.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/assembly.h"
#include "amontons/simulation/energy.h"
#include "amontons/simulation/infeasibility.h"
#include "amontons/simulation/projection.h"

#include <algorithm>
#include <cmath>

namespace amontons::io {
namespace {

// Largest difference of two vectors, relative to 1 and their size: rounding grows with the numbers.
double deviation(const Eigen::Ref<const Eigen::VectorXd>& a,
                 const Eigen::Ref<const Eigen::VectorXd>& b) {
  if (a.size() == 0) return 0.0;
  return (a - b).lpNorm<Eigen::Infinity>() / (1.0 + b.lpNorm<Eigen::Infinity>());
}

double deviation(double a, double b) { return std::abs(a - b) / (1.0 + std::abs(b)); }

TimeSteppingSettings settings_of(const Scene& scene) {
  const std::unique_ptr<ContactModel> model = make_model(scene.simulation.model, ModelSettings{});
  return TimeSteppingSettings::from(scene.simulation, model->traits());
}

}  // namespace

StepVerifier::StepVerifier(const Scene& scene, VerifyFigures& figures)
    : system_(scene),
      settings_(settings_of(scene)),
      joint_rows_(system_, settings_.joint_friction == JointFriction::Coupled),
      detector_(system_),
      initial_state_(system_.initial_state()),
      figures_(&figures) {
  if (scene.simulation.method == "time-stepping") return;
  is_hybrid_ = scene.simulation.method == "hybrid";
  events_ = std::make_unique<EventEvaluator>(system_, scene.simulation);
}

void StepVerifier::check_initial(const RunRow& row) {
  if (!row.start_was_set) {
    figures_->note(Check::Initial, deviation(row.q, initial_state_.q));
    figures_->note(Check::Initial, deviation(row.v, initial_state_.v));
    figures_->note(Check::Times,
                   std::abs(row.time) + std::abs(static_cast<double>(row.step_count)));
  }
  check_body_poses(row);
  check_after(row);
  const StoredEnergy energy = stored_energy(system_, end_.kinematics);
  figures_->note(Check::Energy, deviation(row.energy.kinetic, energy.kinetic));
  figures_->note(Check::Energy, deviation(row.energy.potential, energy.potential()));
}

void StepVerifier::check_step(const RunRow& row) {
  if (!row.q.allFinite() || !row.v.allFinite() || !row.q_start.allFinite() ||
      !row.v_start.allFinite() || !row.v_eval.allFinite()) {
    figures_->note(Check::Positions, std::numeric_limits<double>::infinity(), "not finite");
    return;
  }
  try {
    system_.set_commands(commands_of(system_, row));
  } catch (const std::invalid_argument& error) {
    figures_->note(Check::Claim, 1.0, std::string("the commands recorded: ") + error.what());
    return;
  }
  rebuild(row);
  check_motion(row);
  check_body_poses(row);
  check_after(row);
  if (!check_contacts(row) || !check_bounded_rows(row)) return;
  check_contact_velocities(row);
  check_laws(row);
}

void StepVerifier::rebuild(const RunRow& row) {
  std::vector<BoundedRow> recorded;
  for (const RunBoundedRow& bounded : row.bounded_rows) recorded.push_back(bounded.row);
  selection_ = joint_rows_.selection_of(recorded);
  evaluate(row);
  joint_rows_.leave_out(evaluation_.integrated, selection_);
  assemble(system_, evaluation_, row.v_start, row.v_eval, row.time_start,
           settings_.parameters(row.step, system_.gravity().norm()), problem_);
  joint_rows_.assemble(selection_, start_kinematics(row), row.step, problem_);
}

// Which pairs are in sustained contact is the run's own choice; what that leaves overlapping shows
// in the next row.
void StepVerifier::evaluate(const RunRow& row) {
  const StepStart start{row.q_start, row.v_start, row.time_start, row.step};
  const FreeMotionOptions options{selection_.servos, settings_.joint_friction};
  if (events_ && row.step == 0.0) {
    events_->evaluate_impact(start, evaluation_);
    if (is_hybrid_) keep_recorded(row);
  } else if (events_) {
    std::vector<PairOfShapes> pairs;
    for (const RunContact& contact : row.contacts) pairs.push_back(pair_of(contact.key));
    events_->evaluate_step(start, options, evaluation_);
    events_->hold(start, pairs, row.events.by_forces > 0, evaluation_);
    if (is_hybrid_) forget_restitution(evaluation_);
  } else if (settings_.evaluates_ahead()) {
    evaluate_ahead(system_, detector_, start, row.v_eval, settings_.v_max, options, evaluation_);
  } else {
    evaluate_at_start(system_, detector_, start, settings_.v_max, options, evaluation_);
  }
}

// Which contacts bounce is the run's own choice, as which are held; what is left out and approaches
// shows in the rows that follow.
void StepVerifier::keep_recorded(const RunRow& row) {
  if (row.events.steady) {
    forget_restitution(evaluation_);
    return;
  }
  std::erase_if(evaluation_.contacts, [&row](const Contact& contact) {
    return std::none_of(row.contacts.begin(), row.contacts.end(),
                        [&contact](const RunContact& own) { return own.key == contact.key; });
  });
}

void StepVerifier::check_times(const RunRow& row) {
  if (events_) {
    figures_->note(Check::Times, deviation(row.time, row.time_start + row.step));
    const bool too_long = row.time > settings_.next_time(row.time_start);
    figures_->note(Check::Times, too_long ? 1.0 : 0.0, "an instant of the steps is passed");
    return;
  }
  const double expected_step = settings_.step_size(row.step_count - 1);
  figures_->note(Check::Times, deviation(row.step, expected_step));
  figures_->note(Check::Times, deviation(row.time, settings_.time_of(row.step_count)));
  figures_->note(Check::Times, deviation(row.time_start, settings_.time_of(row.step_count - 1)));
}

void StepVerifier::check_motion(const RunRow& row) {
  check_times(row);
  if (!settings_.evaluates_ahead()) {
    figures_->note(Check::Positions, row.v_eval.lpNorm<Eigen::Infinity>(), "v_eval must be 0");
  }
  State end;
  if (events_ && row.step > 0.0) {
    end.q = events_->end_positions({row.q_start, row.v_start, row.time_start, row.step}, row.v);
  } else {
    end.q = integrate_positions(system_, row.q_start, row.v, row.step);
  }
  end.v = row.v;
  end.time = row.time;
  if (settings_.projection) project_on_joints(system_, end);
  figures_->note(Check::Positions, deviation(row.q, end.q));
  figures_->note(Check::FreeVelocity, deviation(row.v_free, problem_.free_velocity));
}

void StepVerifier::check_body_poses(const RunRow& row) {
  compute_kinematics(system_, row.q, row.v, row.time, end_.kinematics);
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    const Pose& X_WB = end_.kinematics.X_WB[i];
    const Eigen::Vector4d quat = row.quat_wxyz_of(i);
    const double turned =
        quat.allFinite() && quat.norm() > 0.5
            ? (quaternion_from_wxyz(quat).toRotationMatrix() - X_WB.rotation).norm()
            : 1.0;
    figures_->note(Check::BodyPoses, deviation(row.position_of(i), X_WB.translation),
                   system_.bodies()[i].name);
    figures_->note(Check::BodyPoses, turned, system_.bodies()[i].name);
  }
}

bool StepVerifier::check_contacts(const RunRow& row) {
  const std::vector<Contact>& found = problem_.contacts;
  for (std::size_t i = 0; i < std::max(found.size(), row.contacts.size()); ++i) {
    if (i >= row.contacts.size() || (i < found.size() && found[i].key < row.contacts[i].key)) {
      figures_->note(Check::ContactSet, 1.0,
                     contact_name(static_cast<int>(i)) + " is not recorded");
      return false;
    }
    const RunContact& recorded = row.contacts[i];
    if (i >= found.size() || found[i].key != recorded.key || found[i].body_a != recorded.body_a ||
        found[i].body_b != recorded.body_b) {
      const auto name = [this](int body) {
        return system_.bodies()[static_cast<std::size_t>(body)].name;
      };
      figures_->note(Check::ContactSet, 1.0,
                     name(recorded.body_a) + " and " + name(recorded.body_b) + ", contact " +
                         std::to_string(i) + " is not there");
      return false;
    }
    check_contact(recorded, i);
  }
  return true;
}

void StepVerifier::check_contact(const RunContact& recorded, std::size_t index) {
  const Contact& found = problem_.contacts[index];
  const std::string where = contact_name(static_cast<int>(index));
  figures_->note(Check::ContactPoint, deviation(recorded.position_W, found.position_W), where);
  figures_->note(Check::ContactPoint, deviation(recorded.normal_W, found.normal_W), where);
  figures_->note(Check::Gap, deviation(recorded.gap, found.gap), where);
  figures_->note(Check::Friction, deviation(recorded.friction, found.friction), where);
  figures_->note(Check::Friction, deviation(recorded.viscous_friction, found.viscous_friction),
                 where);
  figures_->note(Check::Restitution, deviation(recorded.restitution, found.restitution), where);
}

bool StepVerifier::check_bounded_rows(const RunRow& row) {
  const std::vector<BoundedRow>& found = problem_.bounded_rows;
  if (found.size() != row.bounded_rows.size()) {
    figures_->note(Check::BoundedRows, 1.0,
                   std::to_string(row.bounded_rows.size()) + " rows are recorded, there are " +
                       std::to_string(found.size()));
    return false;
  }
  const Eigen::VectorXd velocity = problem_.bounded_jacobian * row.v;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RunBoundedRow& recorded = row.bounded_rows[i];
    const std::string where = bounded_name(static_cast<int>(i));
    if (key_of(found[i]) != key_of(recorded.row)) {
      figures_->note(Check::BoundedRows, 1.0, where + " is not recorded");
      return false;
    }
    const auto numbers = [](const BoundedRow& r) {
      Eigen::VectorXd v(4);
      v << r.gap, r.offset, r.compliance, r.restitution;
      return v;
    };
    figures_->note(Check::BoundedRows, deviation(numbers(recorded.row), numbers(found[i])), where);
    for (double BoundedRow::*bound : {&BoundedRow::lower, &BoundedRow::upper}) {
      const double given = recorded.row.*bound, own = found[i].*bound;  // may be infinite
      figures_->note(Check::BoundedRows, given == own ? 0.0 : deviation(given, own), where);
    }
    figures_->note(Check::BoundedRows,
                   deviation(recorded.velocity, velocity(static_cast<Eigen::Index>(i))), where);
  }
  JointRowSelection needed = selection_;
  if (joint_rows_.extend(start_kinematics_, row.v, row.step, needed) !=
      JointRows::Missing::Nothing) {
    figures_->note(Check::BoundedRows, 1.0, "a limit or an effort bound was passed without a row");
  }
  return true;
}

void StepVerifier::check_contact_velocities(const RunRow& row) {
  const Eigen::VectorXd velocity = problem_.contact_velocities(row.v);
  const Eigen::VectorXd velocity_free = problem_.contact_velocities(problem_.free_velocity);
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    const Eigen::Index first = ContactProblem::row(i);
    const std::string where = contact_name(static_cast<int>(i));
    figures_->note(Check::ContactVelocity,
                   deviation(row.contacts[i].velocity, velocity.segment<3>(first)), where);
    figures_->note(Check::ContactVelocity,
                   deviation(row.contacts[i].velocity_free, velocity_free.segment<3>(first)),
                   where);
  }
}

void StepVerifier::check_laws(const RunRow& row) {
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    if (row.contacts[i].law != row.law.kind) {
      figures_->note(Check::Claim, 1.0,
                     contact_name(static_cast<int>(i)) + " claims another law than its step");
    }
  }
  solution_ = recorded_solution(row, problem_);
  Certificate certificate;
  try {
    certificate = certify_islands(problem_, solution_, settings_.tolerance);
  } catch (const std::exception& error) {
    figures_->note(Check::Claim, 1.0, std::string("cannot be judged: ") + error.what());
    return;
  }
  figures_->note(Check::Normal, certificate.normal.value, contact_name(certificate.normal.where));
  figures_->note(Check::FrictionLaw, certificate.friction.value,
                 contact_name(certificate.friction.where));
  figures_->note(Check::JointLimit, certificate.limit.value, bounded_name(certificate.limit.where));
  figures_->note(Check::JointFriction, certificate.joint_friction.value,
                 bounded_name(certificate.joint_friction.where));
  figures_->note(Check::Joint, certificate.joint.value, joint_name(certificate.joint.where));
  figures_->note(Check::Dynamics, certificate.dynamics.value);
  figures_->note(Check::EnergyGained,
                 certificate.energy_gained / (1.0 + certificate.kinetic_energy));
  check_claim(row, certificate);
  const EnergyLedger ledger = account_energy(system_, problem_, solution_, evaluation_.free_motion,
                                             stored_energy(system_, start_kinematics_),
                                             stored_energy(system_, end_.kinematics));
  const auto vector_of = [](const EnergyLedger& e) {
    Eigen::VectorXd v(12);
    v << e.kinetic, e.potential, e.gravity, e.actuators, e.contact_normal, e.contact_friction,
        e.springs, e.joint_friction, e.impacts, e.stabilization, e.integration, e.unexplained;
    return v;
  };
  figures_->note(Check::Energy, deviation(vector_of(row.energy), vector_of(ledger)));
}

// The recorded verdict and figures must be those of the recorded impulses.
void StepVerifier::check_claim(const RunRow& row, const Certificate& certificate) {
  const Certificate& recorded = row.certificate;
  if (!certificate.claimed || recorded.missed_contacts > 0) {
    figures_->note(Check::Claim, 1.0, "the step misses its certificate");
  } else if (!recorded.claimed) {
    figures_->note(Check::Claim, 1.0, "recorded as missed, but it is met");
  }
  const auto compare = [this](const char* name, double value, double expected) {
    // Tiny residuals are made of rounding, which another machine may do otherwise.
    if (deviation(value, expected) <= settings_.tolerance) return;
    figures_->note(Check::Claim, 1.0, std::string("the figure ") + name + " is misreported");
  };
  compare("normal", recorded.normal.value, certificate.normal.value);
  compare("friction", recorded.friction.value, certificate.friction.value);
  compare("limit", recorded.limit.value, certificate.limit.value);
  compare("joint_friction", recorded.joint_friction.value, certificate.joint_friction.value);
  compare("joint", recorded.joint.value, certificate.joint.value);
  compare("dynamics", recorded.dynamics.value, certificate.dynamics.value);
  compare("dissipation", recorded.dissipation.value, certificate.dissipation.value);
  compare("coulomb", recorded.coulomb.value, certificate.coulomb.value);
  compare("energy_gained", recorded.energy_gained, certificate.energy_gained);
  compare("stabilization_work", recorded.stabilization_work, certificate.stabilization_work);
}

// Overlaps and joint errors that the step has left.
void StepVerifier::check_after(const RunRow& row) {
  const StepStart next{row.q, row.v, row.time, settings_.step_size(row.step_count)};
  evaluate_at_start(system_, detector_, next, settings_.v_max, {}, end_);
  const Infeasibility found = measure_infeasibility(system_, joint_rows_, end_);
  std::string where;
  if (found.deepest) {
    where = system_.bodies()[static_cast<std::size_t>(found.deepest->body_a)].name + " and " +
            system_.bodies()[static_cast<std::size_t>(found.deepest->body_b)].name;
  }
  figures_->note(Check::Infeasibility, deviation(row.certificate.infeasibility, found.largest),
                 where);
}

const SystemKinematics& StepVerifier::start_kinematics(const RunRow& row) {
  compute_kinematics(system_, row.q_start, row.v_start, row.time_start, start_kinematics_);
  return start_kinematics_;
}

std::string StepVerifier::contact_name(int index) const {
  if (index < 0 || index >= static_cast<int>(problem_.contacts.size())) return "";
  const Contact& contact = problem_.contacts[static_cast<std::size_t>(index)];
  return system_.bodies()[static_cast<std::size_t>(contact.body_a)].name + " and " +
         system_.bodies()[static_cast<std::size_t>(contact.body_b)].name + ", contact " +
         std::to_string(index);
}

std::string StepVerifier::bounded_name(int row) const {
  if (row < 0 || row >= static_cast<int>(problem_.bounded_rows.size())) return "";
  return name_of(system_, problem_.bounded_rows[static_cast<std::size_t>(row)]);
}

std::string StepVerifier::joint_name(int row) const {
  for (const JointCoordinate& joint : system_.joints()) {
    if (row >= joint.first_row && row < joint.first_row + joint.num_rows) return joint.name;
  }
  return "";
}

}  // namespace amontons::io
