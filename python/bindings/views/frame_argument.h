#pragma once

#include "python/bindings/argument_faults.h"
#include "python/bindings/simulator_handle.h"

#include <pybind11/pybind11.h>

#include <array>
#include <stdexcept>
#include <string>

namespace amontons::python {

using Triple = std::array<double, 3>;

inline Eigen::Vector3d to_vector(const Triple& t) { return {t[0], t[1], t[2]}; }

/// Views a frame of a simulator, and follows its state.
struct FrameView {
  Handle owner;
  FramePlace place;
  std::string name;

  Model& model() const { return *owner.model; }
  Pose pose() const {
    return model().now().X_WB[static_cast<std::size_t>(place.body)] * place.X_BF;
  }
};

/// Holds a frame argument of a function: the name of a body or frame, or a Frame. Functions take
/// any object, so that the error for another type is that of in().
class FrameArgument : public pybind11::object {
 public:
  PYBIND11_OBJECT_DEFAULT(FrameArgument, pybind11::object, is_any)

  /// Returns its place in a model.
  /// @throws UnknownNameError for a name that is missing, TypeError for another type, ValueError
  /// for a frame of another simulator.
  FramePlace in(const Model& model) const {
    if (pybind11::isinstance<pybind11::str>(*this)) {
      pybind11::detail::make_caster<std::string> name;
      if (!name.load(*this, false)) {
        throw std::invalid_argument("a frame's name is no Unicode text: " + short_repr(*this));
      }
      return model.frame(static_cast<std::string&>(name));
    }
    if (!pybind11::isinstance<FrameView>(*this)) {
      throw pybind11::type_error("a frame is the name of a body, site or frame, or a Frame, not " +
                                 short_repr(*this));
    }
    const auto& frame = cast<const FrameView&>();
    if (frame.owner.model != &model) {
      throw std::invalid_argument("the frame belongs to another simulator");
    }
    return frame.place;
  }

 private:
  static bool is_any(PyObject* /*object*/) { return true; }
};

}  // namespace amontons::python

namespace pybind11::detail {

template <>
struct handle_type_name<amontons::python::FrameArgument> {
  static constexpr auto name = const_name("Frame or its name");
};

}  // namespace pybind11::detail
