#include "paths/wire/process_codec.h"

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "paths/wire/little_endian.h"

namespace eventspace::msgpack_body {
namespace {

constexpr std::size_t words_of_process = 26;
constexpr std::size_t block_bytes = words_of_process * sizeof(std::uint64_t);
constexpr double least_drift_ppm = -5e5;  // a clock that stands still cannot be converted to

class WordWriter {
 public:
  template <class Integer>
  void integer(Integer value) noexcept {
    little_endian::store(next(), static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  void integer(std::uint64_t value) noexcept { little_endian::store(next(), value); }
  void real(double value) noexcept { little_endian::store(next(), std::bit_cast<std::uint64_t>(value)); }

  /// After all words.
  [[nodiscard]] Bytes block() const noexcept { return block_; }

 private:
  std::byte* next() noexcept { return &block_[sizeof(std::uint64_t) * written_++]; }

  std::array<std::byte, block_bytes> block_;
  std::size_t written_{0};
};

class WordReader {
 public:
  explicit WordReader(Bytes block) : next_(block.data()) {
    if (block.size() != block_bytes) throw BodyError();
  }

  template <class Integer>
  Integer integer() {
    const std::uint64_t word = take();
    if constexpr (std::is_same_v<Integer, std::uint64_t>) return word;
    const auto value = static_cast<std::int64_t>(word);
    if (!std::in_range<Integer>(value)) throw BodyError();
    return static_cast<Integer>(value);
  }
  template <class Enum>
  Enum enumeration(Enum first, Enum last) {
    const std::uint64_t word = take();
    if (word < static_cast<std::uint64_t>(first) || word > static_cast<std::uint64_t>(last))
      throw BodyError();
    return static_cast<Enum>(word);
  }
  bool boolean() { return enumeration<std::uint8_t>(0, 1) != 0; }
  double real() noexcept { return std::bit_cast<double>(take()); }
  double ppm(double least) {
    const double ppm = real();
    if (!(ppm >= least && ppm <= ProcessReport::most_ppm)) throw BodyError();  // nor what is no number
    return ppm;
  }
  std::int64_t error() {
    const auto error = integer<std::int64_t>();
    if (error < 0) throw BodyError();
    return error;
  }

 private:
  std::uint64_t take() noexcept {
    const auto word = little_endian::load<std::uint64_t>(next_);
    next_ += sizeof word;
    return word;
  }

  const std::byte* next_;
};

void write_clock(WordWriter& words, const ClockCalibration& clock) {
  words.integer(static_cast<std::uint32_t>(clock.source));
  words.integer(clock.ticks);
  words.integer(clock.monotonic_ns);
  words.integer(clock.realtime_ns);
  words.real(clock.ns_per_tick);
  words.real(clock.error_ppm);
}

ClockCalibration read_clock(WordReader& words) {
  ClockCalibration clock;
  clock.source = words.enumeration(ClockSource::monotonic, ClockSource::synchronised);
  clock.ticks = words.integer<std::uint64_t>();
  clock.monotonic_ns = words.integer<std::uint64_t>();
  clock.realtime_ns = words.integer<std::uint64_t>();
  clock.ns_per_tick = words.real();
  clock.error_ppm = words.real();
  return clock;
}

void write_relation(WordWriter& words, const ClockRelation& relation) {
  words.integer(relation.known);
  words.integer(relation.jumps);
  words.integer(relation.reference_ns);
  words.integer(relation.offset_ns);
  words.real(relation.drift_ppm);
  words.integer(relation.error_ns);
  words.real(relation.growth_ppm);
  words.integer(relation.covered_since_ns);
  words.integer(relation.covered_error_ns);
  words.integer(relation.bounded_since_ns);
}

ClockRelation read_relation(WordReader& words) {
  ClockRelation relation;
  relation.known = words.boolean();
  relation.jumps = words.integer<std::uint32_t>();
  relation.reference_ns = words.integer<std::int64_t>();
  relation.offset_ns = words.integer<std::int64_t>();
  relation.drift_ppm = words.ppm(least_drift_ppm);
  relation.error_ns = words.error();
  relation.growth_ppm = words.ppm(0);
  relation.covered_since_ns = words.integer<std::int64_t>();
  relation.covered_error_ns = words.error();
  relation.bounded_since_ns = words.integer<std::int64_t>();
  return relation;
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

}  // namespace

void pack_process(Packer& packer, const ProcessReport& process) {
  WordWriter words;
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
  packer.pack_array(2);
  pack_bytes(packer, words.block());
  pack_threads(packer, process.threads);
}

ProcessReport read_process(Entries entries) {
  WordReader words(entries.bytes());
  ProcessReport process;
  process.process = words.integer<std::uint32_t>();
  process.pid = words.integer<std::int32_t>();
  process.start_ticks = words.integer<std::uint64_t>();
  process.state = words.enumeration(RunState::running, RunState::ended);
  process.now_ticks = words.integer<std::uint64_t>();
  process.clock = read_clock(words);
  process.now_monotonic_ns = words.integer<std::int64_t>();
  process.now_error_ns = words.error();
  process.rate_ppm = words.ppm(least_drift_ppm);
  process.rate_error_ppm = words.ppm(0);
  process.relation = read_relation(words);
  process.followed = words.boolean();
  process.threads = read_threads(entries.array());
  entries.expect_end();
  return process;
}

}  // namespace eventspace::msgpack_body
