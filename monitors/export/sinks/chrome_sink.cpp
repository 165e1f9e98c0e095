#include "monitors/export/sinks/chrome_sink.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <type_traits>
#include <variant>

#include "monitors/export/sinks/output_file.h"
#include "monitors/text/json.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

// Numbers beyond would lose digits in JavaScript.
constexpr std::uint64_t max_exact = std::uint64_t{1} << 53;

class ChromeSink final : public Sink {
 public:
  explicit ChromeSink(const std::filesystem::path& file) : file_(file) {}

  void begin(const Recorded& recorded) override;
  void add(const Track& track) override;
  void add(const Slice& slice) override;
  void add(const Counter& counter) override;
  void add(const LostEvents& lost) override;
  void end(const Totals& totals) override;

 private:
  struct Place {
    std::uint32_t process{0};
    TrackId track{0};
  };
  // Begins an object, up to its time.
  void open(char phase, std::string_view name, const Place& place, std::int64_t time);
  void close() {
    file_.append("}");
    file_.written_on();
  }
  void name(const char* what, const Place& place, std::string_view text);
  void add_arguments(const Slice& slice);
  void add_flows(const Slice& slice, const Place& place);
  [[nodiscard]] Place place_of(TrackId track) const {
    return {track == 0 ? 0 : process_of_.at(track), track};
  }

  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(file_.text()), format, std::forward<Values>(values)...);
  }
  [[nodiscard]] static std::string quoted(std::string_view text) { return Json(text).dump(); }
  [[nodiscard]] static std::string microseconds(std::int64_t ns) {
    const std::uint64_t most = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", most / 1000, most % 1000);
  }

  OutputFile file_;
  bool is_first_{true};
  std::int64_t begin_ns_{0};
  std::vector<std::uint32_t> process_of_{0};  // by track
  std::set<std::uint32_t> named_;
};

void ChromeSink::begin(const Recorded& recorded) {
  begin_ns_ = recorded.begin_ns;
  print(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"session\":{},\"recorded_on\":{},\"begun_ns_since_"
      "1970\":\"{}\"}},\n"
      "\"traceEvents\":[",
      quoted(recorded.session.session), quoted(recorded.session.node),
      saturating::add(recorded.begin_ns, recorded.realtime_ns));
}

void ChromeSink::open(char phase, std::string_view name, const Place& place, std::int64_t time) {
  print("{}\n{{\"ph\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}", is_first_ ? "" : ",", phase,
        quoted(name), place.process + 1, place.track, microseconds(saturating::subtract(time, begin_ns_)));
  is_first_ = false;
}

void ChromeSink::name(const char* what, const Place& place, std::string_view text) {
  open('M', what, place, begin_ns_);
  print(",\"args\":{{\"name\":{}}}", quoted(text));
  close();
}

void ChromeSink::add(const Track& track) {
  process_of_.resize(track.id + 1);
  process_of_[track.id] = track.process;
  const Place place{track.process, track.id};
  if (named_.insert(track.process).second)
    name("process_name", place, fmt::format("{} / {} ({})", track.node, track.process_name, track.pid));
  name("thread_name", place,
       track.lane == 0 ? std::string(track.thread) : fmt::format("{} ({})", track.thread, track.lane + 1));
}

void ChromeSink::add_arguments(const Slice& slice) {
  Json arguments = Json::object();
  for (const Argument& argument : slice.arguments) {
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::uint64_t>) {
            arguments.set(argument.name(), held < max_exact ? Json(held) : Json(std::to_string(held)));
          } else if constexpr (!std::is_same_v<Held, std::monostate>) {
            arguments.set(argument.name(), Json(held));
          }
        },
        argument.value);
  }
  if (slice.error_ns) arguments.set("error_ns", *slice.error_ns);
  if (slice.in_flight) arguments.set("in_flight", true);
  print(",\"args\":{}", arguments.dump());
}

void ChromeSink::add(const Slice& slice) {
  const Place place = place_of(slice.track);
  open(slice.is_instant ? 'i' : 'X', slice.name, place, slice.begin_ns);
  print(",\"cat\":{}", quoted(slice.kind_name));
  if (slice.is_instant) {
    file_.append(",\"s\":\"t\"");
  } else {
    print(",\"dur\":{}", microseconds(slice.end_ns - slice.begin_ns));
  }
  add_arguments(slice);
  close();
  add_flows(slice, place);
}

// An arrow begins in the slice of the send, and ends in that of the receive ("bp":"e").
void ChromeSink::add_flows(const Slice& slice, const Place& place) {
  for (const MessageEnd& end : slice.messages) {
    open(end.receives ? 'f' : 's', "message", place, end.receives ? slice.end_ns : slice.begin_ns);
    print(",\"cat\":\"{}\",\"id\":\"{:x}\"{}", end.certain ? "message" : "likely message", end.message,
          end.receives ? ",\"bp\":\"e\"" : "");
    close();
  }
}

void ChromeSink::add(const Counter& counter) {
  const std::string name = counter.track == 0 ? fmt::format("lost: {}", counter.name)
                                              : fmt::format("{} of thread {}", counter.name, counter.track);
  open('C', name, place_of(counter.track), counter.time_ns);
  print(",\"args\":{{{}:{}}}", quoted(counter.unit), counter.value);
  close();
}

void ChromeSink::add(const LostEvents& lost) {
  open('i', "lost events", place_of(lost.track), lost.end_ns);
  print(",\"cat\":\"loss\",\"s\":\"t\",\"args\":{{\"records\":{},\"since_us\":{}}}", lost.records,
        microseconds(saturating::subtract(lost.begin_ns, begin_ns_)));
  close();
}

void ChromeSink::end(const Totals& /*totals*/) {
  file_.append("\n]}\n");
  file_.flush();
}

}  // namespace

std::unique_ptr<Sink> chrome_sink(const std::filesystem::path& file) {
  return std::make_unique<ChromeSink>(file);
}

}  // namespace eventspace::exports
