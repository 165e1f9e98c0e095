#include "python/module/observed.h"

#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/metric.h>
#include "python/module/analyses.h"
#include "python/module/arguments.h"
#include "python/module/arrays.h"
#include "python/module/errors.h"
#include "python/module/reading.h"
#include "python/module/source.h"
#include "python/module/waits.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;

std::unique_ptr<SourceHandle> open_source(Source::Kind kind, const std::string& named,
                                          const std::string& session) {
  return std::make_unique<SourceHandle>(interruptible([=](GivenUp& /*ends soon*/) {
    return share_without_gil(std::make_unique<Source>(kind, named, session));
  }));
}

EventQuery query_of(const py::dict& given) {
  EventQuery query;
  query.where = given["where"].cast<std::string>();
  query.threads = given["threads"].cast<std::string>();
  query.paths = given["paths"].cast<std::string>();
  query.last = given["last"].cast<std::size_t>();
  query.in_flight = given["in_flight"].cast<bool>();
  query.all_points = given["all_points"].cast<bool>();
  if (const auto since = given["since"].cast<std::optional<double>>()) query.since = of_seconds(*since);
  return query;
}

py::dict events(const SourceHandle& handle, const py::dict& query, const std::vector<std::string>& fields,
                double timeout) {
  auto table =
      interruptible([source = handle.use(), query = query_of(query), fields, timeout](GivenUp& given_up) {
        const std::lock_guard lock(source->mutex);
        return read_events(*source, query, after_seconds(timeout), fields, given_up);
      });
  return as_arrays(table);
}

/// Facts about a source. Of a running session, only the first three members have values.
struct Facts {
  std::string session;
  std::vector<std::string> warnings;
  std::vector<std::string> scopes;
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  std::optional<std::string> ending;
  bool is_being_written{false};
  Recording::Damage damage{};
  std::string pathmap;
  std::vector<Recording::Process> processes;
  std::optional<Loss> loss;
};

Facts read_facts(Source& source) {
  Facts facts;
  facts.session = source.monitor.session();
  facts.warnings = source.monitor.warnings();
  facts.scopes = source.monitor.scopes();
  if (!source.recording) return facts;
  Recording& recording = *source.recording;
  facts.begin_ns = recording.begin_ns();
  facts.end_ns = recording.end_ns();
  facts.ending = recording.ending();
  facts.is_being_written = recording.is_being_written();
  facts.damage = recording.damage();
  facts.pathmap = recording.pathmap();
  facts.processes = recording.processes();
  facts.loss = recording.loss();
  return facts;
}

py::list as_tuples(const std::vector<Recording::Process>& processes) {
  py::list list;
  for (const Recording::Process& process : processes)
    list.append(py::make_tuple(process.name, process.node, process.pid, process.state));
  return list;
}

py::dict facts(const SourceHandle& handle) {
  const auto source = handle.use();
  const Facts read = interruptible([source](GivenUp& /*ends soon*/) {
    const std::lock_guard lock(source->mutex);
    return read_facts(*source);
  });
  py::dict facts;
  facts["session"] = read.session;
  facts["warnings"] = read.warnings;
  facts["scopes"] = read.scopes;
  if (source->kind() != Source::Kind::recording) return facts;
  facts["begin_ns"] = read.begin_ns;
  facts["end_ns"] = read.end_ns;
  facts["ending"] = read.ending;
  facts["is_being_written"] = read.is_being_written;
  facts["damage"] = read.damage.text;
  facts["lost_records"] = read.damage.lost_records;
  facts["pathmap"] = read.pathmap;
  facts["processes"] = as_tuples(read.processes);
  if (read.loss) facts["loss"] = as_dict(*read.loss);
  return facts;
}

/// A scope that is pulled again and again.
class OpenScope {
 public:
  OpenScope(std::shared_ptr<Source> source, Scope scope, std::vector<std::string> fields)
      : state_(std::in_place, share_without_gil(std::make_unique<State>(
                                  State{std::move(source), std::move(scope), std::move(fields)}))) {}

  py::dict pull(std::optional<double> timeout) const {
    const auto state = state_.use();
    auto table = interruptible([state, timeout](GivenUp& /*ends at its deadline*/) {
      const std::lock_guard lock(state->source->mutex);
      EventTable read(state->fields, true);
      const Events events = timeout ? state->scope.pull(after_seconds(*timeout)) : state->scope.pull();
      read.add(events);
      read.finish();
      return std::pair(std::move(read), events.has_more());
    });
    py::dict arrays = as_arrays(table.first);
    arrays["has_more"] = table.second;
    return arrays;
  }

 private:
  struct State {
    std::shared_ptr<Source> source;
    Scope scope;
    std::vector<std::string> fields;
  };
  OfThisProcess<std::shared_ptr<State>> state_;
};

std::unique_ptr<OpenScope> open_scope(const SourceHandle& handle, const std::optional<std::string>& name,
                                      const py::dict& query, const std::vector<std::string>& fields) {
  const std::shared_ptr<Source> source = handle.use();
  auto scope = interruptible([source, name, query = query_of(query)](GivenUp& /*ends soon*/) {
    const std::lock_guard lock(source->mutex);
    return name ? source->monitor.open(*name) : source->monitor.open(query);
  });
  return std::make_unique<OpenScope>(source, std::move(scope), fields);
}

MetricQuery metric_query_of(const py::dict& given) {
  MetricQuery query;
  query.metric = given["metric"].cast<std::string>();
  query.text = given["text"].cast<std::string>();
  for (const std::string& file : given["files"].cast<std::vector<std::string>>())
    query.files.emplace_back(file);
  query.objects = given["objects"].cast<std::string>();
  query.partners = given["partners"].cast<std::string>();
  query.regions = given["regions"].cast<std::string>();
  query.since_last = given["since_last"].cast<bool>();
  query.per_second = given["per_second"].cast<bool>();
  const auto each = given["each"].cast<std::string>();
  if (each == "objects") query.each = MetricQuery::Each::objects;
  if (each == "partners") query.each = MetricQuery::Each::partners;
  if (each == "regions") query.each = MetricQuery::Each::regions;
  return query;
}

/// A metric that is read again and again.
class OpenMetric {
 public:
  struct State {
    State(std::shared_ptr<Source> of, const MetricQuery& query)
        : source(std::move(of)), reader(source->monitor, query), unit(reader.unit()) {}
    std::shared_ptr<Source> source;
    MetricReader reader;
    const std::string unit;
  };
  explicit OpenMetric(std::shared_ptr<State> state) : state_(std::in_place, std::move(state)) {}

  [[nodiscard]] std::string unit() const { return state_.use()->unit; }

  /// The samples as tuples: time in nanoseconds, objects, virtual time, value, problem; and the number of
  /// events that they lack.
  [[nodiscard]] py::tuple read(std::optional<std::int64_t> at_ns) const {
    const auto [samples, lost] =
        interruptible([state = state_.use(), at_ns](GivenUp& /*ends at its deadline*/) {
          const std::lock_guard lock(state->source->mutex);
          auto read = at_ns ? state->reader.read_at(*at_ns) : state->reader.read();
          return std::pair(std::move(read), state->reader.lost());
        });
    py::list list;
    for (const MetricSample& sample : samples)
      list.append(py::make_tuple(sample.time_ns, py::tuple(py::cast(sample.objects)), sample.virtual_time,
                                 sample.value, sample.problem));
    return py::make_tuple(list, lost);
  }

 private:
  OfThisProcess<std::shared_ptr<State>> state_;
};

std::unique_ptr<OpenMetric> open_metric(const SourceHandle& handle, const py::dict& query) {
  auto state = interruptible([source = handle.use(), query = metric_query_of(query)](GivenUp& /*ends soon*/) {
    const std::lock_guard lock(source->mutex);
    return share_without_gil(std::make_unique<OpenMetric::State>(source, query));
  });
  return std::make_unique<OpenMetric>(std::move(state));
}

// The lines of JSON that the command of this name writes.
template <class Options, std::string (*analyse)(const Source&, const Options&, GivenUp&)>
std::string lines(const SourceHandle& handle, const Options& options) {
  return interruptible(
      [source = handle.use(), options](GivenUp& given_up) { return analyse(*source, options, given_up); });
}

}  // namespace

void add_observed(py::module_& module) {
  py::enum_<Source::Kind>(module, "Kind")
      .value("recording", Source::Kind::recording)
      .value("session", Source::Kind::session)
      .value("pathmap", Source::Kind::pathmap);
  py::class_<SourceHandle>(module, "Source")
      .def(py::init(&open_source))
      .def("close", &SourceHandle::close)
      .def_property_readonly("is_closed", &SourceHandle::is_closed)
      .def("facts", &facts)
      .def("events", &events)
      .def("open_scope", &open_scope)
      .def("open_metric", &open_metric)
      .def(
          "heartbeat",
          [](const SourceHandle& handle, double stall, std::optional<double> at, const std::string& threads) {
            return lines<HeartbeatChoice, heartbeat_lines>(handle, {of_seconds(stall), at, threads});
          })
      .def("collectives",
           [](const SourceHandle& handle, const std::vector<std::string>& only, double duration, bool each,
              bool total) {
             return lines<CollectivesChoice, collectives_lines>(handle,
                                                                {only, of_seconds(duration), each, total});
           })
      .def("profile", [](const SourceHandle& handle, double duration, const std::string& threads,
                         const std::string& where) {
        return lines<ProfileChoice, profile_lines>(handle, {of_seconds(duration), threads, where});
      });
  py::class_<OpenScope>(module, "OpenScope").def("pull", &OpenScope::pull);
  py::class_<OpenMetric>(module, "OpenMetric")
      .def("read", &OpenMetric::read)
      .def_property_readonly("unit", &OpenMetric::unit);
}

}  // namespace eventspace::python
