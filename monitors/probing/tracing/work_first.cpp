#include "monitors/probing/tracing/work_first.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace eventspace {
namespace {

// The kernel's struct sched_attr, which older C libraries do not have.
struct TurnOrder {
  std::uint32_t bytes{sizeof(TurnOrder)};
  std::uint32_t policy{SCHED_OTHER};
  std::uint64_t flags{0};
  std::int32_t nice{0};
  std::uint32_t priority{0};
  std::uint64_t turn_ns{0};
  std::uint64_t deadline{0};
  std::uint64_t period{0};
};
static_assert(sizeof(TurnOrder) == 48);

}  // namespace

void work_first() noexcept {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL);
  TurnOrder order;
  order.nice = ::getpriority(PRIO_PROCESS, 0);
  order.turn_ns = 100'000;  // the shortest possible
  (void)::syscall(SYS_sched_setattr, 0, &order, 0U);
}

KeptProcessor::KeptProcessor() noexcept {
  static_assert(bytes_of_order == sizeof(TurnOrder));
  if (::syscall(SYS_sched_getattr, 0, before_.data(), bytes_of_order, 0U) != 0) return;
  const ::sched_param lowest{1};
  is_kept_ = ::sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
}

KeptProcessor::~KeptProcessor() {
  if (is_kept_) (void)::syscall(SYS_sched_setattr, 0, before_.data(), 0U);
}

}  // namespace eventspace
