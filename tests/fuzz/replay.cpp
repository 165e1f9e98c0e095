// The main function of the fuzz targets without a fuzzer: runs the seeds, the corpus, and deterministic
// mutations of both. A crashing input is left in the file crash-TARGET.
//
//     fuzz_TARGET [--mutations N] [DIRECTORY|FILE]...

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace eventspace::fuzz {
namespace {

constexpr std::size_t longest = 64 << 10;

std::string crash_file;  // NOLINT(misc-use-internal-linkage)
std::string running;     // NOLINT(misc-use-internal-linkage): the input that runs

void leave_input(int signal) {
  const int file = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0 && ::write(file, running.data(), running.size()) >= 0) ::close(file);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void run(std::string input) {
  running = std::move(input);
  // A separate allocation of the exact size, so that AddressSanitizer detects reads beyond the end.
  const std::vector<std::uint8_t> bytes(running.begin(), running.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& inputs) : inputs_(&inputs) {}

  std::string next() {
    std::string input = any_input();
    for (std::size_t change = 1 + below(4); change > 0; --change) mutate(input);
    input.resize(std::min(input.size(), longest));
    return input;
  }

 private:
  void mutate(std::string& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t left = input.size() - at;
    switch (left == 0 ? 5 : below(6)) {
      case 0:
        input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        input[at] = static_cast<char>(random_());
        break;
      case 2:
        put_number(input, at, std::min<std::size_t>(left, std::size_t{1} << below(4)));
        break;
      case 3:
        input.erase(at, 1 + below(std::min<std::size_t>(left, 64)));
        break;
      case 4:
        input.insert(at, input.substr(below(input.size()), below(64)));
        break;
      default:
        splice(input, at);
    }
  }

  void put_number(std::string& input, std::size_t at, std::size_t bytes) {
    constexpr std::array<std::uint64_t, 10> numbers{0,      1,          63,         64,         0x7f,
                                                    0xffff, 0x7fffffff, 0xffffffff, 1ull << 40, UINT64_MAX};
    const std::uint64_t number = numbers[below(numbers.size())];
    std::memcpy(input.data() + at, &number, bytes);
  }

  void splice(std::string& input, std::size_t at) {
    const std::string& other = any_input();
    const std::size_t from = below(other.size() + 1);
    input.insert(at, other.substr(from, below(256)));
  }

  const std::string& any_input() { return (*inputs_)[below(inputs_->size())]; }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  const std::vector<std::string>* inputs_;
  std::mt19937_64 random_{20261124};
};

void add_files(const std::filesystem::path& path, std::vector<std::string>& inputs) {
  if (!std::filesystem::is_directory(path)) return inputs.push_back(content_of(path));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::ranges::sort(files);  // the mutations depend on the order
  for (const auto& file : files) inputs.push_back(content_of(file));
}

}  // namespace
}  // namespace eventspace::fuzz

int main(int argc, char** argv) {
  using namespace eventspace::fuzz;
  crash_file = "crash-" + std::filesystem::path(argv[0]).filename().string();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, leave_input);
  std::vector<std::string> inputs = seeds();
  std::size_t mutations = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--mutations" && i + 1 < argc) {
      mutations = std::stoul(argv[++i]);
    } else {
      add_files(argv[i], inputs);
    }
  }
  for (const std::string& input : inputs) run(input);
  Mutator mutator(inputs);
  for (std::size_t i = 0; i < mutations && !inputs.empty(); ++i) run(mutator.next());
  fmt::print("{} inputs and {} mutations\n", inputs.size(), mutations);
  return inputs.empty() ? 1 : 0;
}
