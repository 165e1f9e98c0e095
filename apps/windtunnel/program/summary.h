// The results of a run, as text and as JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/gas/totals.h"

namespace eventspace::windtunnel {

struct Summary {
  Settings settings;
  std::size_t threads = 0;
  std::size_t processes = 0;
  Totals before;
  Totals after;
  Throughput flow;
  std::uint64_t checksum = 0;
  std::chrono::nanoseconds duration{};  // of all steps
  std::uint64_t recorded = 0;           // events, as is the next
  std::uint64_t discarded = 0;
  std::size_t pictures = 0;

  // Whether no particles appeared or vanished inside the tunnel.
  bool is_mass_balanced() const { return after.mass == before.mass + flow.injected - flow.left; }
};

std::string to_text(const Summary& summary);

// Returns one object on one line. Field names are stable; checksum is a string of 16 hexadecimal digits.
std::string to_json(const Summary& summary);

// Throws EnvironmentError if the file cannot be written.
void write_json(const Summary& summary, const std::filesystem::path& file);

}  // namespace eventspace::windtunnel
