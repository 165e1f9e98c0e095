#include "scopes/streams/processes/report_target.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include "paths/links/network.h"
#include "paths/remote/remote_stage.h"
#include "paths/wire/msgpack_body.h"
#include "scopes/streams/attaching/network_keys.h"

namespace eventspace::streams {
namespace {

struct ReportBody : OperationBody {
  std::string text;  ///< output, if the status is ok
};
ReportBody& body_of(Operation& operation) { return static_cast<ReportBody&>(*operation.body); }

class ServedReport final : public ServedOperation {
 public:
  [[nodiscard]] OperationBody& body() noexcept { return body_; }
  void write_reply(Operation& operation, wire::Message& reply) override {
    if (operation.status != Status::ok) return;
    msgpack_body::pack_into(reply, [this](msgpack_body::Packer& packer) {
      packer.pack_array(1);
      packer.pack(body_.text);
    });
  }

 private:
  ReportBody body_;
};

class ReportKind final : public TargetKind {
 public:
  explicit ReportKind(std::function<std::unique_ptr<Stage>()> make) : make_(std::move(make)) {}
  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb == Verb::exchange; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes /*spec*/, LinkPool& /*links*/) const override {
    return make_();
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& /*parts*/) const override {
    if (!body.empty()) return nullptr;
    auto served = std::make_unique<ServedReport>();
    operation.body = &served->body();
    return served;
  }

 private:
  std::function<std::unique_ptr<Stage>()> make_;
};

class ReportClient final : public TargetClient {
 public:
  void write_request(const Operation& /*operation*/, wire::Message& /*request*/) const override {}
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override {
    if (operation.status != Status::ok) return {};
    const auto text = msgpack_body::read_array(
        reply.body, [](msgpack_body::Entries& entries) { return std::string(entries.text()); });
    if (!text) return "the reply cannot be read";
    body_of(operation).text = *text;
    return {};
  }
};

}  // namespace

/// One request.
class ReportDesk::AskedStage final : public Stage {
 public:
  explicit AskedStage(ReportDesk& desk) : desk_(&desk) {}
  ~AskedStage() override { desk_->waiting_.erase(this); }
  AskedStage(const AskedStage&) = delete;
  AskedStage& operator=(const AskedStage&) = delete;

  void begin(Operation& operation) override {
    operation.status = Status::under_way;
    desk_->gathering_->begin();
    desk_->wake_();  // sends the question
  }
  bool ready(Operation& operation) override {
    if (!desk_->gathering_->is_under_way()) return true;
    desk_->waiting_[this] = operation.waker;
    return false;
  }
  void finish(Operation& operation) override {
    desk_->waiting_.erase(this);
    body_of(operation).text = to_text(desk_->describe_());
    operation.status = Status::ok;
  }

 private:
  ReportDesk* desk_;
};

std::shared_ptr<const TargetKind> ReportDesk::kind() {
  return std::make_shared<ReportKind>([this] { return std::make_unique<AskedStage>(*this); });
}

void ReportDesk::look() {
  if (!gathering_->look()) return;
  for (const auto& [stage, waker] : std::exchange(waiting_, {})) {
    if (waker != nullptr) waker->wake();
  }
}

struct FrontEndQuestion::State {
  State(const AttachPoint& point, Deadline deadline)
      : network({}, WhenLost::end, NodeClock(), {},
                point.keys.empty() ? nullptr : security_of_file(point.keys)),
        links(network),
        stage(links, target_of(point), std::make_unique<ReportClient>()) {
    operation.verb = Verb::exchange;
    operation.body = &body;
    operation.deadline = deadline;
    stage.begin(operation);
  }
  ~State() {
    if (operation.status != Status::under_way) return;
    operation.deadline = Deadline::now();
    stage.finish(operation);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static RemoteTarget target_of(const AttachPoint& point) {
    RemoteTarget target;
    target.endpoint = point.endpoint;
    target.open.kind = report_target_name;
    target.node = "the front-end";
    return target;
  }

  Network network;
  LinkPool links;
  RemoteStage stage;
  ReportBody body;
  Operation operation;
};

FrontEndQuestion::FrontEndQuestion(const AttachPoint& point, Deadline deadline)
    : state_(std::make_unique<State>(point, deadline)) {}
FrontEndQuestion::~FrontEndQuestion() = default;

NetworkReport FrontEndQuestion::answer() {
  Operation& operation = state_->operation;
  state_->stage.finish(operation);
  if (operation.status != Status::ok) {
    throw EnvironmentError(operation.reason.empty() ? std::string(to_string(operation.status))
                                                    : operation.reason);
  }
  auto report = parse_network_report(state_->body.text);
  if (!report || report->processes.empty())
    throw EnvironmentError("its report cannot be read: it is of another version");
  return *std::move(report);
}

}  // namespace eventspace::streams
