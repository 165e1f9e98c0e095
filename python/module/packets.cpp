#include "python/module/packets.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/module/texts.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;
using streams::PacketView;
using streams::PacketWriter;
using streams::ValueType;
namespace value_type = streams::value_type;

[[noreturn]] void refuse(std::size_t place, const std::string& found) {
  throw py::type_error(fmt::format(
      "value {} is {}; expected int, float, str, a list of str, or a numpy array of one dimension of numbers",
      place, found));
}

std::optional<ValueType> element_of(const py::array& array) {
  const py::dtype type = array.dtype();
  const bool is_native = type.attr("isnative").cast<bool>();
  if (array.ndim() != 1 || !is_native) return std::nullopt;
  const auto size = type.itemsize();
  if (type.kind() == 'f')
    return size == 4   ? std::optional(ValueType::f32)
           : size == 8 ? std::optional(ValueType::f64)
                       : std::nullopt;
  if (type.kind() != 'i' && type.kind() != 'u') return std::nullopt;
  const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return static_cast<ValueType>(1 + 2 * power + (type.kind() == 'u' ? 1 : 0));
}

ValueType type_of(py::handle value, std::size_t place) {
  if (py::isinstance<py::array>(value)) {
    const auto element = element_of(py::reinterpret_borrow<py::array>(value));
    if (!element) refuse(place, "an array of " + std::string(py::str(value.attr("dtype"))));
    return value_type::array_of(*element);
  }
  if (PyBool_Check(value.ptr()) == 0 && PyLong_Check(value.ptr())) return ValueType::i64;
  if (PyFloat_Check(value.ptr())) return ValueType::f64;
  if (PyUnicode_Check(value.ptr())) return ValueType::text;
  if (PyList_Check(value.ptr())) return ValueType::texts;
  refuse(place, std::string("of type ") + Py_TYPE(value.ptr())->tp_name);
}

std::int64_t integer_of(py::handle value, std::size_t place) {
  const long long number = PyLong_AsLongLong(value.ptr());
  if (number != -1 || PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  PyErr_SetString(PyExc_OverflowError,
                  fmt::format("value {} does not fit into a signed integer of 64 bits", place).c_str());
  throw py::error_already_set();
}

void write(PacketWriter& writer, py::handle value, ValueType type, std::size_t place) {
  if (value_type::is_array(type) && type != ValueType::texts) {
    const auto array = py::array::ensure(value, py::array::c_style);
    return writer.raw_array(
        {static_cast<const std::byte*>(array.data()), static_cast<std::size_t>(array.nbytes())});
  }
  if (type == ValueType::i64) return writer.number(integer_of(value, place));
  if (type == ValueType::f64) return writer.number(PyFloat_AS_DOUBLE(value.ptr()));
  if (type == ValueType::text) return writer.text(utf8_of(value));
  std::vector<std::string_view> texts;
  for (const py::handle text : value) {
    if (PyUnicode_Check(text.ptr()) == 0) refuse(place, "a list with other things than str");
    texts.push_back(utf8_of(text));
  }
  writer.texts(texts);
}

py::object value_of(const PacketView& view, std::size_t at) {
  const ValueType type = view.signature()[at];
  if (type == ValueType::text) return as_str(view.text(at));
  if (type == ValueType::texts) {
    py::list texts;
    for (const std::string_view text : view.texts(at)) texts.append(as_str(text));
    return texts;
  }
  return value_type::with_number(type, [&]<class Number>(Number /*of this type*/) -> py::object {
    if (!value_type::is_array(type)) return py::cast(view.number<Number>(at));
    const auto values = view.array<Number>(at);
    return py::array_t<Number>(static_cast<py::ssize_t>(values.size()), values.data());
  });
}

}  // namespace

streams::Packet as_packet(const py::tuple& values, std::int32_t tag) {
  const std::size_t count = values.size();
  if (count > streams::max_values)
    throw py::value_error(
        fmt::format("found {} values; a packet has at most {}", count, streams::max_values));
  streams::Signature types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(type_of(values[i], i));
  PacketWriter writer(types);
  for (std::size_t i = 0; i < count; ++i) write(writer, values[i], types[i], i);
  return writer.finish(tag);
}

py::tuple values_of(const streams::Packet& packet) {
  const PacketView view(packet);
  py::tuple values(view.size());
  for (std::size_t i = 0; i < view.size(); ++i) values[i] = value_of(view, i);
  return values;
}

}  // namespace eventspace::python
