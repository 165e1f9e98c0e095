#include "monitors/archive/stall_snapshot.h"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/archive/recorder.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

ScopeTree tree_of(const Watched& watched) {
  if (watched.recorded != nullptr)
    throw ConfigurationError("--snapshot needs a running session, not a recording");
  return Recorder::scope_of(watched);
}

}  // namespace

StallSnapshot::StallSnapshot(const Watched& watched, std::filesystem::path file, std::string program)
    : watched_(&watched), file_(std::move(file)), program_(std::move(program)), tree_(tree_of(watched)) {
  std::error_code error;
  if (std::filesystem::exists(file_, error))
    throw EnvironmentError(file_.string() + " exists; name another file for --snapshot, or remove it");
  const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error))
    throw EnvironmentError(
        fmt::format("--snapshot {}: the folder {} does not exist", file_.string(), folder.string()));
}

void StallSnapshot::take(Consumer& consumer) const {
  Recorder recorder(*watched_, consumer, tree_, {.file = file_, .program = program_});
  recorder.run_once();
  std::cerr << fmt::format("snapshot of {} in {}\n", counted(recorder.totals().events, "event"),
                           file_.string());
}

}  // namespace eventspace
