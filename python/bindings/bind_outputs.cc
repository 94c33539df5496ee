#include "amontons/io/common/foreign_output.h"
#include "amontons/io/common/overwriting.h"
#include "python/bindings/bindings.h"

#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <map>
#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

void refuse_foreign(const std::filesystem::path& path, const std::string& kind, bool force,
                    const std::string& remedy) {
  const std::map<std::string, io::OutputKind> kinds = {{"page", io::kPageOutput},
                                                       {"picture", io::kPictureOutput},
                                                       {"film", {"film", io::kVideoOutput.is_own}}};
  io::refuse_device(path.string());
  io::refuse_foreign_output(path.string(), kinds.at(kind), force, remedy);
}

}  // namespace

void bind_outputs(py::module_& module) {
  module.def("_refuse_foreign", &refuse_foreign, py::arg("path"), py::arg("kind"), py::arg("force"),
             py::arg("remedy"),
             "Raises ParseError where a file that is no page, picture or film of Amontons would be "
             "replaced without force, and for a link; OutputError for a device or pipe.");
  module.def(
      "_refuse_link_or_device",
      [](const std::filesystem::path& path) {
        io::refuse_link(path.string());
        io::refuse_device(path.string());
      },
      py::arg("path"), "Raises ParseError for a symbolic link, OutputError for a device or pipe.");
}

}  // namespace amontons::python
