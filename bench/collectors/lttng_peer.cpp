#include "bench/collectors/lttng_peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <vector>

#include <eventspace/error.h>
#include "bench/collectors/recorded_path.h"
#include "bench/collectors/waiting.h"
#include "collectors/event_record.h"
#include "monitors/servers/child_process.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include "bench/collectors/lttng_tracepoints.h"
#pragma GCC diagnostic pop

namespace eventspace::bench {
class LttngPeer::Session {
 public:
  Session() = default;
  // Not in the constructor, so that the destructor cleans up after a failure in the middle.
  void start() {
    std::filesystem::create_directories(directory_);
    // If a daemon already runs, this one exits at once and the other serves.
    daemon_ = ChildProcess::start({{"lttng-sessiond"}, {}, directory_ / "daemon.txt", true});
    if (!eventually([] { return run({"lttng", "--no-sessiond", "list"}); }))
      throw EnvironmentError("no session daemon answers");
    created_ = require({"create", name_, "--snapshot", "--output=" + (directory_ / "traces").string()});
    require({"enable-channel", "--userspace", "--session=" + name_, "--overwrite", "flight-recorder"});
    require({"enable-event", "--userspace", "--session=" + name_, "--channel=flight-recorder",
             "eventspace_bench:*"});
    require({"start", name_});
    if (!eventually([] { return lttng_ust_tracepoint_enabled(eventspace_bench, operation_ends) != 0; }))
      throw EnvironmentError("its tracepoints were not switched on in time");
  }
  ~Session() {
    if (created_) run({"lttng", "--no-sessiond", "destroy", name_});
    if (daemon_ && !daemon_->poll()) {
      daemon_->signal(SIGTERM);
      daemon_->wait();
    }
    std::error_code error;
    std::filesystem::remove_all(directory_, error);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  static bool run(std::vector<std::string> command) {
    return ChildProcess::start({std::move(command), {}, "/dev/null"}).wait().is_fine();
  }
  static bool require(std::vector<std::string> words) {
    const std::string what = words.front();
    words.insert(words.begin(), {"lttng", "--no-sessiond"});
    if (!run(std::move(words))) throw EnvironmentError(fmt::format("`lttng {}` failed", what));
    return true;
  }

  const std::string name_ = fmt::format("eventspace-bench-{}", ::getpid());
  const std::filesystem::path directory_ = std::filesystem::temp_directory_path() / name_;
  std::optional<ChildProcess> daemon_;
  bool created_{false};
};

LttngPeer::LttngPeer() {
  if (!is_measuring()) {
    unavailable_ = "peers that are programs of their own run only from scripts/bench";
    return;
  }
  try {
    session_ = std::make_unique<Session>();
    session_->start();
  } catch (const Error& error) {
    session_.reset();
    unavailable_ = fmt::format("LTTng-UST: {}", error.what());
  }
}
LttngPeer::~LttngPeer() = default;

void LttngPeer::record(Stage& stage, Operation& operation, std::size_t times) {
  Stage* hidden = &stage;
  for (std::size_t i = 0; i < times; ++i) {
    lttng_ust_tracepoint(eventspace_bench, operation_begins, 7, 30, no_peer, 0,
                         static_cast<std::uint8_t>(operation.verb),
                         static_cast<std::uint8_t>(operation.from));
    hidden->call(operation);
    lttng_ust_tracepoint(eventspace_bench, operation_ends,
                         static_cast<std::uint32_t>(operation.tuple.encoded_size()),
                         static_cast<std::uint8_t>(operation.status),
                         static_cast<std::uint32_t>(operation.missed), operation.sequence, i);
  }
}

}  // namespace eventspace::bench
