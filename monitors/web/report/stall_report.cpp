#include "monitors/web/report/stall_report.h"

#include <utility>

#include <eventspace/error.h>
#include "monitors/archive/recorder.h"
#include "monitors/web/report/report_file.h"
#include "monitors/web/timeline/own_folder.h"

namespace eventspace::web {

struct StallReport::State {
  Watched watched;
  std::filesystem::path output;
  std::string program;
  ScopeTree tree;
  std::string session{};
  OwnFolder folder{};
  bool is_taken{false};
};

StallReport::StallReport(const Watched& watched, std::filesystem::path output, std::string program) {
  if (watched.recorded != nullptr)
    throw ConfigurationError("--report needs a running session; use `eventspace report` for a recording");
  require_report_place(output, false);
  // The folder in it cannot be moved.
  // NOLINTNEXTLINE(modernize-make-unique)
  state_.reset(new State{watched, std::move(output), std::move(program), Recorder::scope_of(watched)});
}

StallReport::~StallReport() = default;
StallReport::StallReport(StallReport&&) noexcept = default;
StallReport& StallReport::operator=(StallReport&&) noexcept = default;

void StallReport::take(Consumer& consumer) {
  Recorder recorder(state_->watched, consumer, state_->tree,
                    {.file = state_->folder.recording(), .program = state_->program});
  recorder.run_once();
  state_->session = consumer.session();
  state_->is_taken = true;
}

void StallReport::write(const HeartbeatPace::Wishes& pace) {
  if (!state_->is_taken) return;
  write_report({.recording = state_->folder.recording(), .name = state_->session, .pace = pace},
               state_->output, false, false);
}

}  // namespace eventspace::web
