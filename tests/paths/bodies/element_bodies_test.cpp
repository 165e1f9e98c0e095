#include "paths/bodies/element_bodies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/tuplespace/octets.h"

// Operations on elements as bodies of messages.

namespace eventspace {
namespace {

using test::octets;

/// A sink that refuses parts and has room for `bytes`.
class NoParts final : public PartSink {
 public:
  explicit NoParts(std::size_t bytes = 1u << 20) : bytes_(bytes) {}
  [[nodiscard]] std::size_t parts_left() const noexcept override { return 0; }
  [[nodiscard]] std::size_t bytes_left() const noexcept override { return bytes_; }
  void send(const std::function<void(wire::Message&)>&) override { ADD_FAILURE() << "a part was sent"; }

 private:
  std::size_t bytes_;
};

class ElementBodiesTest : public testing::Test {
 protected:
  wire::Message request_of(const Operation& operation) {
    wire::Message body;
    client.write_request(operation, body);
    return body;
  }
  /// Returns null if the body cannot be read.
  std::unique_ptr<ServedOperation> read(Bytes body, Operation& operation) {
    return kind->read_request(body, operation, parts);
  }

  ElementClient client;
  std::shared_ptr<const TargetKind> kind{element_kind({})};
  NoParts parts;
};

Operation full_take(const Template& match) {
  Operation operation;
  operation.verb = Verb::take;
  operation.from = From::after;
  operation.sequence = 1234567890123;
  operation.match = &match;
  return operation;
}

TEST_F(ElementBodiesTest, AcceptsTheVerbsOfElementsAndCollectivesOnly) {
  for (const Verb verb : {Verb::write, Verb::read, Verb::take, Verb::discard, Verb::exchange})
    EXPECT_TRUE(kind->takes(verb)) << to_string(verb);
  EXPECT_FALSE(kind->takes(Verb::pull));
}

TEST_F(ElementBodiesTest, ARequestSurvives) {
  const Template match{FieldType::integer,
                       std::string("text"),
                       true,
                       1.5,
                       2.0,
                       std::int64_t{-7},
                       std::vector<std::byte>{std::byte{1}}};
  Operation asked;
  asked.verb = Verb::take;
  const auto served = read(request_of(full_take(match)), asked);
  ASSERT_TRUE(served);
  EXPECT_EQ(asked.from, From::after);
  EXPECT_EQ(asked.sequence, 1234567890123u);
  ASSERT_NE(asked.match, nullptr);
  EXPECT_EQ(asked.match->entries(), match.entries());
  EXPECT_TRUE(asked.tuple.empty()) << "a take brings none";
}

TEST_F(ElementBodiesTest, ATupleTravelsWithWritesAndExchanges) {
  for (const Verb verb : {Verb::write, Verb::exchange, Verb::read}) {
    Operation operation;
    operation.verb = verb;
    operation.tuple = Tuple::of({std::int64_t{1}, "text"});
    Operation asked;
    asked.verb = verb;
    ASSERT_TRUE(read(request_of(operation), asked));
    EXPECT_EQ(asked.tuple == operation.tuple, verb != Verb::read);
    EXPECT_EQ(asked.match, nullptr);
  }
}

TEST_F(ElementBodiesTest, AReplySurvives) {
  Operation served_one;
  served_one.verb = Verb::take;
  const auto served = read(request_of(Operation{}), served_one);
  ASSERT_TRUE(served);
  served_one.status = Status::ok;
  served_one.sequence = 5;
  served_one.missed = 6;
  served_one.tuple = Tuple::of({std::int64_t{7}});
  wire::Message reply;
  served->write_reply(served_one, reply);
  Operation asker;
  asker.verb = Verb::take;
  asker.status = Status::ok;
  EXPECT_EQ(client.read_reply(asker, {reply, nullptr, {}, {}, 0}), "");
  EXPECT_EQ(asker.sequence, 5u);
  EXPECT_EQ(asker.missed, 6u);
  EXPECT_EQ(asker.tuple, Tuple::of({std::int64_t{7}}));
}

TEST_F(ElementBodiesTest, AReplyThatCannotBeReadChangesNothing) {
  Operation asker;
  asker.verb = Verb::take;
  asker.status = Status::ok;
  asker.sequence = 3;
  EXPECT_NE(client.read_reply(asker, {octets("93 01 02 c4 01 c1"), nullptr, {}, {}, 0}), "");
  EXPECT_EQ(asker.sequence, 3u);
  EXPECT_NE(client.read_reply(asker, {Bytes{}, nullptr, {}, {}, 0}), "");
  asker.status = Status::timed_out;  // like a gateway's answer for a server that it could not reach
  EXPECT_EQ(client.read_reply(asker, {Bytes{}, nullptr, {}, {}, 0}), "");
}

TEST_F(ElementBodiesTest, ATupleOfTheMostBytesFitsIntoItsMessage) {
  constexpr std::size_t limit = 200'000;
  Operation operation;
  operation.verb = Verb::take;
  NoParts parts_of_limit(limit);
  const auto served = kind->read_request(request_of(Operation{}), operation, parts_of_limit);
  ASSERT_TRUE(served);
  const std::size_t most = operation.max_bytes;
  EXPECT_EQ(most, max_tuple_bytes(limit));
  const std::size_t frame =
      Tuple::of({std::string_view(std::string(most / 2, 'x'))}).encoded().size() - most / 2;
  operation.tuple = Tuple::of({std::string_view(std::string(most - frame, 'x'))});
  ASSERT_EQ(operation.tuple.encoded().size(), most);
  operation.status = Status::ok;
  operation.sequence = operation.missed = UINT64_MAX;
  wire::Message reply = wire::encode(1, wire::Done{});
  served->write_reply(operation, reply);
  EXPECT_EQ(reply.size(), limit);
  EXPECT_EQ(max_tuple_bytes(10), 0u);
}

TEST_F(ElementBodiesTest, ATemplateOfTooManyFieldsIsRefused) {
  const Template most(std::vector<Template::Entry>(Signature::max_fields, std::int64_t{1}));
  const Template too_many(std::vector<Template::Entry>(Signature::max_fields + 1, std::int64_t{1}));
  Operation asked;
  EXPECT_TRUE(read(request_of(full_take(most)), asked));
  EXPECT_FALSE(read(request_of(full_take(too_many)), asked));
}

struct FaultyElementBody {
  std::string name;
  std::string hex;
};

class FaultyElementBodyTest : public ElementBodiesTest,
                              public testing::WithParamInterface<FaultyElementBody> {};
INSTANTIATE_TEST_SUITE_P(
    Table, FaultyElementBodyTest,
    testing::Values(FaultyElementBody{"Nothing", ""}, FaultyElementBody{"NoArray", "01"},
                    FaultyElementBody{"Empty", "90"}, FaultyElementBody{"Good", "94 00 00 c4 00 90"},
                    FaultyElementBody{"OneEntryShort", "93 00 00 c4 00"},
                    FaultyElementBody{"OneEntryMore", "95 00 00 c4 00 90 00"},
                    FaultyElementBody{"BytesAfterIt", "94 00 00 c4 00 90 00"},
                    FaultyElementBody{"CutOff", "94 00 00 c4 00"},
                    FaultyElementBody{"UnknownFrom", "94 04 00 c4 00 90"},
                    FaultyElementBody{"NegativeSequence", "94 00 ff c4 00 90"},
                    FaultyElementBody{"TextForTuple", "94 00 00 a0 90"},
                    FaultyElementBody{"TupleThatIsNone", "94 00 00 c4 01 c1 90"},
                    FaultyElementBody{"BytesThatLie", "94 00 00 c6 ff ff ff ff"},
                    FaultyElementBody{"TemplateEntryIsNoPair", "94 00 00 c4 00 91 01"},
                    FaultyElementBody{"TemplateOfUnknownType", "94 00 00 c4 00 91 92 c3 05"},
                    FaultyElementBody{"TemplateOfNil", "94 00 00 c4 00 91 92 c2 c0"}),
    [](const auto& given) { return given.param.name; });

TEST_P(FaultyElementBodyTest, IsRefused) {
  Operation asked;
  EXPECT_EQ(read(octets(GetParam().hex), asked) != nullptr, GetParam().name == "Good");
}

}  // namespace
}  // namespace eventspace
