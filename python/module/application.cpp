#include "python/module/application.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/module/application_docs.h"
#include "python/module/arguments.h"
#include "python/module/errors.h"
#include "python/module/joined.h"
#include "python/module/path_operations.h"
#include "python/module/tuples.h"
#include "python/module/waits.h"

namespace eventspace::python {

namespace py = pybind11;

std::shared_ptr<Session> Joined::use() const {
  const std::shared_ptr<Session>& session = session_.use();
  if (session == nullptr) throw OperationError(Status::closed, "this session was closed");
  return session;
}

void Joined::close() {
  if (session_.is_foreign()) return;
  std::shared_ptr<Session> session = std::exchange(session_.use(), nullptr);
  if (session == nullptr) return;
  forget_session_of_environment(session);
  const WithoutGil released;
  session->close();
  session.reset();
}

bool Joined::is_closed() const noexcept { return !session_.is_foreign() && session_.use() == nullptr; }

namespace {

/// Sets a flag during its lifetime.
class Busy {
 public:
  explicit Busy(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool& flag_;
};

/// A path of a thread. Only the thread that made it may use it.
class PathHandle {
 public:
  PathHandle(std::shared_ptr<Joined> joined, Path& path)
      : joined_(std::move(joined)), path_(&path), name_(path.name()) {}

  [[nodiscard]] std::string name() const {
    (void)joined_->use();
    return name_;
  }

  void write(py::handle values, const py::object& timeout) {
    Operation operation;
    operation.verb = Verb::write;
    operation.tuple = as_tuple(values);
    operation.deadline = deadline_of(timeout);
    run(operation);
    require(operation);
  }
  bool try_write(py::handle values) {
    Operation operation;
    operation.verb = Verb::write;
    operation.tuple = as_tuple(values);
    operation.deadline = Deadline::now();
    run(operation);
    if (operation.status == Status::full) return false;
    require(operation);
    return true;
  }
  py::object fetch(Verb verb, const py::object& match, const py::object& from, const py::object& timeout) {
    Operation operation = search(verb, from);
    operation.deadline = deadline_of(timeout);
    return result(operation, match);
  }
  py::object try_fetch(Verb verb, const py::object& match, const py::object& from) {
    Operation operation = search(verb, from);
    operation.deadline = Deadline::now();
    return result(operation, match);
  }
  py::object next(const py::object& timeout, const py::object& match) {
    Operation operation;
    operation.verb = Verb::read;
    operation.from = From::after;
    operation.sequence = last_read_;
    operation.deadline = deadline_of(timeout);
    py::object received = result(operation, match);
    if (!received.is_none()) last_read_ = operation.sequence;
    return received;
  }
  py::object read_at(const py::object& sequence, const py::object& timeout) {
    Operation operation;
    operation.verb = Verb::read;
    operation.from = From::at;
    operation.sequence = arguments::count("sequence", sequence);
    operation.deadline = deadline_of(timeout);
    return result(operation, py::none());
  }
  py::object exchange(const py::object& values, const py::object& timeout) {
    Operation operation;
    operation.verb = Verb::exchange;
    if (!values.is_none()) operation.tuple = as_tuple(values);
    operation.deadline = deadline_of(timeout);
    return result(operation, py::none());
  }
  void discard(const py::object& sequence) {
    Operation operation;
    operation.verb = Verb::discard;
    operation.sequence = arguments::count("sequence", sequence);
    run(operation);
    require(operation);
  }

 private:
  static Operation search(Verb verb, const py::object& start) {
    const std::string from = arguments::name("start", start);
    if (from != "oldest" && from != "newest")
      throw py::value_error(fmt::format("start: found '{}'; expected 'oldest' or 'newest'", from));
    Operation operation;
    operation.verb = verb;
    operation.from = from == "oldest" ? From::oldest : From::newest;
    return operation;
  }

  void run(Operation& operation) {
    if (std::this_thread::get_id() != owner_)
      throw UsageError("a path is for the thread that got it; call Session.thread in each thread");
    if (is_busy_)
      throw UsageError(
          fmt::format("the path {} is in use by the operation that this signal handler interrupts", name_));
    const auto session = joined_->use();
    const Busy busy(is_busy_);
    try {
      perform(path_->stage(), operation);
    } catch (const py::error_already_set& interruption) {
      tell_outcome(operation, interruption.value());
      throw;
    }
  }

  // What an operation has changed, or may have changed, that a signal handler's exception ends.
  void tell_outcome(const Operation& operation, const py::object& interruption) const {
    if (changes_nothing(operation.verb) || !py::hasattr(interruption, "add_note")) return;
    const std::string what = fmt::format("{} on path {}", to_string(operation.verb), name_);
    if (operation.status == Status::closed) {
      interruption.attr("add_note")(fmt::format("{}: {}; it may have happened", what, operation.reason));
    } else if (operation.status == Status::ok) {
      interruption.attr("add_note")(what + " has happened");
      if (operation.verb != Verb::take && operation.verb != Verb::exchange) return;
      interruption.attr("received") = as_received(operation);
      interruption.attr("add_note")("its tuple is the attribute `received` of this exception");
    }
  }

  py::object result(Operation& operation, const py::object& match) {
    std::optional<Template> matching;
    if (!match.is_none()) operation.match = &matching.emplace(as_template(match));
    run(operation);
    operation.match = nullptr;
    if (operation.status == Status::empty) return py::none();
    require(operation);
    return as_received(operation);
  }

  static py::object as_received(const Operation& operation) {
    static PyObject* const type =
        py::module_::import("eventspace.application").attr("Received").cast<py::object>().release().ptr();
    py::object made = py::reinterpret_borrow<py::object>(type)(as_values(operation.tuple));
    made.attr("sequence") = operation.sequence;
    made.attr("missed") = operation.missed;
    return made;
  }

  void require(const Operation& operation) const {
    if (operation.status == Status::ok) return;
    std::string text =
        fmt::format("{} on path {}: {}", to_string(operation.verb), name_, to_string(operation.status));
    if (!operation.reason.empty())
      text += ": " + operation.reason;
    else if (operation.status == Status::refused && !operation.tuple.empty())
      text += ": the tuple is " + operation.tuple.signature().to_string();
    throw OperationError(operation.status, text);
  }

  std::shared_ptr<Joined> joined_;
  Path* path_;
  std::string name_;  // also after the session
  std::thread::id owner_{std::this_thread::get_id()};
  std::uint64_t last_read_{0};
  bool is_busy_{false};  // an operation is under way: handlers of signals run during it
};

/// A thread of the session.
class ThreadHandle {
  // Before the functions whose types follow from it.
  template <class Function>
  decltype(auto) use(Function function) const {
    if (std::this_thread::get_id() != owner_)
      throw UsageError("a Thread is for the thread that got it; call Session.thread in each thread");
    const auto session = joined_->use();
    return function(*thread_);
  }

 public:
  ThreadHandle(std::shared_ptr<Joined> joined, SessionThread& thread) noexcept
      : joined_(std::move(joined)), thread_(&thread) {}

  [[nodiscard]] std::string name() const {
    return use([](const SessionThread& thread) { return thread.name(); });
  }
  [[nodiscard]] std::unique_ptr<PathHandle> path(const py::object& of_name) const {
    const std::string name = arguments::name("name", of_name);
    return use([&](SessionThread& thread) {
      Path* found = nullptr;
      {
        const WithoutGil released;
        found = &thread.path(name);
      }
      return std::make_unique<PathHandle>(joined_, *found);
    });
  }
  void set_virtual_time(const py::object& value) const {
    use([time = arguments::count("value", value)](SessionThread& thread) { thread.set_virtual_time(time); });
  }
  void empty_traces() const {
    use([](SessionThread& thread) { thread.empty_traces(); });
  }

 private:
  std::shared_ptr<Joined> joined_;
  SessionThread* thread_;
  std::thread::id owner_{std::this_thread::get_id()};
};

/// Session in Python.
class SessionHandle {
 public:
  explicit SessionHandle(std::shared_ptr<Session> session)
      : joined_(std::make_shared<Joined>(std::move(session))) {
    note_joined();
  }

  [[nodiscard]] std::unique_ptr<ThreadHandle> thread(const py::object& name) const {
    const auto session = joined_->use();
    return std::make_unique<ThreadHandle>(joined_, session->thread(arguments::name("name", name)));
  }
  [[nodiscard]] std::shared_ptr<Session> use() const { return joined_->use(); }
  void close() const { joined_->close(); }
  [[nodiscard]] bool is_closed() const noexcept { return joined_->is_closed(); }

 private:
  std::shared_ptr<Joined> joined_;
};

template <class Make>
std::unique_ptr<SessionHandle> join_by(Make make) {
  std::shared_ptr<Session> session;
  {
    const WithoutGil released;
    session = share_without_gil(std::make_unique<Session>(make()));
  }
  return std::make_unique<SessionHandle>(std::move(session));
}

std::unique_ptr<SessionHandle> join(const py::object& pathmap, const py::object& process,
                                    const py::object& session, const py::object& collect,
                                    const py::object& end_when_lost) {
  const bool ends = arguments::truth("end_when_lost", end_when_lost);
  const Session::Options options{arguments::text("session", session),
                                 arguments::truth_or_none("collect", collect),
                                 ends ? WhenLost::end : WhenLost::reconnect};
  const std::string as = arguments::text("process", process);
  if (pathmap.is_none()) return std::make_unique<SessionHandle>(joined_from_environment());
  const std::string file = arguments::file("pathmap", pathmap);
  return join_by([&] { return Session::join(file, as, options); });
}

std::unique_ptr<SessionHandle> open(const py::object& name, const py::object& process, const py::object& node,
                                    const py::object& collect, const py::object& rank) {
  const std::string session = arguments::name("name", name);
  Session::OpenOptions options;
  options.process = arguments::text("process", process);
  options.node = arguments::text("node", node);
  options.collect = arguments::truth_or_none("collect", collect);
  if (!rank.is_none()) options.rank = static_cast<std::uint32_t>(arguments::count("rank", rank, UINT32_MAX));
  return join_by([&] { return Session::open(session, options); });
}

template <Verb verb>
py::object fetch(PathHandle& path, const py::object& match, const py::object& from,
                 const py::object& timeout) {
  return path.fetch(verb, match, from, timeout);
}
template <Verb verb>
py::object try_fetch(PathHandle& path, const py::object& match, const py::object& from) {
  return path.try_fetch(verb, match, from);
}

void add_path(py::module_& module) {
  const auto match = py::arg("match") = py::none();
  const auto start = py::arg("start") = "oldest";
  const auto timeout = py::arg("timeout") = py::none();
  py::class_<PathHandle>(module, "Path", doc::path)
      .def_property_readonly("name", &PathHandle::name, "The name in the pathmap.")
      .def("write", &PathHandle::write, py::arg("values"), timeout, doc::write)
      .def("try_write", &PathHandle::try_write, py::arg("values"), doc::try_write)
      .def("take", &fetch<Verb::take>, match, py::kw_only(), start, timeout, doc::take)
      .def("read", &fetch<Verb::read>, match, py::kw_only(), start, timeout, doc::read)
      .def("try_take", &try_fetch<Verb::take>, match, py::kw_only(), start, doc::try_take)
      .def("try_read", &try_fetch<Verb::read>, match, py::kw_only(), start, doc::try_read)
      .def("next", &PathHandle::next, py::kw_only(), timeout, match, doc::next)
      .def("read_at", &PathHandle::read_at, py::arg("sequence"), py::kw_only(), timeout, doc::read_at)
      .def("exchange", &PathHandle::exchange, py::arg("values") = py::none(), py::kw_only(), timeout,
           doc::exchange)
      .def("discard", &PathHandle::discard, py::arg("sequence"), doc::discard);
}

py::tuple pack(const py::object& tuples) {
  if (!PySequence_Check(tuples.ptr()) || PyUnicode_Check(tuples.ptr()))
    throw py::type_error(
        fmt::format("tuples: found {}; expected a sequence of tuples", Py_TYPE(tuples.ptr())->tp_name));
  std::vector<Tuple> all;
  for (const py::handle values : tuples) all.push_back(as_tuple(values));
  return as_values(pack_tuples(all));
}

py::list unpack(const py::object& packed) {
  py::list all;
  for (const Tuple& tuple : unpack_tuples(as_tuple(packed))) all.append(as_values(tuple));
  return all;
}

void add_thread(py::module_& module) {
  py::class_<ThreadHandle>(module, "Thread", doc::thread)
      .def_property_readonly("name", &ThreadHandle::name, "The name in the pathmap.")
      .def("path", &ThreadHandle::path, py::arg("name"), doc::path_of_thread)
      .def("set_virtual_time", &ThreadHandle::set_virtual_time, py::arg("value"), doc::virtual_time)
      .def("empty_traces", &ThreadHandle::empty_traces, doc::empty_traces);
}

void add_recording_of_events(py::class_<SessionHandle>& session) {
  using Handle = SessionHandle;
  session
      .def(
          "set_collecting",
          [](const Handle& of, const py::object& on) {
            of.use()->set_collecting(arguments::truth("on", on));
          },
          py::arg("on"), "Switches the recording of later operations on or off.")
      .def_property_readonly(
          "events_recorded", [](const Handle& of) { return of.use()->events_recorded(); },
          "Number of events that this process has recorded, without probes.")
      .def_property_readonly(
          "events_discarded", [](const Handle& of) { return of.use()->events_discarded(); },
          "Number of those that newer ones have overwritten.")
      .def(
          "empty_traces", [](const Handle& of) { of.use()->empty_traces(); }, doc::empty_traces);
}

void add_session(py::module_& module) {
  using Handle = SessionHandle;
  const auto none = py::none();
  auto session = py::class_<Handle>(module, "Session", doc::session);
  session
      .def_static("join", &join, py::arg("pathmap") = none, py::arg("process") = "", py::kw_only(),
                  py::arg("session") = "", py::arg("collect") = none, py::arg("end_when_lost") = false,
                  doc::join)
      .def_static("open", &open, py::arg("name"), py::kw_only(), py::arg("process") = "",
                  py::arg("node") = "", py::arg("collect") = none, py::arg("rank") = none, doc::open)
      .def_property_readonly(
          "name", [](const Handle& of) { return of.use()->name(); }, "The session's name.")
      .def_property_readonly(
          "process", [](const Handle& of) { return of.use()->process(); }, "The name of this process.")
      .def_property_readonly(
          "threads", [](const Handle& of) { return of.use()->threads(); },
          "The names of the threads that the pathmap places in this process.")
      .def_property_readonly("is_closed", &Handle::is_closed, "Whether close() was called.")
      .def("thread", &Handle::thread, py::arg("name"), doc::thread_of_session)
      .def("close", &Handle::close, doc::close)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](const Handle& of, const py::args& /*exception*/) { of.close(); });
  add_recording_of_events(session);
}

}  // namespace

void add_application(py::module_& module) {
  add_path(module);
  add_thread(module);
  add_session(module);
  module.def("pack", &pack, py::arg("tuples"), doc::pack);
  module.def("unpack", &unpack, py::arg("packed"), doc::unpack);
}

}  // namespace eventspace::python
