#include "pathmaps/pvm/pvm_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "collectors/pvm/pvm_calls.h"
#include "pathmaps/pvm/real_pvm.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

std::string process_name() {
  constexpr std::size_t longest = 48;
  const int task = pvm::real_pvm().task();
  if (task == 0) return {};
  return fmt::format("{}.{}", made_plain(program_invocation_short_name, longest),
                     name_of_pvm_task(static_cast<std::uint32_t>(task)));
}

}  // namespace

// A call has several records: inner calls, and continuation records.
const preloading::Recorded preloading::recorded{.what = "calls of PVM",
                                                .paths = "pvm",
                                                .kept_variable = "EVENTSPACE_PVM_CALLS",
                                                .kept = 8000,
                                                .process_name = process_name,
                                                .member = [] { return std::optional<JobMember>(); },
                                                .register_thread = [] { (void)pvm::PvmThread::recorder(); }};

bool pvm::is_program_of_pvm() noexcept {
  static constexpr std::array<std::string_view, 5> programs{"pvm", "pvmd", "pvmd3", "pvmgs", "pvmgroups"};
  static const bool is_one = std::ranges::find(programs, program_invocation_short_name) != programs.end();
  return is_one;
}

}  // namespace eventspace
