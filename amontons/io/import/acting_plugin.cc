#include "amontons/io/import/acting_plugin.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace amontons::io {
namespace {

// Parts of the names of such plugins, in small letters alone.
constexpr std::string_view kActingPlugins[] = {
    "ackermann",       "airshipdynamics", "breakablejoint",
    "buoyancy",        "catapult",        "detachablejoint",
    "diffdrive",       "disablelink",     "gimbalcontroller",
    "graspfix",        "hydrodynamics",   "initialvelocity",
    "jointcontroller", "jointposition",   "jointtrajectory",
    "laserrotate",     "liftdrag",        "lighterthanair",
    "mecanum",         "mimic",           "motormodel",
    "planarmove",      "randomvelocity",  "skidsteer",
    "trackcontroller", "trackedvehicle",  "trajectoryfollower",
    "usvdynamics",     "vehicleplugin",   "velocitycontrol",
    "wheelslip",       "windeffects",     "windplugin"};

}  // namespace

bool acts_by_its_name(std::string_view name, std::string_view library) {
  std::string names;
  for (const std::string_view text : {name, library}) {
    for (const char c : text) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) continue;
      names += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    names += ' ';
  }
  return std::any_of(std::begin(kActingPlugins), std::end(kActingPlugins),
                     [&](std::string_view part) { return names.find(part) != std::string::npos; });
}

}  // namespace amontons::io
