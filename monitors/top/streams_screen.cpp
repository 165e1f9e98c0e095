#include <fmt/format.h>

#include "monitors/top/figures.h"
#include "monitors/top/screen.h"

namespace eventspace::top {
namespace {

class StreamsScreen final : public Screen {
 public:
  [[nodiscard]] std::string name() const override { return "streams"; }
  [[nodiscard]] bool needs_streams() const override { return true; }

  [[nodiscard]] Page page(const State& state, const Context& /*context*/) const override {
    Page page;
    page.columns = {{"NETWORK", 12},
                    {"STREAM", 6, true},
                    {"BACK-ENDS", 9, true, true, true},
                    {"WAVES/S", 7, true, true, true},
                    {"WAVES", 7, true, true, true},
                    {"PARTIAL", 7, true, true, true},
                    {"LOST", 6, true, true, true},
                    {"WAITING", 7, true, true, true},
                    {"SYNC", 7, true, true, true, 1},
                    {"FILTERS", 7, true, true, true, 1},
                    {"BYTES/S", 7, true, true, true, 2},
                    {"STATE", 20, false, true, false, 3}};
    page.when_empty = state.streams ? "no network of streams runs on this machine" : "polling the networks";
    if (!state.streams) return page;
    for (const StreamState& stream : *state.streams) page.rows.push_back(row_of(stream, page.rows.size()));
    return page;
  }

 private:
  static Row row_of(const StreamState& stream, std::size_t place) {
    Row row;
    row.id =
        std::hash<std::string>()(fmt::format("{} {} {}", stream.network, stream.pid,
                                             stream.stream ? static_cast<std::int64_t>(*stream.stream) : -1));
    row.fields = {{stream.network, static_cast<double>(place), Style::strong}};
    if (!stream.silence.empty()) {
      row.fields.resize(11, Field{"-"});
      row.fields.push_back({stream.silence, 0, Style::bad});
      return row;
    }
    row.fields.push_back(stream.stream
                             ? Field{fmt::format("{}", *stream.stream), static_cast<double>(*stream.stream)}
                             : Field{"none"});
    const bool is_whole = stream.attached == stream.back_ends;
    row.fields.push_back({fmt::format("{}/{}", stream.attached, stream.back_ends),
                          static_cast<double>(stream.attached), is_whole ? Style::plain : Style::warning});
    if (stream.stream) {
      add_counts(stream, row);
    } else {
      row.fields.resize(11, Field{"-"});
    }
    row.fields.push_back(state_field(stream, is_whole));
    return row;
  }

  static void add_counts(const StreamState& stream, Row& row) {
    const auto warned = [](std::uint64_t count) { return count > 0 ? Style::warning : Style::plain; };
    row.fields.push_back(rate_field(stream.waves_per_second));
    row.fields.push_back(count_field(stream.waves));
    row.fields.push_back(count_field(stream.partial, warned(stream.partial)));
    row.fields.push_back(count_field(stream.lost, warned(stream.lost)));
    row.fields.push_back(count_field(stream.waiting));
    row.fields.push_back(duration_field(stream.synchronising));
    row.fields.push_back(duration_field(stream.filtering));
    row.fields.push_back(rate_field(stream.bytes_per_second));
  }

  static Field state_field(const StreamState& stream, bool is_whole) {
    if (stream.silent > 0) return {fmt::format("{} internal silent", stream.silent), 1, Style::bad};
    return is_whole ? Field{"complete", 3} : Field{"incomplete", 2, Style::warning};
  }
};

}  // namespace

std::unique_ptr<Screen> streams_screen() { return std::make_unique<StreamsScreen>(); }

}  // namespace eventspace::top
