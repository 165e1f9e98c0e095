#include <eventspace/path.h>
#include <eventspace/stage.h>

namespace eventspace {
namespace {

Operation search(Verb verb, From from, Deadline deadline, const Template* match) {
  Operation operation;
  operation.verb = verb;
  operation.from = from;
  operation.deadline = deadline;
  operation.match = match;
  return operation;
}

}  // namespace

Path::Path(std::string name, std::unique_ptr<Stage> first) noexcept
    : name_(std::move(name)), first_(std::move(first)) {}

Path::Path(Path&& other) noexcept = default;

Path& Path::operator=(Path&& other) noexcept = default;

Path::~Path() = default;

Status Path::write(Tuple tuple, Deadline deadline) {
  Operation operation;
  operation.verb = Verb::write;
  operation.tuple = std::move(tuple);
  operation.deadline = deadline;
  first_->call(operation);
  return operation.status;
}

Received Path::receive(Operation operation) {
  first_->call(operation);
  const bool found = operation.status == Status::ok;
  return {operation.status, found ? std::move(operation.tuple) : Tuple(), operation.sequence,
          operation.missed, std::move(operation.reason)};
}

Received Path::read(From from, Deadline deadline, const Template* match) {
  return receive(search(Verb::read, from, deadline, match));
}

Received Path::take(From from, Deadline deadline, const Template* match) {
  return receive(search(Verb::take, from, deadline, match));
}

Received Path::read_at(std::uint64_t sequence, Deadline deadline) {
  Operation operation;
  operation.verb = Verb::read;
  operation.from = From::at;
  operation.sequence = sequence;
  operation.deadline = deadline;
  return receive(std::move(operation));
}

Received Path::next(Deadline deadline, const Template* match) {
  Operation operation;
  operation.verb = Verb::read;
  operation.from = From::after;
  operation.sequence = last_read_;
  operation.deadline = deadline;
  operation.match = match;
  Received received = receive(std::move(operation));
  if (received) last_read_ = received.sequence;
  return received;
}

Received Path::exchange(Tuple tuple, Deadline deadline) {
  Operation operation;
  operation.verb = Verb::exchange;
  operation.tuple = std::move(tuple);
  operation.deadline = deadline;
  return receive(std::move(operation));
}

Status Path::discard(std::uint64_t sequence) {
  Operation operation;
  operation.verb = Verb::discard;
  operation.sequence = sequence;
  first_->call(operation);
  return operation.status;
}

}  // namespace eventspace
