#include "collectors/switching/switch_target.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include "collectors/switching/switch_layout.h"
#include "collectors/switching/switch_processes.h"

namespace eventspace {
namespace {

SwitchBody& switch_of(Operation& operation) { return static_cast<SwitchBody&>(*operation.body); }
const SwitchBody& switch_of(const Operation& operation) {
  return static_cast<const SwitchBody&>(*operation.body);
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
    wire::append(reply, body_.processes);
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
    auto order = wire::decoded<SwitchOrder>(body);
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
  wire::append(request, switch_of(operation).order);
}

std::string SwitchClient::read_reply(Operation& operation, const ReplyBody& reply) {
  if (operation.status != Status::ok) return {};
  auto processes = wire::decoded<std::vector<SwitchedProcess>>(reply.body);
  if (!processes) return "the server's reply cannot be read";
  switch_of(operation).processes = std::move(*processes);
  return {};
}

std::shared_ptr<const TargetKind> switch_kind(std::string session, std::string node) {
  return std::make_shared<SwitchKind>(std::move(session), std::move(node));
}

}  // namespace eventspace
