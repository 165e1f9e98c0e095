#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/export/reading/model.h"
#include "tests/command_output.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::exports {

/// A name with characters that are special in some format: quotes, a comma, a backslash, UTF-8, a newline, a
/// tab, an escape sequence, markup, and an invalid UTF-8 byte.
inline const std::string odd_name = "it's \"odd\", \\ \xc3\xbc\n\t\x1b[31m<b>%s{}\xff";
/// The same name as exported: terminal control characters are escaped.
inline const std::string odd_name_shown = "it's \"odd\", \\ \xc3\xbc\\n\\u0009\\u001b[31m<b>%s{}\\xff";

/// Further properties of a slice, besides its track, times and name.
struct MoreOfSlice {
  std::vector<MessageEnd> messages{};
  std::vector<MpiMessage> mpi_messages{};
  bool in_flight{false};
  bool is_instant{false};
  std::optional<MpiCallRecord> call{};
  std::vector<std::pair<const char*, FieldReader::Value>> arguments{};
};

/// The input of a sink, described in a few words. Times are nanoseconds since recording began, at 1 s of the
/// clock; the recorder's machine was started in 2001.
class ExportStory {
 public:
  static constexpr std::int64_t begin_ns = 1'000'000'000;
  static constexpr std::int64_t realtime_ns = 1'000'000'000'000'000'000;

  explicit ExportStory(Sink& sink) : sink_(&sink) {
    Recorded recorded{.file = "run.evs", .begin_ns = begin_ns, .end_ns = begin_ns + 1'000'000};
    recorded.session.session = "story " + odd_name;
    recorded.session.node = "n1";
    recorded.realtime_ns = realtime_ns;
    recorded.names = &job.names;
    sink_->begin(recorded);
    report_.process = 1;
    report_.pid = 100;
  }

  TrackId track(const std::string& thread, std::uint32_t process = 1, std::uint32_t lane = 0,
                TrackId first = 0) {
    Track track{
        .id = ++tracks_, .lane = lane, .first = first == 0 ? tracks_ : first, .process = process, .pid = 100};
    track.node = kept("n1");
    track.process_name = kept("app." + std::to_string(process - 1));
    track.thread = kept(thread);
    track.rank = process - 1;
    sink_->add(track);
    return track.id;
  }
  /// Returns the number of the slice.
  std::uint64_t slice(TrackId track, std::int64_t begin, std::int64_t end, const std::string& name,
                      const MoreOfSlice& more = {}) {
    Slice slice;
    slice.id = ++slices_;
    slice.track = track;
    slice.begin_ns = begin_ns + begin;
    slice.end_ns = begin_ns + end;
    slice.error_ns = 25;
    slice.in_flight = more.in_flight;
    slice.is_instant = more.is_instant;
    slice.event = {record_of(slice, more), &report_};
    slice.kind = slice.event.header().kind;
    slice.kind_name = EventKinds::instance().name_of(slice.kind);
    slice.name = kept(name);
    std::vector<Argument> arguments;
    for (const auto& [field, value] : more.arguments)
      arguments.push_back({&EventKinds::instance().field(*EventKinds::instance().field_named(field)), value});
    slice.arguments = arguments;
    slice.messages = more.messages;
    slice.mpi_messages = more.mpi_messages;
    sink_->add(slice);
    return slice.id;
  }
  void lost(TrackId track, std::int64_t begin, std::int64_t end, std::uint64_t records) {
    sink_->add(LostEvents{track, begin_ns + begin, begin_ns + end, records});
    totals_.lost_records += records;
  }
  void counter(TrackId track, std::int64_t time, std::uint64_t value) {
    sink_->add(Counter{track == 0 ? "discarded" : "cpu", track == 0 ? "events" : "ns", track, begin_ns + time,
                       value});
  }
  void end() {
    totals_.slices = slices_;
    totals_.tracks = tracks_;
    EXPECT_TRUE(sink_->write_rest([](double) { return true; }));
    sink_->end(totals_);
  }

  test::JobView job{3};

 private:
  std::string_view kept(const std::string& text) { return texts_.emplace_back(text); }
  TraceTuple record_of(const Slice& slice, const MoreOfSlice& more) {
    EventRecord record;
    record.sequence = slice.id;
    record.start = static_cast<std::uint64_t>(slice.begin_ns);
    record.end = slice.in_flight ? 0 : static_cast<std::uint64_t>(slice.end_ns);
    record.thread = test::JobView::thread(0);
    record.path = record.thread;
    TraceTuple tuple = encode(record);
    if (!more.call) return tuple;
    tuple.words[3] = more.call->word3(0);
    tuple.words[5] = more.call->word5();
    tuple.words[6] = more.call->word6();
    tuple.words[7] = more.call->word7();
    return tuple;
  }

  Sink* sink_;
  TrackId tracks_{0};
  std::uint64_t slices_{0};
  std::deque<std::string> texts_;
  ProcessReport report_;
  Totals totals_;
};

/// A directory for the output of sinks.
class SinkTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path place(const std::string& name = "out") const {
    return directory_.path() / name;
  }

  test::TemporaryDirectory directory_;
};

}  // namespace eventspace::exports
