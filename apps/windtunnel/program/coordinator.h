// The thread `main` of the pathmap: takes what the workers of all processes send, checks that they belong to
// the same run, draws pictures on the way, and adds everything up.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "apps/windtunnel/exchange/message.h"
#include "apps/windtunnel/pictures/frames.h"
#include "apps/windtunnel/program/summary.h"
#include "pathmaps/sessions/session.h"

namespace eventspace::windtunnel {

class Coordinator {
 public:
  // Throws EnvironmentError if pictures are wanted and 'frames' cannot be written to. The session must
  // outlive it.
  Coordinator(Session& session, const Settings& settings, const std::filesystem::path& frames);

  // To be called in the thread that is to be `main`. Takes messages until every worker and every process
  // has reported. Throws ConfigurationError for one with other settings, OperationError when the session is
  // closed. The events of this process are not in the summary: it may still record some.
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
