#include "monitors/probing/symbols/elf_image.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {

/// A limit for the cost of reading. Tables of a forged file can refer to the same bytes many times, so a
/// small file could have more symbols and notes than memory can hold. In a real file they are smaller than
/// the file.
struct ElfImage::Budget {
  std::uint64_t left{0};
  bool spend(std::uint64_t bytes) noexcept {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
};

namespace {

using Budget = ElfImage::Budget;

/// The T at `offset` of `bytes`; nullopt if it does not lie within them.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t offset) noexcept {
  if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// A longer text is not accepted as a name.
constexpr std::size_t longest_name = 32768;

/// The text at `offset` of a table of texts; empty if it is not terminated.
std::string_view text_at(Bytes table, std::uint64_t offset) noexcept {
  if (offset >= table.size()) return {};
  const auto* const begin = reinterpret_cast<const char*>(table.data()) + offset;
  const std::size_t most = std::min<std::size_t>(table.size() - offset, longest_name);
  const std::size_t length = ::strnlen(begin, most);
  return length == most ? std::string_view() : std::string_view(begin, length);
}

/// Adds the notes of one section. Names and contents are padded to multiples of four bytes.
void add_notes(Bytes bytes, Budget& budget, std::vector<ElfImage::Note>& notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  for (std::uint64_t at = 0; const auto head = read_at<Elf64_Nhdr>(bytes, at);) {
    const std::uint64_t name = at + sizeof *head;
    const std::uint64_t content = name + padded(head->n_namesz);
    // Sizes have 32 bits and `at` is at most the size of the file, so no sum overflows.
    if (content + head->n_descsz > bytes.size() || !budget.spend(sizeof *head)) return;
    notes.push_back({text_at(bytes.subspan(name, head->n_namesz), 0), head->n_type,
                     bytes.subspan(content, head->n_descsz)});
    at = content + padded(head->n_descsz);
  }
}

std::string refusal_of(Bytes bytes) {
  const auto head = read_at<Elf64_Ehdr>(bytes, 0);
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return "it is not an ELF file";
  if (!head) return "it ends within the ELF header";
  if (head->e_ident[EI_CLASS] != ELFCLASS64) return "it is a file for 32-bit processors; x86-64 is needed";
  if (head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_machine != EM_X86_64)
    return fmt::format("it is a file for other processors (machine {}); x86-64 is needed", head->e_machine);
  return {};
}

}  // namespace

ElfImage::ElfImage(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  if (const std::string refusal = refusal_of(bytes_); !refusal.empty()) throw ConfigurationError(refusal);
  const Elf64_Ehdr head = *read_at<Elf64_Ehdr>(bytes_, 0);
  std::uint64_t sections = head.e_shnum;
  std::uint64_t names = head.e_shstrndx;
  std::uint64_t loads = head.e_phnum;
  // Numbers that do not fit in 16 bits are in the first section header.
  if (const auto first = read_at<Elf64_Shdr>(bytes_, head.e_shoff); first && head.e_shoff != 0) {
    if (sections == 0) sections = first->sh_size;
    if (names == SHN_XINDEX) names = first->sh_link;
    if (loads == PN_XNUM) loads = first->sh_info;
  }
  if (head.e_phentsize == sizeof(Elf64_Phdr)) read_loads(head.e_phoff, loads);
  if (head.e_shentsize == sizeof(Elf64_Shdr) && head.e_shoff != 0)
    read_sections(head.e_shoff, sections, names);
}

void ElfImage::read_loads(std::uint64_t offset, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, offset += sizeof(Elf64_Phdr)) {
    const auto head = read_at<Elf64_Phdr>(bytes_, offset);
    if (!head) return;
    if (head->p_type == PT_NOTE) note_parts_.push_back(part(head->p_offset, head->p_filesz));
    const bool lies_in_file = !part(head->p_offset, head->p_filesz).empty();
    // A part that would reach beyond the end of the address space is left out.
    if (head->p_type == PT_LOAD && lies_in_file && head->p_vaddr <= UINT64_MAX - head->p_filesz)
      loads_.push_back({head->p_vaddr, head->p_offset, head->p_filesz, head->p_flags});
  }
}

void ElfImage::read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t names) {
  count = std::min<std::uint64_t>(count, bytes_.size() / sizeof(Elf64_Shdr));
  Bytes texts;
  if (names < count) {
    const auto head = read_at<Elf64_Shdr>(bytes_, offset + names * sizeof(Elf64_Shdr));
    if (head && head->sh_type == SHT_STRTAB) texts = part(head->sh_offset, head->sh_size);
  }
  for (std::uint64_t i = 0; i < count; ++i, offset += sizeof(Elf64_Shdr)) {
    const auto head = read_at<Elf64_Shdr>(bytes_, offset);
    if (!head) return;
    sections_.push_back({text_at(texts, head->sh_name), head->sh_type, head->sh_addr, head->sh_offset,
                         head->sh_size, head->sh_link});
    // Compressed contents are not supported: read as they are, they would be nonsense.
    if ((head->sh_flags & SHF_COMPRESSED) != 0) sections_.back().type = SHT_NULL;
  }
}

Bytes ElfImage::part(std::uint64_t offset, std::uint64_t size) const noexcept {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
  return Bytes(bytes_).subspan(offset, size);
}

const ElfImage::Section* ElfImage::section(std::string_view name) const noexcept {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

Bytes ElfImage::content(const Section& section) const noexcept {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL) return {};
  return part(section.offset, section.size);
}

void ElfImage::add_functions(const Section& table, Budget& budget, std::vector<Symbol>& functions) const {
  if (table.link >= sections_.size()) return;
  const Bytes symbols = content(table);
  const Bytes texts = content(sections_[table.link]);
  for (std::uint64_t at = 0; const auto symbol = read_at<Elf64_Sym>(symbols, at); at += sizeof *symbol) {
    if (!budget.spend(1)) return;
    const auto type = ELF64_ST_TYPE(symbol->st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!is_function || symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0) continue;
    const std::string_view name = text_at(texts, symbol->st_name);
    if (name.empty()) continue;
    if (!budget.spend(name.size())) return;
    functions.push_back({name, symbol->st_value, symbol->st_size, ELF64_ST_BIND(symbol->st_info) != STB_LOCAL,
                         type == STT_GNU_IFUNC});
  }
}

std::vector<ElfImage::Symbol> ElfImage::functions() const {
  std::vector<Symbol> found;
  Budget budget{4 * bytes_.size()};
  for (const std::uint32_t type : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    for (const Section& table : sections_)
      if (table.type == type) add_functions(table, budget, found);
  }
  return found;
}

std::optional<ElfImage::Symbol> ElfImage::variable(const std::function<bool(std::string_view)>& is_it) const {
  for (const Section& table : sections_) {
    if ((table.type != SHT_SYMTAB && table.type != SHT_DYNSYM) || table.link >= sections_.size()) continue;
    const Bytes symbols = content(table);
    const Bytes texts = content(sections_[table.link]);
    for (std::uint64_t at = 0; const auto symbol = read_at<Elf64_Sym>(symbols, at); at += sizeof *symbol)
      if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
          symbol->st_value != 0 && is_it(text_at(texts, symbol->st_name)))
        return Symbol{text_at(texts, symbol->st_name), symbol->st_value, symbol->st_size, true, false};
  }
  return std::nullopt;
}

std::vector<ElfImage::Note> ElfImage::notes() const {
  std::vector<Note> found;
  Budget budget{4 * bytes_.size()};
  for (const Bytes notes : note_parts_) add_notes(notes, budget, found);
  for (const Section& notes : sections_)
    if (notes.type == SHT_NOTE) add_notes(content(notes), budget, found);
  return found;
}

std::string ElfImage::build_id() const {
  for (const Note& note : notes()) {
    if (note.owner != "GNU" || note.type != NT_GNU_BUILD_ID) continue;
    std::string text;
    for (const std::byte byte : note.content) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
  }
  return {};
}

const ElfImage::Load* ElfImage::load_at(std::uint64_t address) const noexcept {
  const auto found = std::ranges::find_if(loads_, [address](const Load& load) {
    return address >= load.address && address - load.address < load.file_size;
  });
  return found == loads_.end() ? nullptr : &*found;
}

Bytes ElfImage::bytes_at(std::uint64_t address, std::size_t size) const noexcept {
  const Load* const load = load_at(address);
  if (load == nullptr) return {};
  const std::uint64_t before = address - load->address;
  return part(load->offset + before, std::min<std::uint64_t>(size, load->file_size - before));
}

bool ElfImage::is_code(std::uint64_t address) const noexcept {
  const Load* const load = load_at(address);
  return load != nullptr && (load->flags & PF_X) != 0;
}

namespace {

bool is_trusted(const struct ::stat& facts) {
  return (facts.st_uid == 0 || facts.st_uid == ::geteuid()) && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

WholeFile read_whole_file(const std::filesystem::path& file) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct ::stat facts {};
  if (!handle.valid() || ::fstat(handle.get(), &facts) != 0)
    throw EnvironmentError::from_errno(fmt::format("{} cannot be read", file.string()), errno);
  if (!S_ISREG(facts.st_mode)) throw EnvironmentError(fmt::format("{} is not a regular file", file.string()));
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (size > ElfImage::max_bytes)
    throw ConfigurationError(
        fmt::format("{} has {} bytes; at most {} can be read", file.string(), size, ElfImage::max_bytes));
  std::vector<std::byte> bytes(size);
  const std::size_t have = read_fully(handle.get(), bytes);
  if (have < bytes.size() && errno != 0)
    throw EnvironmentError::from_errno(fmt::format("{} cannot be read", file.string()), errno);
  bytes.resize(have);  // less if the file was truncated after its size was read
  return {std::move(bytes), is_trusted(facts)};
}

}  // namespace eventspace
