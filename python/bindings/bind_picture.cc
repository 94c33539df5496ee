#include "python/bindings/bind_picture.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/picture/picture_maker.h"
#include "amontons/io/replay/recorded_scene.h"
#include "amontons/io/replay/replay_rows.h"
#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/replay_visuals.h"
#include "amontons/io/run/run_reader.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/scene_visuals.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

constexpr std::size_t kFramesOfExtent = 200;  // frames of a run that tell where its bodies go

io::PictureStyle style_of(int width, int height, bool is_dark, const io::CameraSettings& camera,
                          const std::vector<std::string>& overlays) {
  io::PictureStyle style{width, height, is_dark, camera, {false, false, false, false}};
  for (const std::string& name : overlays) {
    bool* const chosen = io::overlay_named(style.overlays, name);
    if (chosen == nullptr) {
      throw std::invalid_argument("overlays: '" + name +
                                  "' must be one of contacts, forces, cones, chains");
    }
    *chosen = true;
  }
  return style;
}

py::array_t<unsigned char> to_array(io::Image image) {
  auto* const kept = new std::vector<unsigned char>(std::move(image.rgb));
  const py::capsule owner(kept,
                          [](void* p) { delete static_cast<std::vector<unsigned char>*>(p); });
  return py::array_t<unsigned char>({image.height, image.width, 3}, kept->data(), owner);
}

std::unique_ptr<io::PictureMaker> make_maker(const std::vector<io::ReplayRun>& runs,
                                             const io::PictureStyle& style) {
  return interruptible([&] { return std::make_unique<io::PictureMaker>(runs, style); });
}

// Draws rows of a run.
class RunPainter {
 public:
  RunPainter(const std::filesystem::path& file, const io::PictureStyle& style, bool with_visuals)
      : reader_(file.string()) {
    io::ReplayRun run = interruptible([&] {
      recorded_ = io::read_recorded_scene(reader_, with_visuals);
      return io::replay_from_run(reader_, recorded_, {.max_frames = kFramesOfExtent, .times = {}});
    });
    maker_ = make_maker({std::move(run)}, style);
  }

  py::array_t<unsigned char> draw(double time) {
    return to_array(interruptible([&] {
      const io::ReplayFrame frame = io::replay_frame_of(reader_, recorded_, row_at(time));
      return maker_->draw({&frame});
    }));
  }

  std::pair<double, double> span() {
    return {reader_.time(0), reader_.time(reader_.num_rows() - 1)};
  }

 private:
  // Returns the row nearest to a time, with the contacts that were recorded last.
  io::RunRow row_at(double time) {
    const auto [first, last] = span();
    // A time that was summed up may miss the end by its rounding.
    const double margin = 1e-9 * (1.0 + std::abs(last));
    if (!(time >= first - margin && time <= last + margin)) {
      throw std::invalid_argument(io::shortest_text(time) + " s is outside of " + reader_.path() +
                                  ", which goes from " + io::shortest_text(first) + " s to " +
                                  io::shortest_text(last) + " s");
    }
    std::size_t low = 0, high = reader_.num_rows() - 1;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (reader_.time(middle) <= time) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (low + 1 < reader_.num_rows() && reader_.time(low + 1) - time < time - reader_.time(low))
      ++low;
    io::RunRow row = reader_.row(low);
    for (std::size_t k = low; k > 0 && !row.has_contacts(); --k) {
      const io::RunRow before = reader_.row(k - 1);
      if (before.has_contacts()) {
        io::take_contacts(before, row);
        break;
      }
    }
    return row;
  }

  io::RunReader reader_;
  io::RecordedScene recorded_;
  std::unique_ptr<io::PictureMaker> maker_;
};

// Draws the state of a simulator.
class SimulatorPainter {
 public:
  SimulatorPainter(py::object simulator, const py::object& scene, const io::PictureStyle& style)
      : simulator_(std::move(simulator)) {
    io::ReplayRun run;
    run.bodies = io::replay_bodies(sim().system());
    io::add_visuals(visuals_of(scene_of(sim(), scene, "picture")), run.bodies);
    run.frames = {frame()};
    maker_ = make_maker({std::move(run)}, style);
  }

  py::array_t<unsigned char> draw() {
    const io::ReplayFrame now = frame();
    maker_->measure(now);  // the length of arrows
    return to_array(interruptible([&] { return maker_->draw({&now}); }));
  }

  static int visit(SimulatorPainter& self, visitproc visit, void* state) {
    return visit_object(self.simulator_, visit, state);
  }

 private:
  const Simulator& sim() const { return simulator_.cast<const Simulator&>(); }

  // The poses are those of the state, which may have been set; contacts are those of the last step
  // as long as it has led there.
  io::ReplayFrame frame() {
    const StepReport initial = sim().initial_report();
    const std::shared_ptr<const StepReport> report = sim().last_report();
    const bool is_of_step = report && report->start != nullptr && !initial.start_was_set;
    const System& system = sim().system();
    if (!is_of_step) return io::replay_frame(system, io::make_run_row(system, initial));
    io::RunRow row = io::make_run_row(system, *report);
    io::record_contacts(*report, row);
    return io::replay_frame(system, row);
  }

  py::object simulator_;
  std::unique_ptr<io::PictureMaker> maker_;
};

/// Returns the arguments that make a camera again.
py::dict arguments_of(const io::CameraSettings& camera) {
  using namespace py::literals;
  return py::dict("target"_a = camera.target, "distance"_a = camera.distance,
                  "azimuth"_a = camera.azimuth, "elevation"_a = camera.elevation,
                  "follow"_a = camera.follow, "zoom"_a = camera.zoom, "orbit"_a = camera.orbit,
                  "view"_a = camera.view);
}

/// Writes a camera as the call that makes it, without what is as usual.
std::string text_of_camera(const io::CameraSettings& camera) {
  const py::dict usual = arguments_of(io::CameraSettings());
  std::string text;
  for (const auto& [key, value] : arguments_of(camera)) {
    if (py::repr(value).equal(py::repr(usual[key]))) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(py::str(key)) + "=" + std::string(py::repr(value));
  }
  return "Camera(" + text + ")";
}

void bind_camera(py::module_& module) {
  py::class_<io::CameraSettings>(
      module, "Camera",
      "Sets from where a picture is taken. Without a distance the moving bodies are in view.")
      .def(py::init([](std::optional<std::array<double, 3>> target, std::optional<double> distance,
                       std::optional<double> azimuth, std::optional<double> elevation,
                       const std::string& follow, double zoom, double orbit,
                       const std::string& view) {
             io::CameraSettings camera;
             camera.view = view;
             camera.azimuth = azimuth;
             camera.elevation = elevation;
             if (target) camera.target.emplace((*target)[0], (*target)[1], (*target)[2]);
             camera.distance = distance;
             camera.follow = follow;
             camera.zoom = zoom;
             camera.orbit = orbit;
             io::check_camera(camera);
             return camera;
           }),
           py::kw_only(), py::arg("target") = py::none(), py::arg("distance") = py::none(),
           py::arg("azimuth") = py::none(), py::arg("elevation") = py::none(),
           py::arg("follow") = "", py::arg("zoom") = 1.0, py::arg("orbit") = 0.0,
           py::arg("view") = "usual")
      .def_readonly("target", &io::CameraSettings::target,
                    "Point in the middle [3] [m]; None: the middle of the moving bodies, or the "
                    "body that is followed.")
      .def_readonly("distance", &io::CameraSettings::distance, "Distance from the target [m].")
      .def_readonly("azimuth", &io::CameraSettings::azimuth,
                    "Direction about z, from +x towards +y, seen from the target [deg].")
      .def_readonly("elevation", &io::CameraSettings::elevation,
                    "Direction above the horizontal [deg].")
      .def_readonly("follow", &io::CameraSettings::follow,
                    "Name of the body that camera and target move with.")
      .def_readonly("zoom", &io::CameraSettings::zoom, "How much larger everything is.")
      .def_readonly("orbit", &io::CameraSettings::orbit,
                    "Rate of the azimuth [deg in a second of the run].")
      .def_readonly("view", &io::CameraSettings::view,
                    "Direction without azimuth and elevation: usual, front, side or top.")
      .def("__repr__", &text_of_camera)
      .def("__reduce__", [](const py::object& self) {
        const py::object make =
            py::module_::import("functools")
                .attr("partial")(py::type::of(self),
                                 **arguments_of(self.cast<const io::CameraSettings&>()));
        return py::make_tuple(make, py::tuple());
      });
}

}  // namespace

void bind_picture(py::module_& module) {
  bind_camera(module);
  py::class_<RunPainter>(module, "_RunPainter")
      .def(py::init([](const std::filesystem::path& file, int width, int height, bool is_dark,
                       const io::CameraSettings& camera, const std::vector<std::string>& overlays,
                       bool visuals) {
        return std::make_unique<RunPainter>(
            file, style_of(width, height, is_dark, camera, overlays), visuals);
      }))
      .def_property_readonly("span", &RunPainter::span)
      .def("draw", &RunPainter::draw);
  py::class_<SimulatorPainter>(module, "_SimulatorPainter",
                               collectable<SimulatorPainter, &SimulatorPainter::visit>())
      .def(py::init([](py::object simulator, const py::object& scene, int width, int height,
                       bool is_dark, const io::CameraSettings& camera,
                       const std::vector<std::string>& overlays) {
        return std::make_unique<SimulatorPainter>(
            std::move(simulator), scene, style_of(width, height, is_dark, camera, overlays));
      }))
      .def("draw", &SimulatorPainter::draw);
  module.def(
      "_encode_png",
      [](const py::array_t<unsigned char, py::array::c_style>& pixels) {
        io::Image image{static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)), {}};
        image.rgb.assign(pixels.data(), pixels.data() + pixels.size());
        return py::bytes(interruptible([&] { return io::encode_png(image); }));
      },
      py::arg("pixels"));
}

}  // namespace amontons::python
