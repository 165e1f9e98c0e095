#include <eventspace/stream_network.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "paths/security/secret_key.h"
#include "scopes/streams/attaching/network_keys.h"
#include "scopes/streams/launching/listening.h"
#include "scopes/streams/launching/start_sheet.h"
#include "scopes/streams/launching/started_children.h"

namespace eventspace::streams {
namespace {

std::string name_for(std::string given) {
  static std::atomic<int> made{0};
  return given.empty() ? fmt::format("launched-{}-{}", ::getpid(), ++made) : std::move(given);
}

bool is_all_here(const Topology& topology) {
  return std::ranges::all_of(topology.processes(),
                             [](const TreeProcess& process) { return is_this_machine(process.host); });
}

}  // namespace

class LaunchedNetwork::State {
 public:
  State(const Topology& given, LaunchOptions options, std::string name)
      : sheet{.network = name_for(std::move(name)),
              .options = std::move(options),
              .topology = given.to_text()},
        topology(Topology::of_text(sheet.topology)) {
    sheet.options.over_network |= !is_all_here(topology);
    if (sheet.options.internal.empty())
      throw ConfigurationError("no command for internal processes is given");
    if (sheet.options.over_network) {
      keys = NetworkKeys::make(sheet.network);
      listen_at_free_port(topology.at(0).host, [this](const Listening& at) { open(at); });
      sheet.keys = keys->to_text();
    } else {
      open({});
    }
    children.emplace(sheet, topology, StartedChildren::Parent{0, front_end->endpoint(), key_file()});
    overwrite(sheet.keys);
  }
  ~State() {
    front_end.reset();  // its children notice, and end
    if (children) children->end();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void open(const Listening& at) {
    front_end.emplace(topology, FrontEnd::Options{.name = sheet.network,
                                                  .endpoint = at.endpoint,
                                                  .security = keys ? keys->security() : nullptr,
                                                  .internals = FrontEnd::Internals::elsewhere,
                                                  .keys = key_file(),
                                                  .announced = at.announced,
                                                  .adoption = sheet.options.adoption,
                                                  .session = sheet.options.session,
                                                  .find_failures = [this] {
                                                    return children ? children->take_failures()
                                                                    : std::vector<std::string>();
                                                  }});
  }
  [[nodiscard]] std::filesystem::path key_file() const {
    return keys ? keys->file() : std::filesystem::path();
  }

  /// Calls `look`, which waits for a short time, until it returns that all are there.
  template <class Look>
  void wait(Deadline deadline, Look look) {
    constexpr std::chrono::milliseconds between_looks{50};
    while (!look(earlier(deadline, Deadline::after(between_looks)))) {
      require_no_failure();
      if (deadline.passed()) throw EnvironmentError(who_is_missing());
    }
    require_no_failure();
  }
  void require_no_failure() const {
    const auto& failures = front_end->failures();
    if (failures.empty()) return;
    throw EnvironmentError(
        fmt::format("the network {} could not be started: {}", sheet.network, fmt::join(failures, "; ")));
  }

  [[nodiscard]] std::string who_is_missing() const {
    constexpr std::size_t max_named = 10;
    const RankSet there = front_end->internals() | front_end->ranks();
    std::vector<std::string> missing;
    std::size_t count = 0;
    for (std::uint32_t i = 1; i < topology.size(); ++i) {
      const TreeProcess& process = topology.at(i);
      const bool is_internal = process.part == Part::internal;
      if (!is_internal && sheet.options.back_end.empty()) continue;
      if (there.contains(is_internal ? rank_of_internal(i) : process.rank)) continue;
      if (++count <= max_named) missing.push_back(process.name());
    }
    return fmt::format(
        "the network {} is not complete in time: {} of its processes are missing: {}{}; their "
        "output says why",
        sheet.network, count, fmt::join(missing, ", "), count > max_named ? ", ..." : "");
  }

  StartSheet sheet;
  Topology topology;
  std::shared_ptr<const NetworkKeys> keys;
  std::optional<FrontEnd> front_end;
  std::optional<StartedChildren> children;
};

LaunchedNetwork::LaunchedNetwork(const Topology& topology, LaunchOptions options, std::string name)
    : state_(std::make_unique<State>(topology, std::move(options), std::move(name))) {}
LaunchedNetwork::~LaunchedNetwork() = default;

FrontEnd& LaunchedNetwork::front_end() noexcept { return *state_->front_end; }

void LaunchedNetwork::wait_until_ready(Deadline deadline) {
  FrontEnd& front_end = *state_->front_end;
  const Topology& topology = state_->topology;
  state_->wait(deadline,
               [&](Deadline look) { return front_end.wait_for_internals(topology.internals(), look); });
  // Internal processes announce where they listen.
  std::size_t announced = 0;
  state_->wait(deadline, [&](Deadline) {
    announced = 0;
    for (const ProcessReport& process : front_end.gather_report(deadline).processes) {
      const bool is_internal =
          process.process < topology.size() && topology.at(process.process).part == Part::internal;
      if (!is_internal) continue;
      front_end.announce(process.process, process.endpoint);
      ++announced;
    }
    return announced >= topology.internals();
  });
  if (state_->sheet.options.back_end.empty()) return;
  state_->wait(deadline, [&](Deadline look) { return front_end.wait_for(topology.back_ends(), look); });
}

}  // namespace eventspace::streams
