#include "pathmaps/mpi/mpi_process.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// Variables of Open MPI, PMIx and MPICH.
std::optional<std::uint32_t> rank_in_environment() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const char* const value = std::getenv(variable);
    if (const auto rank = number_in<std::uint32_t>(value == nullptr ? "" : value)) return rank;
  }
  return std::nullopt;
}

std::optional<JobMember> own_member() {
  const auto rank = rank_in_environment();
  if (!rank) return std::nullopt;
  const std::uint32_t job = mpi::spawned_job();
  const JobMember member{job == 0 ? first_job : job, *rank};
  return member.is_sound() ? std::optional(member) : std::nullopt;
}

std::string process_name() {
  constexpr std::size_t longest = 48;
  const auto member = own_member();
  if (!member) return {};
  const std::string program = made_plain(program_invocation_short_name, longest);
  return member->job == first_job ? fmt::format("{}.{}", program, member->rank)
                                  : fmt::format("{}.{}", program, member->text());
}

}  // namespace

// Open MPI numbers the jobs of a launcher in the low half of the name space, from 1. MPICH only shows that
// the process was spawned.
std::uint32_t mpi::spawned_job() noexcept {
  const char* const space = std::getenv("PMIX_NAMESPACE");
  if (std::getenv("OMPI_PARENT_PORT") != nullptr && space != nullptr)
    return static_cast<std::uint32_t>(std::strtoul(space, nullptr, 10) & 0xffff);
  const char* const is_spawned = std::getenv("PMI_SPAWNED");
  return is_spawned != nullptr && std::string_view(is_spawned) == "1" ? 2 : 0;
}

// The port at which the children meet their parents begins with the name of the root, which has opened it:
// "JOB.RANK:TAG", with the job as in the name space.
std::string mpi::parent_of_job() {
  const char* const port = std::getenv("OMPI_PARENT_PORT");
  if (port == nullptr || spawned_job() == 0) return {};
  const char* const end = port + std::strlen(port);
  std::uint32_t job = 0;
  std::uint32_t rank = 0;
  const auto [dot, no_job] = std::from_chars(port, end, job);
  if (no_job != std::errc() || dot == end || *dot != '.' || (job & 0xffff) == 0) return {};
  const auto [colon, no_rank] = std::from_chars(dot + 1, end, rank);
  if (no_rank != std::errc() || (colon != end && *colon != ':')) return {};
  return JobMember{job & 0xffff, rank}.text();
}

// Variables of Open MPI and MPICH.
std::uint32_t mpi::ranks_of_job() noexcept {
  constexpr unsigned long most = 1ul << 20;
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const value = std::getenv(variable);
    const unsigned long size = value == nullptr ? 0 : std::strtoul(value, nullptr, 10);
    if (size > 0 && size <= most) return static_cast<std::uint32_t>(size);
  }
  return 0;
}

const preloading::Recorded preloading::recorded{.what = "calls of MPI",
                                                .paths = "mpi",
                                                .kept_variable = "EVENTSPACE_MPI_CALLS",
                                                .kept = 2000,
                                                .process_name = process_name,
                                                .member = own_member,
                                                .register_thread = [] { (void)mpi::MpiThread::recorder(); }};

void mpi::name_communicator(const OwnName& name) noexcept {
  static std::atomic<std::uint32_t> named{0};
  if (named.load(std::memory_order_relaxed) >= 2 * max_communicator_names) return;
  named.fetch_add(1, std::memory_order_relaxed);
  try {
    if (const auto host = probe_host()) (void)host->give_name(name);
  } catch (...) {  // it is shown without its name
  }
}

}  // namespace eventspace
