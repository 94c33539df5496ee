#include "amontons/simulation/scene/ledger_summary.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <string>
#include <tuple>
#include <utility>

// What the ledger says of contacts, by what touches what.

namespace amontons::test {
namespace {

/// Returns a ball `g` above a floor.
Scene ball(const std::string& geom, const std::string& floor = "", const std::string& rest = "") {
  return scene_of_mjcf("<worldbody><geom name='floor' type='plane' size='1 1 1' " + floor +
                       "/><body name='b' pos='0 0 1'><freejoint/><geom name='g' size='.1' " + geom +
                       "/></body></worldbody>" + rest);
}

std::size_t motions(const Scene& scene) { return summarize(scene.ledger).motion; }

}  // namespace

TEST_CASE("What softens the contacts of a geom that touches nothing lets nothing move otherwise") {
  const std::string soft = "margin='.1' solref='-100 -1' solimp='.9 .95 .001' solmix='2'";
  // Neither has a bit of contype that the conaffinity of the other has.
  const Scene apart = ball(soft + " contype='1' conaffinity='0'", "contype='1' conaffinity='0'");
  CHECK(apart.ledger.findings().empty());
  CHECK(motions(apart) == 0);
  const Scene none = ball(soft + " contype='0' conaffinity='0'");
  CHECK(none.ledger.findings().empty());
  CHECK(motions(none) == 0);
  const Scene light = ball(soft + " contype='0' conaffinity='0' mass='0'/><geom size='.2'");
  CHECK(motions(light) == 0);
  // One bit is enough.
  const Scene touching = ball(soft + " contype='1' conaffinity='0'", "contype='2' conaffinity='3'");
  CHECK(touching.ledger.findings().size() == 2);
  CHECK(entry_of(touching, "body 'b' geom 'g': margin").fate == ImportFate::Refused);
  CHECK(entry_of(touching, "body 'b' geom 'g': solref").fate == ImportFate::Refused);
}

TEST_CASE("A default that softens contacts counts where one geom that takes it touches another") {
  const auto scene = [](const std::string& geom) {
    return ball(geom, "solref='.02 1'", "<default><geom solref='-100 -1'/></default>");
  };
  CHECK(scene("contype='0' conaffinity='0'").ledger.findings().empty());
  CHECK(scene("").ledger.findings().size() == 1);
}

TEST_CASE("Friction against spinning or rolling is a finding where it is not zero") {
  for (const auto& [geom, floor, is_finding] :
       {std::tuple{"condim='4'", "", true},
        std::tuple{"condim='6' friction='1 0 0.01'", "friction='1 0 0'", true},
        std::tuple{"condim='4' friction='1 0 0.01'", "friction='1 0 0'", false},
        std::tuple{"condim='4' friction='1 0 0'", "friction='1 0.2 0'", true},
        std::tuple{"condim='4' friction='1 0 0' priority='1'", "friction='1 0.2 0'", false},
        std::tuple{"condim='4'", "priority='1'", false},
        std::tuple{"condim='4' contype='0' conaffinity='0'", "", false},
        std::tuple{"condim='3'", "", false}}) {
    CAPTURE(geom, floor);
    const Scene scene = ball(geom, floor);
    CHECK(scene.ledger.findings().size() == (is_finding ? 1u : 0u));
    if (is_finding) CHECK(entry_of(scene, "body 'b' geom 'g': condim").fate == ImportFate::Refused);
  }
}

TEST_CASE("A pair whose friction differs along its directions, or opposes turning, is a finding") {
  for (const auto& [pair, count] :
       {std::pair{"friction='.5 .5 .1'", 0}, std::pair{"friction='.5 .4 .1'", 1},
        std::pair{"friction='.5 .5 .1' condim='4'", 1},
        std::pair{"friction='.5 .5 0' condim='4'", 0},
        std::pair{"friction='.5 .5 0 0 .1' condim='6'", 1}, std::pair{"condim='4'", 1},
        std::pair{"friction='.5 .4' condim='1'", 0}}) {
    CAPTURE(pair);
    const Scene scene = ball(
        "", "",
        "<contact><pair name='p' geom1='g' geom2='floor' " + std::string(pair) + "/></contact>");
    CHECK(scene.ledger.findings().size() == static_cast<std::size_t>(count));
  }
}

TEST_CASE("A mesh collides as its hull, as in MuJoCo, and one that touches nothing does not") {
  // The L is concave.
  const auto scene = [](const std::string& geom) {
    return scene_of_mjcf(R"(<asset><mesh name='ell' vertex='0 0 0 .5 0 0 .5 .2 0 .2 .2 0 .2 .5 0
        0 .5 0  0 0 .5 .5 0 .5 .5 .2 .5 .2 .2 .5 .2 .5 .5 0 .5 .5'
        face='0 3 1 1 3 2 0 5 3 3 5 4 6 7 9 7 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7
        2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/></asset><worldbody><body name='b'>
        <freejoint/><geom name='g' type='mesh' mesh='ell' mass='3' )" +
                         geom + "/></body></worldbody>");
  };
  const LedgerEntry hull = entry_of(scene(""), "body 'b' geom 'g': mesh");
  CHECK(hull.fate == ImportFate::Applied);
  CHECK_THAT(hull.reason, Catch::Contains("as its convex hull, as in MuJoCo"));
  const Scene idle = scene("contype='0' conaffinity='0'");
  CHECK(entry_of(idle, "body 'b' geom 'g': mesh").reason == "");
  CHECK_THAT(entry_of(idle, "body 'b' geom 'g'").reason, Catch::Contains("its mass only"));
  CHECK(motions(idle) == 0);
}

}  // namespace amontons::test
