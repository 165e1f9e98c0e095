#include "monitors/export/sinks/ctf_sink.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>

#include <eventspace/error.h>
#include "monitors/export/sinks/ctf_metadata.h"
#include "monitors/export/sinks/edges.h"
#include "monitors/export/sinks/output_file.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::exports {
namespace {

std::filesystem::path made_directory(const std::filesystem::path& place) {
  if (::mkdir(place.c_str(), 0700) != 0)
    throw EnvironmentError::from_errno("cannot make " + place.string(), errno);
  return place;
}

class CtfSink final : public Sink {
 public:
  explicit CtfSink(const std::filesystem::path& place)
      : metadata_(made_directory(place) / "metadata"), events_(place / "events") {}

  void begin(const Recorded& recorded) override;
  void add(const Track& track) override;
  void add(const Slice& slice) override;
  void add(const Counter& counter) override;
  void add(const LostEvents& lost) override;
  void end(const Totals& totals) override;

 private:
  static constexpr std::size_t max_in_packet = std::size_t{1} << 16;
  static constexpr std::size_t min_in_packet = std::size_t{1} << 12;  // after a loss
  static constexpr std::uint32_t magic = 0xc1fc1fc1;

  struct Leaving {
    TrackId track{0};
    std::uint16_t event{0};
    std::string_view name;
  };
  template <class Number>
  void put(Number number) {
    packet_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put_text(std::string_view text) { packet_.append(escaped(text)) += '\0'; }
  void put_head(std::uint16_t event, std::int64_t time, TrackId track);
  void put_arguments(const Slice& slice);
  void put_number(const CtfField& field, const FieldReader::Value* value);
  void leave_until(std::int64_t time) {
    edges_.end_until(time, [this](const Leaving& leaving, std::int64_t at) { leave(leaving, at); });
  }
  void leave(const Leaving& leaving, std::int64_t time) {
    put_head(leaving.event, time, leaving.track);
    put_text(leaving.name);
    close_full_packet();
  }
  void close_full_packet() {
    if (packet_.size() >= max_in_packet) close_packet();
  }
  void close_packet();

  OutputFile metadata_;
  OutputFile events_;
  CtfUuid uuid_{};
  std::string packet_;  // its events
  std::optional<std::int64_t> packet_begin_;
  std::int64_t last_time_{0};
  std::uint64_t packets_{0};
  std::uint64_t discarded_{0};
  std::vector<std::string> contexts_;  // by track, as encoded in events
  std::map<std::uint8_t, std::vector<CtfField>> fields_;
  Edges<Leaving> edges_;
};

void CtfSink::begin(const Recorded& recorded) {
  uuid_ = ctf_uuid(recorded);
  metadata_.append(ctf_metadata(recorded, uuid_));
  metadata_.flush();
  for (const EventKind* kind : EventKinds::instance().kinds())
    fields_[kind->number] = ctf_fields(kind->number);
  add(Track{});  // the track of events without a thread
}

void CtfSink::add(const Track& track) {
  std::string kept;
  kept.swap(packet_);
  put(track.id);
  put(track.pid);
  put_text(track.node);
  put_text(track.process_name);
  put_text(track.thread);
  put(track.lane);
  contexts_.push_back(packet_);
  packet_.swap(kept);
}

// The first event begins a packet; an empty packet precedes the first one, as the base from which readers
// count losses.
void CtfSink::put_head(std::uint16_t event, std::int64_t time, TrackId track) {
  last_time_ = std::max({last_time_, time, std::int64_t{0}});
  if (!packet_begin_) {
    packet_begin_ = last_time_;
    if (packets_ == 0) close_packet();
    packet_begin_ = last_time_;
  }
  put(event);
  put(static_cast<std::uint64_t>(last_time_));
  packet_ += contexts_.at(track);
}

void CtfSink::close_packet() {
  if (!packet_begin_) return;
  constexpr std::size_t head_bytes = 4 + 16 + 4 + 6 * 8;
  const std::uint64_t bits = 8 * (head_bytes + packet_.size());
  std::string events;
  events.swap(packet_);
  put(magic);
  packet_.append(reinterpret_cast<const char*>(uuid_.data()), uuid_.size());
  put(std::uint32_t{0});
  put(static_cast<std::uint64_t>(*packet_begin_));
  put(static_cast<std::uint64_t>(last_time_));
  put(bits);
  put(bits);
  put(packets_++);
  put(packets_ == 1 ? std::uint64_t{0} : discarded_);
  events_.append(packet_);
  events_.append(events);
  events_.written_on();
  packet_.clear();
  packet_begin_.reset();
}

void CtfSink::put_number(const CtfField& field, const FieldReader::Value* value) {
  for (const CtfNumber number : field.numbers) {
    const auto* natural = value == nullptr ? nullptr : std::get_if<std::uint64_t>(value);
    const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    const auto* real = value == nullptr ? nullptr : std::get_if<double>(value);
    const bool is_there = (number == CtfNumber::natural && natural != nullptr) ||
                          (number == CtfNumber::integer && integer != nullptr) ||
                          (number == CtfNumber::real && real != nullptr);
    put(static_cast<std::uint8_t>(is_there ? 1 : 0));
    if (is_there && natural != nullptr) put(*natural);
    if (is_there && integer != nullptr) put(*integer);
    if (is_there && real != nullptr) put(*real);
  }
}

void CtfSink::put_arguments(const Slice& slice) {
  for (const CtfField& field : fields_[slice.kind]) {
    const EventField* const wanted = &EventKinds::instance().field(field.field);
    const auto found = std::ranges::find(slice.arguments, wanted, &Argument::field);
    const FieldReader::Value* const value = found == slice.arguments.end() ? nullptr : &found->value;
    if (!field.is_text) {
      put_number(field, value);
      continue;
    }
    const auto* const text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
    put_text(text == nullptr ? std::string_view() : *text);
  }
}

void CtfSink::add(const Slice& slice) {
  leave_until(slice.begin_ns);
  if (EventKinds::instance().find(slice.kind) == nullptr) return;  // a kind unknown to this program
  put_head(ctf_event(slice.kind, slice.is_instant ? CtfEdge::point : CtfEdge::begin), slice.begin_ns,
           slice.track);
  put_text(slice.name);
  put_arguments(slice);
  close_full_packet();
  if (!slice.is_instant && !slice.in_flight)
    edges_.add(slice.end_ns, {slice.track, ctf_event(slice.kind, CtfEdge::end), slice.name});
}

void CtfSink::add(const Counter& counter) {
  leave_until(counter.time_ns);
  put_head(ctf_counter_event, counter.time_ns, counter.track);
  put_text(counter.name);
  put(counter.value);
  put_text(counter.unit);
  close_full_packet();
}

// The packet with the loss ends here, so that readers can report its time.
void CtfSink::add(const LostEvents& lost) {
  leave_until(lost.end_ns);
  discarded_ += lost.records;
  put_head(ctf_lost_event, lost.end_ns, lost.track);
  put(lost.records);
  put(static_cast<std::uint64_t>(std::max<std::int64_t>(lost.begin_ns, 0)));
  if (packet_.size() >= min_in_packet) close_packet();
}

void CtfSink::end(const Totals& /*totals*/) {
  edges_.end_all([this](const Leaving& leaving, std::int64_t at) { leave(leaving, at); });
  close_packet();
  events_.flush();
}

}  // namespace

std::unique_ptr<Sink> ctf_sink(const std::filesystem::path& place) {
  return std::make_unique<CtfSink>(place);
}

}  // namespace eventspace::exports
