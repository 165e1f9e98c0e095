// Reads any text as the entry of a machine of an MPI job.

#include <eventspace/error.h>
#include "pathmaps/jobs/job_node.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const JobNode node = parse_job_node(text, "an entry");
    if (node.addresses.size() > max_job_addresses) std::abort();
    if (node.failure.empty() == node.addresses.empty()) std::abort();
    if (parse_job_node(to_text(node), "an entry") != node) std::abort();
  } catch (const ConfigurationError& refused) {
    constexpr std::size_t longest_message = 300;
    if (std::string_view(refused.what()).size() > longest_message) std::abort();
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  JobNode node;
  node.session = "solver";
  node.node = "alpha";
  node.machine = "0123456789abcdef";
  node.pid = 4711;
  node.ranks = 8;
  node.ranks_of_job = 64;
  node.port = 40211;
  node.addresses = {"10.0.0.1", "192.168.7.8"};
  JobNode failed = node;
  failed.addresses.clear();
  failed.failure = "cannot find a free port";
  return {to_text(node), to_text(failed)};
}
