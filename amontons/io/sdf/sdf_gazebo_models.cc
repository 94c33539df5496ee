#include "amontons/io/sdf/sdf_gazebo_models.h"

namespace amontons::io {
namespace {

constexpr std::string_view kConfig = "<model><sdf version=\"1.6\">model.sdf</sdf></model>\n";

constexpr std::string_view kSun =
    "<sdf version=\"1.6\">\n"
    "  <light name=\"sun\" type=\"directional\"><direction>-0.5 0.1 -0.9</direction></light>\n"
    "</sdf>\n";

constexpr std::string_view kGroundPlane =
    "<sdf version=\"1.6\">\n"
    "  <model name=\"ground_plane\">\n"
    "    <static>true</static>\n"
    "    <link name=\"link\">\n"
    "      <collision name=\"collision\">\n"
    "        <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>\n"
    "        <surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface>\n"
    "      </collision>\n"
    "    </link>\n"
    "  </model>\n"
    "</sdf>\n";

}  // namespace

std::string_view gazebo_model_file(const std::string& uri) {
  if (uri == "model://sun/model.config" || uri == "model://ground_plane/model.config") {
    return kConfig;
  }
  // The second names are those of SDF 1.0.
  if (uri == "model://sun/model.sdf" || uri == "model://sun.light") return kSun;
  if (uri == "model://ground_plane/model.sdf" || uri == "model://ground_plane.model") {
    return kGroundPlane;
  }
  return {};
}

}  // namespace amontons::io
