#include <eventspace/stream_network.h>

#include <unistd.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <eventspace/packet.h>

namespace eventspace::streams {
namespace {

Packet same(const CommandCall& call) { return call.packet; }

std::uint32_t threads_of_this_process() {
  std::error_code unknown;
  return static_cast<std::uint32_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task", unknown), {}));
}

Packet process_facts(const CommandCall& call) {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  using Facts = Format<std::uint32_t, std::string_view, std::int32_t, std::uint32_t>;
  return Facts::make(call.packet.tag, call.process, host.data(), static_cast<std::int32_t>(::getpid()),
                     threads_of_this_process());
}

}  // namespace

Registry<Command>& CommandRegistry::instance() {
  static Registry<Command> registry(
      "command of internal processes",
      {{"ping", "answers with the same packet", same},
       {"process", "answers with its host, process id and threads", process_facts}});
  return registry;
}

}  // namespace eventspace::streams
