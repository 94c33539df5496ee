#pragma once

#include <pybind11/pybind11.h>

namespace amontons::python {

/// Returns the C++ object of a Python one of this type; null while it is made or deleted.
template <typename Own>
Own* object_in(PyObject* self) {
  const auto* const own = reinterpret_cast<pybind11::detail::instance*>(self);
  // Without its layout the holders are not there yet.
  if (!own->simple_layout || !own->simple_holder_constructed) return nullptr;
  return static_cast<Own*>(own->simple_value_holder[0]);
}

/// Calls a visit of the garbage collector for an object; nothing for null.
inline int visit_object(const pybind11::object& object, visitproc visit, void* state) {
  return object ? visit(object.ptr(), state) : 0;
}

/// Deletes an object of a type that the garbage collector knows.
extern "C" inline void dealloc_collectable(PyObject* self) {
  // Destructors may run Python code, which may collect while the object is half deleted.
  PyObject_GC_UnTrack(self);
  pybind11::detail::pybind11_object_dealloc(self);
}

/// Makes a type collectable: the garbage collector finds cycles through the Python objects that it
/// holds, as those of a program whose controller, solver or restart function knows the simulator.
/// @tparam kVisit  visits each reference that the object owns.
/// @tparam kClear  releases those by which cycles close; null where another object does so.
template <typename Own, int (*kVisit)(Own&, visitproc, void*), void (*kClear)(Own&) = nullptr>
pybind11::custom_type_setup collectable() {
  return pybind11::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_dealloc = &dealloc_collectable;
    type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
      Py_VISIT(Py_TYPE(self));
      Own* const own = object_in<Own>(self);
      return own == nullptr ? 0 : kVisit(*own, visit, arg);
    };
    type.tp_clear = [](PyObject* self) {
      if constexpr (kClear != nullptr) {
        if (Own* const own = object_in<Own>(self)) kClear(*own);
      }
      return 0;
    };
  });
}

}  // namespace amontons::python
