#include "pathmaps/pvm/real_pvm.h"

#include "pathmaps/preloading/next_function.h"

namespace eventspace::pvm {
namespace {

template <class Pointer>
void find(const char* name, Pointer& pointer) noexcept {
  pointer = reinterpret_cast<Pointer>(preloading::find_next(name, libraries_of_pvm));
}

/// While it exists, PVM's own tracing treats calls as inner calls of PVM.
class Untraced {
 public:
  explicit Untraced(int* level) noexcept : level_(level), before_(*level) { *level_ = 0; }
  ~Untraced() { *level_ = before_; }
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  int* level_;
  int before_;
};

}  // namespace

const RealPvm& real_pvm() noexcept {
  static const RealPvm real = [] {
    RealPvm found;
    find("pvm_getsbuf", found.getsbuf);
    find("pvm_getminfo", found.getminfo);
    find("pvmmytid", found.mytid);
    find("pvmtoplvl", found.traced_level);
    return found;
  }();
  return real;
}

// A process that is not a task would become a task by the call.
bool message_in(int buffer, pvmminfo& message) noexcept {
  const RealPvm& real = real_pvm();
  if (buffer <= 0 || real.task() == 0) return false;
  const Untraced untraced(real.traced_level);
  return real.getminfo(buffer, &message) >= 0;
}

bool message_to_send(pvmminfo& message) noexcept {
  const RealPvm& real = real_pvm();
  if (real.task() == 0) return false;
  const int buffer = [&real] {
    const Untraced untraced(real.traced_level);
    return real.getsbuf();
  }();
  return message_in(buffer, message);
}

}  // namespace eventspace::pvm
