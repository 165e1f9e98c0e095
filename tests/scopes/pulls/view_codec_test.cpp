#include "scopes/pulls/view_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paths/wire/msgpack_body.h"
#include "scopes/pulls/pull_bodies.h"
#include "tests/scopes/pulls/view_talk.h"

// Views as bodies of messages, and the parts with records that are sent ahead of them.

namespace eventspace {
namespace {

using wire::Message;

TEST(ViewCodecTest, AViewSurvives) {
  const View sent = test::full_view();
  const auto read = read_view(test::body_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records, sent.records);
  EXPECT_EQ(read->aggregates, sent.aggregates);
  EXPECT_EQ(read->collective_parts, sent.collective_parts);
  EXPECT_EQ(read->collective_sums, sent.collective_sums);
  EXPECT_EQ(read->parcels, sent.parcels);
  EXPECT_EQ(read->loss, sent.loss);
  EXPECT_EQ(read->missing, sent.missing);
  EXPECT_EQ(read->sources_read, sent.sources_read);
  EXPECT_EQ(read->gone_ahead, sent.gone_ahead);
  EXPECT_EQ(read->positions, sent.positions);
  EXPECT_EQ(read->names, sent.names);
  EXPECT_EQ(read->levels, sent.levels);
  ASSERT_EQ(read->processes.size(), 1u);
  const ProcessReport& process = read->processes[0];
  EXPECT_EQ(process.process, 2u);
  EXPECT_EQ(process.pid, 4711);
  EXPECT_EQ(process.start_ticks, 99u);
  EXPECT_EQ(process.state, RunState::stopped);
  EXPECT_EQ(process.now_ticks, 123456u);
  EXPECT_EQ(process.clock.source, ClockSource::tsc);
  EXPECT_EQ(process.clock.realtime_ns, 3u);
  EXPECT_EQ(process.clock.ns_per_tick, 0.25);
  EXPECT_EQ(process.clock.error_ppm, 12.5);
  EXPECT_EQ(process.now_monotonic_ns, -5);
  EXPECT_EQ(process.now_error_ns, 40);
  EXPECT_EQ(process.rate_ppm, -12.5);
  EXPECT_EQ(process.rate_error_ppm, 0.5);
  EXPECT_EQ(process.relation, sent.processes[0].relation);
  EXPECT_TRUE(process.followed);
  EXPECT_EQ(process.threads, sent.processes[0].threads);
  EXPECT_EQ(process.usage, sent.processes[0].usage);
  ASSERT_EQ(process.in_flight.size(), 1U);
  EXPECT_EQ(process.in_flight[0].words, sent.processes[0].in_flight[0].words);
}

TEST(ViewCodecTest, WhatAPeerCallsThingsIsShownWithoutControlCharacters) {
  const std::string hostile = "n\x1b[2J\n\x80";
  const std::string shown = "n\\u001b[2J\\n\\x80";
  View sent = test::full_view();
  sent.missing.at(0).node = sent.missing.at(0).what = sent.missing.at(0).detail = hostile;
  sent.levels.at(0).name = hostile;
  for (Aggregate& aggregate : sent.aggregates) aggregate.unit = hostile;
  const auto read = read_view(test::body_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->missing.at(0).node, shown);
  EXPECT_EQ(read->missing.at(0).what, shown);
  EXPECT_EQ(read->missing.at(0).detail, shown);
  EXPECT_EQ(read->levels.at(0).name, shown);
  EXPECT_EQ(read->aggregates.at(0).unit, shown);
}

TEST(ViewCodecTest, AClockWhoseRatesAreWholeNumbersSurvives) {
  View sent = test::full_view();
  sent.processes[0].clock.ns_per_tick = 1.0;  // like CLOCK_MONOTONIC
  sent.processes[0].clock.error_ppm = 0.0;
  const auto read = read_view(test::body_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->processes[0].clock.ns_per_tick, 1.0);
  EXPECT_EQ(read->processes[0].clock.error_ppm, 0.0);
}

TEST(ViewCodecTest, AggregatesOutOfOrderAreRefused) {
  View sent = test::full_view();
  std::swap(sent.aggregates[0], sent.aggregates[1]);
  EXPECT_FALSE(read_view(test::body_of(sent)));
  sent.aggregates[0] = sent.aggregates[1];
  EXPECT_FALSE(read_view(test::body_of(sent)));
}

/// Replaces the first occurrence of `old` in a message.
void replace_bytes(Message& message, const test::Octets& old, const test::Octets& by) {
  ASSERT_EQ(old.size(), by.size());
  const auto found = std::search(message.begin(), message.end(), old.begin(), old.end());
  ASSERT_NE(found, message.end());
  std::copy(by.begin(), by.end(), found);
}

TEST(ViewCodecTest, AHistogramWhoseBucketsDoNotAscendIsRefused) {
  const auto bucket = [](double of, Histogram::Key add = 0) {
    test::Octets packed;
    msgpack_body::write_into(packed, [&](msgpack_body::EntryWriter writer) {
      writer.integer(Histogram::key_of(of) + add);
      writer.integer(1);
    });
    return packed;
  };
  const Message sent = test::body_of(test::full_view());  // its histogram is of -2, 4 and 17
  const auto is_read_with = [&](const test::Octets& last) {
    Message changed = sent;
    replace_bytes(changed, bucket(17), last);
    return read_view(changed).has_value();
  };
  EXPECT_TRUE(is_read_with(bucket(4, 1)));
  EXPECT_FALSE(is_read_with(bucket(4)));
  EXPECT_FALSE(is_read_with(bucket(4, -1)));
}

TEST(ViewCodecTest, AConvertedClockSurvives) {
  View sent = test::full_view();
  sent.processes[0].clock = sent.processes[0].clock.as_realtime();
  const auto read = read_view(test::body_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->processes[0].clock.source, ClockSource::realtime);
  EXPECT_EQ(read->processes[0].clock.ticks, 3u);
  sent.processes[0].clock.source = ClockSource::synchronised;
  const auto synchronised = read_view(test::body_of(sent));
  ASSERT_TRUE(synchronised);
  EXPECT_EQ(synchronised->processes[0].clock.source, ClockSource::synchronised);
}

TEST(ViewCodecTest, NestingIsBounded) {
  const test::Octets deep(100'000, std::byte{0x91});
  EXPECT_FALSE(read_view(deep));
}

TEST(ViewCodecTest, ARequestWithoutTheWishesOfAPullIsRefused) {
  const auto kind = pull_kind({});
  struct NoParts final : PartSink {
    [[nodiscard]] std::size_t parts_left() const noexcept override { return 0; }
    [[nodiscard]] std::size_t bytes_left() const noexcept override { return 0; }
    void send(const std::function<void(wire::Message&)>&) override {}
  } parts;
  const auto is_read = [&](std::string_view hex) {
    Operation operation;
    operation.verb = Verb::pull;
    return kind->read_request(test::octets(std::string(hex)), operation, parts) != nullptr;
  };
  EXPECT_TRUE(is_read("94 c2 c2 c3 05"));
  for (const char* const faulty :
       {"", "90", "91 c2", "92 c2 05", "93 c2 c2 c2", "95 c2 c2 c2 05 00", "94 01 c2 c2 05", "94 c2 01 c2 05",
        "94 c2 c2 01 05", "94 c2 c2 c2 ff", "94 c2 c2 c2 05 00"})
    EXPECT_FALSE(is_read(faulty)) << faulty;
}

// --- records from a machine of the other byte order ------------------------------------------------

void write_record(msgpack_body::EntryWriter writer, std::uint8_t layout, std::uint8_t order, Bytes record) {
  writer.array(3);
  writer.integer(layout);
  writer.integer(order);
  writer.bytes(record);
}

/// The body of a view with one record, and this layout and byte order.
test::Octets view_with_record(std::uint8_t layout, std::uint8_t order, std::size_t bytes = 64) {
  test::Octets record(bytes);
  if (bytes > 0) record[0] = std::byte{1};
  test::Octets body;
  msgpack_body::write_into(body, [&](msgpack_body::EntryWriter writer) {
    writer.array(13);
    writer.integer(0);
    write_record(writer, layout, order, record);
    for (int i = 0; i < 4; ++i) writer.array(0);
    writer.array(8);
    for (int i = 0; i < 8; ++i) writer.integer(0);
    for (int i = 0; i < 3; ++i) writer.array(0);
    writer.integer(0);
    for (int i = 0; i < 2; ++i) writer.array(0);
  });
  return body;
}

TEST(ViewCodecTest, RecordsOfTheOtherByteOrderAreConverted) {
  const auto little = read_view(view_with_record(1, 1));
  const auto big = read_view(view_with_record(1, 2));
  ASSERT_TRUE(little && big);
  EXPECT_EQ(little->records.at(0).words[0], 1u);
  EXPECT_EQ(big->records.at(0).words[0], std::uint64_t{1} << 56);
}

TEST(ViewCodecTest, RecordsAreSentInTheByteOrderThatTheViewAsksForAndReadAllTheSame) {
  const View sent = test::full_view();
  View other = test::full_view();
  other.sent_in = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  const auto message = test::body_of(sent);
  const auto other_message = test::body_of(other);
  ASSERT_EQ(message.size(), other_message.size());
  EXPECT_NE(message, other_message);
  const auto read = read_view(other_message);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records, sent.records);
  EXPECT_EQ(read->sent_in, own_byte_order);
}

TEST(ViewCodecTest, RecordsStayInTheMessageIfThatIsKept) {
  View sent = test::full_view();
  sent.sent_in = ByteOrder::little;
  const auto message = std::make_shared<const Message>(test::body_of(sent));
  const Bytes body = *message;
  const auto read = read_view(body, message);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->record_count(), 2 + sent.gone_ahead);
  if (own_byte_order == ByteOrder::little) {
    ASSERT_EQ(read->records.pieces().size(), 1u);
    const Bytes block = read->records.pieces()[0];
    EXPECT_TRUE(block.data() >= body.data() && block.data() + block.size() <= body.data() + body.size());
    EXPECT_EQ(message.use_count(), 2);
  }
  View forwarded = *read;
  EXPECT_EQ(test::body_of(forwarded), *message);
  forwarded.sent_in = ByteOrder::big;
  const auto again = read_view(test::body_of(forwarded));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->records, sent.records);
  EXPECT_EQ(forwarded.records, sent.records);
}

TEST(ViewCodecTest, RecordsOfTheOtherByteOrderDoNotStayInTheMessage) {
  View sent = test::full_view();
  sent.sent_in = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  const auto message = std::make_shared<const Message>(test::body_of(sent));
  const auto read = read_view(*message, message);
  ASSERT_TRUE(read);
  EXPECT_EQ(message.use_count(), 1);
  EXPECT_EQ(read->records, sent.records);
}

TEST(ViewCodecTest, AViewWithoutRecordsKeepsNoMessage) {
  View sent = test::full_view();
  sent.records.clear();
  const auto message = std::make_shared<const Message>(test::body_of(sent));
  const auto read = read_view(*message, message);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->records.empty());
  EXPECT_EQ(message.use_count(), 1);
}

TEST(ViewCodecTest, RecordsOfAnotherLayoutOrOrderOrSizeAreRefused) {
  EXPECT_TRUE(read_view(view_with_record(1, 1, 0)));
  EXPECT_FALSE(read_view(view_with_record(2, 1)));
  EXPECT_FALSE(read_view(view_with_record(1, 0)));
  EXPECT_FALSE(read_view(view_with_record(1, 3)));
  EXPECT_FALSE(read_view(view_with_record(1, 1, 63)));
  EXPECT_FALSE(read_view(view_with_record(1, 1, 65)));
}

// --- parts of a view -------------------------------------------------------------------------------

const std::vector<TraceTuple> three{{{1, 2}}, {{3, 4}}, {{5, UINT64_MAX}}};

/// A part with the three records, from two pieces.
Message part_of_three(ByteOrder order) {
  const std::span<const TraceTuple> all(three);
  const std::vector<Bytes> pieces{std::as_bytes(all.first(1)), std::as_bytes(all.subspan(1))};
  return test::part_of(9, pieces, order);
}
std::vector<TraceTuple> records_of(const RecordBlock& block) {
  Records records;
  records.append(block);
  return records.whole();
}

TEST(ViewCodecTest, APartSurvivesInEitherByteOrder) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const auto message = std::make_shared<const Message>(part_of_three(order));
    const wire::ParsedHeader header = test::parsed(*message);
    EXPECT_EQ(header.header.kind, wire::Kind::part);
    EXPECT_EQ(header.header.id, 9u);
    const auto block = read_record_part({message, header.body});
    ASSERT_TRUE(block);
    EXPECT_EQ(records_of(*block), three);
    EXPECT_EQ(block->memory == message, order == own_byte_order) << "it stays where it is, or is converted";
  }
}

TEST(ViewCodecTest, APartOfAnotherLayoutOrOrderOrSizeIsRefusedAndSoIsOneWithoutRecords) {
  const auto part = [](std::uint8_t layout, std::uint8_t order, std::size_t bytes) {
    test::Octets body;
    msgpack_body::write_into(body, [&](msgpack_body::EntryWriter writer) {
      write_record(writer, layout, order, test::Octets(bytes));
    });
    return read_record_part({nullptr, body}).has_value();
  };
  EXPECT_TRUE(part(1, 1, 64));
  EXPECT_TRUE(part(1, 2, 128));
  EXPECT_FALSE(part(1, 1, 0));
  EXPECT_FALSE(part(2, 1, 64));
  EXPECT_FALSE(part(1, 3, 64));
  EXPECT_FALSE(part(1, 1, 65));
}

}  // namespace
}  // namespace eventspace
