#pragma once

#include "python/bindings/simulator_handle.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

namespace amontons::python {

/// Formats a vector as Python would.
template <typename Vector>
std::string text_of(const Vector& vector) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < vector.size(); ++i) {
    const pybind11::float_ number(vector[i]);
    text += (i > 0 ? ", " : "") + std::string(pybind11::repr(number));
  }
  return text + "]";
}

/// Lists views by name, in the order of the scene.
template <typename View>
struct NamedViews {
  Handle owner;
};

/// Binds a list of views as a read-only map from names.
/// @tparam kFind   returns the index of a name, or throws KeyError.
/// @tparam kNames  returns all names.
template <typename View, auto kFind, auto kNames>
void bind_named_views(pybind11::module_& module, const char* name, const char* doc) {
  namespace py = pybind11;
  using Own = NamedViews<View>;
  const auto names_of = [](const Own& self) { return (self.owner.model->*kNames)(); };
  py::class_<Own>(module, name, doc)
      .def("__len__", [=](const Own& self) { return names_of(self).size(); })
      .def("__getitem__",
           [](const Own& self, const std::string& key) {
             return View{self.owner, (self.owner.model->*kFind)(key)};
           })
      .def("__iter__", [=](const Own& self) { return py::iter(py::cast(names_of(self))); })
      .def("__contains__",
           [=](const Own& self, const std::string& key) {
             const std::vector<std::string> names = names_of(self);
             return std::find(names.begin(), names.end(), key) != names.end();
           })
      .def("__repr__", [=, name = std::string(name)](const Own& self) {
        return "<" + name + " " + std::string(py::repr(py::cast(names_of(self)))) + ">";
      });
}

}  // namespace amontons::python
