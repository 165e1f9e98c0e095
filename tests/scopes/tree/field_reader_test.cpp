#include "scopes/tree/field_reader.h"

#include <gtest/gtest.h>

#include <array>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "collectors/probe_record.h"
#include "scopes/tree/view_events.h"
#include "tests/error_text.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

/// A record of a probe with two values, or a continuation record with further ones.
TraceTuple probe_record(std::uint64_t sequence, std::uint8_t part, std::uint64_t value, std::uint64_t next) {
  TraceTuple record;
  const std::uint64_t forms = std::uint64_t{2} << 28 | std::uint64_t{2} << 30;
  record.words = {
      sequence,
      100,
      record_words::thread_path(3, 12),
      record_words::kind(probe_kind, 0, part) | std::uint64_t{1} << 12 | forms | std::uint64_t{7} << 32,
      200,
      value,
      next,
      5};
  return record;
}

const std::array<TraceTuple, 3> whole{probe_record(1, 2, 50, 60), probe_record(2, 1, 30, 40),
                                      probe_record(3, 0, 10, 20)};

std::optional<double> number(std::string_view field, const ObservedEvent& event) {
  return FieldReader(field).number(event);
}

TEST(FieldReaderTest, AFieldIsReadFromTheContinuationThatHasIt) {
  const ObservedEvent event{whole[2], nullptr, std::span(whole).first(2)};
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(number("value" + std::to_string(i), event), 10.0 * i);
  EXPECT_EQ(number("value7", event), std::nullopt);
  EXPECT_EQ(number("sequence", event), 3.0);
}

TEST(FieldReaderTest, AContinuationAloneHasItsOwnFieldsAndThoseOfEachPart) {
  const ObservedEvent event{whole[1]};
  EXPECT_EQ(number("value1", event), std::nullopt);
  EXPECT_EQ(number("value3", event), 30.0);
  EXPECT_EQ(number("virtual_time", event), 5.0);
  EXPECT_EQ(FieldReader("thread").text(event, test::PlainNames()), "t3");
  EXPECT_EQ(FieldReader("verb").text(event, test::PlainNames()), "point");
}

TEST(FieldReaderTest, TheVirtualTimeIsMissingWhereTheRecordCannotHaveIt) {
  EventRecord record;
  record.start = 100;
  record.end = 200;
  record.virtual_time = 64;
  EXPECT_EQ(number("virtual_time", {encode(record)}), 64.0);
  EventRecord at_element = record;
  at_element.point = 1;  // "element" of point_names
  EXPECT_EQ(number("virtual_time", {encode(at_element)}), std::nullopt);
  EventRecord in_flight = record;
  in_flight.end = 0;
  EXPECT_EQ(number("virtual_time", {encode(in_flight)}), std::nullopt);
}

TEST(FieldReaderTest, AnUnknownFieldIsAFaultThatNamesTheKnownOnes) {
  const std::string error = test::error_text<ConfigurationError>([&] { FieldReader("durration"); });
  EXPECT_TRUE(error.starts_with("unknown field 'durration'; did you mean 'duration'?")) << error;
}

TEST(ViewEventsTest, TheRecordsOfAnEventStayTogether) {
  std::vector<TraceTuple> records(whole.begin(), whole.end());
  records.push_back(encode(EventRecord{}));
  records.push_back(whole[0]);  // its event is in another view
  records.push_back(encode(EventRecord{}));
  std::string sizes;
  for_each_event(records, [&](std::span<const TraceTuple> event) { sizes += std::to_string(event.size()); });
  EXPECT_EQ(sizes, "3111");
}

TEST(ViewEventsTest, EventsAreKeptOrDroppedWithAllTheirRecords) {
  Records records(std::vector<TraceTuple>{encode(EventRecord{}), whole[0], whole[1], whole[2]});
  const auto is_probe = [](std::span<const TraceTuple> event) {
    return header_of(event.back()).kind == probe_kind;
  };
  EXPECT_EQ(keep_events(records, is_probe), 1u);
  EXPECT_EQ(records.whole(), std::vector<TraceTuple>(whole.begin(), whole.end()));
  EXPECT_EQ(keep_events(records, [&](auto event) { return !is_probe(event); }), 3u);
  EXPECT_TRUE(records.empty());
}

}  // namespace
}  // namespace eventspace
