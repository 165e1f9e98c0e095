#include "monitors/text/code_places.h"

#include <cstdint>
#include <filesystem>
#include <optional>

#include "monitors/text/demangled.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

#ifdef EVENTSPACE_HAS_DW
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#endif

namespace eventspace {
namespace {

struct Place {
  std::string module;
  std::uint64_t address{0};
};

std::optional<Place> place_in(std::string_view text) {
  constexpr std::string_view mark = "+0x";
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const auto address = number_in<std::uint64_t>(text.substr(at + mark.size()), 16);
  if (!address) return std::nullopt;
  return Place{std::string(text.substr(0, at)), *address};
}

}  // namespace

#ifdef EVENTSPACE_HAS_DW

/// The files that were read, each with its own libdwfl session, so that all are at their own addresses.
struct CodePlaces::Files {
  struct File {
    // Does not search other folders or servers for separate debugging information.
    ::Dwfl_Callbacks callbacks{::dwfl_build_id_find_elf, ::dwfl_standard_find_debuginfo,
                               ::dwfl_offline_section_address, nullptr};
    ::Dwfl* session{nullptr};
    ::Dwfl_Module* module{nullptr};
    ::Dwarf_Addr bias{0};

    explicit File(const std::string& path) {
      // A pipe or a device would block.
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) return;
      session = ::dwfl_begin(&callbacks);
      if (session == nullptr) return;
      module = ::dwfl_report_offline(session, path.c_str(), path.c_str(), -1);
      ::dwfl_report_end(session, nullptr, nullptr);
      if (module != nullptr && ::dwfl_module_getelf(module, &bias) == nullptr) module = nullptr;
    }
    ~File() {
      if (session != nullptr) ::dwfl_end(session);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
  };

  static constexpr std::size_t most = 64;
  std::unordered_map<std::string, std::unique_ptr<File>> by_path;

  std::string describe(const Place& place) {
    const File& file = file_at(place.module);
    if (file.module == nullptr) return {};
    const char* const function = ::dwfl_module_addrname(file.module, place.address + file.bias);
    if (function == nullptr) return {};
    const std::string source = source_of(place);
    return source.empty() ? demangled(function) : fmt::format("{} ({})", demangled(function), source);
  }

  std::string source_of(const Place& place) {
    const File& file = file_at(place.module);
    if (file.module == nullptr) return {};
    int line = 0;
    ::Dwfl_Line* const at = ::dwfl_module_getsrc(file.module, place.address + file.bias);
    const char* const source =
        at == nullptr ? nullptr : ::dwfl_lineinfo(at, nullptr, &line, nullptr, nullptr, nullptr);
    if (source == nullptr) return {};
    return fmt::format("{}:{}", std::filesystem::path(source).filename().string(), line);
  }

 private:
  const File& file_at(const std::string& path) {
    auto found = by_path.find(path);
    if (found == by_path.end()) {
      if (by_path.size() == most) by_path.clear();
      found = by_path.emplace(path, std::make_unique<File>(path)).first;
    }
    return *found->second;
  }
};

#else

struct CodePlaces::Files {
  std::string describe(const Place& /*place*/) { return {}; }
  std::string source_of(const Place& /*place*/) { return {}; }
};

#endif

CodePlaces::CodePlaces() : files_(std::make_unique<Files>()) {}
CodePlaces::~CodePlaces() = default;

CodePlaces& CodePlaces::instance() {
  static CodePlaces& places = *new CodePlaces;  // never destroyed: the system reclaims its memory
  return places;
}

std::string CodePlaces::describe(std::string_view place) {
  const std::lock_guard lock(mutex_);
  std::string text(place);
  if (const auto known = known_.find(text); known != known_.end()) return known->second;
  const auto read = place_in(place);
  std::string described = read ? files_->describe(*read) : std::string();
  described = described.empty() ? text : escaped(described);
  if (known_.size() < max_places) known_.emplace(std::move(text), described);
  return described;
}

std::string CodePlaces::source_of(const std::string& file, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return escaped(files_->source_of({file, address}));
}

std::string short_place(std::string_view place) {
  std::string described = CodePlaces::instance().describe(place);
  if (described != place) return described;
  const std::size_t slash = place.rfind('/');
  return std::string(slash == std::string_view::npos ? place : place.substr(slash + 1));
}

}  // namespace eventspace
