#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/tracing/traced_process.h"

namespace eventspace {

/// A text on the stack of the thread that makes system calls, below all that it uses. The destructor restores
/// the bytes that were there.
class TextOnStack {
 public:
  TextOnStack(const ProcessMemory& memory, const StoppedProcess& stopped, std::string_view text)
      : memory_(&memory),
        at_((stopped.first().registers().rsp - 1024) & ~std::uint64_t{15}),
        before_(text.size() + 1) {
    memory.read(at_, before_);
    std::vector<std::byte> bytes(text.size() + 1);
    std::memcpy(bytes.data(), text.data(), text.size());
    memory.write(at_, bytes);
  }
  ~TextOnStack() {
    try {
      memory_->write(at_, before_);
    } catch (const EnvironmentError&) {
      // The process was killed.
    }
  }
  TextOnStack(const TextOnStack&) = delete;
  TextOnStack& operator=(const TextOnStack&) = delete;
  [[nodiscard]] std::uint64_t address() const noexcept { return at_; }

 private:
  const ProcessMemory* memory_;
  std::uint64_t at_;
  std::vector<std::byte> before_;
};

}  // namespace eventspace
