#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mujoco_oracle.h"

// Elements of MJCF that are not simulated are findings by name, and all others act.

namespace amontons::test {
namespace {

Scene load_text(const std::string& text) {
  io::MemoryFiles files;
  files.add("m.xml", text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.002, duration: 0.5}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
}

/// Returns true if a record of the element is unsupported, with the words in its reason.
bool is_finding(const Scene& scene, const std::string& element, const std::string& words) {
  const LedgerEntry entry = entry_of(scene, element);
  CAPTURE(entry.reason);
  return entry.fate == ImportFate::Refused && entry.reason.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("A pendulum beside soft bodies swings as one alone, and the soft bodies are findings") {
  const std::string pendulum = R"(<body name='arm' pos='0 0 1'><joint name='h' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/>)";
  const Scene soft = load_text("<mujoco><worldbody>" + pendulum + R"(
      <flexcomp name='pad' type='grid' count='3 2 1' spacing='.1 .1 .1' radius='.01' dim='2'>
        <edge equality='true'/><contact selfcollide='none'/><pin id='0'/></flexcomp></body>
      <frame pos='0 0 2'><flexcomp name='sheet' type='box' count='2 2 2'/></frame></worldbody>
    <deformable><flex name='rope' dim='1' body='arm arm' vertex='0 0 0 1 0 0' element='0 1'/>
      <skin name='hide'/></deformable>
    <equality><flexvert flex='sheet'/>
      <connect name='pin' body1='sheet_3' body2='arm' anchor='0 0 0'/></equality>
    <contact><exclude body1='arm' body2='sheet_1'/></contact></mujoco>)");
  const Scene alone = load_text("<mujoco><worldbody>" + pendulum + "</body></worldbody></mujoco>");
  CHECK(is_finding(soft, "body 'arm' flexcomp 'pad'", "soft bodies are not simulated"));
  CHECK(is_finding(soft, "flexcomp 'sheet'", "soft bodies are not simulated"));
  CHECK(is_finding(soft, "flex 'rope'", "soft bodies are not simulated"));
  CHECK(is_finding(soft, "connect 'pin'", "it names 'sheet_3', a part of a soft body"));
  CHECK(entry_of(soft, "skin 'hide'").fate == ImportFate::Ignored);
  CHECK(entry_of(soft, "body 'arm' flexcomp 'pad': edge").fate == ImportFate::Ignored);
  Simulator with(soft), without(alone);
  for (int k = 0; k < 50; ++k) {
    with.step();
    without.step();
  }
  CHECK(with.state().q == without.state().q);
}

TEST_CASE(
    "Contacts that act at a distance are findings, and those that act at the surface are not") {
  const auto scene = [](const std::string& geom, const std::string& rest) {
    return load_text(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='b'>"
        "<freejoint/><geom name='g' size='.1' " +
        geom + "/></body></worldbody>" + rest + "</mujoco>");
  };
  for (const auto& [geom, rest, element, words] :
       {std::tuple{"margin='.2'", "", "body 'b' geom 'g': margin", "still 0.2 m apart"},
        std::tuple{"margin='.2' gap='.05'", "", "body 'b' geom 'g': margin", "0.15"},
        std::tuple{"gap='.1'", "", "body 'b' geom 'g': gap", "overlap by 0.1 m"},
        std::tuple{"", "<contact><pair name='p' geom1='g' geom2='floor' margin='.3'/></contact>",
                   "pair 'p': margin", "still 0.3 m apart"},
        std::tuple{"", "<option o_margin='.3'><flag override='enable'/></option>",
                   "<option>: o_margin", "at the surface"},
        std::tuple{"class='c'",
                   "<default><default class='c'><geom margin='.4'/></default></default>",
                   "<default>: default geom margin", "still 0.4 m apart"}}) {
    CAPTURE(geom, rest);
    const Scene own = scene(geom, rest);
    CHECK(is_finding(own, element, words));
    CHECK(own.ledger.findings().size() == 1);
  }
  for (const auto& [geom, rest] :
       {std::pair{"", ""}, std::pair{"margin='.2' gap='.2'", ""}, std::pair{"margin='0'", ""},
        std::pair{"margin='.2' contype='0' conaffinity='0'", ""},
        std::pair{"margin='.2'", "<option><flag override='enable'/></option>"},
        std::pair{"", "<option o_margin='.3'/>"}}) {
    CAPTURE(geom, rest);
    CHECK(scene(geom, rest).ledger.findings().empty());
  }
}

TEST_CASE("Negative numbers of solref are a spring, which is a finding where it acts") {
  const auto scene = [](const std::string& joint, const std::string& geom,
                        const std::string& rest) {
    return load_text(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<body name='a' pos='0 0 1'><joint name='j' " +
        joint + "/><geom name='g' size='.1' " + geom +
        "/></body><body name='b' pos='0 0 2'><joint name='k'/><geom size='.1'/></body>"
        "</worldbody>" +
        rest + "</mujoco>");
  };
  const std::string weld = "<weld name='w' body1='a' body2='b' ";
  const auto equality = [](const std::string& content) {
    return "<equality>" + content + "</equality>";
  };
  const std::string spring = "solref='-100 -1'", soft = "solref='0.1 1'";
  for (const auto& [joint, geom, rest, element] :
       {std::tuple{"", "", equality(weld + spring + "/>"), "weld 'w': solref"},
        std::tuple{"", "", equality("<joint name='e' joint1='j' joint2='k' " + spring + "/>"),
                   "joint 'e': solref"},
        std::tuple{"", "", "<default><equality " + spring + "/></default>" + equality(weld + "/>"),
                   "<default>: equality solref"},
        std::tuple{"range='-90 90' solreflimit='-50 -1'", "", std::string(),
                   "body 'a' joint 'j': solreflimit"},
        std::tuple{"", "solref='-1e4 -10'", std::string(), "body 'a' geom 'g': solref"}}) {
    CAPTURE(joint, geom, rest);
    const Scene own = scene(joint, geom, rest);
    CHECK(is_finding(own, element, "a spring of a stiffness that the file gives"));
    CHECK(own.ledger.findings().size() == 1);
  }
  // A regularization is none, nor is a spring of what does not act.
  for (const auto& [joint, geom, rest] :
       {std::tuple{"", "", equality(weld + soft + "/>")},
        std::tuple{"", "", equality(weld + spring + " active='false'/>")},
        std::tuple{"solreflimit='-50 -1'", "", std::string()},
        std::tuple{"range='-90 90' solreflimit='.1 1'", soft.c_str(), std::string()},
        std::tuple{"", "solref='-1e4 -10' contype='0' conaffinity='0'", std::string()}}) {
    CAPTURE(joint, geom, rest);
    CHECK(scene(joint, geom, rest).ledger.findings().empty());
  }
}

TEST_CASE("A geom of signed distances collides as its mesh, and of a plugin not at all") {
  // The L is concave: it has 0.08 m^3, its hull 0.1025 m^3.
  const Scene scene = load_text(R"(<mujoco><asset>
      <mesh name='ell' vertex='0 0 0 .5 0 0 .5 .2 0 .2 .2 0 .2 .5 0 0 .5 0
          0 0 .5 .5 0 .5 .5 .2 .5 .2 .2 .5 .2 .5 .5 0 .5 .5'
        face='0 3 1 1 3 2 0 5 3 3 5 4 6 7 9 7 8 9 6 9 11 9 10 11
          0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/>
      <mesh name='nut'><plugin instance='nut'/></mesh></asset>
    <worldbody><geom type='plane' size='1 1 1'/>
      <body name='bracket' pos='0 0 1'><freejoint/><geom name='g' type='sdf' mesh='ell'/></body>
      <body name='nut' pos='3 0 1'><freejoint/>
        <geom name='h' type='sdf' mesh='nut'><plugin instance='nut'/></geom></body></worldbody>
    </mujoco>)");
  const auto& links = scene.models.at(0).links;
  REQUIRE(links.size() == 3);
  REQUIRE(links[1].shapes.size() == 1);
  CHECK(std::holds_alternative<std::shared_ptr<const CollisionMesh>>(links[1].shapes[0].shape));
  CHECK(links[1].inertia.mass == Approx(1000.0 * 0.5 * (0.25 - 0.09)));
  // Its mass differs from that of MuJoCo's legacy inertia.
  CHECK(entry_of(scene, "body 'bracket' geom 'g'").fate == ImportFate::Approximated);
  CHECK(links[2].shapes.empty());
  CHECK(links[2].inertia.mass > 0.0);
  CHECK(is_finding(scene, "body 'nut' geom 'h'", "signed distances of a plugin are not modeled"));
}

TEST_CASE("Adhesion, and a muscle whose length range is unknown, exert nothing and are findings") {
  const Scene scene = load_text(R"(<mujoco><worldbody><site name='hook' pos='0 0 1'/>
      <body name='arm' pos='0.2 0 1'><joint name='h' axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/><site name='tip' pos='0.4 0 0'/>
      </body></worldbody>
    <tendon><spatial name='tape'><site site='hook'/><site site='tip'/></spatial></tendon>
    <equality><tendon name='inextensible' tendon1='tape'/></equality>
    <actuator><muscle name='biceps' joint='h'/><muscle name='triceps' tendon='tape'/>
      <adhesion name='sucker' body='arm' ctrlrange='0 1' gain='3'/></actuator></mujoco>)");
  CHECK(is_finding(scene, "muscle 'biceps'", "its lengthrange is not given"));
  CHECK(is_finding(scene, "muscle 'triceps'", "its lengthrange is not given"));
  CHECK(is_finding(scene, "adhesion 'sucker'", "adhesion is not modeled"));
  CHECK(scene.models.at(0).muscles.empty());
  CHECK(scene.models.at(0).couplings.size() == 1);
}

TEST_CASE("A length range of a muscle with the larger number first is named as such") {
  const auto muscle = [](const std::string& joint) {
    return load_text(
        "<mujoco><worldbody><body name='b'><joint name='j' " + joint +
        "/><geom size='.1'/></body></worldbody>"
        "<actuator><muscle name='m' joint='j' lengthrange='1 -1'/></actuator></mujoco>");
  };
  CHECK(is_finding(muscle(""), "muscle 'm'", "has the larger number first"));
  const Scene limited = muscle("range='-20 40'");
  const std::vector<LedgerEntry> findings = limited.ledger.findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].element == "muscle 'm': lengthrange");
  CHECK_THAT(findings[0].reason, Catch::Contains("has the larger number first"));
  CHECK(limited.models.at(0).muscles.size() == 1);
}

TEST_CASE("An inertia within a frame is moved by it, as a finding") {
  const auto body = [](const std::string& frame) {
    return load_text("<mujoco><worldbody><body name='b'><frame " + frame +
                     "><inertial mass='1' pos='0 1 0' diaginertia='1 2 2.5'/></frame>"
                     "<joint name='j'/></body></worldbody></mujoco>");
  };
  const Scene moved = body("pos='1 0 0'");
  CHECK(moved.models.at(0).links.at(1).inertia.center_of_mass == Eigen::Vector3d(1, 1, 0));
  REQUIRE(moved.ledger.findings().size() == 1);
  CHECK_THAT(moved.ledger.findings()[0].reason, Catch::Contains("MuJoCo (3.3.8) does not"));
  CHECK(body("").ledger.findings().empty());
}

TEST_CASE("A keyframe of a body that MuJoCo aligns with its axes of inertia is a finding") {
  const auto findings = [](const std::string& compiler, const std::string& joint,
                           const std::string& content, const std::string& key) {
    return load_text("<mujoco><compiler " + compiler + "/><worldbody><body name='b'><freejoint " +
                     joint + "/>" + content + "</body></worldbody><keyframe><key name='home' " +
                     key + "/></keyframe></mujoco>")
        .ledger.findings();
  };
  const std::string aside = "<geom type='box' size='.1 .1 .1' pos='.3 0 0'/>",
                    qpos = "qpos='0 0 1 1 0 0 0'";
  for (const auto& [compiler, joint] :
       {std::pair{"", "align='true'"}, std::pair{"alignfree='true'", ""},
        std::pair{"alignfree='true'", "align='auto'"}}) {
    CAPTURE(compiler, joint);
    const auto found = findings(compiler, joint, aside, qpos);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].element, Catch::EndsWith("qpos"));
    CHECK_THAT(found[0].reason, Catch::Contains("body 'b'"));
    CHECK(findings(compiler, joint, aside, qpos + " qvel='1 0 0 0 0 0'").size() == 2);
    // Nothing moves a frame with axes of inertia, or one that carries others.
    CHECK(findings(compiler, joint, "<geom type='box' size='.1 .1 .1'/>", qpos).empty());
    CHECK(findings(compiler, joint, aside + "<body><geom size='.1'/></body>", qpos).empty());
    CHECK(findings(compiler, joint, aside, "").empty());
  }
  CHECK(findings("", "", aside, qpos).empty());
  CHECK(findings("alignfree='true'", "align='false'", aside, qpos).empty());
}

TEST_CASE("Slides of a body that undo each other are refused by name") {
  CHECK_THROWS_WITH(
      load_text(
          "<mujoco><worldbody><body name='b'><joint name='x' type='slide' axis='1 0 0'/>"
          "<joint name='y' type='slide' axis='0 1 0'/><joint name='z' type='slide' axis='0 0 1'"
          "/><joint name='w' type='slide' axis='1 1 0'/><geom size='.1'/></body></worldbody>"
          "</mujoco>"),
      Catch::Contains("joints 'x', 'y', 'w' of link 'b' undo each other"));
}

}  // namespace amontons::test
