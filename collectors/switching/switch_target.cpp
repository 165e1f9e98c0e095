#include "collectors/switching/switch_target.h"

#include <fmt/format.h>
#include <algorithm>

#include <utility>

#include "collectors/switching/switch_processes.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;

SwitchBody& switch_of(Operation& operation) { return static_cast<SwitchBody&>(*operation.body); }
const SwitchBody& switch_of(const Operation& operation) {
  return static_cast<const SwitchBody&>(*operation.body);
}

EventClasses read_events(Entries& entries) {
  EventClasses events;
  events.kind = entries.integer<std::uint8_t>();
  events.event_class = entries.integer<std::uint8_t>();
  if (events.event_class >= CollectSwitch::classes && events.event_class != EventClasses::all_classes)
    throw BodyError();
  if (events.kind == EventClasses::all_kinds && events.event_class != EventClasses::all_classes)
    throw BodyError();  // a class needs a kind
  return events;
}

// Every process of the node applies each entry, so an entry may not repeat, and "all" must be the only one.
bool are_distinct(std::vector<EventClasses> events) {
  const auto key = [](const EventClasses& of) { return of.kind << 8 | of.event_class; };
  std::ranges::sort(events, {}, key);
  const bool has_all = !events.empty() && events.front().kind == EventClasses::all_kinds;
  return std::ranges::adjacent_find(events, {}, key) == events.end() && (!has_all || events.size() == 1);
}

std::optional<SwitchOrder> read_order(Bytes body) {
  return msgpack_body::read_array(body, [](Entries& entries) {
    SwitchOrder order;
    order.processes = entries.text();
    const bool sets = entries.boolean();
    const auto period = entries.integer<std::uint32_t>();
    if (sets) order.period = period;
    order.events.clear();
    for (Entries list = entries.array(); list.more();) order.events.push_back(read_events(list));
    const bool is_bounded = !order.events.empty() && order.events.size() <= SwitchOrder::max_events;
    if (!is_bounded || !are_distinct(order.events) || !glob_fault(order.processes).empty()) throw BodyError();
    return order;
  });
}

std::string read_plain(Entries& entries) {
  const std::string_view text = entries.text();
  if (!is_plain_text(text)) throw BodyError();
  return std::string(text);
}

SwitchedProcess read_process(Entries entries) {
  SwitchedProcess process;
  process.node = read_plain(entries);
  process.process = read_plain(entries);
  process.pid = entries.integer<std::int32_t>();
  process.state = msgpack_body::read_state(entries.array());
  process.refusal = read_plain(entries);
  entries.expect_end();
  return process;
}

std::optional<std::vector<SwitchedProcess>> read_processes(Bytes body) {
  return msgpack_body::read_array(body, [](Entries& entries) {
    std::vector<SwitchedProcess> processes;
    while (entries.more()) processes.push_back(read_process(entries.array()));
    return processes;
  });
}

void pack_process(Packer& packer, const SwitchedProcess& process) {
  packer.pack_array(5);
  packer.pack(process.node);
  packer.pack(process.process);
  packer.pack(process.pid);
  msgpack_body::pack_state(packer, process.state);
  packer.pack(process.refusal);
}

class SwitchStage final : public Stage {
 public:
  SwitchStage(std::string session, std::string node) : session_(std::move(session)), node_(std::move(node)) {}

  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    SwitchBody& body = switch_of(operation);
    try {
      body.processes = switch_processes(session_, node_, body.order);
      operation.status = Status::ok;
    } catch (const EnvironmentError& error) {
      operation.status = Status::refused;
      operation.reason = error.what();
    }
  }

 private:
  std::string session_;
  std::string node_;
};

class ServedSwitch final : public ServedOperation {
 public:
  explicit ServedSwitch(SwitchOrder order) { body_.order = std::move(order); }
  [[nodiscard]] OperationBody& body() noexcept { return body_; }
  void write_reply(Operation& operation, wire::Message& reply) override {
    if (operation.status != Status::ok) return;
    msgpack_body::pack_into(reply, [&](Packer& packer) {
      packer.pack_array(static_cast<std::uint32_t>(body_.processes.size()));
      for (const SwitchedProcess& process : body_.processes) pack_process(packer, process);
    });
  }

 private:
  SwitchBody body_;
};

class SwitchKind final : public TargetKind {
 public:
  SwitchKind(std::string session, std::string node) : session_(std::move(session)), node_(std::move(node)) {}

  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb == Verb::exchange; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec, LinkPool& /*links*/) const override {
    const Tuple tuple = Tuple::decode(spec);
    if (tuple.get<std::string_view>(0) != session_) {
      throw ConfigurationError(fmt::format("it is a server of session '{}'", session_));
    }
    return std::make_unique<SwitchStage>(session_, node_);
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& /*parts*/) const override {
    auto order = read_order(body);
    if (!order) return nullptr;
    auto served = std::make_unique<ServedSwitch>(std::move(*order));
    operation.body = &served->body();
    return served;
  }

 private:
  std::string session_;
  std::string node_;
};

}  // namespace

std::vector<std::byte> switch_spec(const std::string& session) {
  const Tuple spec = Tuple::of({session});
  return {spec.encoded().begin(), spec.encoded().end()};
}

void SwitchClient::write_request(const Operation& operation, wire::Message& request) const {
  const SwitchOrder& order = switch_of(operation).order;
  msgpack_body::pack_into(request, [&order](Packer& packer) {
    packer.pack_array(4);
    packer.pack(order.processes);
    packer.pack(order.period.has_value());
    packer.pack(order.period.value_or(0));
    packer.pack_array(static_cast<std::uint32_t>(2 * order.events.size()));
    for (const EventClasses& events : order.events) {
      packer.pack(events.kind);
      packer.pack(events.event_class);
    }
  });
}

std::string SwitchClient::read_reply(Operation& operation, const ReplyBody& reply) {
  if (operation.status != Status::ok) return {};
  auto processes = read_processes(reply.body);
  if (!processes) return "the server's reply cannot be read";
  switch_of(operation).processes = std::move(*processes);
  return {};
}

std::shared_ptr<const TargetKind> switch_kind(std::string session, std::string node) {
  return std::make_shared<SwitchKind>(std::move(session), std::move(node));
}

namespace msgpack_body {

void pack_state(Packer& packer, const CollectState& state) {
  packer.pack_array(4);
  packer.pack(state.by_program);
  packer.pack(state.period);
  packer.pack(state.has_more);
  packer.pack_array(static_cast<std::uint32_t>(3 * state.exceptions.size()));
  for (const auto& [of, period] : state.exceptions) {
    packer.pack(of.kind);
    packer.pack(of.event_class);
    packer.pack(period);
  }
}

CollectState read_state(Entries entries) {
  CollectState state;
  state.by_program = entries.boolean();
  state.period = entries.integer<std::uint32_t>();
  state.has_more = entries.boolean();
  for (Entries list = entries.array(); list.more();) {
    if (state.exceptions.size() == CollectState::max_exceptions) throw BodyError();
    const EventClasses of = read_events(list);
    state.exceptions.push_back({of, list.integer<std::uint32_t>()});
  }
  entries.expect_end();
  return state;
}

}  // namespace msgpack_body
}  // namespace eventspace
