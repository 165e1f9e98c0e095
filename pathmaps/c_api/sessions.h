#pragma once

#include <eventspace.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <eventspace/session.h>
#include "tuplespace/processes/of_this_process.h"

struct es_path {
  es_path(eventspace::Path& of, es_thread& in) : path(&of), thread(&in) {}
  eventspace::Path* path;
  es_thread* thread;
};

struct es_thread {
  es_thread(eventspace::SessionThread& of, const es_session& in) : thread(&of), session(&in) {}
  eventspace::SessionThread* thread;
  const es_session* session;
  // The kernel's id, because the id of pthreads is soon reused when a thread has ended.
  const pid_t owner{::gettid()};
  std::vector<std::unique_ptr<es_path>> paths;
  std::atomic<bool> is_busy{false};  // a call is under way: the paths share connections
};

struct es_session {
  explicit es_session(eventspace::Session of) : session(std::move(of)), names(session.threads()) {}

  eventspace::Session session;
  const std::vector<std::string> names;  // of the threads of the pathmap
  const std::uint32_t generation{eventspace::fork_generation()};
  std::atomic<bool> is_closed{false};
  std::mutex mutex;  // guards the member below
  std::vector<std::unique_ptr<es_thread>> threads;
};

namespace eventspace::c_api {

/// Returns the session, unless it is null or of a parent of this process: then throws Misuse.
es_session& need_session(es_session* session);
void need_own_process(const es_session& session);

/// The use of a thread of a session, and of all its paths, for one call. Throws Misuse while another call
/// uses them, or in a forked child.
class ThreadInUse {
 public:
  explicit ThreadInUse(es_thread& thread);
  ~ThreadInUse() { thread_.is_busy.store(false, std::memory_order_release); }
  ThreadInUse(const ThreadInUse&) = delete;
  ThreadInUse& operator=(const ThreadInUse&) = delete;

 private:
  es_thread& thread_;
};

}  // namespace eventspace::c_api
