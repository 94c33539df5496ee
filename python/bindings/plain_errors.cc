#include "amontons/math/nearest_name.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/assignment_errors.h"
#include "python/bindings/bindings.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A call with wrong arguments gets an error in the words of this package: pybind11's own lists its
// types and every overload.

namespace py = pybind11;

namespace amontons::python {
namespace {

PyCFunctionWithKeywords dispatcher = nullptr;  // pybind11's, the same of all functions

constexpr std::string_view kMark = "(): incompatible ";

/// Replaces every occurrence of a text.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Returns the position at which a bracket that opens at `begin` closes.
std::size_t closing(const std::string& text, std::size_t begin, char open, char close) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i;
  }
  return text.size();
}

/// Replaces each Name[inner] of a signature by before + inner + after.
void replace_each(std::string& text, const std::string& name, std::string_view before,
                  std::string_view after) {
  const std::string opening = name + "[";
  // Bound: each pass removes one.
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    const std::size_t open = at + name.size(), end = closing(text, open, '[', ']');
    const std::string inner = text.substr(open + 1, end - open - 1);
    text.replace(at, end + 1 - at, std::string(before) + inner + std::string(after));
  }
}

/// Returns a signature of pybind11 in plain words, without self and what it returns.
std::string plain_signature(std::string text) {
  text.resize(closing(text, 0, '(', ')') + 1);
  for (std::size_t at = text.find("numpy.ndarray["); at != std::string::npos;
       at = text.find("numpy.ndarray[")) {
    const std::size_t end = closing(text, at + 13, '[', ']');
    text.replace(at, end + 1 - at, "array");
  }
  replace_all(text, "amontons._core.", "");
  replace_all(text, "amontons::", "");
  replace_all(text, "os.PathLike", "path");
  replace_each(text, "float", "", " numbers");
  replace_each(text, "List", "list of ", "");
  replace_each(text, "Optional", "", " or None");
  // Arguments of indexing and the like have no names.
  for (std::size_t k = 0; k < 10; ++k) replace_all(text, "arg" + std::to_string(k) + ": ", "");
  if (text.starts_with("(self: ")) {
    const std::size_t comma = text.find(", ");
    text = comma == std::string::npos ? "()" : "(" + text.substr(comma + 2);
  }
  return text;
}

/// Returns all signatures that a message lists.
std::vector<std::string> signatures_in(const std::string& message) {
  std::vector<std::string> result;
  // Bound: the number of overloads; the message lists each once.
  for (int k = 1;; ++k) {
    const std::string number = "\n    " + std::to_string(k) + ". ";
    const std::size_t at = message.find(number);
    if (at == std::string::npos) return result;
    const std::size_t begin = message.find('(', at);
    const std::size_t end = message.find('\n', at + 1);
    if (begin == std::string::npos || begin > end) return result;
    result.push_back(plain_signature(message.substr(begin, end - begin)));
  }
}

/// Returns the names of the arguments of a signature.
std::vector<std::string> argument_names(const std::string& signature) {
  std::vector<std::string> names;
  std::size_t begin = 1;
  int depth = 0;
  for (std::size_t i = 1; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '[' || c == '(') ++depth;
    if (c == ']') --depth;
    if (c == ')' && depth > 0) --depth;
    if (c == ':' && depth == 0) names.push_back(signature.substr(begin, i - begin));
    if (c == ',' && depth == 0) begin = i + 2;
  }
  return names;
}

/// Returns the name of what the package's Python code calls by a private one.
std::string public_name(const std::string& name) {
  return name.starts_with('_') && !name.starts_with("__") ? name.substr(1) : name;
}

/// Returns the arguments of a call as they were written, without self.
std::string call_of(py::handle args, py::handle kwargs, bool has_self) {
  std::string text;
  const auto given = py::reinterpret_borrow<py::tuple>(args);
  for (std::size_t i = has_self ? 1 : 0; i < given.size(); ++i) {
    text += (text.empty() ? "" : ", ") + short_repr(given[i]);
  }
  if (!kwargs) return text;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(kwargs)) {
    text += (text.empty() ? "" : ", ") + std::string(py::str(key)) + "=" + short_repr(value);
  }
  return text;
}

/// Returns what is wrong with a keyword, or nothing.
std::string fault_of_keywords(py::handle kwargs, const std::vector<std::string>& signatures) {
  if (!kwargs) return "";
  std::vector<std::string> known;
  for (const std::string& signature : signatures) {
    for (const std::string& name : argument_names(signature)) known.push_back(name);
  }
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(kwargs)) {
    const std::string name = py::str(key);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return "there is no argument '" + name + "'" + did_you_mean(name, known) + "; ";
  }
  return "";
}

/// Sets the error of a call in plain words, if the present one says that arguments do not fit.
void reword(py::handle args, py::handle kwargs) {
  py::error_already_set error;
  const std::string message = py::str(error.value());
  const std::size_t mark = message.find(kMark);
  const std::vector<std::string> signatures = signatures_in(message);
  if (mark == std::string::npos || message.substr(0, mark).find(' ') != std::string::npos ||
      signatures.empty()) {
    error.restore();
    return;
  }
  const bool is_method = message.find("(self: ") != std::string::npos;
  const bool is_constructor = message.starts_with("__init__");
  std::string name = public_name(message.substr(0, mark));
  const auto given = py::reinterpret_borrow<py::tuple>(args);
  if ((is_method || is_constructor) && given.size() > 0) {
    const std::string type = public_name(py::str(py::type::of(given[0]).attr("__name__")));
    name = is_constructor ? type : type + "." + name;
  }
  // A setter has the name of its property, "Scene.duration", and takes the object and a value.
  if (name.find('.') != std::string::npos && given.size() == 2 && !is_method) {
    const std::string& taken = signatures.front();
    const std::size_t begin = taken.find(", ") + 2;
    const std::string type = taken.substr(begin, taken.size() - 1 - begin);
    const std::string fault = name + " must be " + type + ", not " + short_repr(given[1]);
    PyErr_SetString(PyExc_TypeError, fault.c_str());
    return;
  }
  // Of what can be said of one argument, this comes first.
  const std::string fault = fault_of_value(message, args, kwargs);
  if (!fault.empty()) {
    PyErr_SetString(PyExc_ValueError, (name + ": " + fault).c_str());
    return;
  }
  std::string text = name + ": " + fault_of_keywords(kwargs, signatures) + "it takes ";
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    text += (i > 0 ? " or " : "") + signatures[i];
  }
  text += ", not (" + call_of(args, kwargs, is_method || is_constructor) + ")";
  PyErr_SetString(PyExc_TypeError, text.c_str());
}

/// Calls a function of pybind11. What the checks and the words raise, such as a Ctrl-C in the repr
/// of an argument, is the error of the call: no exception of C++ may pass through the interpreter.
PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  try {
    if (!are_real(self, args, kwargs)) return nullptr;
    PyObject* const result = dispatcher(self, args, kwargs);
    if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) reword(args, kwargs);
    return result;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// Puts call() in front of the dispatcher of one function.
void wrap(py::handle object) {
  PyObject* function = object.ptr();
  py::object inner;
  if (Py_TYPE(function) == &PyStaticMethod_Type) {
    inner = object.attr("__func__");
    function = inner.ptr();
  }
  if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
  if (!PyCFunction_Check(function)) return;
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  if ((method->ml_flags & (METH_VARARGS | METH_KEYWORDS)) != (METH_VARARGS | METH_KEYWORDS)) return;
  auto* const own =
      reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(method->ml_meth));
  if (own == &call) return;
  if (dispatcher == nullptr) dispatcher = own;
  if (own != dispatcher) return;
  method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call));
}

/// Puts call() in front of the function that sets a property. pybind11 does not name it.
/// @param name  of the type and the property: "Scene.duration".
void wrap_setter(const std::string& name, py::handle property) {
  const py::object setter = property.attr("fset");
  if (!PyCFunction_Check(setter.ptr())) return;
  auto* const record = static_cast<py::detail::function_record*>(PyCapsule_GetPointer(
      PyCFunction_GET_SELF(setter.ptr()), py::detail::get_function_record_capsule_name()));
  if (record == nullptr) throw py::error_already_set();
  // The record frees its name, to which the definition points, too.
  std::free(record->name);
  record->name = ::strdup(name.c_str());
  record->def->ml_name = record->name;
  wrap(setter);
}

/// Refuses to copy or pickle what has no function for it, in words that say what to keep.
void refuse_copies(py::handle type) {
  if (Py_TYPE(type.ptr()) != py::detail::get_internals().default_metaclass) return;
  const py::object members = type.attr("__dict__");
  if (members.contains("__setstate__") || members.contains("__reduce__")) return;
  const auto name = type.attr("__name__").cast<std::string>();
  const std::string text = public_name(name) + ": it cannot be copied or pickled; " +
                           (members.contains("save") ? "save() keeps what it holds"
                                                     : "keep the numbers and arrays that you need");
  type.attr("__reduce_ex__") =
      py::cpp_function([text](const py::object&, int) -> py::object { throw py::type_error(text); },
                       py::is_method(type), py::name("__reduce_ex__"));
}

/// Refuses to make what only functions of the package return.
int refuse(PyObject* self, PyObject* /*args*/, PyObject* /*kwargs*/) {
  const std::string type = py::type::of(self).attr("__name__").cast<std::string>();
  PyErr_SetString(PyExc_TypeError, (type + ": functions and attributes of amontons return it; a "
                                           "program cannot make one")
                                       .c_str());
  return -1;
}

/// Words the error of a type that has no constructor.
void word_constructor(py::handle type) {
  const auto base = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (base->tp_init == &py::detail::pybind11_object_init) base->tp_init = &refuse;
}

}  // namespace

void use_plain_errors(const py::module_& module) {
  for (const auto& [name, item] : py::dict(module.attr("__dict__"))) {
    wrap(item);
    if (!PyType_Check(item.ptr())) continue;
    word_constructor(item);
    for (const auto& [member, value] : py::dict(item.attr("__dict__"))) {
      wrap(value);
      if (Py_TYPE(value.ptr()) == &PyProperty_Type) {
        wrap_setter(std::string(py::str(name)) + "." + std::string(py::str(member)), value);
      }
    }
    refuse_copies(item);
    word_assignments(item);
  }
}

}  // namespace amontons::python
