#include "scopes/recordings/recording_writer.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "scopes/recordings/chunk_file.h"
#include "scopes/recordings/event_chunks.h"
#include "scopes/recordings/part_names.h"
#include "scopes/recordings/recording_format.h"
#include "scopes/tree/view_events.h"

namespace eventspace {

using recording::ChunkHeader;
using recording::ChunkKind;
using recording::NewChunk;

namespace {

// Files of an earlier recording in parts would be taken for parts of this one, and readers would read a file
// with the name of the whole recording instead of the parts.
void make_room_for_parts(const std::filesystem::path& file, bool replaces) {
  std::vector<std::filesystem::path> earlier;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    if (!replaces) {
      throw EnvironmentError(file.string() +
                             " exists, and would be read instead of the parts; name another file, or replace "
                             "it with --force");
    }
    earlier.push_back(file);
  }
  for (const recording::PartFile& part : recording::find_parts(file)) {
    if (!replaces) {
      throw EnvironmentError(part.file.string() +
                             " exists, a part of an earlier recording; name another file, or replace all "
                             "parts with --force");
    }
    earlier.push_back(part.file);
  }
  recording::remove_recordings(earlier);
}

}  // namespace

struct RecordingWriter::State {
  explicit State(const Config& of) : config(of), events(*of.names) {
    if (config.rotation.any()) begin_parts();
    begin_file();
  }

  void begin_parts() {
    make_room_for_parts(config.file, config.replaces);
    config.session.part = 1;
    auto& run = config.session.run;
    if (::getrandom(&run, sizeof run, 0) != static_cast<ssize_t>(sizeof run))
      throw EnvironmentError::from_errno("cannot get random bytes", errno);
  }

  void begin_file() {
    const bool is_part = config.session.part != 0;
    const auto name = is_part ? recording::name_of_part(config.file, config.session.part) : config.file;
    file.emplace(name, config.level, config.replaces && !is_part);
    of_file = {};
    is_described_again = false;
    add_description();
    if (is_part) parts.push_back(name);
  }

  void add_description() {
    recording::write_description(config.session, body);
    add({.kind = ChunkKind::description, .read_ns = config.session.begun_ns});
  }

  // Far from the begin, so that damage in one place does not destroy both.
  void describe_again() {
    if (!std::exchange(is_described_again, true)) add_description();
  }

  // Adds a chunk whose body is `body`.
  void add(const NewChunk& chunk) {
    file->add(chunk, body);
    count_bytes();
  }

  void count_bytes() { totals.bytes = of_earlier_files + file->bytes(); }

  void add_names(std::span<const OwnName> names, std::int64_t read_ns) {
    if (names.empty()) return;
    recording::write_names(names, body);
    add({.kind = ChunkKind::names, .read_ns = read_ns});
  }

  // Each part has all names so far, as views carry each name only once.
  void learn_names(const View& view, std::int64_t read_ns) {
    add_names(view.names, read_ns);
    if (config.rotation.any()) names.insert(names.end(), view.names.begin(), view.names.end());
  }

  void write_collected() {
    events.cut([this](const View& view, const NewChunk& chunk) {
      recording::write_view_body(view, body);
      of_file.events += count_events(view.records.whole());
      of_file.loss += view.loss;
      add(chunk);
    });
  }

  [[nodiscard]] bool has_more_parts() const noexcept {
    return config.rotation.any() && config.session.part < recording::max_parts;
  }
  [[nodiscard]] bool is_full() const noexcept {
    return config.rotation.bytes != 0 && file->bytes() >= config.rotation.bytes && has_more_parts();
  }
  [[nodiscard]] bool shall_rotate(std::int64_t now_ns) const noexcept {
    const bool is_old =
        config.rotation.age.count() != 0 && now_ns - config.session.begun_ns >= config.rotation.age.count();
    return has_more_parts() && (is_full() || is_old);
  }

  void rotate(std::int64_t now_ns) {
    const auto next = recording::name_of_part(config.file, config.session.part + 1);
    finish({.reason = "goes on in " + next.filename().string(), .ended_ns = now_ns});
    of_earlier_files += file->bytes();
    ++config.session.part;
    config.session.records_before = events.records();
    config.session.begun_ns = now_ns;
    begin_file();
    add_names(names, now_ns);
    while (config.rotation.keep != 0 && parts.size() > config.rotation.keep) {
      std::error_code ignored;  // it may be gone already
      std::filesystem::remove(parts.front(), ignored);
      parts.pop_front();
    }
  }

  void finish(RecordedEnd end) {
    end.events = of_file.events;
    end.loss = of_file.loss;
    const std::int64_t ended_ns = end.ended_ns;
    describe_again();
    recording::write_end(end, body);
    add({.kind = ChunkKind::end, .read_ns = ended_ns});
    file->finish(ended_ns);
    count_bytes();
  }

  Config config;
  std::optional<recording::ChunkFile> file;
  recording::EventChunks events;
  std::vector<std::byte> body;
  std::vector<OwnName> names;
  std::vector<Missing> missing;             // of the last view
  std::deque<std::filesystem::path> parts;  // existing parts
  Totals of_file;
  Totals totals;
  std::uint64_t of_earlier_files{0};
  bool is_described_again{false};
};

RecordingWriter::RecordingWriter(const Config& config) : state_(std::make_unique<State>(config)) {}
RecordingWriter::~RecordingWriter() = default;

const RecordingWriter::Totals& RecordingWriter::totals() const noexcept { return state_->totals; }
bool RecordingWriter::wants_state() const noexcept { return state_->is_full(); }
const std::filesystem::path& RecordingWriter::file() const noexcept { return state_->file->file(); }

void RecordingWriter::add_events(View&& view, std::int64_t read_ns) {
  State& state = *state_;
  state.learn_names(view, read_ns);
  state.totals.events += count_events(view.records.whole());
  state.totals.loss += view.loss;
  const bool is_thinned = std::ranges::any_of(
      view.processes, [](const ProcessReport& process) { return !process.collecting.is_complete(); });
  const bool is_news =
      !view.records.empty() || is_thinned || view.loss != Loss{} || view.missing != state.missing;
  if (is_news) {
    state.missing = view.missing;
    state.events.collect(std::move(view), read_ns);
  }
  if (state.events.is_due(read_ns, state.config.collects)) state.write_collected();
}

void RecordingWriter::add_state(const View& view, std::int64_t read_ns) {
  State& state = *state_;
  if (view.records.size() > ChunkHeader::max_records) {
    throw EnvironmentError(
        fmt::format("{} trace elements have {} newest events; a recording holds at most {}",
                    view.sources_read, view.records.size(), ChunkHeader::max_records));
  }
  state.write_collected();
  if (state.shall_rotate(read_ns)) state.rotate(read_ns);
  constexpr std::uint64_t far_from_the_begin = 1u << 16;
  if (state.file->bytes() > far_from_the_begin) state.describe_again();
  state.learn_names(view, read_ns);
  const recording::Span span = state.events.span_of(view);
  recording::write_view_body(view, state.body);
  state.add({.kind = ChunkKind::state, .read_ns = read_ns, .span = span, .records = view.records.size()});
}

void RecordingWriter::end(RecordedEnd end) {
  state_->write_collected();
  state_->finish(std::move(end));
}

}  // namespace eventspace
