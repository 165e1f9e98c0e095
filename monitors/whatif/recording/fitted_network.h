#pragma once

// Private to monitors/whatif/.

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
  /// The median of what samples differ from the line, as a share of it.
  double residual{0};
  [[nodiscard]] double at(std::uint64_t bytes) const noexcept {
    return intercept_ns + ns_per_byte * static_cast<double>(bytes);
  }
};

/// The network that a recording was made on, as LogGP, fitted from the recording itself:
///
///     transit   from the begin of a send to the end of its receive, of receives that were waiting for it:
///               send_overhead + latency + bytes * per_byte + receive_overhead
///     sending   durations of sends whose receiver did not make them wait
///     taking    durations of receives that began long after their message had come
///
/// Each line goes through the medians of classes of size, weighted by how many samples they have.
struct FittedNetwork {
  Network network{.name = "fitted"};
  FittedLine transit, sending, taking;
  /// What was fitted, and how well; one sentence each.
  std::vector<std::string> notes{};
};

/// Fits the network. If the program has too few such messages, collective operations stand in for them.
FittedNetwork fit_network(const RecordedProgram& recorded);

/// Sets what each action takes to the library's part of its recorded duration: a send that did not wait takes
/// all of it, a receive or a wait what `taking` says for its bytes, a collective operation nothing beside its
/// messages.
void separate_overheads(RecordedProgram& recorded, const FittedNetwork& fitted);

}  // namespace eventspace::whatif
