// Reads any bytes as bodies of messages: requests and replies of operations on elements, paths and joints, of
// pulls, of the control of collecting, and of the states of elements. The first byte selects which.

#include <functional>

#include "collectors/switching/switch_target.h"
#include "paths/bodies/element_bodies.h"
#include "paths/bodies/element_states.h"
#include "scopes/pulls/pull_bodies.h"
#include "tests/fuzz/fuzz.h"

namespace eventspace {
namespace {

constexpr std::size_t max_bytes = 1u << 20;

class NoParts final : public PartSink {
 public:
  [[nodiscard]] std::size_t parts_left() const noexcept override { return 0; }
  [[nodiscard]] std::size_t bytes_left() const noexcept override { return max_bytes; }
  void send(const std::function<void(wire::Message&)>& /*write*/) override {}
};

const TargetFactory nothing = [](Bytes, LinkPool&) -> std::unique_ptr<Stage> { return nullptr; };

const std::vector<std::shared_ptr<const TargetKind>>& kinds() {
  static const std::vector<std::shared_ptr<const TargetKind>> all{
      element_kind(nothing), pull_kind(nothing), switch_kind("wind", "n1"),
      element_states_kind("wind", 1, [] { return std::vector<ElementState>(); })};
  return all;
}

constexpr Verb verbs[]{Verb::write, Verb::read, Verb::take, Verb::discard, Verb::exchange, Verb::pull};

void read_as_request(std::size_t choice, Bytes body) {
  Operation operation;
  operation.verb = verbs[choice % std::size(verbs)];
  const TargetKind& kind = *kinds()[choice / std::size(verbs) % kinds().size()];
  if (!kind.takes(operation.verb)) return;
  NoParts parts;
  (void)kind.read_request(body, operation, parts);
}

void read_as_reply(std::size_t choice, Bytes body) {
  Operation operation;
  operation.verb = verbs[choice % std::size(verbs)];
  operation.status = Status::ok;
  const ReplyBody reply{body, nullptr, {}, std::nullopt, max_bytes};
  const std::size_t client = choice / std::size(verbs) % 3;
  if (client == 0) {
    (void)ElementClient().read_reply(operation, reply);
  } else if (client == 1) {
    ElementStatesBody answer;
    operation.body = &answer;
    (void)ElementStatesClient().read_reply(operation, reply);
  } else {
    SwitchBody answer;
    operation.body = &answer;
    (void)SwitchClient().read_reply(operation, reply);
  }
}

std::string body_of(const TargetClient& client, const Operation& operation) {
  wire::Message message;
  client.write_request(operation, message);
  return fuzz::text_of(message);
}

std::string reply_of_states() {
  Operation operation;
  ElementStatesBody wanted;
  operation.body = &wanted;
  wire::Message request;
  ElementStatesClient().write_request(operation, request);
  NoParts parts;
  const auto served = kinds().back()->read_request(request, operation, parts);
  ElementState box;
  box.name = "box";
  box.type = "(int)";
  box.kept = 3;
  static_cast<ElementStatesBody&>(*operation.body).states.push_back(box);
  operation.status = Status::ok;
  wire::Message reply;
  served->write_reply(operation, reply);
  return fuzz::text_of(reply);
}

}  // namespace
}  // namespace eventspace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t choice = data[0] / 2;
  const auto read = data[0] % 2 == 0 ? eventspace::read_as_request : eventspace::read_as_reply;
  read(choice, eventspace::fuzz::bytes_of(data + 1, size - 1));
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  Operation write;
  write.verb = Verb::write;
  write.tuple = Tuple::of({std::int64_t{3}, "text"});
  const Template match{std::int64_t{3}, FieldType::text, true, 1.5};
  Operation take;
  take.verb = Verb::take;
  take.from = From::after;
  take.sequence = 7;
  take.match = &match;
  Operation order;
  SwitchBody body;
  body.order.period = 10;
  body.order.processes = "p*";
  order.body = &body;
  Operation states;
  ElementStatesBody wanted;
  states.body = &wanted;
  std::vector<std::string> bodies{body_of(ElementClient(), write),
                                  body_of(ElementClient(), take),
                                  body_of(SwitchClient(), order),
                                  body_of(ElementStatesClient(), states),
                                  reply_of_states(),
                                  std::string("\x93\x07\x02\xc4\x02\x91\x05", 7)};
  std::vector<std::string> seeds;
  for (const std::string& one : bodies)
    for (char choice = 0; choice < 48; ++choice) seeds.push_back(choice + one);
  return seeds;
}
