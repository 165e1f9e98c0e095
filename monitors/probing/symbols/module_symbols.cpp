#include "monitors/probing/symbols/module_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <eventspace/error.h>
#include "monitors/probing/symbols/packed_symbols.h"

namespace eventspace {
namespace {

std::uint64_t number_at(Bytes bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Takes a zero-terminated text from the front; nullopt if it is not terminated.
std::optional<std::string> take_text(Bytes& bytes) {
  const auto end = std::ranges::find(bytes, std::byte{0});
  if (end == bytes.end()) return std::nullopt;
  const auto length = static_cast<std::size_t>(end - bytes.begin());
  std::string text(reinterpret_cast<const char*>(bytes.data()), length);
  bytes = bytes.subspan(length + 1);
  return text;
}

std::optional<UserProbe> user_probe_of(Bytes content, std::uint64_t base) {
  constexpr std::size_t numbers = 3 * sizeof(std::uint64_t);  // address, base, semaphore
  if (content.size() < numbers) return std::nullopt;
  // The linker may have moved the code after the note was written: the base tells by how much.
  const std::uint64_t moved = base == 0 ? 0 : base - number_at(content, 8);
  UserProbe probe;
  probe.address = number_at(content, 0) + moved;
  probe.semaphore = number_at(content, 16) == 0 ? 0 : number_at(content, 16) + moved;
  content = content.subspan(numbers);
  for (std::string* const text : {&probe.provider, &probe.name, &probe.arguments}) {
    auto taken = take_text(content);
    if (!taken) return std::nullopt;
    *text = std::move(*taken);
  }
  return probe;
}

/// The file of debugging information of `build_id`; nullopt if there is none that can be read.
std::optional<ElfImage> debug_image(const std::filesystem::path& folder, const std::string& build_id) {
  if (build_id.size() < 3) return std::nullopt;
  const auto file = folder / build_id.substr(0, 2) / (build_id.substr(2) + ".debug");
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    ElfImage image(read_whole_file(file).bytes);
    if (image.build_id() == build_id) return image;
  } catch (const Error&) {
    // The module has its other symbols without it.
  }
  return std::nullopt;
}

std::optional<ElfImage> packed_image(const ElfImage& image) {
  const ElfImage::Section* const section = image.section(".gnu_debugdata");
  if (section == nullptr) return std::nullopt;
  auto unpacked = unpacked_symbols(image.content(*section));
  if (!unpacked) return std::nullopt;
  try {
    return ElfImage(std::move(*unpacked));
  } catch (const ConfigurationError&) {
    return std::nullopt;
  }
}

void append(std::vector<ElfImage::Symbol>& symbols, const std::optional<ElfImage>& image) {
  if (!image) return;
  const auto more = image->functions();
  symbols.insert(symbols.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Function> functions_of(const std::vector<ElfImage::Symbol>& symbols) {
  std::vector<ElfImage::Symbol> sorted = symbols;
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return a.address != b.address ? a.address < b.address : a.is_global > b.is_global;
  });
  std::vector<Function> functions;
  for (const ElfImage::Symbol& symbol : sorted) {
    if (functions.empty() || functions.back().address != symbol.address)
      functions.push_back({std::string(symbol.name), {}, symbol.address, 0, false});
    Function& function = functions.back();
    function.size = std::max(function.size, symbol.size);
    function.is_resolver |= symbol.is_resolver;
    const bool is_known = function.name == symbol.name ||
                          std::ranges::find(function.aliases, symbol.name) != function.aliases.end();
    if (!is_known && function.aliases.size() < Function::max_aliases)
      function.aliases.emplace_back(symbol.name);
  }
  return functions;
}

std::vector<UserProbe> user_probes_of(const ElfImage& image) {
  constexpr std::uint32_t probe_note = 3;
  const ElfImage::Section* const base = image.section(".stapsdt.base");
  std::vector<UserProbe> found;
  for (const ElfImage::Note& note : image.notes()) {
    if (note.owner != "stapsdt" || note.type != probe_note) continue;
    if (auto probe = user_probe_of(note.content, base == nullptr ? 0 : base->address))
      found.push_back(std::move(*probe));
  }
  return found;
}

ModuleSymbols read_module(const std::filesystem::path& file, const std::filesystem::path& debug_folder) try {
  WholeFile whole = read_whole_file(file);
  ElfImage image(std::move(whole.bytes));
  std::string build_id = image.build_id();
  std::vector<ElfImage::Symbol> symbols = image.functions();
  // Names of symbols are views of these two images.
  const auto debug = debug_image(debug_folder, build_id);
  const auto packed = packed_image(image);
  append(symbols, debug);
  append(symbols, packed);
  auto functions = functions_of(symbols);
  auto probes = user_probes_of(image);
  return {std::move(image), std::move(build_id), std::move(functions), std::move(probes), whole.is_trusted};
} catch (const ConfigurationError& error) {
  throw ConfigurationError(fmt::format("{}: {}", file.string(), error.what()));
}

}  // namespace eventspace
