#include "monitors/servers/process_title.h"

#include <linux/prctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <fstream>
#include <iterator>
#include <sstream>

namespace eventspace {
namespace {

// Fields of /proc/self/stat by their numbers in proc(5).
class StatFields {
 public:
  StatFields() {
    std::ifstream file("/proc/self/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos) return;
    std::istringstream words(text.substr(end_of_name + 1));
    std::string state;
    words >> state;
    for (std::size_t number = first; number < end && words >> values_.at(number); ++number) {
    }
  }
  [[nodiscard]] std::uint64_t operator[](std::size_t number) const { return values_.at(number); }

 private:
  static constexpr std::size_t first = 4;  // the state before it is not a number
  static constexpr std::size_t end = 52;
  std::array<std::uint64_t, end> values_{};
};

// The memory map of this process as it is now.
prctl_mm_map current_map() {
  const StatFields stat;
  prctl_mm_map map{};
  map.start_code = stat[26];
  map.end_code = stat[27];
  map.start_stack = stat[28];
  map.start_data = stat[45];
  map.end_data = stat[46];
  map.start_brk = stat[47];
  map.brk = std::bit_cast<std::uintptr_t>(::sbrk(0));
  map.arg_start = stat[48];
  map.arg_end = stat[49];
  map.env_start = stat[50];
  map.env_end = stat[51];
  map.exe_fd = static_cast<__u32>(-1);
  return map;
}

}  // namespace

bool can_set_process_title() noexcept {
  unsigned size = 0;
  return ::prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0) == 0;
}

void set_process_title(const std::vector<std::string>& words) {
  // Never freed: the kernel reads the title from this memory, which must be on the heap, until the process
  // has ended.
  static auto* const shown = new std::vector<char>;
  std::vector<char> text;
  for (const std::string& word : words) text.insert(text.end(), word.c_str(), word.c_str() + word.size() + 1);
  if (text.empty()) return;
  prctl_mm_map map = current_map();
  map.arg_start = std::bit_cast<std::uintptr_t>(text.data());
  map.arg_end = map.arg_start + text.size();
  if (::prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) == 0) shown->swap(text);
}

}  // namespace eventspace
