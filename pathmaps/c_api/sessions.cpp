#include "pathmaps/c_api/sessions.h"

#include <algorithm>
#include <utility>

#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/tuples.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

namespace eventspace::c_api {
namespace {

std::optional<bool> collect_by(std::uint32_t flags) {
  return (flags & ES_NO_EVENTS) != 0 ? std::optional(false) : std::nullopt;
}

void check_flags(std::uint32_t flags, std::uint32_t known) {
  if ((flags & ~known) != 0) throw Misuse("flags has the unknown bits " + std::to_string(flags & ~known));
}

std::unique_ptr<es_session> handle_of(Session session) {
  return std::make_unique<es_session>(std::move(session));
}

/// Returns the handle, among `handles`, whose `member` is the object; makes it, in `parent`, if there is
/// none.
template <class Handle, class Object, class Parent>
Handle* one_for(std::vector<std::unique_ptr<Handle>>& handles, Object* Handle::*member, Object& object,
                Parent& parent) {
  const auto found =
      std::ranges::find_if(handles, [&](const auto& handle) { return handle.get()->*member == &object; });
  if (found != handles.end()) return found->get();
  return handles.emplace_back(std::make_unique<Handle>(object, parent)).get();
}

es_thread& need_own(es_thread* thread) {
  need_own_process(*need(thread, "thread").session);
  if (thread->owner != ::gettid())
    throw Misuse("the thread '" + thread->thread->name() + "' of the session is another thread");
  return *thread;
}

ElementConfig element_of(const char* name, const char* format, size_t threshold, bool discards) {
  return {.name = need_text(name, "name"),
          .signature = signature_of(format),
          .threshold = threshold,
          .when_full = discards ? WhenFull::discard : WhenFull::wait};
}

}  // namespace

void need_own_process(const es_session& session) {
  if (session.generation != fork_generation())
    throw Misuse("this process was forked from the one that joined the session '" + session.session.name() +
                 "'");
}

es_session& need_session(es_session* session) {
  need_own_process(need(session, "session"));
  return *session;
}

ThreadInUse::ThreadInUse(es_thread& thread) : thread_(thread) {
  need_own_process(*thread.session);
  if (thread.is_busy.exchange(true, std::memory_order_acquire))
    throw Misuse("the thread '" + thread.thread->name() + "' of the session is in use by another call");
}

}  // namespace eventspace::c_api

es_status es_session_join(const char* pathmap, const char* process, const char* session, uint32_t flags,
                          es_session** joined) {
  return make_handle(joined, "joined", [&] {
    check_flags(flags, ES_NO_EVENTS | ES_END_WHEN_LOST);
    const auto when_lost = (flags & ES_END_WHEN_LOST) != 0 ? WhenLost::end : WhenLost::reconnect;
    return handle_of(Session::join(
        need_text(pathmap, "pathmap"), text_or_empty(process),
        {.name = text_or_empty(session), .collect = collect_by(flags), .when_lost = when_lost}));
  });
}

es_status es_session_open(const char* name, const char* process, uint32_t flags, es_session** opened) {
  return make_handle(opened, "opened", [&] {
    check_flags(flags, ES_NO_EVENTS);
    return handle_of(Session::open(need_text(name, "name"),
                                   {.process = text_or_empty(process), .collect = collect_by(flags)}));
  });
}

es_status es_session_from_environment(es_session** joined) {
  return make_handle(joined, "joined", [] { return handle_of(Session::from_environment()); });
}

es_status es_session_close(es_session* session) {
  return guarded([&] {
    need_session(session).is_closed = true;
    session->session.close();
    return ES_OK;
  });
}

void es_session_free(es_session* session) { delete session; }

const char* es_session_name(const es_session* session) {
  return session != nullptr ? session->session.name().c_str() : "";
}
const char* es_session_process(const es_session* session) {
  return session != nullptr ? session->session.process().c_str() : "";
}
size_t es_session_thread_count(const es_session* session) {
  return session != nullptr ? session->names.size() : 0;
}
const char* es_session_thread_name(const es_session* session, size_t index) {
  return index < es_session_thread_count(session) ? session->names[index].c_str() : nullptr;
}

es_status es_session_set_collecting(es_session* session, bool on) {
  return guarded([&] {
    need_session(session).session.set_collecting(on);
    return ES_OK;
  });
}

es_status es_session_empty_traces(es_session* session) {
  return guarded([&] {
    need_session(session).session.empty_traces();
    return ES_OK;
  });
}

uint64_t es_session_events_recorded(const es_session* session) {
  return guarded_value<uint64_t>(0, [&] { return need(session, "session").session.events_recorded(); });
}
uint64_t es_session_events_discarded(const es_session* session) {
  return guarded_value<uint64_t>(0, [&] { return need(session, "session").session.events_discarded(); });
}

es_status es_session_thread(es_session* session, const char* name, es_thread** thread) {
  if (thread != nullptr) *thread = nullptr;
  return guarded([&] {
    need(thread, "thread");
    if (need_session(session).is_closed) return fail(ES_CLOSED, "the session was closed");
    SessionThread& found = session->session.thread(need_text(name, "name"));
    const std::lock_guard lock(session->mutex);
    *thread = one_for(session->threads, &es_thread::thread, found, *session);
    return ES_OK;
  });
}

const char* es_thread_name(const es_thread* thread) {
  return thread != nullptr ? thread->thread->name().c_str() : "";
}

es_status es_thread_path(es_thread* thread, const char* name, es_path** path) {
  if (path != nullptr) *path = nullptr;
  return guarded([&] {
    const ThreadInUse used(need_own(thread));
    Path& found = thread->thread->path(need_text(name, "name"));
    need(path, "path") = one_for(thread->paths, &es_path::path, found, *thread);
    return ES_OK;
  });
}

es_status es_thread_path_with(es_thread* thread, const char* name, const char* format, size_t threshold,
                              bool discards, es_path** path) {
  if (path != nullptr) *path = nullptr;
  return guarded([&] {
    const ElementConfig element = element_of(name, format, threshold, discards);
    const ThreadInUse used(need_own(thread));
    Path& found = thread->thread->path(element.name, element);
    need(path, "path") = one_for(thread->paths, &es_path::path, found, *thread);
    return ES_OK;
  });
}

es_status es_thread_set_virtual_time(es_thread* thread, uint64_t value) {
  return guarded([&] {
    const ThreadInUse used(need_own(thread));
    thread->thread->set_virtual_time(value);
    return ES_OK;
  });
}

const char* es_path_name(const es_path* path) { return path != nullptr ? path->path->name().c_str() : ""; }
