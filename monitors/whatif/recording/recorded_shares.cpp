#include "monitors/whatif/recording/recorded_shares.h"

#include <algorithm>

#include "tuplespace/system/saturating.h"

namespace eventspace::whatif {

std::vector<std::vector<RecordedShare>> recorded_shares(const RecordedProgram& recorded) {
  const Program& program = recorded.program;
  std::vector<std::vector<RecordedShare>> shares(program.tasks.size(),
                                                 std::vector<RecordedShare>(program.functions.size()));
  for (std::size_t task = 0; task < program.tasks.size(); ++task) {
    ActionTime last{-1, -1};
    for (std::size_t i = 0; i < program.tasks[task].actions.size(); ++i) {
      const Action& action = program.tasks[task].actions[i];
      const ActionTime& time = recorded.times[task][i];
      // Each action of a call has the time of the whole call.
      const bool is_same_call = time.begin_ns == last.begin_ns && time.end_ns == last.end_ns;
      last = time;
      if (action.function == 0) continue;
      RecordedShare& share = shares[task][action.function];
      if (!is_same_call) share.time = saturating::add(share.time, ps_of(time.duration()));
      share.library = saturating::add(share.library, action.takes);
    }
    for (RecordedShare& share : shares[task]) share.library = std::min(share.library, share.time);
  }
  return shares;
}

}  // namespace eventspace::whatif
