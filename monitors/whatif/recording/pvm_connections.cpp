#include "monitors/whatif/recording/pvm_connections.h"

#include <cstdint>
#include <map>
#include <utility>

#include "monitors/whatif/recording/message_samples.h"

namespace eventspace::whatif {

void mark_pvm_connections(RecordedProgram& recorded) {
  constexpr std::int64_t least_ns = 1'000'000;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MessageSample> firsts;  // by sender and receiver
  for_each_message(recorded, [&](const MessageSample& sample) {
    if (!sample.is_blocking_send) return;
    const std::uint32_t to = recorded.program.tasks[sample.sender].actions[sample.send].peer;
    const auto [first, is_new] = firsts.try_emplace({sample.sender, to}, sample);
    if (!is_new && sample.sent.begin_ns < first->second.sent.begin_ns) first->second = sample;
  });
  for (const auto& [ends, first] : firsts) {
    const bool has_waited =
        first.posted_ns - first.sent.begin_ns >= least_ns && first.sent.end_ns > first.posted_ns;
    if (has_waited) (void)recorded.program.tasks[first.sender].actions[first.send].with(Mark::sync);
  }
}

}  // namespace eventspace::whatif
