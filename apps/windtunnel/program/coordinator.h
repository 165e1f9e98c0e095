// The thread `main` of the pathmap: takes the messages of the workers of all processes, checks that they
// belong to the same run, draws pictures, and adds up the results.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include <eventspace/session.h>
#include "apps/windtunnel/exchange/message.h"
#include "apps/windtunnel/pictures/frames.h"
#include "apps/windtunnel/program/summary.h"

namespace eventspace::windtunnel {

class Coordinator {
 public:
  // Throws EnvironmentError if pictures are wanted and cannot be written to 'frames'. The session must
  // outlive this object.
  Coordinator(Session& session, const Settings& settings, const std::filesystem::path& frames);

  // Call once, in the thread that becomes `main`. Takes messages until every worker and every process has
  // reported. Throws ConfigurationError if a worker has other settings, and OperationError when the session
  // is closed. The events of this process are not in the summary, because it may still record some.
  void run();

  const Summary& summary() const { return summary_; }

 private:
  bool is_complete() const;
  void handle(const Tuple& tuple);
  void handle(const Sender& sender, const Hello& hello) const;
  void handle(const Sender& sender, const FramePart& part);
  void handle(const Sender& sender, const SliceResult& result);
  void handle(const Sender& sender, const ProcessReport& report);

  Session& session_;
  std::optional<Frames> frames_;
  Summary summary_;
  std::size_t results_ = 0;
  std::size_t reports_ = 0;
};

}  // namespace eventspace::windtunnel
