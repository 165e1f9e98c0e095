#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace {

/// An ELF file for x86-64: a program, a shared library, or a file of debugging information. Its bytes are
/// distrusted: a section, symbol or note whose offset, size or name lies outside the file is left out, and no
/// byte outside the file is ever read. Only a file with an invalid head is refused. Thread-safe after
/// construction.
class ElfImage {
 public:
  /// Larger files are refused, so that a sparse file cannot fill the memory.
  static constexpr std::uint64_t max_bytes = std::uint64_t{2} << 30;

  struct Section {
    std::string_view name;
    std::uint32_t type{0};  ///< SHT_*
    std::uint64_t address{0};
    std::uint64_t offset{0};  ///< in the file
    std::uint64_t size{0};
    std::uint32_t link{0};  ///< the index of another section in sections()
  };
  /// A part of the file that is mapped when it is loaded.
  struct Load {
    std::uint64_t address{0};
    std::uint64_t offset{0};
    std::uint64_t file_size{0};
    std::uint32_t flags{0};  ///< PF_*
  };
  /// A function in a symbol table. All addresses in this class are addresses in the file.
  struct Symbol {
    std::string_view name;  ///< the linker's name; never empty
    std::uint64_t address{0};
    std::uint64_t size{0};  ///< 0: unknown
    bool is_global{false};
    bool is_resolver{false};  ///< it chooses one of several functions when the program is loaded (IFUNC)
  };
  struct Note {
    std::string_view owner;
    std::uint32_t type{0};
    Bytes content;
  };

  struct Budget;  // private to the implementation

  /// Takes the bytes of the file. Throws ConfigurationError with the reason, without the name of the file, if
  /// they are not an ELF file for x86-64.
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
  /// The functions defined in this file, in the order of the symbol tables, the dynamic linker's table last.
  /// A function may occur several times.
  [[nodiscard]] std::vector<Symbol> functions() const;
  /// The first variable defined in this file whose name satisfies `is_it`; nullopt if there is none.
  [[nodiscard]] std::optional<Symbol> variable(const std::function<bool(std::string_view)>& is_it) const;
  [[nodiscard]] std::vector<Note> notes() const;
  /// In hexadecimal; empty if the file has none.
  [[nodiscard]] std::string build_id() const;
  /// All bytes of the file.
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
  /// The bytes of the file that are loaded from `address` on: up to `size`, fewer at the end of a mapped
  /// part, none outside.
  [[nodiscard]] Bytes bytes_at(std::uint64_t address, std::size_t size) const noexcept;
  /// Whether the code at `address` is executable when loaded.
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

/// The bytes of a file.
struct WholeFile {
  std::vector<std::byte> bytes;
  bool is_trusted{false};  ///< when it was opened, only this user and root could change it
};

/// Reads a whole file. Throws EnvironmentError, which names the file, if it cannot be read or is not a
/// regular file, and ConfigurationError if it is larger than ElfImage::max_bytes.
WholeFile read_whole_file(const std::filesystem::path& file);

}  // namespace eventspace
