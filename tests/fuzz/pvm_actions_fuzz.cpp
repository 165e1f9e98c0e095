// Treats any records as PVM calls. A call is the same when it is written and read again, and the program that
// `whatif` makes of all calls can be simulated, or is refused.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <eventspace/error.h>
#include "collectors/pvm/pvm_calls.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/recording/fitted_network.h"
#include "monitors/whatif/recording/pvm_actions.h"
#include "monitors/whatif/recording/recorded_shares.h"
#include "monitors/whatif/simulation/simulate.h"
#include "tests/collectors/pvm/pvm_call_named.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

namespace {

TraceTuple record_of(const PvmCallRecord& call, std::uint64_t start, std::uint64_t end,
                     std::uint8_t part = 0) {
  return {{1, start, 0, call.word3(0, part), end, call.word5(), call.word6(), call.word7()}};
}

void check_call(const TraceTuple& record) {
  const PvmCallRecord call = pvm_call_of(record);
  if (pvm_call_of(record_of(call, 0, 1)) != call) std::abort();
  (void)describe_pvm_call(call);
  (void)to_string(call.of);
  (void)to_string(call.encoding);
}

// Bounded like by the reader of recordings.
whatif::ActionTime time_of(const TraceTuple& record) {
  const auto bounded = [](std::uint64_t ticks) { return static_cast<std::int64_t>(ticks) >> 2; };
  const std::int64_t begin = bounded(header_of(record).start);
  return {begin, std::max(begin, bounded(header_of(record).end))};
}

void predict(whatif::RecordedProgram recorded) {
  const whatif::FittedNetwork fitted = whatif::fit_network(recorded);
  whatif::separate_overheads(recorded, fitted);
  recorded.program.recorded_calls = whatif::recorded_shares(recorded);
  (void)whatif::require_consistent(recorded.program);
  (void)whatif::simulate(recorded.program, fitted.network);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  whatif::RecordedTasks tasks("fuzz", 40);
  whatif::PvmActions pvm(tasks, 40);
  try {
    std::vector<TraceTuple> event;
    for (; size >= sizeof(TraceTuple); data += sizeof(TraceTuple), size -= sizeof(TraceTuple)) {
      std::memcpy(&event.emplace_back(), data, sizeof(TraceTuple));
      check_call(event.back());
      if (header_of(event.back()).is_continuation() && event.size() <= max_continuations) continue;
      if (pvm_destinations_of(event).size() > pvm_parts::max_destinations) std::abort();
      pvm.add(event, "app", time_of(event.back()));
      event.clear();
    }
    if (pvm.is_empty()) return 0;
    pvm.finish();
    predict(tasks.finish("task"));
  } catch (const Error&) {
    // Refused.
  }
  return 0;
}

namespace {

PvmCallRecord called(std::string_view name, std::uint32_t task, std::uint32_t partner = PvmCallRecord::none) {
  PvmCallRecord call = test::pvm_call_named(name);
  call.task = task;
  call.partner = partner;
  call.tag = 7;
  call.bytes = 100;
  call.group = 9;
  if (call.of == PvmClass::receive) call.add(PvmMarks::found);
  return call;
}

// A reduction of 2^60 ns, all of it requests to the group server.
std::string longest_asking() {
  constexpr std::uint64_t end = std::uint64_t{1} << 62;
  PvmCallRecord asking = called("pvm_gettid", 0x40001);
  asking.add(PvmMarks::nested);
  const std::array records{record_of(called("pvm_reduce", 0x40001, 0), 0, end), record_of(asking, 0, end)};
  return fuzz::text_of(std::as_bytes(std::span(records)));
}

}  // namespace

// Two tasks: one message, a multicast with its inner calls, a barrier and a reduction.
std::vector<std::string> eventspace::fuzz::seeds() {
  constexpr std::uint32_t a = 0x40001, b = 0x40002;
  std::vector<TraceTuple> records;
  std::uint64_t time = 1000;
  const auto add = [&records, &time](const PvmCallRecord& call) {
    records.push_back(record_of(call, 4 * time, 4 * (time + 100)));
    time += 50;
  };
  add(called("pvm_send", a, b));
  PvmCallRecord inside = called("write", a);
  inside.add(PvmMarks::nested);
  add(inside);
  add(called("pvm_recv", b, a));
  TraceTuple destinations = record_of(called("pvm_mcast", a), 4 * time, 4 * (time + 100), 1);
  destinations.words[5] = b;
  destinations.words[6] = destinations.words[7] = 0;
  records.push_back(destinations);
  PvmCallRecord multicast = called("pvm_mcast", a);
  multicast.tasks = 1;
  add(multicast);
  add(called("pvm_recv", b, a));
  for (const std::uint32_t task : {a, b}) add(called("pvm_joingroup", task, task - a));
  for (const std::uint32_t task : {a, b}) {
    PvmCallRecord barrier = called("pvm_barrier", task);
    barrier.tasks = 2;
    add(barrier);
  }
  for (const std::uint32_t task : {a, b}) add(called("pvm_reduce", task, 0));
  return {fuzz::text_of(std::as_bytes(std::span(records))), longest_asking()};
}
