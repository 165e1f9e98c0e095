// Gives any bytes to a process of a network of streams, as a message from its child or its parent.

#include <optional>

#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "paths/pushes.h"
#include "scopes/streams/node.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace eventspace;
using namespace eventspace::streams;

/// Takes all messages.
class Sink final : public PushOutlet {
 public:
  bool push(Bytes body) override {
    bytes_ += body.size();
    ++sent_;
    return true;
  }
  std::uint64_t may_send() const noexcept override { return sent_ + 1; }
  std::uint64_t sent() const noexcept override { return sent_; }
  void grant(std::uint64_t) override {}

 private:
  std::size_t bytes_{0};
  std::uint64_t sent_{0};
};

}  // namespace

// The first byte selects the part and the sender.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Sink parent;
  Sink child;
  const bool is_root = data[0] % 3 == 0;
  StreamNode node(is_root ? Part::front_end : Part::internal);
  if (!is_root) node.set_parent(&parent, "ipc://parent");
  Sink sibling;
  if (is_root) node.refuges().set_adoption(Adoption::sibling);
  const Child number =
      node.add_child(child, RankSet::of_range(0, 3), "", std::nullopt, "tcp://a:1", Part::internal);
  const Child other = node.add_child(sibling, RankSet::of_range(20, 21), "", std::nullopt, "tcp://b:1");
  if (is_root) (void)node.streams().open({.up = {{"sum", {}}}, .window = 2});
  const Bytes message = fuzz::bytes_of(data + 1, size - 1);
  if (!is_root && data[0] % 3 == 1) {
    std::vector<std::byte> opening;
    Frame open{.kind = FrameKind::open, .stream = 1, .packet = encode(StreamOptions{.up = {{"sum", {}}}})};
    append(opening, open);
    node.receive_from_parent(opening);
    node.receive_from_child(number, message);
  } else if (is_root) {
    node.receive_from_child(number, message);
  } else {
    node.receive_from_parent(message);
  }
  node.sender().flush();
  if (!is_root) {  // the rest after this message is attached again
    node.lose_parent();
    node.set_parent(&parent, "ipc://ancestor");
    node.sender().flush();
  }
  while (node.streams().take(std::nullopt)) {
  }
  (void)node.refuges().list(node.ranks());
  node.remove_child(number, "the end");
  node.remove_child(other, "the end");
  node.sender().flush();
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds;
  const auto add = [&](char part, const std::vector<Frame>& frames) {
    std::vector<std::byte> message{static_cast<std::byte>(part)};
    std::vector<std::byte> body;
    for (const Frame& frame : frames) append(body, frame);
    message.insert(message.end(), body.begin(), body.end());
    seeds.push_back(text_of(message));
  };
  const auto changing = [](FrameKind kind, std::uint32_t generation, Packet packet) {
    packet.generation = generation;
    return Frame{.kind = kind, .stream = 1, .number = 3, .packet = std::move(packet)};
  };
  const Packet new_filters =
      encode(StreamOptions{.up = {{"max", {}}, {"aligned", {}}}, .down = {{"min", {}}}});
  const Frame change = changing(FrameKind::change, 2, new_filters);
  add(2, {{.kind = FrameKind::open, .stream = 1, .packet = encode(StreamOptions{.up = {{"sum", {}}}})},
          change,
          changing(FrameKind::begin, 2, Format<std::uint64_t>::make(0, 4)),
          changing(FrameKind::change, 3, new_filters),
          changing(FrameKind::keep, 3, {})});
  add(1, {changing(FrameKind::agreed, 2, {}),
          changing(FrameKind::refused, 0, {}),
          {.kind = FrameKind::data, .stream = 1, .packet = {.wave = 2, .lost = true, .generation = 1}},
          {.kind = FrameKind::data, .stream = 1, .packet = {.ends = true, .generation = 1}}});
  const Frame data{.kind = FrameKind::data, .stream = 1, .packet = Format<std::int64_t>::make(1, 2)};
  const Frame open{
      .kind = FrameKind::open,
      .stream = 2,
      .packet = encode(StreamOptions{.up = {{"top", {{"k", std::int64_t{3}}}}}, .down = {{"min", {}}}})};
  Frame joined{.kind = FrameKind::joined, .packet = {.ranks = RankSet::of_range(3, 9)}};
  const Frame credit{.kind = FrameKind::credit, .stream = 1, .number = 100};
  const Frame left{.kind = FrameKind::left, .packet = {.ranks = RankSet::of_range(1, 1)}};
  const Frame fault{.kind = FrameKind::fault, .stream = 1, .number = 4};
  const Frame dropped{.kind = FrameKind::dropped, .stream = 1, .number = 4};
  for (const char part : {'\0', '\1'}) {
    add(part, {data, credit});
    add(part, {data, joined, left, fault, dropped});
  }
  add('\2', {open, data, credit});
  const Packet endpoints = encode_endpoints({"tcp://n1:1", "ipc:///x"});
  add('\2', {{.kind = FrameKind::lineage, .number = 1, .packet = endpoints},
             {.kind = FrameKind::siblings, .packet = endpoints},
             {.kind = FrameKind::siblings, .number = of_the_parent, .packet = endpoints},
             {.kind = FrameKind::orphans, .packet = {.ranks = RankSet::of_range(30, 31)}}});
  add('\2', {{.kind = FrameKind::welcome, .packet = {.ranks = RankSet::of_range(0, 3)}},
             open,
             {.kind = FrameKind::close, .stream = 2}});
  add('\2', {{.kind = FrameKind::lineage, .packet = encode_endpoints({"ipc://above", "tcp://host:1"})},
             open,
             {.kind = FrameKind::known},
             {.kind = FrameKind::over}});
  return seeds;
}
