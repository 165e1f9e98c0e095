#include "pathmaps/sessions/ending_server.h"

#include <algorithm>

#include "pathmaps/hosting/segment_search.h"

namespace eventspace {
namespace {

// Every call reads the directory again.
LocalSegments::Config search_for(const Plan& plan, const std::string& session) {
  LocalSegments::Config config = segments_of_machine(plan, session);
  config.rescan = std::chrono::nanoseconds(0);
  return config;
}

}  // namespace

// A process may connect after the last check. So the decisive check comes when processes can no longer
// connect, and earlier attempts have become connections. Only then is the server's data dropped.
void serve_until_idle(EndingServer& server, std::chrono::nanoseconds idle,
                      const std::function<bool(std::chrono::nanoseconds)>& wait) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds longest = std::chrono::seconds(1);
  constexpr std::chrono::nanoseconds until_connected = std::chrono::milliseconds(20);
  auto needed = Clock::now();
  while (
      !wait(std::min(longest, std::max(idle / 4, std::chrono::nanoseconds(std::chrono::milliseconds(1)))))) {
    if (server.is_needed()) needed = Clock::now();
    if (Clock::now() - needed < idle) continue;
    server.hide();
    if (wait(until_connected) || !server.is_needed() || !server.show()) return;
    needed = Clock::now();
  }
}

LiveProcesses::LiveProcesses(const Plan& plan, const std::string& session)
    : segments_(search_for(plan, session)) {}

bool LiveProcesses::any() {
  const auto& processes = segments_.find_dynamic().list();
  return std::ranges::any_of(processes, [this](const DynamicProcess& process) {
    const SegmentView& segment = *process.run->segment;
    return segment.intact() && may_live(segments_.state_of(segment));
  });
}

}  // namespace eventspace
