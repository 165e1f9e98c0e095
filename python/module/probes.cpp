#include "python/module/probes.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include <eventspace/probe.h>
#include "collectors/probes/probe_host.h"
#include "python/module/joined.h"
#include "python/module/waits.h"
#include "tuplespace/processes/of_this_process.h"

namespace eventspace::python {

// The session of the environment, and whether this process has joined one. Only used with the GIL held.
struct JoinedHere {
  std::shared_ptr<Session> of_environment;  // leave_session_of_environment() empties it
  bool has_joined{false};
};

// Never destroyed: a forked child begins with others, and must not leave the session of its parent.
static JoinedHere& joined_here() {
  static std::uint32_t generation = fork_generation();
  static auto* here = new JoinedHere();
  if (std::exchange(generation, fork_generation()) != fork_generation()) here = new JoinedHere();
  return *here;
}

void note_joined() noexcept {
  joined_here().has_joined = true;
  set_look_for_probe_host(nullptr);
}

std::shared_ptr<Session> joined_from_environment() {
  std::shared_ptr<Session>& joined = joined_here().of_environment;
  if (joined == nullptr) joined = share_without_gil(std::make_unique<Session>(Session::from_environment()));
  note_joined();
  return joined;
}

void leave_session_of_environment() {
  note_joined();
  (void)std::exchange(joined_here().of_environment, nullptr);
}

void forget_session_of_environment(const std::shared_ptr<Session>& session) {
  if (joined_here().of_environment == session) joined_here().of_environment.reset();
}

namespace {

namespace py = pybind11;

// The first probe of a program that `eventspace run` has started joins its session. A failure is not an error
// of the program: EVENTSPACE_VERBOSE shows the reason, as for probes of other languages.
void join_at_first_probe() {
  note_joined();
  try {
    (void)joined_from_environment();
  } catch (const std::exception& error) {
    eventspace_say("", error.what());
  }
}

bool names_session(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// A library of EventSpace that was preloaded, such as that for MPI, records the probes of the whole process.
eventspace_source find_source() {
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "eventspace_probes_v1"))
    return reinterpret_cast<eventspace_source>(symbol);
  if (!joined_here().has_joined &&
      (names_session("EVENTSPACE_SESSION") || names_session("EVENTSPACE_PATHMAP")))
    set_look_for_probe_host(join_at_first_probe);
  return eventspace_probes_v1;
}

const eventspace_probes* functions() {
  static const eventspace_source source = find_source();
  return source();
}

/// A probe or region by its name and the names of its values, and its object in Python.
struct Site {
  std::string name;
  std::string values;
  eventspace_probe_site site{};
  PyObject* region{nullptr};
};

/// All sites of the program. Sites are never removed, since a program has a limited number of names.
class Sites {
 public:
  /// Null with an exception set. `names`: of the values, a tuple, or null. The objects of names that are
  /// written in the program are the same in each call, so the objects are looked up first; the tuple is not.
  Site* of(PyObject* name, PyObject* names, std::size_t unnamed) {
    const Key key = key_of(name, names, unnamed);
    const auto known = by_object_.find(key);
    if (known != by_object_.end()) return known->second;
    Site* const site = by_text(name, names, unnamed);
    if (site == nullptr || by_object_.size() >= most_objects) return site;
    for (PyObject* const object : key.objects) Py_XINCREF(object);  // so that no other object has its address
    by_object_.emplace(key, site);
    return site;
  }

 private:
  static constexpr std::size_t most_objects = 8192;
  static constexpr std::size_t most_names = 9;  // those of 8 values, and virtual_time
  struct Key {
    std::array<PyObject*, 1 + most_names> objects{};  // the name, and the names of the values
    std::size_t unnamed{0};
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::size_t hash = key.unnamed;
      for (PyObject* const object : key.objects)
        hash = hash * 31 + (reinterpret_cast<std::size_t>(object) >> 4);
      return hash;
    }
  };

  // There are no more names than values, which read_given() has counted.
  static Key key_of(PyObject* name, PyObject* names, std::size_t unnamed) {
    Key key;
    key.objects[0] = name;
    key.unnamed = unnamed;
    const std::size_t count = names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(names));
    for (std::size_t i = 0; i < std::min(count, most_names); ++i)
      key.objects[i + 1] = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
    return key;
  }

  Site* by_text(PyObject* name, PyObject* names, std::size_t unnamed) {
    const char* const text = PyUnicode_Check(name) != 0 ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr) {
      if (PyErr_Occurred() == nullptr)
        PyErr_Format(PyExc_TypeError, "the name of a probe is of type %.100s; expected str",
                     Py_TYPE(name)->tp_name);
      return nullptr;
    }
    std::string values;
    for (std::size_t i = 0; i < unnamed; ++i)
      values += (i == 0 ? "value" : ", value") + std::to_string(i + 1);
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
      const char* const value = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
      if (value == nullptr) return nullptr;
      if (std::string_view(value) == "virtual_time") continue;
      values += (values.empty() ? "" : ", ") + std::string(value);
    }
    Site*& site = by_text_[{text, values}];
    if (site == nullptr) {
      site = &all_.emplace_back(Site{text, std::move(values)});
      site->site.name = site->name.c_str();
      site->site.values = site->values.c_str();
    }
    return site;
  }

  std::deque<Site> all_;
  std::map<std::pair<std::string, std::string>, Site*> by_text_;
  std::unordered_map<Key, Site*, Hash> by_object_;
};

Sites& sites() {
  static auto& all = *new Sites();
  return all;
}

// False with an exception set.
bool read_number(PyObject* value, eventspace_value& read) {
  if (PyFloat_Check(value)) {
    read = eventspace_value_of_real(PyFloat_AS_DOUBLE(value));
    return true;
  }
  if (PyIndex_Check(value) != 0) {
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!number) return false;
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow == 0) {
      read = eventspace_value_of_integer(small);
      return small != -1 || PyErr_Occurred() == nullptr;
    }
    const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    read = eventspace_value_of_natural(large);
    return PyErr_Occurred() == nullptr;
  }
  const PyNumberMethods* const methods = Py_TYPE(value)->tp_as_number;
  if (methods != nullptr && methods->nb_float != nullptr) {
    read = eventspace_value_of_real(PyFloat_AsDouble(value));
    return PyErr_Occurred() == nullptr;
  }
  PyErr_Format(PyExc_TypeError, "a value of a probe is of type %.100s; expected a number",
               Py_TYPE(value)->tp_name);
  return false;
}

/// The values of a call, and its virtual time.
struct Given {
  std::array<eventspace_value, 8> values;
  std::size_t count{0};
  bool has_virtual_time{false};
  std::uint64_t virtual_time{0};
};

bool read_virtual_time(PyObject* value, Given& given) {
  given.has_virtual_time = true;
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
  if (!number) {
    PyErr_Format(PyExc_TypeError, "virtual_time: found a value of type %.100s; expected a whole number",
                 Py_TYPE(value)->tp_name);
    return false;
  }
  given.virtual_time = PyLong_AsUnsignedLongLong(number.ptr());
  return PyErr_Occurred() == nullptr;
}

bool read_given(PyObject* const* args, std::size_t count, PyObject* names, Given& given) {
  const std::size_t named = names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(names));
  for (std::size_t i = 0; i < count + named; ++i) {
    if (i >= count) {
      PyObject* const name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i - count));
      if (PyUnicode_CompareWithASCIIString(name, "virtual_time") == 0) {
        if (!read_virtual_time(args[i], given)) return false;
        continue;
      }
    }
    if (given.count == given.values.size()) {
      PyErr_SetString(PyExc_ValueError, "a probe has at most 8 values");
      return false;
    }
    if (!read_number(args[i], given.values[given.count++])) return false;
  }
  return true;
}

PyObject* point(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "point() needs the name of the probe");
    return nullptr;
  }
  Given given;
  const auto unnamed = static_cast<std::size_t>(count - 1);
  if (!read_given(args + 1, unnamed, names, given)) return nullptr;
  Site* const site = sites().of(args[0], names, unnamed);
  if (site == nullptr) return nullptr;
  if (const eventspace_probes* const probes = functions()) {
    if (given.has_virtual_time && probes->version >= 2)
      probes->point_at(&site->site, given.virtual_time, given.values.data(), given.count);
    else
      probes->point(&site->site, given.values.data(), given.count);
  }
  Py_RETURN_NONE;
}

struct RegionObject {
  PyObject_HEAD  //
      Site* site;
};

Site* site_of(PyObject* region) { return reinterpret_cast<RegionObject*>(region)->site; }

PyObject* enter(PyObject* self, PyObject* /*none*/) {
  if (const eventspace_probes* const probes = functions()) probes->begin(&site_of(self)->site);
  Py_INCREF(self);
  return self;
}

PyObject* leave(PyObject* self, PyObject* const* /*exception*/, Py_ssize_t /*count*/) {
  if (const eventspace_probes* const probes = functions()) probes->end(&site_of(self)->site, nullptr, 0);
  Py_RETURN_NONE;
}

PyObject* name_of(PyObject* self, void* /*none*/) {
  return PyUnicode_FromString(site_of(self)->name.c_str());
}

PyObject* describe(PyObject* self) {
  return PyUnicode_FromFormat("<region '%s'>", site_of(self)->name.c_str());
}

PyTypeObject* region_type() {
  static std::array methods{
      PyMethodDef{"__enter__", enter, METH_NOARGS, "Begins the region in the calling thread."},
      PyMethodDef{"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave)),
                  METH_FASTCALL, "Ends the region."},
      PyMethodDef{}};
  static std::array properties{PyGetSetDef{"name", name_of, nullptr, "The name of the region.", nullptr},
                               PyGetSetDef{}};
  static std::array slots{
      PyType_Slot{Py_tp_methods, methods.data()}, PyType_Slot{Py_tp_getset, properties.data()},
      PyType_Slot{Py_tp_repr, reinterpret_cast<void*>(describe)},
      PyType_Slot{Py_tp_doc, const_cast<char*>("A region of the program: use it in a `with` statement.")},
      PyType_Slot{0, nullptr}};
  static PyType_Spec spec{"eventspace.Region", sizeof(RegionObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

PyObject* region(PyObject* /*module*/, PyObject* name) {
  Site* const site = sites().of(name, nullptr, 0);
  if (site == nullptr) return nullptr;
  if (site->region == nullptr) {
    site->region = PyType_GenericAlloc(region_type(), 0);
    if (site->region == nullptr) return nullptr;
    reinterpret_cast<RegionObject*>(site->region)->site = site;
  }
  Py_INCREF(site->region);
  return site->region;
}

std::array functions_of_module{
    PyMethodDef{"point", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(point)),
                METH_FASTCALL | METH_KEYWORDS,
                "point(name, *values, virtual_time=None, **values): records a moment."},
    PyMethodDef{"region", region, METH_O, "region(name): the region of this name, for a `with` statement."},
    PyMethodDef{}};

}  // namespace

void add_probes(py::module_& module) {
  if (region_type() == nullptr) throw py::error_already_set();
  if (PyModule_AddFunctions(module.ptr(), functions_of_module.data()) != 0) throw py::error_already_set();
  module.attr("Region") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(region_type()));
}

}  // namespace eventspace::python
