#pragma once

#include <eventspace.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/session.h>

struct es_path {
  explicit es_path(eventspace::Path& of) : path(&of) {}
  eventspace::Path* path;
  std::atomic<bool> is_busy{false};  // a call is under way
};

struct es_thread {
  explicit es_thread(eventspace::SessionThread& of) : thread(&of) {}
  eventspace::SessionThread* thread;
  const std::thread::id owner{std::this_thread::get_id()};
  std::vector<std::unique_ptr<es_path>> paths;
};

struct es_session {
  explicit es_session(eventspace::Session of) : session(std::move(of)), names(session.threads()) {}

  eventspace::Session session;
  const std::vector<std::string> names;  // of the threads of the pathmap
  std::atomic<bool> is_closed{false};
  std::mutex mutex;  // guards the member below
  std::vector<std::unique_ptr<es_thread>> threads;
};
