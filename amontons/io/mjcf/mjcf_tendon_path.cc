#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_reader.h"

#include <algorithm>
#include <cstddef>
#include <set>

// <spatial>: the path of a tendon over sites, around geoms and behind pulleys.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Reads the path of one tendon, in the order of the file.
class PathReader {
 public:
  PathReader(MjcfReader& reader, const MjcfElement& tendon) : reader_(reader), tendon_(tendon) {}

  std::vector<TendonSegment> run() {
    for (const XMLElement* xml : reader_.file.document.children(tendon_.xml())) {
      const MjcfElement element = reader_.element(*xml, "");
      const std::string tag = element.tag();
      if (tag == "site") {
        add_site(element);
      } else if (tag == "geom") {
        add_geom(element);
      } else if (tag == "pulley") {
        add_pulley(element);
      }
    }
    end_branch(tendon_);
    if (path_.empty()) tendon_.fail("needs two sites");
    return std::move(path_);
  }

 private:
  TendonPoint point_at(const MjcfElement& element, const std::string& attribute) const {
    const ModelFrame& site = reader_.find_site(element, attribute);
    return {site.link, site.X_LF.translation};
  }

  /// Ends the part of the path that began at the last site.
  void add_site(const MjcfElement& element) {
    const TendonPoint site = point_at(element, "site");
    if (last_) path_.push_back({*last_, site, std::move(obstacle_), share_});
    last_ = site;
    obstacle_.reset();
  }

  /// Notes the surface of the next part.
  void add_geom(const MjcfElement& element) {
    if (!last_ || obstacle_) element.fail("must stand between two sites");
    const MjcfGeom& geom = reader_.find_geom(element, "geom");
    if (!geom.obstacle) {
      element.fail("geom", "must name a sphere or a cylinder, and '" + geom.name + "' is none");
    }
    obstacle_ = geom.obstacle;
    obstacle_->body = reader_.bodies[static_cast<std::size_t>(geom.body)].link;
    if (element.has("sidesite")) obstacle_->side = point_at(element, "sidesite");
  }

  /// Begins a branch of the path, which counts less by the divisor.
  void add_pulley(const MjcfElement& element) {
    end_branch(element);
    if (!element.has("divisor")) element.fail("needs the attribute 'divisor'");
    const double divisor = element.number("divisor", 1.0);
    if (!(divisor > 0.0)) {
      element.fail("divisor", "must be positive, but is " + shortest_text(divisor));
    }
    share_ = 1.0 / divisor;
    last_.reset();
  }

  void end_branch(const MjcfElement& element) const {
    if (obstacle_) element.fail("follows a geom; a geom must stand between two sites");
  }

  MjcfReader& reader_;
  const MjcfElement& tendon_;
  std::vector<TendonSegment> path_;
  std::optional<TendonPoint> last_;         // site at which the next part begins
  std::optional<TendonObstacle> obstacle_;  // surface of the next part
  double share_ = 1.0;
};

}  // namespace

std::vector<TendonSegment> read_mjcf_tendon_path(MjcfReader& reader, const MjcfElement& tendon) {
  return PathReader(reader, tendon).run();
}

bool has_constant_length(const MjcfReader& reader, const std::vector<TendonSegment>& path) {
  std::set<int> rigid;
  const auto add = [&](int link) {
    for (const MjcfBody& body : reader.bodies) {
      if (body.link == link) rigid.insert(body.first_rigid_body);
    }
  };
  for (const TendonSegment& segment : path) {
    add(segment.start.body);
    add(segment.end.body);
    if (segment.obstacle) add(segment.obstacle->body);
  }
  return rigid.size() < 2;
}

}  // namespace amontons::io
