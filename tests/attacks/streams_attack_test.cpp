#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "scopes/streams/frame.h"
#include "scopes/streams/processes/ancestry.h"
#include "tests/attacks/attack.h"
#include "tests/paths/links/free_port.h"

// An admitted peer attacks each kind of listening socket of a network of streams: it attaches as a back-end
// and as an internal process, and sends frames of all kinds, changed at random. Streams of others continue.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using Number = Format<std::int64_t>;

Deadline soon() { return Deadline::after(60s); }
std::string local_tcp() { return eventspace::test::local_endpoint(eventspace::test::free_port()); }

/// Frames that a process of the network could send, up or down.
std::vector<std::byte> frames() {
  std::vector<std::byte> message;
  for (auto kind = FrameKind::data; kind <= FrameKind::orphans;
       kind = static_cast<FrameKind>(static_cast<int>(kind) + 1)) {
    Frame frame{.kind = kind, .stream = 1, .number = 3, .bytes = 1 << 20, .packet = Number::make(7, 5)};
    frame.packet.ranks = RankSet::of_range(0, 3);
    append(message, frame);
  }
  return message;
}

std::vector<wire::Message> messages_to(std::uint64_t target, const std::string& network) {
  std::vector<wire::Message> messages;
  for (const Part part : {Part::back_end, Part::internal}) {
    const AttachPoint point{
        network, {}, part == Part::back_end ? std::optional<RankSet::Rank>(1) : std::nullopt};
    const auto spec = encode_spec(point, part, {}, "tcp://127.0.0.1:1");
    messages.push_back(wire::encode(1, wire::OpenRequest{std::string(target_name), spec, {}, true}));
    messages.push_back(wire::encode(1, wire::OpenRequest{std::string(target_name), spec, {}, false}));
  }
  messages.push_back(wire::encode(wire::Kind::credit, 1, wire::Credit{target, UINT64_MAX}));
  wire::Message push = wire::encode(wire::Kind::push, 1, wire::Push{target});
  const std::vector<std::byte> body = frames();
  push.insert(push.end(), body.begin(), body.end());
  wire::seal(push);
  messages.push_back(push);
  return messages;
}

/// A front-end, an internal process and a back-end with rank 0 below it; the other places are free.
class Attacked {
 public:
  Attacked()
      : inner(local_tcp()),
        front_end(Topology::of_text("1x4"),
                  {.endpoint = local_tcp(), .internals = FrontEnd::Internals::elsewhere}),
        internal({.parent = {front_end.name(), front_end.endpoint()},
                  .endpoint = inner,
                  .places = RankSet::of_range(0, 3),
                  .below = RankSet::of_range(0, 3),
                  .process = 1}) {
    internal.start();
    front_end.announce(1, inner);
    back_end = std::jthread([point = front_end.attach_point(0)] {
      BackEnd mine(point, soon());
      while (const auto received = mine.receive(Deadline::never()))
        (void)mine.answer(*received, Number::make(0, 42), soon());
    });
    EXPECT_TRUE(front_end.wait_for(1, soon()));
  }
  ~Attacked() { internal.stop(); }
  Attacked(const Attacked&) = delete;
  Attacked& operator=(const Attacked&) = delete;

  void expect_wave(std::uint32_t stream) {
    ASSERT_TRUE(front_end.send(stream, Number::make(0, 1), soon()));
    const auto packet = front_end.receive(stream, soon());
    ASSERT_TRUE(packet);
    EXPECT_EQ(PacketView(*packet).number<std::int64_t>(0), 42);
  }

  std::jthread back_end;  // ends with the network
  std::string inner;
  FrontEnd front_end;
  InternalProcess internal;
};

void attack(Attacked& attacked, const std::string& endpoint) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const std::uint32_t stream = attacked.front_end.open({.members = RankSet::of_range(0, 0)});
  attacked.expect_wave(stream);
  eventspace::test::Attack attack(
      endpoint, [&](std::uint64_t target) { return messages_to(target, attacked.front_end.name()); },
      1u << 16, seed);
  std::atomic<bool> over{false};
  std::jthread attacker([&] {
    attack.run({2s, 700, 300});
    over = true;
  });
  while (!over && !testing::Test::HasFailure()) attacked.expect_wave(stream);
  attacker.join();
  EXPECT_GT(attack.targets_opened(), 0u) << "it was let in";
  attacked.expect_wave(stream);
  EXPECT_TRUE(attacked.front_end.ranks().contains(0));
}

TEST(StreamsAttackTest, AnInternalProcessServesItsNetwork) {
  Attacked attacked;
  attack(attacked, attacked.inner);
}

TEST(StreamsAttackTest, AFrontEndServesItsNetwork) {
  Attacked attacked;
  attack(attacked, attacked.front_end.endpoint());
}

}  // namespace
}  // namespace eventspace::streams
