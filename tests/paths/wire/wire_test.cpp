#include "paths/wire/wire.h"

#include <gtest/gtest.h>

#include "tests/paths/wire/wire_talk.h"

namespace eventspace {
namespace {

using test::octets;
using wire::Fault;
using wire::Kind;
using wire::Message;

// --- round trips ------------------------------------------------------------------------------------

TEST(WireTest, AHeaderHasKindAndId) {
  const Message message = wire::encode(Kind::ping, 0x1122334455667788);
  const wire::ParsedHeader parsed = test::parsed(message);
  EXPECT_FALSE(parsed.fault);
  EXPECT_EQ(parsed.header.kind, Kind::ping);
  EXPECT_EQ(parsed.header.id, 0x1122334455667788u);
  EXPECT_EQ(test::hex(Bytes(message)),
            "45 56 53 50 10 04 01 00 88 77 66 55 44 33 22 11 01 00 00 00 01 00 00 00 90");
}

TEST(WireTest, AnOpenRequestSurvives) {
  const auto read = wire::decode<wire::OpenRequest>(test::parsed(test::good_messages()[0]).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, "path");
  EXPECT_EQ(read->spec, octets("01 02"));
  EXPECT_EQ(read->route, (std::vector<std::string>{"tcp://a:1", "tcp://b:2"}));
  EXPECT_TRUE(read->held);
}

TEST(WireTest, ARouteOfMoreServersThanAllowedIsRefused) {
  wire::OpenRequest request{"path", {}, std::vector<std::string>(wire::OpenRequest::max_hops, "tcp://a:1")};
  EXPECT_TRUE(wire::decode<wire::OpenRequest>(test::parsed(wire::encode(1, request)).envelope));
  request.route.emplace_back("tcp://a:1");
  EXPECT_FALSE(wire::decode<wire::OpenRequest>(test::parsed(wire::encode(1, request)).envelope));
}

TEST(WireTest, ACloseRequestSurvives) {
  const auto read = wire::decode<wire::CloseRequest>(test::parsed(test::good_messages()[1]).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, 77u);
  EXPECT_EQ(read->opened_by, 5u);
  EXPECT_EQ(read->why, "t5 gave up");
}

TEST(WireTest, AnOperationSurvivesWithItsBody) {
  const wire::OperateRequest sent = test::full_operation();
  const Message message = test::with_body(wire::encode(1, sent), octets("01 02 03"));
  const wire::ParsedHeader parsed = test::parsed(message);
  ASSERT_FALSE(parsed.fault);
  const auto read = wire::decode<wire::OperateRequest>(parsed.envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, sent.target);
  EXPECT_EQ(read->verb, sent.verb);
  EXPECT_EQ(read->wait_us, sent.wait_us);
  EXPECT_EQ(read->id, sent.id);
  EXPECT_EQ(read->after, sent.after);
  EXPECT_EQ(test::hex(parsed.body), "01 02 03");
}

TEST(WireTest, AMessageWithoutABodyHasAnEmptyOne) {
  EXPECT_TRUE(test::parsed(wire::encode(1, wire::OperateRequest{})).body.empty());
  EXPECT_TRUE(test::parsed(wire::encode(1, wire::Done{}, wire::Timing::timed)).body.empty());
}

TEST(WireTest, TheBodyOfATimedReplyFollowsItsTimes) {
  Message message = test::with_body(wire::encode(1, test::full_done(), wire::Timing::timed), octets("01 02"));
  wire::set_times(message, {1, 2, 3});
  const wire::ParsedHeader parsed = test::parsed(message);
  ASSERT_FALSE(parsed.fault);
  EXPECT_EQ(test::hex(parsed.body), "01 02");
  EXPECT_TRUE(wire::decode<wire::Done>(parsed.envelope));
  EXPECT_EQ(parsed.times->clock, 3u);
}

TEST(WireTest, ABodyOfTheMostBytesFitsIntoItsMessage) {
  constexpr std::size_t limit = 200'000;
  const test::Octets body(wire::max_body_bytes(limit));
  EXPECT_EQ(test::with_body(wire::encode(1, wire::Done{Status::refused}), body).size(), limit);
  EXPECT_EQ(wire::max_body_bytes(10), 0u);
}

TEST(WireTest, AnOutcomeSurvives) {
  const wire::Done sent = test::full_done();
  const auto read = wire::decode<wire::Done>(test::parsed(wire::encode(1, sent)).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status, sent.status);
  EXPECT_EQ(read->reason, sent.reason);
  EXPECT_EQ(read->parts, sent.parts);
  EXPECT_EQ(read->clocks, sent.clocks);
  const auto plain = wire::decode<wire::Done>(test::parsed(wire::encode(1, wire::Done{})).envelope);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->status, Status::ok);
  EXPECT_FALSE(plain->clocks);
}

TEST(WireTest, AnOutcomeWithImpossibleClocksIsRefused) {
  wire::Done sent = test::full_done();
  sent.clocks->error_ns = -1;
  EXPECT_FALSE(wire::decode<wire::Done>(test::parsed(wire::encode(1, sent)).envelope));
  sent = test::full_done();
  sent.clocks->drift_ppm = 2e6;
  EXPECT_FALSE(wire::decode<wire::Done>(test::parsed(wire::encode(1, sent)).envelope));
}

TEST(WireTest, AReplyThatDoesNotEndItsOperationIsRefused) {
  EXPECT_FALSE(
      wire::decode<wire::Done>(test::parsed(wire::encode(1, wire::Done{Status::under_way})).envelope));
}

TEST(WireTest, PushesAndCreditSurvive) {
  const Message push = test::with_body(wire::encode(Kind::pushed, 3, wire::Push{77}), octets("0a"));
  const wire::ParsedHeader parsed = test::parsed(push);
  EXPECT_EQ(parsed.header.kind, Kind::pushed);
  EXPECT_EQ(wire::decode<wire::Push>(parsed.envelope)->target, 77u);
  EXPECT_EQ(test::hex(parsed.body), "0a");
  const Message credit = wire::encode(Kind::credit, 4, wire::Credit{77, 1000});
  const auto read = wire::decode<wire::Credit>(test::parsed(credit).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, 77u);
  EXPECT_EQ(read->up_to, 1000u);
}

TEST(WireTest, ACancellationSurvives) {
  const Message message = wire::encode(5, wire::Cancel{77, 4});
  const wire::ParsedHeader parsed = test::parsed(message);
  EXPECT_EQ(parsed.header.kind, Kind::cancel);
  const auto read = wire::decode<wire::Cancel>(parsed.envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, 77u);
  EXPECT_EQ(read->request, 4u);
}

TEST(WireTest, AFailureSurvives) {
  const auto read =
      wire::decode<wire::Failure>(test::parsed(wire::encode(1, wire::Failure{Fault::busy, "why"})).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fault, Fault::busy);
  EXPECT_EQ(read->text, "why");
}

TEST(WireTest, AServersReportSurvives) {
  const auto read =
      wire::decode<wire::ServerReport>(test::parsed(wire::encode(1, test::full_report())).envelope);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "node n1");
  EXPECT_EQ(read->session, "wind");
  EXPECT_EQ(read->fingerprint, 0xfeedu);
  EXPECT_EQ(read->pid, 4711);
  EXPECT_EQ(read->requests, 1u);
  EXPECT_EQ(read->open_targets, 2u);
  EXPECT_EQ(read->connections, 3u);
  EXPECT_EQ(read->handshakes_refused, 4u);
  EXPECT_EQ(read->undeliverable, 5u);
  EXPECT_EQ(read->refused, test::full_report().refused);
}

TEST(WireTest, RequestsToOpenToPullAndToPingAskForTheServersTimes) {
  const auto asks = [](const Message& message) {
    return wire::is_timed(message) && test::parsed(message).header.timed;
  };
  wire::OperateRequest request;
  EXPECT_FALSE(asks(wire::encode(1, request)));
  request.verb = Verb::pull;
  EXPECT_TRUE(asks(wire::encode(1, request)));
  EXPECT_TRUE(asks(wire::encode(1, wire::OpenRequest{"path", {}, {}})));
  EXPECT_TRUE(asks(wire::encode(Kind::ping, 1)));
  EXPECT_FALSE(asks(wire::encode(1, wire::CloseRequest{1})));
  EXPECT_FALSE(test::parsed(wire::encode(Kind::ping, 1)).times);
}

TEST(WireTest, ATimedReplyHasTheServersTimes) {
  constexpr wire::ServerTimes times{0x1122334455667788, UINT64_MAX, 7};
  for (Message message : {wire::encode(1, wire::Opened{77}, wire::Timing::timed),
                          wire::encode(1, test::full_done(), wire::Timing::timed),
                          wire::encode(1, test::full_report(), wire::Timing::timed)}) {
    wire::set_times(message, times);
    const wire::ParsedHeader parsed = test::parsed(message);
    ASSERT_FALSE(parsed.fault);
    EXPECT_EQ(parsed.times, times);
    EXPECT_EQ(parsed.envelope.size(), message.size() - wire::header_bytes - wire::times_bytes);
  }
  Message message = wire::encode(1, wire::Opened{77}, wire::Timing::timed);
  wire::set_times(message, times);
  EXPECT_EQ(test::hex(Bytes(message)),
            "45 56 53 50 10 11 01 00 01 00 00 00 00 00 00 00 02 00 00 00 02 00 00 00 "
            "88 77 66 55 44 33 22 11 ff ff ff ff ff ff ff ff 07 00 00 00 00 00 00 00 91 4d");
  EXPECT_EQ(wire::decode<wire::Opened>(test::parsed(message).envelope)->target, 77u);
}

TEST(WireTest, EveryFaultHasAName) {
  for (std::size_t i = 1; i < wire::fault_count; ++i) EXPECT_NE(wire::to_string(static_cast<Fault>(i)), "?");
  EXPECT_EQ(wire::to_string(static_cast<Fault>(wire::fault_count)), "?");
}

// --- headers that are refused -----------------------------------------------------------------------

struct FaultyHeader {
  std::string name;
  Fault fault;
  Message message;
};

Message ping_with(std::size_t at, std::byte value) {
  Message message = wire::encode(Kind::ping, 7);
  message.at(at) = value;
  return message;
}

Message shortened(std::size_t size) {
  Message message = wire::encode(Kind::ping, 7);
  message.resize(size);
  return message;
}

Message lengthened() {
  Message message = wire::encode(Kind::ping, 7);
  message.push_back(std::byte{0});
  return message;
}

Message timed_reply_of(std::size_t size) {
  Message message = wire::encode(7, wire::Opened{1}, wire::Timing::timed);
  message.resize(size);
  return message;
}

class FaultyHeaderTest : public testing::TestWithParam<FaultyHeader> {};
INSTANTIATE_TEST_SUITE_P(
    Table, FaultyHeaderTest,
    testing::Values(FaultyHeader{"Nothing", Fault::truncated, {}},
                    FaultyHeader{"OneByte", Fault::truncated, shortened(1)},
                    FaultyHeader{"AlmostAHeader", Fault::truncated, shortened(23)},
                    FaultyHeader{"NoBody", Fault::truncated, shortened(24)},
                    FaultyHeader{"TooMuchBody", Fault::truncated, lengthened()},
                    FaultyHeader{"LyingLength", Fault::truncated, ping_with(19, std::byte{0xff})},
                    FaultyHeader{"OtherMagic", Fault::foreign, ping_with(0, std::byte{'e'})},
                    FaultyHeader{"OtherMagicEnd", Fault::foreign, ping_with(3, std::byte{'Q'})},
                    FaultyHeader{"ReservedLow", Fault::foreign, ping_with(6, std::byte{3})},
                    FaultyHeader{"ReservedNext", Fault::foreign, ping_with(7, std::byte{1})},
                    FaultyHeader{"LyingEnvelope", Fault::truncated, ping_with(23, std::byte{1})},
                    FaultyHeader{"EnvelopeLongerByOne", Fault::truncated, ping_with(20, std::byte{2})},
                    FaultyHeader{"VersionZero", Fault::version, ping_with(4, std::byte{0})},
                    FaultyHeader{"VersionOne", Fault::version, ping_with(4, std::byte{1})},
                    FaultyHeader{"VersionTwo", Fault::version, ping_with(4, std::byte{2})},
                    FaultyHeader{"VersionThree", Fault::version, ping_with(4, std::byte{3})},
                    FaultyHeader{"VersionFour", Fault::version, ping_with(4, std::byte{4})},
                    FaultyHeader{"VersionFive", Fault::version, ping_with(4, std::byte{5})},
                    FaultyHeader{"VersionEight", Fault::version, ping_with(4, std::byte{8})},
                    FaultyHeader{"VersionThirteen", Fault::version, ping_with(4, std::byte{13})},
                    FaultyHeader{"NoTimes", Fault::truncated, timed_reply_of(24)},
                    FaultyHeader{"HalfOfTheTimes", Fault::truncated, timed_reply_of(36)},
                    FaultyHeader{"TimesAndNoBody", Fault::truncated, timed_reply_of(48)},
                    FaultyHeader{"KindZero", Fault::kind, ping_with(5, std::byte{0})},
                    FaultyHeader{"KindBetween", Fault::kind, ping_with(5, std::byte{16})},
                    FaultyHeader{"KindHighest", Fault::kind, ping_with(5, std::byte{255})}),
    [](const auto& given) { return given.param.name; });

TEST_P(FaultyHeaderTest, IsRefusedWithItsFault) {
  const wire::ParsedHeader parsed = wire::parse_header(GetParam().message, test::most);
  EXPECT_EQ(parsed.fault, GetParam().fault);
  EXPECT_TRUE(parsed.envelope.empty());
  EXPECT_TRUE(parsed.body.empty());
}

TEST(WireTest, AMessageAboveTheLimitIsOversizedAndItsIdIsKnown) {
  const Message message = wire::encode(Kind::ping, 7);
  EXPECT_FALSE(wire::parse_header(message, message.size()).fault);
  EXPECT_EQ(wire::parse_header(message, message.size() - 1).fault, Fault::oversized);
  EXPECT_EQ(wire::parse_header(message, message.size() - 1).header.id, 7u);
}

TEST(WireTest, TheIdOfAMessageOfAnotherVersionIsKnown) {
  EXPECT_EQ(test::parsed(ping_with(4, std::byte{9})).header.id, 7u);
}

// --- envelopes that are refused ------------------------------------------------------------------------

struct FaultyBody {
  std::string name;
  std::string hex;
};

class FaultyOperationTest : public testing::TestWithParam<FaultyBody> {};
INSTANTIATE_TEST_SUITE_P(
    Table, FaultyOperationTest,
    testing::Values(
        FaultyBody{"Nothing", ""}, FaultyBody{"NoArray", "01"}, FaultyBody{"Empty", "90"},
        FaultyBody{"Good", "95 01 02 ff 00 00"}, FaultyBody{"OneEntryShort", "94 01 02 ff 00"},
        FaultyBody{"OneEntryMore", "96 01 02 ff 00 00 00"},
        FaultyBody{"BytesAfterIt", "95 01 02 ff 00 00 00"}, FaultyBody{"CutOff", "95 01 02 ff 00"},
        FaultyBody{"UnknownVerb", "95 01 07 ff 00 00"}, FaultyBody{"VerbZero", "95 01 00 ff 00 00"},
        FaultyBody{"NegativeTarget", "95 ff 02 ff 00 00"}, FaultyBody{"NegativeWait", "95 01 02 fe 00 00"},
        FaultyBody{"NegativeNumber", "95 01 02 ff ff 00"}, FaultyBody{"TextForNumber", "95 01 02 ff a0 00"},
        FaultyBody{"ArrayThatLies", "dd ff ff ff ff 01"}, FaultyBody{"TextThatLies", "95 db ff ff ff ff 01"},
        FaultyBody{"MapForArray", "80"}, FaultyBody{"NeverUsedByte", "c1"},
        FaultyBody{"Extension", "c7 01 05 00"}),
    [](const auto& given) { return given.param.name; });

TEST_P(FaultyOperationTest, IsRefused) {
  const auto body = octets(GetParam().hex);
  EXPECT_EQ(wire::decode<wire::OperateRequest>(body).has_value(), GetParam().name == "Good");
  test::decode_as_everything(body);
}

TEST(WireTest, WhatAPeerSaysIsShownWithoutControlCharacters) {
  const std::string hostile = "no\x1b[2J\nfault\xff";
  const std::string shown = "no\\u001b[2J\\nfault\\xff";
  const auto envelope_of = [](const wire::Message& message) {
    const Bytes envelope = wire::parse_header(message, 1u << 20).envelope;
    return test::Octets(envelope.begin(), envelope.end());
  };
  EXPECT_EQ(
      wire::decode<wire::Failure>(envelope_of(wire::encode(1, wire::Failure{wire::Fault::busy, hostile})))
          ->text,
      shown);
  EXPECT_EQ(wire::decode<wire::Done>(
                envelope_of(wire::encode(1, wire::Done{.status = Status::refused, .reason = hostile})))
                ->reason,
            shown);
  EXPECT_EQ(
      wire::decode<wire::CloseRequest>(envelope_of(wire::encode(1, wire::CloseRequest{1, 2, hostile})))->why,
      shown);
}

TEST(WireTest, NestingIsBounded) {
  const test::Octets deep(100'000, std::byte{0x91});
  test::decode_as_everything(deep);
  EXPECT_FALSE(wire::decode<wire::Done>(deep));
}

}  // namespace
}  // namespace eventspace
