#include "amontons/contact/certificate/missed_condition.h"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace amontons {
namespace {

constexpr double kTolerance = 1e-8;

/// Returns a certificate that misses nothing.
Certificate met() {
  Certificate c;
  for (Residual* residual : {&c.normal, &c.friction, &c.limit, &c.joint_friction, &c.joint,
                             &c.dynamics, &c.inequality, &c.loop, &c.overlap}) {
    *residual = {0.0, -1};
  }
  c.energy_gained = 0.0;
  return c;
}

struct Case {
  std::string text;
  std::function<void(Certificate&)> spoil;
  int contact = -1;
};

}  // namespace

TEST_CASE("A missed certificate names its condition, its figure and the contact at fault") {
  const std::vector<Case> cases{
      {"rounding of 1.0e-07",
       [](Certificate& c) {
         c.rounding = {1e-7, 2};
       }},
      {"joint limits and friction missed by 2.0e-03",
       [](Certificate& c) {
         c.limit = {2e-3, 1};
       }},
      {"contact law missed by 3.0e-01",
       [](Certificate& c) {
         c.friction = {0.3, 4};
       },
       4},
      {"contact law missed by 4.0e-01",
       [](Certificate& c) {
         c.friction = {0.3, 4};
         c.normal = {0.4, 5};
       },
       5},
      {"2 pairs pass through each other", [](Certificate& c) { c.missed_contacts = 2; }},
      {"3 contacts out of sight, or passages",
       [](Certificate& c) {
         c.missed_contacts = 3;
         c.missed_overlap = std::numeric_limits<double>::quiet_NaN();
       }},
      {"the deepest overlap 5.0e-03 m",
       [](Certificate& c) {
         c.missed_contacts = 1;
         c.missed_overlap = 5e-3;
       }},
      {"overlap deepened by 2.0e-01",
       [](Certificate& c) {
         c.overlap = {0.2, 7};
       },
       7},
      {"joint row 3 open by 1.5e+00",
       [](Certificate& c) {
         c.loop = {1.5, 3};
       }},
      {"6.0e-02 J without a cause", [](Certificate& c) { c.energy_created = 0.06; }},
      {"joint row 6 missed by 1.0e-02",
       [](Certificate& c) {
         c.joint = {0.01, 6};
       }},
      {"energy bound missed by 9.0e+00 J", [](Certificate& c) { c.energy_gained = 9.0; }},
      {"energy bound missed by 9.0e+00 J, equation of motion missed by 1.0e-03",
       [](Certificate& c) {
         c.energy_gained = 9.0;
         c.dynamics = {1e-3, 0};
       }}};
  for (const Case& one : cases) {
    Certificate certificate = met();
    one.spoil(certificate);
    const MissedCondition missed = missed_condition(certificate, kTolerance);
    CHECK_THAT(missed.text, Catch::Contains(one.text));
    CHECK(missed.contact == one.contact);
  }
}

TEST_CASE("Within an acceptable bound a law is not what a certificate misses") {
  Certificate certificate = met();
  certificate.friction = {1e-5, 2};
  certificate.energy_created = 0.5;
  CHECK_THAT(missed_condition(certificate, kTolerance).text, Catch::Contains("contact law"));
  CHECK_THAT(missed_condition(certificate, kTolerance, 1e-4).text, Catch::Contains("J without"));
}

}  // namespace amontons
