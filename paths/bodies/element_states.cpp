#include "paths/bodies/element_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/tuple.h>
#include "paths/bodies/element_layouts.h"

namespace eventspace {
namespace {

using States = std::function<std::vector<ElementState>()>;

ElementStatesBody& states_of(Operation& operation) {
  return static_cast<ElementStatesBody&>(*operation.body);
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
    wire::append(reply, wire::StatesReply{body_.all, std::move(body_.states)});
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
    const auto request = wire::decoded<wire::StatesRequest>(body);
    if (!request) return nullptr;
    auto served = std::make_unique<ServedStates>(request->first, request->most);
    operation.body = &served->body();
    return served;
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
  wire::append(request, wire::StatesRequest{body.first, body.most});
}

std::string ElementStatesClient::read_reply(Operation& operation, const ReplyBody& reply) {
  if (operation.status != Status::ok) return {};
  auto read = wire::decoded<wire::StatesReply>(reply.body);
  if (!read) return "the server's reply cannot be read";
  states_of(operation).all = read->all;
  states_of(operation).states = std::move(read->states);
  return {};
}

std::shared_ptr<const TargetKind> element_states_kind(std::string session, std::uint64_t fingerprint,
                                                      States states) {
  return std::make_shared<StatesKind>(std::move(session), fingerprint, std::move(states));
}

}  // namespace eventspace
