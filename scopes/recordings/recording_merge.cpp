#include "scopes/recordings/recording_merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include "collectors/record_header.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

// The interval of one pull of a recorder.
constexpr std::int64_t slice_ns = 20'000'000;
constexpr std::size_t slices = 50;
constexpr std::int64_t window_ns = slice_ns * static_cast<std::int64_t>(slices);
constexpr std::uint64_t max_in_a_window = 1u << 20;

/// How much a clock is behind the clock of the merged recording.
struct Shift {
  std::int64_t ns{0};
  std::int64_t error_ns{0};
};

[[noreturn]] void refuse(const Replay& a, const Replay& b, const std::string& why) {
  throw ConfigurationError(fmt::format("{} and {} do not belong together: {}", a.recording().file().string(),
                                       b.recording().file().string(), why));
}

Shift shift_between(const Replay& to, const Replay& from, const MergeSettings& settings) {
  const RecordedSession& there = from.recording().session();
  const RecordedSession& here = to.recording().session();
  if (!here.clock.empty() && here.clock == there.clock) return {};
  if (settings.clocks_within)
    return {saturating::subtract(there.realtime_ns, here.realtime_ns), settings.clocks_within->count()};
  refuse(to, from,
         fmt::format("they were recorded on different machines ({} and {}), or before and after a start of "
                     "one, and nothing relates their clocks; if their times of day differ by at most 1ms, "
                     "merge with --clocks-within 1ms",
                     here.node, there.node));
}

void check_times(const Replay& a, const Replay& b, Shift shift) {
  const std::int64_t begin = saturating::add(b.begin_ns(), shift.ns);
  const std::int64_t end = saturating::add(b.end_ns(), shift.ns);
  if (begin <= saturating::add(a.end_ns(), shift.error_ns) &&
      end >= saturating::subtract(a.begin_ns(), shift.error_ns))
    return;
  const bool is_after = begin > a.end_ns();
  refuse(a, b,
         fmt::format("the second was {} {} the first {}", is_after ? "begun" : "over",
                     is_after ? format_duration(nanoseconds(begin - a.end_ns())) + " after"
                              : format_duration(nanoseconds(a.begin_ns() - end)) + " before",
                     is_after ? "had ended" : "began"));
}

/// One recording: its clock, and how far it was read.
struct Input {
  Replay* replay;
  Shift shift;
  std::size_t next{0};

  [[nodiscard]] std::span<const RecordingReader::Chunk> chunks() const {
    return replay->recording().chunks();
  }
  [[nodiscard]] bool is_over() const { return next == chunks().size(); }
  [[nodiscard]] std::int64_t read_ns() const { return saturating::add(chunks()[next].read_ns, shift.ns); }
  [[nodiscard]] bool is_at_events() const { return chunks()[next].kind == RecordingReader::Kind::events; }
};

std::vector<Input> inputs_of(std::span<Replay* const> recordings, const MergeSettings& settings) {
  std::vector<Input> inputs;
  const Replay& first = *recordings.front();
  const RecordedSession& of = first.recording().session();
  for (Replay* const one : recordings) {
    const RecordedSession& session = one->recording().session();
    if (session.session != of.session)
      refuse(first, *one, fmt::format("they are of the sessions '{}' and '{}'", of.session, session.session));
    if (session.pathmap != of.pathmap) refuse(first, *one, "their pathmaps differ");
    const Shift shift = shift_between(first, *one, settings);
    check_times(first, *one, shift);
    inputs.push_back({one, shift});
  }
  return inputs;
}

class Merge {
 public:
  Merge(std::span<Replay* const> recordings, const MergeSettings& settings, RecordingWriter& writer)
      : inputs_(inputs_of(recordings, settings)), settings_(settings), writer_(&writer) {}

  void run() {
    add_names();
    now_ = begin();
    std::int64_t state_due = saturating::add(now_, settings_.state_every.count());
    while (std::ranges::any_of(inputs_, [](const Input& input) { return !input.is_over(); })) {
      merge_window();
      if (now_ < state_due) continue;
      add_state();
      state_due = saturating::add(now_, settings_.state_every.count());
    }
    add_state();
    std::vector<std::string> files;
    for (const Input& input : inputs_) files.push_back(input.replay->recording().file().filename().string());
    writer_->end({.reason = fmt::format("merged from {}", fmt::join(files, ", ")), .ended_ns = now_});
  }

 private:
  using Slices = std::array<View, slices>;
  using Source = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;

  [[nodiscard]] std::int64_t begin() const {
    std::int64_t begin = inputs_.front().replay->begin_ns();
    for (const Input& input : inputs_)
      begin = std::min(begin, saturating::add(input.replay->begin_ns(), input.shift.ns));
    return begin;
  }

  // A number has one name in the merged recording.
  void add_names() {
    std::map<std::pair<OwnNameOf, std::uint32_t>, std::pair<std::string, const Input*>> known;
    View view;
    for (const Input& input : inputs_) {
      for (const OwnName& name : input.replay->recording().names()) {
        const auto [place, is_new] = known.try_emplace({name.of, name.number}, name.text, &input);
        if (is_new) view.names.push_back(name);
        if (place->second.first != name.text && place->second.second != &input) {
          refuse(
              *place->second.second->replay, *input.replay,
              fmt::format("number {} is '{}' in one and '{}' in the other, as of processes that no pathmap "
                          "names; record these with one recorder",
                          name.number, place->second.first, name.text));
        }
      }
    }
    inputs_.front().replay->names().learn(view.names);
    writer_->add_events(std::move(view), begin());
  }

  // Merges the chunks that were read in the next second, or fewer if they have many events.
  void merge_window() {
    skip_gap();
    const std::int64_t from = now_;
    const std::int64_t until = saturating::add(from, window_ns);
    auto made = std::make_unique<Slices>();
    std::uint64_t records = 0;
    Input* input = earliest();
    for (; input != nullptr && input->read_ns() <= until && records < max_in_a_window; input = earliest()) {
      now_ = std::max(now_, input->read_ns());
      if (input->is_at_events()) {
        records += input->chunks()[input->next].records;
        cut(*input, from, *made);
      }
      ++input->next;
    }
    if (records < max_in_a_window) now_ = input == nullptr ? now_ : until;
    for (std::size_t i = 0; i < slices; ++i)
      writer_->add_events(std::move((*made)[i]),
                          std::min(now_, saturating::add(from, slice_ns * static_cast<std::int64_t>(i + 1))));
  }

  // A gap may be as long as times can be. The window ends with the next chunk, as its events ended before.
  void skip_gap() {
    const Input* const next = earliest();
    if (next != nullptr) now_ = std::max(now_, saturating::subtract(next->read_ns(), window_ns));
  }

  [[nodiscard]] Input* earliest() {
    Input* found = nullptr;
    for (Input& input : inputs_) {
      if (!input.is_over() && (found == nullptr || input.read_ns() < found->read_ns())) found = &input;
    }
    return found;
  }

  // Adds the events of the input's next chunk to the slices in which they ended.
  void cut(const Input& input, std::int64_t from, Slices& to) {
    const Replay::SharedView view = input.replay->chunk(input.next);
    RecordProcesses processes(input.replay->names());
    processes.learn(*view);
    std::map<Source, std::size_t> before;  // the slice of each trace element's last event
    std::vector<TraceTuple> event;         // with its continuation records, which precede its own
    for (const TraceTuple& record : view->records) {
      event.push_back(record);
      const RecordHeader header = header_of(record);
      if (header.is_continuation()) continue;
      const ProcessReport* const process = processes.of(header);
      const std::int64_t ended =
          process == nullptr ? from : saturating::add(process->here(header.end).ns, input.shift.ns);
      std::size_t& slice = before[{header.thread, header.path, header.point}];
      slice = std::max(slice, slice_of(saturating::subtract(ended, from)));
      for (const TraceTuple& part : event) to[slice].records.push_back(part);
      event.clear();
    }
    for (const TraceTuple& part : event) to.back().records.push_back(part);
    add_rest(*view, input, to);
  }

  static std::size_t slice_of(std::int64_t ns) noexcept {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(ns / slice_ns, 0, slices - 1));
  }

  // Each slice needs the reports of the processes of its events.
  void add_rest(const View& view, const Input& input, Slices& to) {
    to.front().loss += view.loss;
    to.front().missing.insert(to.front().missing.end(), view.missing.begin(), view.missing.end());
    const auto reports = shifted(view, input);
    for (View& slice : to) {
      if (!slice.records.empty())
        slice.processes.insert(slice.processes.end(), reports.begin(), reports.end());
    }
  }

  // The reports on the clock of the merged recording, with the bounds of the relation included.
  std::vector<ProcessReport> shifted(const View& view, const Input& input) {
    std::vector<ProcessReport> reports = view.processes;
    for (ProcessReport& report : reports) {
      const auto [owner, is_new] = owners_.try_emplace(report.process, &input);
      if (owner->second != &input) {
        refuse(*owner->second->replay, *input.replay,
               fmt::format("both have events of process {}; recordings of nodes have different ones (`record "
                           "--node`)",
                           input.replay->names().process_name(report.process)));
      }
      ClockRelation onward;
      onward.offset_ns = input.shift.ns;
      onward.error_ns = onward.covered_error_ns = input.shift.error_ns;
      if (input.shift.ns != 0 || input.shift.error_ns != 0) report.relation = report.relation.then(onward);
    }
    return reports;
  }

  // Adds the state of each recording at this moment.
  void add_state() {
    View state;
    for (const Input& input : inputs_) {
      input.replay->set_now_ns(saturating::subtract(now_, input.shift.ns));
      const Replay::SharedView newest = input.replay->newest();
      View part;
      part.processes = shifted(*newest, input);
      for (const TraceTuple& record : newest->records) part.records.push_back(record);
      part.missing = newest->missing;
      part.sources_read = newest->sources_read;
      state.append(std::move(part));
    }
    writer_->add_state(state, now_);
  }

  std::vector<Input> inputs_;
  MergeSettings settings_;
  RecordingWriter* writer_;
  std::int64_t now_{0};
  std::map<std::uint32_t, const Input*> owners_;  // of processes
};

}  // namespace

void merge_recordings(std::span<Replay* const> recordings, const MergeSettings& settings,
                      RecordingWriter& writer) {
  Merge(recordings, settings, writer).run();
}

RecordedSession merged_session(std::span<Replay* const> recordings, const MergeSettings& settings,
                               std::string program) {
  RecordedSession session = recordings.front()->recording().session();
  session.program = std::move(program);
  session.run = 0;
  session.part = 0;
  for (const Input& input : inputs_of(recordings, settings))
    session.begun_ns = std::min(session.begun_ns, saturating::add(input.replay->begin_ns(), input.shift.ns));
  return session;
}

}  // namespace eventspace
