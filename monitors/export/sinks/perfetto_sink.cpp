#include "monitors/export/sinks/perfetto_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "monitors/export/sinks/output_file.h"
#include "monitors/export/sinks/protobuf_writer.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::exports {
namespace {

// Numbers of fields, as in protos/perfetto/trace of https://github.com/google/perfetto.
namespace pb {
constexpr std::uint32_t trace_packet = 1;
constexpr std::uint32_t packet_clock_snapshot = 6, packet_timestamp = 8, packet_sequence = 10,
                        packet_event = 11, packet_interned = 12, packet_flags = 13, packet_track = 60;
constexpr std::uint32_t snapshot_clocks = 1, snapshot_primary = 2, clock_id = 1, clock_time = 2;
constexpr std::uint32_t track_uuid = 1, track_name = 2, track_parent = 5, track_counter = 8;
constexpr std::uint32_t counter_unit = 3, unit_time_ns = 1, unit_count = 2;
constexpr std::uint32_t event_category = 3, event_annotation = 4, event_type = 9, event_name = 10,
                        event_track = 11, event_counter = 30, event_flow = 47, event_last_flow = 48;
constexpr std::uint32_t type_begin = 1, type_end = 2, type_instant = 3, type_counter = 4;
constexpr std::uint32_t annotation_name = 1, annotation_bool = 2, annotation_uint = 3, annotation_int = 4,
                        annotation_double = 5, annotation_text = 17;
constexpr std::uint32_t interned_categories = 1, interned_names = 2, interned_annotations = 3,
                        interned_texts = 29;
constexpr std::uint32_t interned_iid = 1, interned_name = 2, interned_text = 2;
constexpr std::uint32_t state_cleared = 1, state_needed = 2;
constexpr std::uint32_t realtime = 1, monotonic = 3, boottime = 6;
}  // namespace pb

/// Texts that are written to a trace once, and referred to by number from then on.
class Interned {
 public:
  explicit Interned(std::uint32_t field) : field_(field) {}
  /// The number; a new text is added to `added`.
  std::uint64_t number(std::string_view text, std::string& added) {
    const auto known = numbers_.find(std::string(text));
    if (known != numbers_.end()) return known->second;
    const std::uint64_t number = numbers_.size() + 1;
    numbers_.emplace(text, number);
    ProtobufWriter(added).message(field_, [&](ProtobufWriter& entry) {
      entry.varint(pb::interned_iid, number);
      entry.text(pb::interned_name, escaped(text));
    });
    return number;
  }

 private:
  std::uint32_t field_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
};

class PerfettoSink final : public Sink {
 public:
  explicit PerfettoSink(const std::filesystem::path& file) : file_(file) {}

  void begin(const Recorded& recorded) override;
  void add(const Track& track) override;
  void add(const Slice& slice) override;
  void add(const Counter& counter) override;
  void add(const LostEvents& lost) override;
  void end(const Totals& totals) override;

 private:
  // Tracks of the first kinds are numbered here; tracks of threads have their TrackId.
  static constexpr std::uint64_t of_threads = std::uint64_t{1} << 32, of_counters = std::uint64_t{2} << 32;

  template <class Write>
  void packet(Write write) {
    ProtobufWriter(file_.text()).message(pb::trace_packet, [&](ProtobufWriter& out) {
      write(out);
      out.varint(pb::packet_sequence, 1);
      if (is_first_) out.varint(pb::packet_flags, pb::state_cleared);
      is_first_ = false;
    });
    file_.written_on();
  }
  template <class Write>
  void event(std::int64_t time, std::uint32_t type, std::uint64_t track, Write write);
  void describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::uint64_t unit = 0);
  std::uint64_t group_track(const std::tuple<std::string, std::string, std::uint32_t>& group,
                            std::uint64_t parent, std::string_view name);
  std::uint64_t counter_track(const Counter& counter);
  void annotate(ProtobufWriter& event, std::string_view name, const FieldReader::Value& value,
                std::string& added);

  OutputFile file_;
  bool is_first_{true};
  Interned categories_{pb::interned_categories};
  Interned names_{pb::interned_names};
  Interned annotations_{pb::interned_annotations};
  Interned texts_{pb::interned_texts};
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint64_t> groups_;
  std::map<std::pair<TrackId, std::string>, std::uint64_t> counters_;
};

void PerfettoSink::begin(const Recorded& recorded) {
  packet([&](ProtobufWriter& out) {
    out.message(pb::packet_clock_snapshot, [&](ProtobufWriter& snapshot) {
      const auto now = static_cast<std::uint64_t>(recorded.begin_ns);
      const std::array<std::pair<std::uint32_t, std::uint64_t>, 3> clocks{
          {{pb::boottime, now},
           {pb::monotonic, now},
           {pb::realtime, now + static_cast<std::uint64_t>(recorded.realtime_ns)}}};
      for (const auto& [id, time] : clocks) {
        snapshot.message(pb::snapshot_clocks, [&, id = id, time = time](ProtobufWriter& clock) {
          clock.varint(pb::clock_id, id);
          clock.varint(pb::clock_time, time);
        });
      }
      snapshot.varint(pb::snapshot_primary, pb::boottime);
    });
  });
}

void PerfettoSink::describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name,
                            std::uint64_t unit) {
  packet([&](ProtobufWriter& out) {
    out.message(pb::packet_track, [&](ProtobufWriter& track) {
      track.varint(pb::track_uuid, uuid);
      track.text(pb::track_name, escaped(name));
      if (parent != 0) track.varint(pb::track_parent, parent);
      if (unit != 0)
        track.message(pb::track_counter,
                      [unit](ProtobufWriter& counter) { counter.varint(pb::counter_unit, unit); });
    });
  });
}

std::uint64_t PerfettoSink::group_track(const std::tuple<std::string, std::string, std::uint32_t>& group,
                                        std::uint64_t parent, std::string_view name) {
  const auto [known, is_new] = groups_.try_emplace(group, groups_.size() + 1);
  if (is_new) describe(known->second, parent, name);
  return known->second;
}

void PerfettoSink::add(const Track& track) {
  const std::string node(track.node);
  const std::uint64_t of_node = group_track({node, "", 0}, 0, track.node);
  const std::string name = track.pid == 0 ? std::string(track.process_name)
                                          : fmt::format("{} ({})", track.process_name, track.pid);
  const std::uint64_t of_process =
      group_track({node, std::string(track.process_name), track.process + 1}, of_node, name);
  describe(of_threads + track.id, track.lane == 0 ? of_process : of_threads + track.first, track.thread);
}

template <class Write>
void PerfettoSink::event(std::int64_t time, std::uint32_t type, std::uint64_t track, Write write) {
  std::string added;
  packet([&](ProtobufWriter& out) {
    out.varint(pb::packet_timestamp, static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)));
    out.varint(pb::packet_flags, pb::state_needed);
    out.message(pb::packet_event, [&](ProtobufWriter& written) {
      written.varint(pb::event_type, type);
      written.varint(pb::event_track, track);
      write(written, added);
    });
    if (!added.empty()) out.text(pb::packet_interned, added);
  });
}

void PerfettoSink::annotate(ProtobufWriter& event, std::string_view name, const FieldReader::Value& value,
                            std::string& added) {
  event.message(pb::event_annotation, [&](ProtobufWriter& out) {
    out.varint(pb::annotation_name, annotations_.number(name, added));
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) out.varint(pb::annotation_uint, *natural);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      out.varint(pb::annotation_int, static_cast<std::uint64_t>(*integer));
    if (const auto* real = std::get_if<double>(&value)) out.real(pb::annotation_double, *real);
    if (const auto* truth = std::get_if<bool>(&value)) out.varint(pb::annotation_bool, *truth ? 1 : 0);
    if (const auto* text = std::get_if<std::string_view>(&value))
      out.varint(pb::annotation_text, texts_.number(*text, added));
  });
}

void PerfettoSink::add(const Slice& slice) {
  const std::uint64_t track = of_threads + slice.track;
  event(slice.begin_ns, slice.is_instant ? pb::type_instant : pb::type_begin, track,
        [&](ProtobufWriter& out, std::string& added) {
          out.varint(pb::event_name, names_.number(slice.name, added));
          out.varint(pb::event_category, categories_.number(slice.kind_name, added));
          for (const Argument& argument : slice.arguments)
            annotate(out, argument.name(), argument.value, added);
          if (slice.error_ns) annotate(out, "error_ns", *slice.error_ns, added);
          if (slice.in_flight) annotate(out, "in_flight", true, added);
          for (const MessageEnd& end : slice.messages) {
            out.fixed64(end.receives ? pb::event_last_flow : pb::event_flow, end.message);
            if (!end.certain) annotate(out, "message_is_certain", false, added);
          }
        });
  if (slice.is_instant || slice.in_flight) return;  // a slice without an end is shown as unfinished
  event(slice.end_ns, pb::type_end, track, [](ProtobufWriter&, std::string&) {});
}

std::uint64_t PerfettoSink::counter_track(const Counter& counter) {
  const auto [known, is_new] =
      counters_.try_emplace({counter.track, std::string(counter.name)}, of_counters + counters_.size());
  if (is_new) {
    const bool is_time = counter.unit == "ns";
    describe(known->second, counter.track == 0 ? 0 : of_threads + counter.track,
             is_time ? std::string(counter.name) : fmt::format("lost: {}", counter.name),
             is_time ? pb::unit_time_ns : pb::unit_count);
  }
  return known->second;
}

void PerfettoSink::add(const Counter& counter) {
  event(counter.time_ns, pb::type_counter, counter_track(counter),
        [&](ProtobufWriter& out, std::string&) { out.varint(pb::event_counter, counter.value); });
}

void PerfettoSink::add(const LostEvents& lost) {
  event(lost.end_ns, pb::type_instant, of_threads + lost.track, [&](ProtobufWriter& out, std::string& added) {
    out.varint(pb::event_name, names_.number("lost events", added));
    out.varint(pb::event_category, categories_.number("loss", added));
    annotate(out, "records", lost.records, added);
    annotate(out, "since_ns", lost.begin_ns, added);
  });
}

void PerfettoSink::end(const Totals& /*totals*/) { file_.flush(); }

}  // namespace

std::unique_ptr<Sink> perfetto_sink(const std::filesystem::path& file) {
  return std::make_unique<PerfettoSink>(file);
}

}  // namespace eventspace::exports
