#include "scopes/recordings/recording_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scopes/recordings/recording_format.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

using recording::ChunkHeader;
using recording::ChunkKind;

namespace {

// A chunk of this many records is decoded in a few milliseconds, and would gain little from more.
constexpr std::size_t records_in_a_chunk = 1u << 16;

/// When the events of a chunk began and ended, on the recorder's clock.
struct Span {
  std::int64_t first{std::numeric_limits<std::int64_t>::max()};
  std::int64_t last{std::numeric_limits<std::int64_t>::min()};
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what, int error) {
  throw EnvironmentError::from_errno("cannot " + what + " " + file.string(), error);
}

// A file that no process writes can be replaced. Readers that have it open keep it.
void remove_old(const std::filesystem::path& file) {
  const FileHandle old(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!old.valid()) {
    if (errno == ENOENT) return;
    refuse(file, "open", errno);
  }
  if (::flock(old.get(), LOCK_EX | LOCK_NB) != 0)
    throw EnvironmentError(file.string() + " is being written by another process; name another file");
  if (::unlink(file.c_str()) != 0) refuse(file, "replace", errno);
}

FileHandle create(const std::filesystem::path& file, bool replaces) {
  if (replaces) remove_old(file);
  FileHandle made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made.valid() && errno == EEXIST)
    throw EnvironmentError(file.string() + " exists; name another file, or replace it with --force");
  if (!made.valid()) refuse(file, "make", errno);
  if (::flock(made.get(), LOCK_EX | LOCK_NB) != 0) refuse(file, "lock", errno);
  return made;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    throw EnvironmentError::from_errno("cannot get random bytes", errno);
  return number;
}

std::int64_t realtime_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct RecordingWriter::State {
  explicit State(const Config& config)
      : file(config.file),
        handle(create(config.file, config.replaces)),
        compressor(config.level),
        processes(*config.names),
        collects(config.collects),
        number_of_file(random_number()) {}

  void begin(const RecordedSession& session) {
    const auto header = recording::encode(recording::FileHeader{
        .version = recording::format_version, .file = number_of_file, .created_ns = realtime_now()});
    append(header, {});
    recording::write_description(session, body);
    add(ChunkKind::description, session.begun_ns, {}, 0);
  }

  // Appends two pieces, or nothing.
  void append(Bytes first, Bytes second) {
    if (has_failed) throw EnvironmentError(file.string() + " cannot be written any more");
    const std::uint64_t whole = totals.bytes;
    while (first.size() + second.size() > 0) {
      const std::array<iovec, 2> pieces{iovec{const_cast<std::byte*>(first.data()), first.size()},
                                        iovec{const_cast<std::byte*>(second.data()), second.size()}};
      const ssize_t written = ::writev(handle.get(), pieces.data(), static_cast<int>(pieces.size()));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail(whole, written < 0 ? errno : ENOSPC);
      const auto done = static_cast<std::size_t>(written);
      totals.bytes += done;
      const std::size_t of_first = std::min(done, first.size());
      first = first.subspan(of_first);
      second = second.subspan(done - of_first);
    }
  }

  [[noreturn]] void fail(std::uint64_t whole, int error) {
    has_failed = true;
    totals.bytes = whole;
    // If that fails, too, readers leave out the part of a chunk.
    [[maybe_unused]] const int cut = ::ftruncate(handle.get(), static_cast<off_t>(whole));
    refuse(file, "write", error);
  }

  // Adds a chunk whose body is `body`.
  void add(ChunkKind kind, std::int64_t read_ns, const Span& span, std::size_t records) {
    const Bytes stored = compressor.compress(body);
    ChunkHeader header{.kind = kind, .file = number_of_file, .number = chunks.size(), .read_ns = read_ns};
    header.first_ns = span.first <= span.last ? span.first : read_ns;
    header.last_ns = span.first <= span.last ? span.last : read_ns;
    header.stored = static_cast<std::uint32_t>(stored.size());
    header.size = static_cast<std::uint32_t>(body.size());
    header.records = static_cast<std::uint32_t>(records);
    const std::uint64_t at = totals.bytes;
    append(recording::encode(header), stored);
    chunks.push_back({at, header});
  }

  void add_names(const View& view, std::int64_t read_ns) {
    if (view.names.empty()) return;
    recording::write_names(view.names, body);
    add(ChunkKind::names, read_ns, {}, 0);
  }

  /// The records of one trace element, which come together.
  template <class Use>
  static void for_each_run(std::span<const TraceTuple> records, Use use) {
    constexpr std::uint64_t point = 0xfff0000;
    const auto differ = [](const TraceTuple& a, const TraceTuple& b) {
      return a.words[2] != b.words[2] || ((a.words[3] ^ b.words[3]) & point) != 0;
    };
    while (!records.empty()) {
      const auto next = std::ranges::adjacent_find(records, differ);
      const auto count =
          next == records.end() ? records.size() : static_cast<std::size_t>(next - records.begin()) + 1;
      use(records.first(count));
      records = records.subspan(count);
    }
  }

  // The processes that recorded `records` are marked.
  Span span_of(std::span<const TraceTuple> records, std::vector<const ProcessReport*>& used) {
    Span span;
    for_each_run(records, [&](std::span<const TraceTuple> run) {
      const ProcessReport* const process = processes.of(header_of(run.front()));
      if (process == nullptr) return;
      used.push_back(process);
      for (const TraceTuple& record : {run.front(), run.back()}) {
        const RecordHeader header = header_of(record);
        span.first = std::min(span.first, process->here(header.start).ns);
        span.last = std::max(span.last, process->here(header.in_flight() ? header.start : header.end).ns);
      }
    });
    return span;
  }

  void collect(View&& view, std::int64_t read_ns) {
    if (!collected_since) collected_since = read_ns;
    collected_until = read_ns;
    view.positions.clear();  // of the scope that recorded
    view.levels.clear();
    view.names.clear();
    collected.append(std::move(view));
  }

  void write_collected_if_due(std::int64_t now_ns) {
    const bool is_due = collected.records.size() >= records_in_a_chunk ||
                        (collected_since && now_ns - *collected_since >= collects.count());
    if (is_due) write_collected();
  }

  void write_collected() {
    if (!std::exchange(collected_since, std::nullopt)) return;
    const std::span<const TraceTuple> all = collected.records.whole();
    processes.learn(collected);
    for (std::size_t from = 0; from == 0 || from < all.size(); from += records_in_a_chunk)
      add_part(all.subspan(from, std::min(records_in_a_chunk, all.size() - from)), from == 0);
    collected.clear();
  }

  // Adds some of the collected records, with the processes of these records alone.
  void add_part(std::span<const TraceTuple> records, bool is_first) {
    std::vector<const ProcessReport*> used;
    const Span span = span_of(records, used);
    View part;
    if (is_first) {
      part.loss = collected.loss;
      part.missing = collected.missing;
      part.sources_read = collected.sources_read;
    }
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const ProcessReport* const process : used) part.processes.push_back(*process);
    part.records = std::vector<TraceTuple>(records.begin(), records.end());
    recording::write_view_body(part, body);
    add(ChunkKind::events, collected_until, span, records.size());
  }

  std::filesystem::path file;
  FileHandle handle;
  recording::Compressor compressor;
  RecordProcesses processes;
  std::chrono::nanoseconds collects;
  std::uint64_t number_of_file;
  std::vector<recording::PlacedChunk> chunks;
  std::vector<std::byte> body;
  View collected;  // events that are not in the file yet
  std::optional<std::int64_t> collected_since;
  std::int64_t collected_until{0};
  std::vector<Missing> missing;  // of the last view
  Totals totals;
  bool has_failed{false};
};

RecordingWriter::RecordingWriter(const Config& config) : state_(std::make_unique<State>(config)) {
  state_->begin(config.session);
}
RecordingWriter::~RecordingWriter() = default;

const RecordingWriter::Totals& RecordingWriter::totals() const noexcept { return state_->totals; }

void RecordingWriter::add_events(View&& view, std::int64_t read_ns) {
  State& state = *state_;
  state.add_names(view, read_ns);
  state.totals.events += view.records.size();
  state.totals.loss += view.loss;
  const bool is_news = !view.records.empty() || view.loss != Loss{} || view.missing != state.missing;
  if (is_news) {
    state.missing = view.missing;
    state.collect(std::move(view), read_ns);
  }
  state.write_collected_if_due(read_ns);
}

void RecordingWriter::add_state(const View& view, std::int64_t read_ns) {
  State& state = *state_;
  state.write_collected();
  state.add_names(view, read_ns);
  state.processes.learn(view);
  std::vector<const ProcessReport*> used;
  const std::span<const TraceTuple> all = view.records.whole();
  if (all.size() > ChunkHeader::most_records) {
    throw EnvironmentError(
        fmt::format("{} trace elements have {} newest events; a recording holds at most {}",
                    view.sources_read, all.size(), ChunkHeader::most_records));
  }
  const Span span = state.span_of(all, used);
  recording::write_view_body(view, state.body);
  state.add(ChunkKind::state, read_ns, span, all.size());
}

void RecordingWriter::end(RecordedEnd end) {
  State& state = *state_;
  state.write_collected();
  end.events = state.totals.events;
  end.loss = state.totals.loss;
  recording::write_end(end, state.body);
  state.add(ChunkKind::end, end.ended_ns, {}, 0);
  recording::write_index(state.chunks, state.body);
  if (state.body.size() <= ChunkHeader::most_bytes) {  // else readers look at all headers
    const std::uint64_t at = state.totals.bytes;
    state.add(ChunkKind::index, end.ended_ns, {}, 0);
    state.append(recording::encode(recording::Trailer{state.number_of_file, at}), {});
  }
  if (::fsync(state.handle.get()) != 0 && errno != EINVAL) refuse(state.file, "write", errno);
}

}  // namespace eventspace
