#include "pathmaps/c_api/monitors.h"

#include <chrono>
#include <cstddef>
#include <memory>

#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/events.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

struct es_scope {
  explicit es_scope(Scope of) : scope(std::in_place, std::move(of)) {}
  OfThisProcess<Scope> scope;
};

namespace eventspace::c_api {

Monitor& need_monitor(es_monitor* monitor) {
  return need_here(need(monitor, "monitor").monitor, "the monitor");
}

namespace {

Scope& need_scope(es_scope* scope) { return need_here(need(scope, "scope").scope, "the scope"); }

std::unique_ptr<es_monitor> handle_of(Monitor monitor) {
  return std::make_unique<es_monitor>(std::move(monitor));
}
std::unique_ptr<es_events> handle_of(Events events) { return std::make_unique<es_events>(std::move(events)); }
std::unique_ptr<es_scope> handle_of(Scope scope) { return std::make_unique<es_scope>(std::move(scope)); }

EventQuery query_of(const es_query* from) {
  constexpr std::size_t smallest = offsetof(es_query, all_points) + sizeof(bool);
  const es_query given = structure_of(from, es_query ES_QUERY_OF_ALL, smallest, "query");
  EventQuery query;
  query.where = text_or_empty(given.where);
  query.threads = text_or_empty(given.threads);
  query.paths = text_or_empty(given.paths);
  if (given.since_ns >= 0) query.since = std::chrono::nanoseconds(given.since_ns);
  query.last = given.last;
  query.in_flight = given.in_flight;
  query.all_points = given.all_points;
  return query;
}

}  // namespace
}  // namespace eventspace::c_api

es_status es_monitor_of_session(const char* name, es_monitor** monitor) {
  return make_handle(monitor, "monitor",
                     [&] { return handle_of(Monitor::of_session(need_text(name, "name"))); });
}
es_status es_monitor_of_pathmap(const char* file, const char* session, es_monitor** monitor) {
  return make_handle(monitor, "monitor", [&] {
    return handle_of(Monitor::of_pathmap(need_text(file, "file"), text_or_empty(session)));
  });
}
es_status es_monitor_of_recording(const char* file, es_monitor** monitor) {
  return make_handle(monitor, "monitor",
                     [&] { return handle_of(Monitor::of_recording(need_text(file, "file"))); });
}
void es_monitor_free(es_monitor* monitor) { delete monitor; }

const char* es_monitor_session(const es_monitor* monitor) {
  return monitor != nullptr ? monitor->session.c_str() : "";
}
size_t es_monitor_scope_count(const es_monitor* monitor) {
  return monitor != nullptr ? monitor->scopes.size() : 0;
}
const char* es_monitor_scope_name(const es_monitor* monitor, size_t index) {
  return index < es_monitor_scope_count(monitor) ? monitor->scopes[index].c_str() : nullptr;
}

es_status es_monitor_open(es_monitor* monitor, const char* scope, es_scope** opened) {
  return make_handle(opened, "opened", [&] {
    return handle_of(need_monitor(monitor).open(std::string(need_text(scope, "scope"))));
  });
}
es_status es_monitor_open_query(es_monitor* monitor, const es_query* query, es_scope** opened) {
  return make_handle(opened, "opened",
                     [&] { return handle_of(need_monitor(monitor).open(query_of(query))); });
}
void es_scope_free(es_scope* scope) { delete scope; }

es_status es_scope_pull(es_scope* scope, int64_t wait_ns, es_events** events) {
  return make_handle(events, "events", [&] {
    Scope& pulled = need_scope(scope);
    return handle_of(wait_ns == ES_USUAL ? pulled.pull() : pulled.pull(deadline_of(wait_ns)));
  });
}
es_status es_scope_pull_at(es_scope* scope, int64_t realtime_ns, es_events** events) {
  return make_handle(events, "events", [&] { return handle_of(need_scope(scope).pull_at(realtime_ns)); });
}

es_status es_monitor_events(es_monitor* monitor, const es_query* query, int64_t wait_ns, es_events** events) {
  return make_handle(events, "events", [&] {
    const EventQuery wanted = query != nullptr ? query_of(query) : EventQuery{};
    Monitor& asked = need_monitor(monitor);
    return handle_of(wait_ns == ES_USUAL ? asked.events(wanted) : asked.events(wanted, deadline_of(wait_ns)));
  });
}
