#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paths/wire/msgpack_body.h"
#include "paths/wire/wire.h"
#include "tests/paths/wire/wire_talk.h"

// Records inside messages: of a view, and of parts that go ahead of it.

namespace eventspace {
namespace {

using wire::Message;

// --- records from a machine of the other byte order -------------------------------------------------

void pack_record(msgpack_body::Packer& packer, std::uint8_t layout, std::uint8_t order, Bytes record) {
  packer.pack_array(3);
  packer.pack(layout);
  packer.pack(order);
  msgpack_body::pack_bytes(packer, record);
}

/// The body of a Done whose view has one record, with layout and order as said.
test::Octets done_with_record(std::uint8_t layout, std::uint8_t order, std::size_t bytes = 64) {
  test::Octets record(bytes);
  if (bytes > 0) record[0] = std::byte{1};
  test::Octets body;
  msgpack_body::pack_into(body, [&](msgpack_body::Packer& packer) {
    packer.pack_array(6);
    for (int i = 0; i < 3; ++i) packer.pack(0);
    packer.pack(std::string());
    msgpack_body::pack_bytes(packer, {});
    packer.pack_array(11);
    packer.pack(0);
    pack_record(packer, layout, order, record);
    for (int i = 0; i < 3; ++i) packer.pack_array(0);
    packer.pack_array(7);
    for (int i = 0; i < 7; ++i) packer.pack(0);
    for (int i = 0; i < 3; ++i) packer.pack_array(0);
    packer.pack(0);
    packer.pack_array(0);
  });
  return body;
}

TEST(WireTest, RecordsOfTheOtherByteOrderAreConverted) {
  const auto little = wire::decode_done(done_with_record(1, 1));
  const auto big = wire::decode_done(done_with_record(1, 2));
  ASSERT_TRUE(little && big);
  EXPECT_EQ(little->view->records.at(0).words[0], 1u);
  EXPECT_EQ(big->view->records.at(0).words[0], std::uint64_t{1} << 56);
}

TEST(WireTest, RecordsAreSentInTheByteOrderThatTheViewAsksForAndReadAllTheSame) {
  const wire::Done sent = test::full_done();
  wire::Done other = test::full_done();
  other.view->sent_in = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  const auto message = wire::encode(1, sent);
  const auto other_message = wire::encode(1, other);
  ASSERT_EQ(message.size(), other_message.size());
  EXPECT_NE(message, other_message);
  const auto read = wire::decode_done(test::parsed(other_message).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view->records, sent.view->records);
  EXPECT_EQ(read->view->sent_in, own_byte_order);
}

TEST(WireTest, RecordsStayInTheMessageIfThatIsKept) {
  wire::Done sent = test::full_done();
  sent.view->sent_in = ByteOrder::little;
  const auto message = std::make_shared<const Message>(wire::encode(1, sent));
  const Bytes body = test::parsed(*message).body;
  const auto read = wire::decode_done(body, message);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view->record_count(), 2 + sent.view->gone_ahead);
  if (own_byte_order == ByteOrder::little) {
    ASSERT_EQ(read->view->blocks.size(), 1u);
    const Bytes block = read->view->blocks[0].bytes;
    EXPECT_TRUE(block.data() >= body.data() && block.data() + block.size() <= body.data() + body.size());
    EXPECT_EQ(message.use_count(), 2);
  }
  wire::Done forwarded = *read;
  EXPECT_EQ(wire::encode(1, forwarded), *message);
  forwarded.view->sent_in = ByteOrder::big;
  const auto again = wire::decode_done(test::parsed(wire::encode(1, forwarded)).body);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->view->records, sent.view->records);
  forwarded.view->collect_records();
  EXPECT_EQ(forwarded.view->records, sent.view->records);
}

TEST(WireTest, RecordsOfTheOtherByteOrderDoNotStayInTheMessage) {
  wire::Done sent = test::full_done();
  sent.view->sent_in = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  const auto message = std::make_shared<const Message>(wire::encode(1, sent));
  const auto read = wire::decode_done(test::parsed(*message).body, message);
  ASSERT_TRUE(read);
  EXPECT_EQ(message.use_count(), 1);
  View view = *read->view;
  view.collect_records();
  EXPECT_EQ(view.records, sent.view->records);
}

TEST(WireTest, AViewWithoutRecordsKeepsNoMessage) {
  wire::Done sent = test::full_done();
  sent.view->records.clear();
  const auto message = std::make_shared<const Message>(wire::encode(1, sent));
  const auto read = wire::decode_done(test::parsed(*message).body, message);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->view->blocks.empty());
  EXPECT_EQ(message.use_count(), 1);
}

TEST(WireTest, RecordsOfAnotherLayoutOrOrderOrSizeAreRefused) {
  EXPECT_TRUE(wire::decode_done(done_with_record(1, 1, 0)));
  EXPECT_FALSE(wire::decode_done(done_with_record(2, 1)));
  EXPECT_FALSE(wire::decode_done(done_with_record(1, 0)));
  EXPECT_FALSE(wire::decode_done(done_with_record(1, 3)));
  EXPECT_FALSE(wire::decode_done(done_with_record(1, 1, 63)));
  EXPECT_FALSE(wire::decode_done(done_with_record(1, 1, 65)));
}

// --- parts of a view --------------------------------------------------------------------------------

const std::vector<TraceTuple> three{{{1, 2}}, {{3, 4}}, {{5, UINT64_MAX}}};

/// A part with the three, from two places.
Message part_of_three(ByteOrder order) {
  const std::span<const TraceTuple> all(three);
  const std::vector<Bytes> pieces{std::as_bytes(all.first(1)), std::as_bytes(all.subspan(1))};
  return wire::encode_part(9, pieces, order);
}
std::vector<TraceTuple> records_of(const RecordBlock& block) {
  View view;
  view.blocks.push_back(block);
  view.collect_records();
  return view.records;
}

TEST(WireTest, APartSurvivesInEitherByteOrder) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const auto message = std::make_shared<const Message>(part_of_three(order));
    const wire::ParsedHeader header = test::parsed(*message);
    EXPECT_EQ(header.header.kind, wire::Kind::part);
    EXPECT_EQ(header.header.id, 9u);
    const auto block = wire::decode_part(header.body, message);
    ASSERT_TRUE(block);
    EXPECT_EQ(records_of(*block), three);
    EXPECT_EQ(block->memory == message, order == own_byte_order) << "it stays where it is, or is converted";
  }
}

TEST(WireTest, APartOfAnotherLayoutOrOrderOrSizeIsRefusedAndSoIsOneWithoutRecords) {
  const auto part = [](std::uint8_t layout, std::uint8_t order, std::size_t bytes) {
    test::Octets body;
    msgpack_body::pack_into(
        body, [&](msgpack_body::Packer& packer) { pack_record(packer, layout, order, test::Octets(bytes)); });
    return wire::decode_part(body, nullptr).has_value();
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
