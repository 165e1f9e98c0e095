// The workers of a pathmap: its threads named t0, t1, ... from north to south. Each has a slice of the
// tunnel; the thread `main` collects their results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pathmaps/plan/plan.h"

namespace eventspace::windtunnel {

inline constexpr std::string_view kMainThread = "main";

// Returns the number in a worker's name, or nothing for any other thread.
std::optional<std::size_t> worker_number(std::string_view thread);

std::string worker_name(std::size_t number);

// Returns the number of workers in the pathmap. Throws ConfigurationError unless they are t0, t1, ... without
// a gap and there is a thread `main`.
std::size_t count_workers(const Plan& plan);

// Returns the number of processes that have workers.
std::size_t count_worker_processes(const Plan& plan);

}  // namespace eventspace::windtunnel
