// Decoded with protobuf's own library and a schema of the fields in use. Debian does not have another reader
// of the format.
#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "monitors/export/sinks/perfetto_sink.h"
#include "perfetto_fields.pb.h"
#include "tests/monitors/export/export_story.h"

namespace eventspace::exports {
namespace {

using perfetto_fields::TracePacket;
using perfetto_fields::TrackEvent;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A trace whose interned texts are resolved as by a reader.
class PerfettoSinkTest : public SinkTest {
 protected:
  struct Event {
    TrackEvent::Type type{};
    std::int64_t time{0};  // since recording began
    std::string name, category, track;
    std::map<std::string, std::string> arguments;
    std::vector<std::uint64_t> flows, last_flows;
    std::int64_t counter{0};
  };
  std::vector<Event> read() {
    std::ifstream in(place(), std::ios::binary);
    perfetto_fields::Trace trace;
    EXPECT_TRUE(trace.ParseFromIstream(&in));
    std::vector<Event> events;
    bool is_first = true;
    for (const TracePacket& packet : trace.packet()) {
      EXPECT_TRUE(packet.unknown_fields().empty());
      EXPECT_EQ(packet.trusted_packet_sequence_id(), 1u);
      if (is_first) {
        EXPECT_EQ(packet.sequence_flags(), 1u) << "interned texts are new";
        EXPECT_EQ(packet.clock_snapshot().clocks_size(), 3);
      }
      is_first = false;
      learn(packet);
      if (packet.has_track_event()) events.push_back(event_of(packet));
    }
    return events;
  }
  void learn(const TracePacket& packet) {
    for (const auto& one : packet.interned_data().event_names()) names_[one.iid()] = one.name();
    for (const auto& one : packet.interned_data().event_categories()) categories_[one.iid()] = one.name();
    for (const auto& one : packet.interned_data().debug_annotation_names())
      annotations_[one.iid()] = one.name();
    for (const auto& one : packet.interned_data().debug_annotation_string_values())
      texts_[one.iid()] = one.str();
    if (!packet.has_track_descriptor()) return;
    const auto& track = packet.track_descriptor();
    const std::string parent = track.has_parent_uuid() ? tracks_.at(track.parent_uuid()) + " / " : "";
    EXPECT_TRUE(tracks_.emplace(track.uuid(), parent + track.name()).second);
  }
  Event event_of(const TracePacket& packet) const {
    const TrackEvent& written = packet.track_event();
    Event event;
    event.type = written.type();
    event.time = static_cast<std::int64_t>(packet.timestamp()) - ExportStory::begin_ns;
    event.track = tracks_.at(written.track_uuid());
    event.counter = written.counter_value();
    if (written.has_name_iid()) event.name = names_.at(written.name_iid());
    if (written.category_iids_size() > 0) event.category = categories_.at(written.category_iids(0));
    event.flows.assign(written.flow_ids().begin(), written.flow_ids().end());
    event.last_flows.assign(written.terminating_flow_ids().begin(), written.terminating_flow_ids().end());
    for (const auto& one : written.debug_annotations()) {
      event.arguments[annotations_.at(one.name_iid())] =
          one.has_uint_value()     ? std::to_string(one.uint_value())
          : one.has_int_value()    ? std::to_string(one.int_value())
          : one.has_double_value() ? std::to_string(one.double_value())
          : one.has_bool_value()   ? (one.bool_value() ? "true" : "false")
                                   : texts_.at(one.string_value_iid());
    }
    return event;
  }

  std::map<std::uint64_t, std::string> names_, categories_, annotations_, texts_, tracks_;
  std::unique_ptr<Sink> sink_ = perfetto_sink(place());
  ExportStory story_{*sink_};
};

TEST_F(PerfettoSinkTest, TracksLieWithinProcessesAndNodes) {
  const TrackId thread = story_.track("t0"), lane = story_.track("t0", 1, 1, thread),
                other = story_.track("t1", 2);
  story_.slice(thread, 10, 30, "a");
  story_.slice(lane, 20, 40, "b");
  story_.slice(other, 20, 40, "c");
  story_.end();
  std::vector<std::string> tracks;
  for (const Event& event : read()) {
    if (event.type == TrackEvent::TYPE_SLICE_BEGIN) tracks.push_back(event.track);
  }
  EXPECT_THAT(tracks,
              ElementsAre("n1 / app.0 (100) / t0", "n1 / app.0 (100) / t0 / t0", "n1 / app.1 (100) / t1"));
}

TEST_F(PerfettoSinkTest, SlicesHaveTheirTimesNamesAndArguments) {
  const TrackId thread = story_.track(odd_name);
  story_.slice(thread, 10, 30, odd_name,
               {.arguments = {{"bytes", std::uint64_t{1} << 63},
                              {"value1", std::int64_t{-5}},
                              {"value2", 0.5},
                              {"path", std::string_view(odd_name)}}});
  story_.slice(thread, 20, 20, "mark", {.is_instant = true});
  story_.slice(thread, 25, 90, "stuck", {.in_flight = true});
  story_.end();
  const auto events = read();
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[0].time, 10);
  EXPECT_EQ(events[0].name, odd_name_shown);
  EXPECT_EQ(events[0].category, "operation");
  EXPECT_EQ(events[0].track, "n1 / app.0 (100) / " + odd_name_shown);
  EXPECT_EQ(events[0].arguments.at("bytes"), "9223372036854775808");
  EXPECT_EQ(events[0].arguments.at("value1"), "-5");
  EXPECT_EQ(events[0].arguments.at("value2"), "0.500000");
  EXPECT_EQ(events[0].arguments.at("path"), odd_name_shown);
  EXPECT_EQ(events[0].arguments.at("error_ns"), "25");
  EXPECT_EQ(events[1].type, TrackEvent::TYPE_SLICE_END);
  EXPECT_EQ(events[1].time, 30);
  EXPECT_EQ(events[2].type, TrackEvent::TYPE_INSTANT);
  EXPECT_EQ(events[3].arguments.at("in_flight"), "true");
}

TEST_F(PerfettoSinkTest, AnArrowLeadsFromASendToItsReceive) {
  const TrackId a = story_.track("a"), b = story_.track("b", 2);
  story_.slice(b, 5, 30, "receive", {.messages = {{99, true, true}}});
  story_.slice(a, 10, 20, "send", {.messages = {{99, false, false}}});
  story_.end();
  const auto events = read();
  EXPECT_THAT(events[0].last_flows, ElementsAre(99));
  EXPECT_THAT(events[0].flows, IsEmpty());
  EXPECT_THAT(events[2].flows, ElementsAre(99));
  EXPECT_EQ(events[2].arguments.at("message_is_certain"), "false");
}

TEST_F(PerfettoSinkTest, CountersAndLossesHaveTheirTracks) {
  const TrackId thread = story_.track("t0");
  story_.counter(thread, 10, 500);
  story_.counter(thread, 20, 700);
  story_.counter(0, 20, 3);
  story_.lost(thread, 15, 25, 3);
  story_.end();
  const auto events = read();
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[1].track, "n1 / app.0 (100) / t0 / cpu");
  EXPECT_EQ(events[1].counter, 700);
  EXPECT_EQ(events[2].track, "lost: discarded");
  EXPECT_EQ(events[3].name, "lost events");
  EXPECT_EQ(events[3].arguments.at("records"), "3");
}

}  // namespace
}  // namespace eventspace::exports
