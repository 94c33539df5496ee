#include "experiments/svg_plot.h"

#include "experiments/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace amontons::experiments {
namespace {

constexpr double kWidth = 640.0, kHeight = 360.0;
constexpr double kLeft = 78.0, kRight = 16.0, kTop = 34.0, kBottom = 46.0;
constexpr double kLegendRow = 18.0, kLetter = 6.6;  // a letter's width, on the safe side
constexpr std::array<const char*, 8> kColors = {"#2563eb", "#dc2626", "#059669", "#d97706",
                                                "#7c3aed", "#0891b2", "#be185d", "#4d7c0f"};

struct Range {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (!std::isfinite(value)) return;
    lower = std::min(lower, value);
    upper = std::max(upper, value);
  }
  void settle() {
    if (!(lower <= upper)) lower = 0.0, upper = 1.0;
    // A range of rounding errors has no ticks.
    const double least = 1e-9 * std::max(std::abs(lower), std::abs(upper));
    if (upper - lower <= least) {
      const double half = std::max(0.5 * std::abs(lower), 0.5);
      lower -= half;
      upper += half;
    }
  }
  // About its middle.
  void widen_to(double length) {
    const double more = 0.5 * (length - (upper - lower));
    lower -= more;
    upper += more;
  }
};

// A step of 1, 2 or 5 times a power of ten that divides the range into about five.
double tick_step(const Range& range) {
  const double raw = (range.upper - range.lower) / 5.0;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10.0 * power;
}

class Plot {
 public:
  explicit Plot(const Figure& figure) : figure_(figure) {
    for (const Curve& curve : figure.curves) {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        // Zeros have a place on the edge of a log axis (curve()), though no height.
        if (std::isfinite(height(curve.y[i])) || curve.y[i] == 0.0) x_.include(curve.x[i]);
        y_.include(height(curve.y[i]));
      }
    }
    x_.settle();
    y_.settle();
    if (figure.log_y) {
      y_.lower = std::floor(y_.lower);
      y_.upper = std::ceil(y_.upper);
    }
    if (figure.equal_scales) equalize();
  }

  /// @param ground  what lies below everything else, e.g. style and background.
  std::string svg(const char* ground) const {
    std::string content, legend;
    axes(content);
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) curve(content, i);
    const double height = kHeight + append_legend(legend);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" "
        "font-family=\"sans-serif\" font-size=\"12\" "
        "fill=\"currentColor\">\n<title>{2}</title>\n{3}"
        "<text x=\"{4}\" y=\"20\" text-anchor=\"middle\" font-weight=\"600\">{2}</text>\n{5}{6}"
        "</svg>\n",
        kWidth, height, escape_html(figure_.title), ground, kWidth / 2, content, legend);
  }

 private:
  // Returns the place of a value on the y axis; a log axis has none for values that are not
  // positive.
  double height(double y) const {
    if (!figure_.log_y) return y;
    return y > 0.0 ? std::log10(y) : std::numeric_limits<double>::quiet_NaN();
  }
  double px(double x) const {
    return kLeft + (x - x_.lower) / (x_.upper - x_.lower) * (kWidth - kLeft - kRight);
  }
  double py(double level) const {
    return kHeight - kBottom -
           (level - y_.lower) / (y_.upper - y_.lower) * (kHeight - kTop - kBottom);
  }

  // Widens the shorter of both ranges, so that a pixel is as long along both.
  void equalize() {
    constexpr double kMargin = 1.05;
    const double width = kWidth - kLeft - kRight, height = kHeight - kTop - kBottom;
    const double pixel =
        kMargin * std::max((x_.upper - x_.lower) / width, (y_.upper - y_.lower) / height);
    x_.widen_to(pixel * width);
    y_.widen_to(pixel * height);
  }

  void axes(std::string& out) const {
    const double step_x = tick_step(x_);
    for (double x = std::ceil(x_.lower / step_x) * step_x; x <= x_.upper + 1e-9 * step_x;
         x += step_x) {
      out += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"currentColor\" "
          "stroke-opacity=\"0.12\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.4g}"
          "</text>\n",
          px(x), kTop, kHeight - kBottom, kHeight - kBottom + 16, std::abs(x) < 1e-12 ? 0.0 : x);
    }
    const double step_y =
        figure_.log_y ? std::max(1.0, std::ceil((y_.upper - y_.lower) / 8.0)) : tick_step(y_);
    for (double y = std::ceil(y_.lower / step_y) * step_y; y <= y_.upper + 1e-9 * step_y;
         y += step_y) {
      const std::string label = figure_.log_y
                                    ? fmt::format("1e{:.0f}", y)
                                    : fmt::format("{:.4g}", std::abs(y) < 1e-12 ? 0.0 : y);
      out += fmt::format(
          "<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"currentColor\" "
          "stroke-opacity=\"0.12\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          py(y), kLeft, kWidth - kRight, kLeft - 6, py(y) + 4, label);
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       (kLeft + kWidth - kRight) / 2, kHeight - 8, escape_html(figure_.x_label));
    out += fmt::format(
        "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (kTop + kHeight - kBottom) / 2, escape_html(figure_.y_label));
  }

  void curve(std::string& out, std::size_t index) const {
    const Curve& c = figure_.curves[index];
    const char* color = kColors[index % kColors.size()];
    std::string path;
    bool pen_down = false;
    // More points than pixels tell nothing more.
    const std::size_t stride =
        figure_.equal_scales ? 1 : std::max<std::size_t>(1, c.x.size() / 1500);
    for (std::size_t i = 0; i < c.x.size(); i += stride) {
      // Zero lies on the lower edge of a log axis, so that a curve that comes to rest goes on.
      const double level = figure_.log_y && c.y[i] == 0.0 ? y_.lower : height(c.y[i]);
      if (!std::isfinite(level)) {
        pen_down = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", px(c.x[i]), py(level));
      pen_down = true;
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n",
                       path, color, dashes(index));
  }

  // Curves beyond the number of colors take them again, dashed.
  static const char* dashes(std::size_t index) {
    return index < kColors.size() ? "" : " stroke-dasharray=\"6 4\"";
  }

  // Below the axes, in as many rows as it takes. @returns its height.
  double append_legend(std::string& out) const {
    double x = kLeft, y = kHeight + 10.0;
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) {
      const std::string& name = figure_.curves[i].name;
      const double width = 44.0 + kLetter * static_cast<double>(name.size());
      if (x > kLeft && x + width > kWidth) {
        x = kLeft;
        y += kLegendRow;
      }
      out += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" "
          "stroke-width=\"3\""
          "{4}/><text x=\"{5:.1f}\" y=\"{6}\">{7}</text>\n",
          x, x + 18.0, y, kColors[i % kColors.size()], dashes(i), x + 24.0, y + 4.0,
          escape_html(name));
      x += width;
    }
    return figure_.curves.empty() ? 0.0 : y + 10.0 - kHeight;
  }

  const Figure& figure_;
  Range x_, y_;
};

}  // namespace

std::string to_svg(const Figure& figure) { return Plot(figure).svg(""); }

std::string to_svg_file(const Figure& figure) {
  return Plot(figure).svg(
      "<style>svg{color:#1f2328}.paper{fill:#ffffff}"
      "@media(prefers-color-scheme:dark){svg{color:#e6edf3}.paper{fill:#161b22}}</style>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n");
}

}  // namespace amontons::experiments
