#include "paths/wire/wire.h"

#include <gtest/gtest.h>

#include "tests/paths/wire/wire_talk.h"

namespace eventspace {
namespace {

using test::octets;
using wire::Fault;
using wire::Kind;
using wire::Message;

// --- what is said is heard --------------------------------------------------------------------------

TEST(WireTest, AHeaderSaysKindAndNumber) {
  const Message message = wire::encode(Kind::ping, 0x1122334455667788);
  const wire::ParsedHeader parsed = test::parsed(message);
  EXPECT_FALSE(parsed.fault);
  EXPECT_EQ(parsed.header.kind, Kind::ping);
  EXPECT_EQ(parsed.header.id, 0x1122334455667788u);
  EXPECT_EQ(test::hex(Bytes(message)),
            "45 56 53 50 07 04 01 00 88 77 66 55 44 33 22 11 01 00 00 00 00 00 00 00 90");
}

TEST(WireTest, AnOpenRequestSurvives) {
  const auto read = wire::decode_open(test::parsed(test::good_messages()[0]).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, "path");
  EXPECT_EQ(read->spec, octets("01 02"));
  EXPECT_EQ(read->route, (std::vector<std::string>{"tcp://a:1", "tcp://b:2"}));
  EXPECT_TRUE(read->held);
}

TEST(WireTest, ACloseRequestSurvives) {
  const auto read = wire::decode_close(test::parsed(test::good_messages()[1]).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, 77u);
  EXPECT_EQ(read->opened_by, 5u);
  EXPECT_EQ(read->why, "t5 gave up");
}

TEST(WireTest, AnOperationSurvives) {
  const wire::OperateRequest sent = test::full_operation();
  const auto read = wire::decode_operate(test::parsed(wire::encode(1, sent)).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->target, sent.target);
  EXPECT_EQ(read->verb, sent.verb);
  EXPECT_EQ(read->from, sent.from);
  EXPECT_EQ(read->sequence, sent.sequence);
  EXPECT_EQ(read->wait_us, sent.wait_us);
  EXPECT_EQ(read->tuple, sent.tuple);
  ASSERT_TRUE(read->match);
  EXPECT_EQ(read->match->entries(), sent.match->entries());
  EXPECT_EQ(read->pull_id, sent.pull_id);
  EXPECT_EQ(read->pull_after, sent.pull_after);
  EXPECT_EQ(read->with_threads, sent.with_threads);
  EXPECT_EQ(read->look_back, sent.look_back);
}

TEST(WireTest, ATupleOfTheMostBytesFitsIntoItsMessage) {
  constexpr std::size_t limit = 200'000;
  const std::size_t most = wire::most_tuple_bytes(limit);
  const std::size_t frame =
      Tuple::of({std::string_view(std::string(most / 2, 'x'))}).encoded().size() - most / 2;
  const Tuple tuple = Tuple::of({std::string_view(std::string(most - frame, 'x'))});
  ASSERT_EQ(tuple.encoded().size(), most);
  EXPECT_EQ(wire::encode(1, wire::Done{Status::ok, UINT64_MAX, UINT64_MAX, {}, tuple, {}}).size(), limit);
  EXPECT_EQ(wire::most_tuple_bytes(10), 0u);
}

TEST(WireTest, AnOperationWithoutTupleAndTemplateHasNone) {
  const auto read = wire::decode_operate(test::parsed(wire::encode(1, wire::OperateRequest{})).body);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->tuple.empty());
  EXPECT_FALSE(read->match);
  EXPECT_EQ(read->wait_us, -1);
}

TEST(WireTest, AnOutcomeSurvivesWithItsView) {
  const wire::Done sent = test::full_done();
  const auto read = wire::decode_done(test::parsed(wire::encode(1, sent)).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status, sent.status);
  EXPECT_EQ(read->sequence, sent.sequence);
  EXPECT_EQ(read->missed, sent.missed);
  EXPECT_EQ(read->reason, sent.reason);
  EXPECT_EQ(read->tuple, sent.tuple);
  ASSERT_TRUE(read->view);
  EXPECT_EQ(read->view->records, sent.view->records);
  EXPECT_EQ(read->view->aggregates, sent.view->aggregates);
  EXPECT_EQ(read->view->collective_parts, sent.view->collective_parts);
  EXPECT_EQ(read->view->collective_sums, sent.view->collective_sums);
  EXPECT_EQ(read->view->loss, sent.view->loss);
  EXPECT_EQ(read->view->missing, sent.view->missing);
  EXPECT_EQ(read->view->sources_read, sent.view->sources_read);
  EXPECT_EQ(read->view->gone_ahead, sent.view->gone_ahead);
  EXPECT_EQ(read->view->positions, sent.view->positions);
  ASSERT_EQ(read->view->processes.size(), 1u);
  const ProcessReport& process = read->view->processes[0];
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
  EXPECT_EQ(process.relation, sent.view->processes[0].relation);
  EXPECT_TRUE(process.followed);
  EXPECT_EQ(process.threads, sent.view->processes[0].threads);
  EXPECT_EQ(read->view->levels, sent.view->levels);
}

TEST(WireTest, AClockWhoseRatesAreWholeNumbersSurvives) {
  wire::Done sent = test::full_done();
  sent.view->processes[0].clock.ns_per_tick = 1.0;  // as of CLOCK_MONOTONIC
  sent.view->processes[0].clock.error_ppm = 0.0;
  const auto read = wire::decode_done(test::parsed(wire::encode(1, sent)).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view->processes[0].clock.ns_per_tick, 1.0);
  EXPECT_EQ(read->view->processes[0].clock.error_ppm, 0.0);
}

TEST(WireTest, AggregatesOutOfOrderAreRefused) {
  wire::Done sent = test::full_done();
  std::swap(sent.view->aggregates[0], sent.view->aggregates[1]);
  EXPECT_FALSE(wire::decode_done(test::parsed(wire::encode(1, sent)).body));
  sent.view->aggregates[0] = sent.view->aggregates[1];
  EXPECT_FALSE(wire::decode_done(test::parsed(wire::encode(1, sent)).body));
}

TEST(WireTest, AConvertedClockSurvives) {
  wire::Done sent = test::full_done();
  sent.view->processes[0].clock = sent.view->processes[0].clock.as_realtime();
  const auto read = wire::decode_done(test::parsed(wire::encode(1, sent)).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view->processes[0].clock.source, ClockSource::realtime);
  EXPECT_EQ(read->view->processes[0].clock.ticks, 3u);
  sent.view->processes[0].clock.source = ClockSource::synchronised;
  const auto synchronised = wire::decode_done(test::parsed(wire::encode(1, sent)).body);
  ASSERT_TRUE(synchronised);
  EXPECT_EQ(synchronised->view->processes[0].clock.source, ClockSource::synchronised);
}

TEST(WireTest, AnOutcomeWithoutViewHasNone) {
  const auto read = wire::decode_done(test::parsed(wire::encode(1, wire::Done{})).body);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->view);
}

TEST(WireTest, AFailureSurvives) {
  const auto read =
      wire::decode_failure(test::parsed(wire::encode(1, wire::Failure{Fault::busy, "why"})).body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fault, Fault::busy);
  EXPECT_EQ(read->text, "why");
}

TEST(WireTest, AServersReportSurvives) {
  const auto read = wire::decode_report(test::parsed(wire::encode(1, test::full_report())).body);
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
    EXPECT_EQ(parsed.body.size(), message.size() - wire::header_bytes - wire::times_bytes);
  }
  Message message = wire::encode(1, wire::Opened{77}, wire::Timing::timed);
  wire::set_times(message, times);
  EXPECT_EQ(test::hex(Bytes(message)),
            "45 56 53 50 07 11 01 00 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 "
            "88 77 66 55 44 33 22 11 ff ff ff ff ff ff ff ff 07 00 00 00 00 00 00 00 91 4d");
  EXPECT_EQ(wire::decode_opened(test::parsed(message).body)->target, 77u);
}

TEST(WireTest, EveryFaultHasAWord) {
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
                    FaultyHeader{"ReservedHigh", Fault::foreign, ping_with(23, std::byte{1})},
                    FaultyHeader{"VersionZero", Fault::version, ping_with(4, std::byte{0})},
                    FaultyHeader{"VersionOne", Fault::version, ping_with(4, std::byte{1})},
                    FaultyHeader{"VersionTwo", Fault::version, ping_with(4, std::byte{2})},
                    FaultyHeader{"VersionThree", Fault::version, ping_with(4, std::byte{3})},
                    FaultyHeader{"VersionFour", Fault::version, ping_with(4, std::byte{4})},
                    FaultyHeader{"VersionFive", Fault::version, ping_with(4, std::byte{5})},
                    FaultyHeader{"VersionEight", Fault::version, ping_with(4, std::byte{8})},
                    FaultyHeader{"NoTimes", Fault::truncated, timed_reply_of(24)},
                    FaultyHeader{"HalfOfTheTimes", Fault::truncated, timed_reply_of(36)},
                    FaultyHeader{"TimesAndNoBody", Fault::truncated, timed_reply_of(48)},
                    FaultyHeader{"KindZero", Fault::kind, ping_with(5, std::byte{0})},
                    FaultyHeader{"KindBetween", Fault::kind, ping_with(5, std::byte{16})},
                    FaultyHeader{"KindHighest", Fault::kind, ping_with(5, std::byte{255})}),
    [](const auto& given) { return given.param.name; });

TEST_P(FaultyHeaderTest, IsRefusedForWhatItIs) {
  const wire::ParsedHeader parsed = wire::parse_header(GetParam().message, test::most);
  EXPECT_EQ(parsed.fault, GetParam().fault);
  EXPECT_TRUE(parsed.body.empty());
}

TEST(WireTest, AMessageAboveTheLimitIsOversizedAndItsNumberKnown) {
  const Message message = wire::encode(Kind::ping, 7);
  EXPECT_FALSE(wire::parse_header(message, message.size()).fault);
  EXPECT_EQ(wire::parse_header(message, message.size() - 1).fault, Fault::oversized);
  EXPECT_EQ(wire::parse_header(message, message.size() - 1).header.id, 7u);
}

TEST(WireTest, TheNumberOfAnotherVersionsMessageIsKnown) {
  EXPECT_EQ(test::parsed(ping_with(4, std::byte{9})).header.id, 7u);
}

// --- bodies that are refused ------------------------------------------------------------------------

struct FaultyBody {
  std::string name;
  std::string hex;
};

class FaultyOperationTest : public testing::TestWithParam<FaultyBody> {};
INSTANTIATE_TEST_SUITE_P(
    Table, FaultyOperationTest,
    testing::Values(FaultyBody{"Nothing", ""}, FaultyBody{"NoArray", "01"}, FaultyBody{"Empty", "90"},
                    FaultyBody{"Good", "9b 01 02 00 00 ff c4 00 90 00 00 c2 05"},
                    FaultyBody{"OneEntryShort", "9a 01 02 00 00 ff c4 00 90 00 00 c2"},
                    FaultyBody{"OneEntryMore", "9c 01 02 00 00 ff c4 00 90 00 00 c2 05 05"},
                    FaultyBody{"BytesAfterIt", "9b 01 02 00 00 ff c4 00 90 00 00 c2 05 00"},
                    FaultyBody{"CutOff", "9b 01 02 00 00 ff c4 00 90 00 00 c2"},
                    FaultyBody{"UnknownVerb", "9b 01 07 00 00 ff c4 00 90 00 00 c2 05"},
                    FaultyBody{"VerbZero", "9b 01 00 00 00 ff c4 00 90 00 00 c2 05"},
                    FaultyBody{"UnknownFrom", "9b 01 02 04 00 ff c4 00 90 00 00 c2 05"},
                    FaultyBody{"NegativeTarget", "9b ff 02 00 00 ff c4 00 90 00 00 c2 05"},
                    FaultyBody{"NegativeWait", "9b 01 02 00 00 fe c4 00 90 00 00 c2 05"},
                    FaultyBody{"TextForTuple", "9b 01 02 00 00 ff a0 90 00 00 c2 05"},
                    FaultyBody{"TupleThatIsNone", "9b 01 02 00 00 ff c4 01 c1 90 00 00 c2 05"},
                    FaultyBody{"NumberForBoolean", "9b 01 02 00 00 ff c4 00 90 00 00 01 05"},
                    FaultyBody{"NegativeLookBack", "9b 01 02 00 00 ff c4 00 90 00 00 c2 ff"},
                    FaultyBody{"TemplateEntryIsNoPair", "9b 01 02 00 00 ff c4 00 91 01 00 00 c2 05"},
                    FaultyBody{"TemplateOfUnknownType", "9b 01 02 00 00 ff c4 00 91 92 c3 05 00 00 c2 05"},
                    FaultyBody{"TemplateOfNil", "9b 01 02 00 00 ff c4 00 91 92 c2 c0 00 00 c2 05"},
                    FaultyBody{"ArrayThatLies", "dd ff ff ff ff 01"},
                    FaultyBody{"TextThatLies", "9b db ff ff ff ff 01"},
                    FaultyBody{"BytesThatLie", "9b 01 02 00 00 ff c6 ff ff ff ff"},
                    FaultyBody{"MapForArray", "80"}, FaultyBody{"NeverUsedByte", "c1"},
                    FaultyBody{"Extension", "c7 01 05 00"}),
    [](const auto& given) { return given.param.name; });

TEST_P(FaultyOperationTest, IsRefused) {
  const auto body = octets(GetParam().hex);
  EXPECT_EQ(wire::decode_operate(body).has_value(), GetParam().name == "Good");
  test::decode_as_everything(body);
}

TEST(WireTest, NestingIsBounded) {
  const test::Octets deep(100'000, std::byte{0x91});
  test::decode_as_everything(deep);
  EXPECT_FALSE(wire::decode_done(deep));
}

TEST(WireTest, ATemplateOfTooManyFieldsIsRefused) {
  wire::OperateRequest request;
  request.match = Template(std::vector<Template::Entry>(Signature::max_fields, std::int64_t{1}));
  EXPECT_TRUE(wire::decode_operate(test::parsed(wire::encode(1, request)).body));
  request.match = Template(std::vector<Template::Entry>(Signature::max_fields + 1, std::int64_t{1}));
  EXPECT_FALSE(wire::decode_operate(test::parsed(wire::encode(1, request)).body));
}

}  // namespace
}  // namespace eventspace
