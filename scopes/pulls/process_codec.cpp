#include "scopes/pulls/process_codec.h"

#include <cstdint>

#include "collectors/switching/switch_target.h"
#include "paths/wire/relation_codec.h"

namespace eventspace::msgpack_body {
namespace {

constexpr std::size_t words_of_process = 17 + words_of_relation;
using Writer = WordWriter<words_of_process>;
using Reader = WordReader<words_of_process>;

double read_ppm(Reader& words, double least) { return words.real(least, ProcessReport::max_ppm); }

void write_clock(Writer& words, const ClockCalibration& clock) {
  words.integer(static_cast<std::uint32_t>(clock.source));
  words.integer(clock.ticks);
  words.integer(clock.monotonic_ns);
  words.integer(clock.realtime_ns);
  words.real(clock.ns_per_tick);
  words.real(clock.error_ppm);
}

ClockCalibration read_clock(Reader& words) {
  ClockCalibration clock;
  clock.source = words.enumeration(ClockSource::monotonic, ClockSource::synchronised);
  clock.ticks = words.integer<std::uint64_t>();
  clock.monotonic_ns = words.integer<std::uint64_t>();
  clock.realtime_ns = words.integer<std::uint64_t>();
  clock.ns_per_tick = words.real();
  clock.error_ppm = words.real();
  if (!clock.is_sound()) throw BodyError();
  return clock;
}

void pack_threads(Packer& packer, const std::vector<ThreadReport>& threads) {
  packer.pack_array(static_cast<std::uint32_t>(threads.size() * 4));
  for (const ThreadReport& thread : threads) {
    packer.pack(thread.thread);
    packer.pack(thread.tid);
    packer.pack(static_cast<std::uint8_t>(thread.state));
    packer.pack(thread.cpu_ns);
  }
}

std::vector<ThreadReport> read_threads(Entries entries) {
  std::vector<ThreadReport> threads;
  threads.reserve(entries.left() / 4);
  while (entries.more()) {
    ThreadReport thread;
    thread.thread = entries.integer<std::uint32_t>();
    thread.tid = entries.integer<std::int32_t>();
    thread.state = static_cast<char>(entries.integer<std::uint8_t>());
    thread.cpu_ns = entries.integer<std::uint64_t>();
    threads.push_back(thread);
  }
  return threads;
}

void pack_in_flight(Packer& packer, const std::vector<TraceTuple>& records) {
  packer.pack_array(static_cast<std::uint32_t>(records.size() * 3));
  for (const TraceTuple& record : records) {
    for (const std::size_t word : {1, 2, 3}) packer.pack(record.words[word]);
  }
}

std::vector<TraceTuple> read_in_flight(Entries entries) {
  std::vector<TraceTuple> records;
  records.reserve(entries.left() / 3);
  while (entries.more()) {
    TraceTuple& record = records.emplace_back();
    for (const std::size_t word : {1, 2, 3}) record.words[word] = entries.integer<std::uint64_t>();
  }
  return records;
}

constexpr std::size_t words_of_usage = 6;

void pack_usage(Packer& packer, const ProcessUsage& usage) {
  WordWriter<words_of_usage> words;
  words.integer(usage.cpu_ns);
  words.integer(usage.memory_bytes);
  words.integer(usage.voluntary_switches);
  words.integer(usage.involuntary_switches);
  words.real(usage.node_load);
  words.integer(usage.node_processors);
  pack_bytes(packer, words.block());
}

ProcessUsage read_usage(Bytes block) {
  constexpr double highest_load = 1e9;
  WordReader<words_of_usage> words(block);
  ProcessUsage usage;
  usage.cpu_ns = words.integer<std::uint64_t>();
  usage.memory_bytes = words.integer<std::uint64_t>();
  usage.voluntary_switches = words.integer<std::uint64_t>();
  usage.involuntary_switches = words.integer<std::uint64_t>();
  usage.node_load = words.real(0.0, highest_load);
  usage.node_processors = words.integer<std::uint32_t>();
  if (usage.node_processors == 0) throw BodyError();
  return usage;
}

}  // namespace

void pack_process(Packer& packer, const ProcessReport& process) {
  Writer words;
  words.integer(process.process);
  words.integer(process.pid);
  words.integer(process.start_ticks);
  words.integer(static_cast<std::uint8_t>(process.state));
  words.integer(process.now_ticks);
  write_clock(words, process.clock);
  words.integer(process.now_monotonic_ns);
  words.integer(process.now_error_ns);
  words.real(process.rate_ppm);
  words.real(process.rate_error_ppm);
  write_relation(words, process.relation);
  words.integer(process.followed);
  words.integer(process.complete_ticks);
  packer.pack_array(process.usage ? 5 : 4);
  pack_bytes(packer, words.block());
  pack_threads(packer, process.threads);
  pack_state(packer, process.collecting);
  pack_in_flight(packer, process.in_flight);
  if (process.usage) pack_usage(packer, *process.usage);
}

ProcessReport read_process(Entries entries) {
  Reader words(entries.bytes());
  ProcessReport process;
  process.process = words.integer<std::uint32_t>();
  process.pid = words.integer<std::int32_t>();
  process.start_ticks = words.integer<std::uint64_t>();
  process.state = words.enumeration(RunState::running, RunState::unknown);
  process.now_ticks = words.integer<std::uint64_t>();
  process.clock = read_clock(words);
  process.now_monotonic_ns = words.integer<std::int64_t>();
  process.now_error_ns = words.error();
  process.rate_ppm = read_ppm(words, min_drift_ppm);
  process.rate_error_ppm = read_ppm(words, 0);
  process.relation = read_relation(words);
  process.followed = words.boolean();
  process.complete_ticks = words.integer<std::uint64_t>();
  process.threads = read_threads(entries.array());
  process.collecting = read_state(entries.array());
  process.in_flight = read_in_flight(entries.array());
  if (entries.more()) process.usage = read_usage(entries.bytes());
  entries.expect_end();
  return process;
}

}  // namespace eventspace::msgpack_body
