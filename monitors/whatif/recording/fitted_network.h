#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// A straight line through durations, by bytes.
struct FittedLine {
  double intercept_ns{0};
  double ns_per_byte{0};
  std::uint64_t samples{0};
  /// Median deviation of the samples from the line, relative to the line.
  double residual{0};
  [[nodiscard]] double at(std::uint64_t bytes) const noexcept {
    return intercept_ns + ns_per_byte * static_cast<double>(bytes);
  }
};

/// The network on which a recording was made, as LogGP, fitted from the recording itself:
///
///     transit   from the begin of a send to the end of its receive, of receives that were waiting for it:
///               send_overhead + latency + bytes * per_byte + receive_overhead
///     sending   durations of sends whose receiver did not make them wait
///     taking    durations of receives that began long after their message had come
///
/// Each line goes through the medians of size classes, weighted by their numbers of samples.
struct FittedNetwork {
  Network network{.name = "fitted"};
  FittedLine transit, sending, taking;
  /// The result and the quality of the fit; one sentence each.
  std::vector<std::string> notes{};
};

/// Fits the network. If the program has too few messages, collective operations are used instead.
FittedNetwork fit_network(const RecordedProgram& recorded);

/// Sets the `takes` of each action to the library's part of its recorded duration: all of it for a send that
/// did not wait, the value of the line `taking` for a receive or wait, and nothing beside its messages for a
/// collective operation.
void separate_overheads(RecordedProgram& recorded, const FittedNetwork& fitted);

}  // namespace eventspace::whatif
