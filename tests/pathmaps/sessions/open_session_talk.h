#pragma once

#include <string>

#include <eventspace/session.h>

namespace eventspace::test {

/// Joins a session without a pathmap as a process of this name.
inline Session open_session(const std::string& process, const std::string& session = "solver",
                            const std::string& node = "") {
  return Session::open(session, {.process = process, .node = node, .collect = {}});
}

}  // namespace eventspace::test
