#include "monitors/probing/groups/process_table.h"

#include <array>
#include <optional>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/elf_image.h"
#include "monitors/probing/symbols/loaded_address.h"
#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {
namespace {

constexpr std::size_t max_processes = 65536;
constexpr std::size_t longest_host = 255;

// MPIR_PROCDESC, in a 64-bit program.
struct TableEntry {
  std::uint64_t host_name;
  std::uint64_t executable_name;
  std::int32_t pid;
  std::int32_t padding;
};
static_assert(sizeof(TableEntry) == 24);

/// The addresses of the table and its size in the process.
struct TablePlace {
  std::uint64_t table;
  std::uint64_t size;
};

std::optional<TablePlace> place_in(std::int32_t pid, const ProcessModule& module) try {
  const ElfImage image(read_whole_file(file_of(pid, module)).bytes);
  const auto table = image.variable([](std::string_view name) { return name == "MPIR_proctable"; });
  const auto size = image.variable([](std::string_view name) { return name == "MPIR_proctable_size"; });
  const auto moved = table && size ? loaded_address(module, image) : std::nullopt;
  if (!moved) return std::nullopt;
  return TablePlace{table->address + *moved, size->address + *moved};
} catch (const Error&) {
  return std::nullopt;  // not a valid file, or no longer readable
}

template <class Value>
std::optional<Value> value_at(const ProcessMemory& memory, std::uint64_t address) {
  Value value;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  if (memory.read_some(address, bytes) != bytes.size()) return std::nullopt;
  return value;
}

std::string text_in(const ProcessMemory& memory, std::uint64_t address) {
  std::array<char, longest_host + 1> text{};
  const std::size_t have = memory.read_some(address, std::as_writable_bytes(std::span(text)));
  const std::string_view read(text.data(), have);
  const std::size_t end = read.find('\0');
  return end == std::string_view::npos ? std::string() : std::string(read.substr(0, end));
}

std::vector<LaunchedProcess> table_at(const ProcessMemory& memory, const TablePlace& place) {
  const auto begin = value_at<std::uint64_t>(memory, place.table);
  const auto size = value_at<std::int32_t>(memory, place.size);
  std::vector<LaunchedProcess> processes;
  if (!begin || *begin == 0 || !size || *size <= 0 || static_cast<std::size_t>(*size) > max_processes)
    return processes;
  for (std::uint64_t rank = 0; rank < static_cast<std::uint64_t>(*size); ++rank) {
    const auto entry = value_at<TableEntry>(memory, *begin + rank * sizeof(TableEntry));
    if (!entry) break;
    processes.push_back({rank, text_in(memory, entry->host_name), entry->pid});
  }
  return processes;
}

std::string_view without_domain(std::string_view host) { return host.substr(0, host.find('.')); }

}  // namespace

std::vector<LaunchedProcess> process_table_of(std::int32_t launcher) try {
  const ProcessMemory memory(launcher);
  for (const ProcessModule& module : modules_of(mapped_ranges(launcher)))
    if (const auto place = place_in(launcher, module)) {
      // A library's variable of this name may be unused where the program has one.
      auto processes = table_at(memory, *place);
      if (!processes.empty()) return processes;
    }
  return {};
} catch (const EnvironmentError&) {
  return {};  // the process has ended, or belongs to another user
}

bool is_same_host(std::string_view launched, std::string_view own) {
  if (launched == own || launched == "localhost") return true;
  const bool have_both =
      launched.find('.') != std::string_view::npos && own.find('.') != std::string_view::npos;
  return !have_both && !launched.empty() && without_domain(launched) == without_domain(own);
}

}  // namespace eventspace
