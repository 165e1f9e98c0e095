#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// The maximum number of addresses of a machine that are tried.
inline constexpr std::size_t max_job_addresses = 16;

/// The entry of a machine in the job's directory (job_directory.h): the address of its server, or why it has
/// none. As text:
///
///     eventspace-job-node 1
///     session NAME
///     node NAME
///     machine 0123456789abcdef
///     pid 4711
///     ranks 8            } if the launcher told them: how many ranks the machine has, and the job
///     of 64              }
///     port 40211             } as often as there are addresses; else instead of these:
///     address 10.0.0.1       } failure TEXT
///     end
struct JobNode {
  std::uint32_t number{0};  ///< from the file's name
  std::string session;
  std::string node;               ///< its readable name, as in the segments of its processes
  std::string machine;            ///< equal for all processes that find the same segments (own_machine)
  std::int32_t pid{0};            ///< of the server
  std::uint32_t ranks{0};         ///< on the machine; 0 if unknown
  std::uint32_t ranks_of_job{0};  ///< likewise
  std::uint16_t port{0};
  std::vector<std::string> addresses;  ///< IPv4, in the order in which they are tried
  std::string failure{};               ///< if not empty: why there is no server

  friend bool operator==(const JobNode&, const JobNode&) = default;
};

std::string to_text(const JobNode& node);
/// Reads such a text, which comes from another machine and is not trusted. Throws ConfigurationError with
/// `source`, the found and the expected text, also for a text that ends before its line `end`. The result has
/// the number 0.
JobNode parse_job_node(std::string_view text, std::string_view source);

/// The longest text that is read.
inline constexpr std::size_t max_job_node_bytes = 4096;

}  // namespace eventspace
