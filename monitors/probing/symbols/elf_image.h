#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace {

/// An ELF file for x86-64: a program, a shared library, or a file of debugging information. Its bytes are
/// distrusted: an offset, size or name that lies outside the file makes the section, symbol or note that has
/// it disappear, and nothing is ever read outside the file. Only a file whose head is wrong is refused.
/// Thread-safe after construction.
class ElfImage {
 public:
  /// Larger files are refused, so that a file of holes cannot fill the memory.
  static constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30;

  struct Section {
    std::string_view name;
    std::uint32_t type{0};  ///< SHT_*
    std::uint64_t address{0};
    std::uint64_t offset{0};  ///< in the file
    std::uint64_t size{0};
    std::uint32_t link{0};  ///< another section, by its place in sections()
  };
  /// A part of the file that is mapped when it is loaded.
  struct Load {
    std::uint64_t address{0};
    std::uint64_t offset{0};
    std::uint64_t file_size{0};
    std::uint32_t flags{0};  ///< PF_*
  };
  /// A function that a table of symbols names. Addresses are those of the file, as in all of this class.
  struct Symbol {
    std::string_view name;  ///< as the linker knows it; never empty
    std::uint64_t address{0};
    std::uint64_t size{0};  ///< 0: not known
    bool is_global{false};
    bool is_resolver{false};  ///< it chooses one of several functions when the program is loaded (IFUNC)
  };
  struct Note {
    std::string_view owner;
    std::uint32_t type{0};
    Bytes content;
  };

  struct Budget;  // of the implementation

  /// Takes the bytes of the file. Throws ConfigurationError with the reason, which does not name the file, if
  /// they are no ELF file for x86-64.
  explicit ElfImage(std::vector<std::byte> bytes);
  ElfImage(ElfImage&&) noexcept = default;
  ElfImage& operator=(ElfImage&&) noexcept = default;
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  [[nodiscard]] const std::vector<Section>& sections() const noexcept { return sections_; }
  [[nodiscard]] const Section* section(std::string_view name) const noexcept;
  [[nodiscard]] const std::vector<Load>& loads() const noexcept { return loads_; }
  /// Empty for a section without bytes in the file.
  [[nodiscard]] Bytes content(const Section& section) const noexcept;
  /// The functions that are defined here, in the order of the tables, with those of the dynamic linker's
  /// table last. The same function may be there several times.
  [[nodiscard]] std::vector<Symbol> functions() const;
  /// The first variable that is defined here and has a name for which `is_it` holds; nullopt if there is
  /// none.
  [[nodiscard]] std::optional<Symbol> variable(const std::function<bool(std::string_view)>& is_it) const;
  [[nodiscard]] std::vector<Note> notes() const;
  /// In hexadecimal; empty if it has none.
  [[nodiscard]] std::string build_id() const;
  /// All bytes of the file.
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
  /// The bytes of the file that are loaded from `address` on: at most `size`, fewer at the end of a mapped
  /// part, none outside.
  [[nodiscard]] Bytes bytes_at(std::uint64_t address, std::size_t size) const noexcept;
  /// Whether what is loaded at `address` may be executed.
  [[nodiscard]] bool is_code(std::uint64_t address) const noexcept;

 private:
  [[nodiscard]] Bytes part(std::uint64_t offset, std::uint64_t size) const noexcept;
  [[nodiscard]] const Load* load_at(std::uint64_t address) const noexcept;
  void read_loads(std::uint64_t offset, std::uint64_t count);
  void read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t names);
  void add_functions(const Section& table, Budget& budget, std::vector<Symbol>& functions) const;

  std::vector<std::byte> bytes_;  // moved with the image: views of it stay valid
  std::vector<Section> sections_;
  std::vector<Load> loads_;
  std::vector<Bytes> note_parts_;
};

/// A file as it was read.
struct WholeFile {
  std::vector<std::byte> bytes;
  bool is_trusted{false};  ///< when it was opened, only this user and root could change it
};

/// Reads a whole file. Throws EnvironmentError, which names the file, if it cannot be read or is no regular
/// file, and ConfigurationError if it is larger than ElfImage::most_bytes.
WholeFile read_whole_file(const std::filesystem::path& file);

}  // namespace eventspace
