// Reads any bytes as a selection of processes, as an order to a group, and as the answer of a group: the
// first byte selects which.

#include <algorithm>
#include <cstdlib>

#include <eventspace/error.h>
#include "monitors/probing/groups/group_packets.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

namespace {

void read_choice(const std::string& text) {
  const ProcessChoice choice = parse_choice(text);
  if (parse_choice(to_text(choice)) != choice) std::abort();
}

void read_order(const streams::Packet& packet) {
  const GroupOrder order = order_in(packet);
  if (order_in(packet_of(order)).groups != order.groups) std::abort();
}

void read_answer(const streams::Packet& packet) {
  const GroupAnswer answer = answer_in(packet);
  if (answer.functions.size() > GroupAnswer::max_functions ||
      answer.members.size() > GroupAnswer::max_members ||
      answer.variables.size() > GroupAnswer::max_variables ||
      answer.refusals.by_reason().size() > GroupedRefusals::max_reasons + 1)
    std::abort();
  GroupAnswer merged;
  merged.merge(answer);
  merged.merge(answer_in(packet_of(answer)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Bodies of packets from the network are aligned to 8 bytes.
  std::vector<std::byte> body(size - 1);
  std::copy(data + 1, data + size, reinterpret_cast<std::uint8_t*>(body.data()));
  streams::Packet packet;
  packet.body = body;
  try {
    if (data[0] % 3 == 0) read_choice(std::string(data + 1, data + size));
    if (data[0] % 3 == 1) read_order(packet);
    if (data[0] % 3 == 2) read_answer(packet);
  } catch (const Error&) {
    // Refused.
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  GroupOrder order;
  order.verb = GroupVerb::place;
  order.choice = {.names = {"lmp"}, .groups = {"a"}, .where = "rank < 4 and env_ROLE == 'even'"};
  order.groups["a"].pids = {4711};
  order.patterns = {"solve*", "=f(int)"};
  order.callers = "step*";
  order.task = {true, "int0 > 1", 2, {"arg1"}, std::chrono::milliseconds(5), {"a += 1 at solve*"}};
  GroupAnswer answer;
  answer.processes = 3;
  answer.done = 2;
  answer.refusals.add(7, "process 7 has ended", "n1:7");
  answer.function("/bin/app", "solve")->calls.add(9, "n1:6");
  answer.variable("a")->add(0.5, "n1:6");
  answer.functions[0].values = {answer.variables[0].numbers};
  answer.functions[0].histogram = {0, 3};
  answer.members.push_back({"n1", 6, "app", "3", "job", "session", 2});
  const streams::Packet sent = packet_of(order);
  const streams::Packet got = packet_of(answer);
  return {'\0' + to_text(order.choice), '\1' + fuzz::text_of(sent.body), '\2' + fuzz::text_of(got.body)};
}
