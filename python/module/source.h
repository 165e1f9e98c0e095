#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/monitor.h>
#include <eventspace/recording.h>
#include "monitors/watching/watched.h"
#include "python/module/forks.h"

namespace eventspace::python {

/// The observed session: a recording, a running session without a pathmap, or the session of a pathmap. Calls
/// take turns (mutex), since a Monitor is for one thread at a time.
class Source {
 public:
  enum class Kind : std::uint8_t { recording, session, pathmap };

  /// `named`: the file of a recording or a pathmap, or the name of a session. `session`: of a pathmap. Throws
  /// as the functions of Monitor do.
  Source(Kind kind, const std::string& named, std::string session);

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& named() const noexcept { return named_; }

  std::mutex mutex;  ///< guards the two below
  Monitor monitor;
  std::optional<Recording> recording{};

  /// Finds the session again, for an analysis that has its own connections, or its own place in the
  /// recording. Needs no lock.
  [[nodiscard]] Watched watched() const;

 private:
  const Kind kind_;
  const std::string named_;
  const std::string session_;
};

/// The handle that Python objects have on a source: closed, or left behind in the parent of a fork, it
/// throws.
class SourceHandle {
 public:
  explicit SourceHandle(std::shared_ptr<Source> source);
  /// The source, for as long as the caller uses it. Throws OperationError (closed) after close(), and
  /// UsageError in a forked child.
  [[nodiscard]] std::shared_ptr<Source> use() const;
  void close() noexcept;
  /// False in a forked child.
  [[nodiscard]] bool is_closed() const noexcept { return !source_.is_foreign() && source_.use() == nullptr; }

 private:
  OfThisProcess<std::shared_ptr<Source>> source_;
};

}  // namespace eventspace::python
