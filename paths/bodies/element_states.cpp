#include "paths/bodies/element_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "paths/wire/msgpack_body.h"
#include "tuplespace/system/error.h"
#include "tuplespace/tuple.h"

namespace eventspace {
namespace {

using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;
using States = std::function<std::vector<ElementState>()>;

ElementStatesBody& states_of(Operation& operation) {
  return static_cast<ElementStatesBody&>(*operation.body);
}

// The numbers of a state in the order of the wire; the same table for both directions.
template <class State, class Act>
void for_each_number(State& state, Act act) {
  for (auto* const number :
       {&state.capacity, &state.kept, &state.written, &state.taken, &state.discarded, &state.dropped,
        &state.refused, &state.oldest, &state.newest, &state.room, &state.bytes})
    act(*number);
}
constexpr std::uint32_t entries_of_state = 17;

void pack_state(Packer& packer, const ElementState& state) {
  packer.pack_array(entries_of_state);
  packer.pack(state.name);
  packer.pack(static_cast<std::uint8_t>(state.place));
  packer.pack(state.waits);
  packer.pack(state.is_known);
  packer.pack(state.type);
  packer.pack(state.process);
  for_each_number(state, [&](std::uint64_t number) { packer.pack(number); });
}

ElementState read_state(Entries entries) {
  ElementState state;
  state.name = entries.text();
  state.place = entries.enumeration(ElementPlace::memory, ElementPlace::shared);
  state.waits = entries.boolean();
  state.is_known = entries.boolean();
  state.type = entries.text();
  state.process = entries.text();
  for_each_number(state, [&](std::uint64_t& number) { number = entries.integer<std::uint64_t>(); });
  entries.expect_end();
  return state;
}

// Returns false if the body is malformed.
bool read_states(Bytes bytes, ElementStatesBody& body) {
  const auto sound = msgpack_body::read_array(bytes, [&](Entries& entries) {
    const auto all = entries.integer<std::uint32_t>();
    std::vector<ElementState> states;
    for (Entries list = entries.array(); list.more();) {
      if (states.size() == ElementStatesBody::max_states) throw BodyError();
      states.push_back(read_state(list.array()));
    }
    body.all = all;
    body.states = std::move(states);
    return true;
  });
  return sound.has_value();
}

class StatesStage final : public Stage {
 public:
  explicit StatesStage(const States& states) : states_(&states) {}

  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    ElementStatesBody& body = states_of(operation);
    std::vector<ElementState> all = (*states_)();
    body.all = static_cast<std::uint32_t>(all.size());
    const std::size_t first = std::min<std::size_t>(body.first, all.size());
    const std::size_t end = std::min<std::size_t>(first + body.most, all.size());
    body.states.assign(std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(first)),
                       std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(end)));
    operation.status = Status::ok;
  }

 private:
  const States* states_;
};

class ServedStates final : public ServedOperation {
 public:
  ServedStates(std::uint32_t first, std::uint32_t most) {
    body_.first = first;
    body_.most = most;
  }
  [[nodiscard]] OperationBody& body() noexcept { return body_; }
  void write_reply(Operation& operation, wire::Message& reply) override {
    if (operation.status != Status::ok) return;
    msgpack_body::pack_into(reply, [&](Packer& packer) {
      packer.pack_array(2);
      packer.pack(body_.all);
      packer.pack_array(static_cast<std::uint32_t>(body_.states.size()));
      for (const ElementState& state : body_.states) pack_state(packer, state);
    });
  }

 private:
  ElementStatesBody body_;
};

class StatesKind final : public TargetKind {
 public:
  StatesKind(std::string session, std::uint64_t fingerprint, States states)
      : session_(std::move(session)), fingerprint_(fingerprint), states_(std::move(states)) {}

  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb == Verb::pull; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec, LinkPool& /*links*/) const override {
    const Tuple tuple = Tuple::decode(spec);
    if (!tuple.has_signature({FieldType::text, FieldType::integer}))
      throw ConfigurationError("the states of elements are opened with a session and a number");
    if (tuple.get<std::string_view>(0) != session_)
      throw ConfigurationError(fmt::format("it is a server of session '{}'", session_));
    if (static_cast<std::uint64_t>(tuple.get<std::int64_t>(1)) != fingerprint_)
      throw ConfigurationError("it runs with another version of the pathmap");
    return std::make_unique<StatesStage>(states_);
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& /*parts*/) const override {
    auto served = msgpack_body::read_array(body, [](Entries& entries) {
      const auto first = entries.integer<std::uint32_t>();
      const auto most = entries.integer<std::uint32_t>();
      if (most > ElementStatesBody::max_states) throw BodyError();
      return std::make_unique<ServedStates>(first, most);
    });
    if (!served) return nullptr;
    operation.body = &(*served)->body();
    return std::move(*served);
  }

 private:
  std::string session_;
  std::uint64_t fingerprint_;
  States states_;
};

}  // namespace

std::vector<std::byte> element_states_spec(const std::string& session, std::uint64_t fingerprint) {
  const Tuple spec = Tuple::of({std::string_view(session), static_cast<std::int64_t>(fingerprint)});
  return {spec.encoded().begin(), spec.encoded().end()};
}

void ElementStatesClient::write_request(const Operation& operation, wire::Message& request) const {
  const auto& body = static_cast<const ElementStatesBody&>(*operation.body);
  msgpack_body::pack_into(request, [&](Packer& packer) {
    packer.pack_array(2);
    packer.pack(body.first);
    packer.pack(body.most);
  });
}

std::string ElementStatesClient::read_reply(Operation& operation, const ReplyBody& reply) {
  if (operation.status != Status::ok) return {};
  if (!read_states(reply.body, states_of(operation))) return "the server's reply cannot be read";
  return {};
}

std::shared_ptr<const TargetKind> element_states_kind(std::string session, std::uint64_t fingerprint,
                                                      States states) {
  return std::make_shared<StatesKind>(std::move(session), fingerprint, std::move(states));
}

}  // namespace eventspace
