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

/// Adds to a class that has __getitem__ what else a read-only map from names has.
/// @param names  returns all names, in their order.
template <typename Own, typename Names>
void bind_map_of_names(pybind11::class_<Own>& type, const Names& names) {
  namespace py = pybind11;
  type.def("__len__", [=](const Own& self) { return names(self).size(); })
      .def("__iter__", [=](const Own& self) { return py::iter(py::cast(names(self))); })
      .def("__contains__",
           [=](const Own& self, const std::string& key) {
             const std::vector<std::string> all = names(self);
             return std::find(all.begin(), all.end(), key) != all.end();
           })
      .def(
          "keys", [=](const Own& self) { return names(self); },
          "Returns all names, in their order.")
      .def(
          "values",
          [](const py::object& self) {
            py::list values;
            for (const py::handle key : self) values.append(self[key]);
            return values;
          },
          "Returns what the names stand for, in their order.")
      .def(
          "items",
          [](const py::object& self) {
            py::list items;
            for (const py::handle key : self) items.append(py::make_tuple(key, self[key]));
            return items;
          },
          "Returns pairs of a name and what it stands for, in their order.")
      .def("__repr__", [=](const py::object& self) {
        const std::string kind = py::str(py::type::of(self).attr("__name__"));
        return "<" + kind + " " + std::string(py::repr(py::cast(names(self.cast<const Own&>())))) +
               ">";
      });
}

/// Lists views by name, in the order of the scene.
template <typename View>
struct NamedViews {
  Handle owner;
};

/// Binds a list of views as a read-only map from names.
/// @tparam kFind   returns the index of a name, or throws UnknownNameError.
/// @tparam kNames  returns all names.
template <typename View, auto kFind, auto kNames>
void bind_named_views(pybind11::module_& module, const char* name, const char* doc) {
  using Own = NamedViews<View>;
  pybind11::class_<Own> type(module, name, doc, collectable<Own, &visit_owner<Own>>());
  type.def("__getitem__", [](const Own& self, const std::string& key) {
    return View{self.owner, (self.owner.model->*kFind)(key)};
  });
  bind_map_of_names(type, [](const Own& self) { return (self.owner.model->*kNames)(); });
}

}  // namespace amontons::python
