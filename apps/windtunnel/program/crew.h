// The workers of a pathmap: its threads that are named t0, t1, ... from north to south. Each has a slice of
// the tunnel; the thread `main` collects what they find.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pathmaps/plan/plan.h"

namespace eventspace::windtunnel {

inline constexpr std::string_view kMainThread = "main";

// The number in a worker's name; nothing for another thread.
std::optional<std::size_t> worker_number(std::string_view thread);

std::string worker_name(std::size_t number);

// How many workers the pathmap has. Throws ConfigurationError unless they are t0, t1, ... without a gap and
// there is a thread `main`.
std::size_t count_workers(const Plan& plan);

// The processes that have workers.
std::size_t count_worker_processes(const Plan& plan);

}  // namespace eventspace::windtunnel
