#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace eventspace::testing_probing {

/// Makes the bytes of an ELF file with code at 0x1000, data at 0x2000, symbols, notes and sections of any
/// content.
class SmallElf {
 public:
  static constexpr std::uint64_t code_at = 0x1000;
  static constexpr std::uint64_t data_at = 0x2000;

  SmallElf& code(const std::string& bytes) { return code_ = bytes, *this; }
  SmallElf& data(const std::string& bytes) { return data_ = bytes, *this; }
  SmallElf& function(const std::string& name, std::uint64_t address, std::uint64_t size,
                     int bind = STB_GLOBAL, int type = STT_FUNC) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names_.size());
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(bind, type));
    symbol.st_shndx = 1;
    symbol.st_value = address;
    symbol.st_size = size;
    names_ += name + '\0';
    symbols_ += bytes_of(symbol);
    return *this;
  }
  SmallElf& note(const std::string& owner, std::uint32_t type, const std::string& content) {
    const Elf64_Nhdr head{static_cast<Elf64_Word>(owner.size() + 1), static_cast<Elf64_Word>(content.size()),
                          type};
    notes_ += bytes_of(head) + padded(owner + '\0') + padded(content);
    return *this;
  }
  SmallElf& section(const std::string& name, std::uint32_t type, const std::string& content) {
    more_.push_back({name, type, content});
    return *this;
  }
  /// The content of a note of a USDT probe.
  static std::string user_probe(std::uint64_t address, std::uint64_t base, std::uint64_t semaphore,
                                const std::string& texts) {
    return bytes_of(address) + bytes_of(base) + bytes_of(semaphore) + texts;
  }
  template <class T>
  static std::string bytes_of(const T& value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  /// The parts of the file lie one after the other, after its head.
  [[nodiscard]] std::string text() const {
    std::string parts;
    const auto add = [&parts](const std::string& part) {
      parts += std::string((8 - parts.size() % 8) % 8, '\0');
      parts += part;
      return heads + parts.size() - part.size();
    };
    std::string sections = section_head("", SHT_NULL, 0, 0, 0, 0);
    std::string section_names = std::string(1, '\0');
    const auto add_section = [&](const std::string& name, std::uint32_t type, std::uint64_t address,
                                 const std::string& content, std::uint32_t link) {
      Elf64_Word at = static_cast<Elf64_Word>(section_names.size());
      section_names += name + '\0';
      const std::uint64_t offset = add(content);
      sections += section_head(name, type, address, offset, content.size(), link, at);
      return offset;
    };
    const std::uint64_t code = add_section(".text", SHT_PROGBITS, code_at, code_, 0);
    const std::uint64_t data = add_section(".rodata", SHT_PROGBITS, data_at, data_, 0);
    add_section(".symtab", SHT_SYMTAB, 0, symbols_, 4);
    add_section(".strtab", SHT_STRTAB, 0, names_, 0);
    add_section(".note", SHT_NOTE, 0, notes_, 0);
    for (const More& more : more_) add_section(more.name, more.type, 0, more.content, 0);
    section_names += std::string(".shstrtab") + '\0';
    const auto count = static_cast<Elf64_Half>(sections.size() / sizeof(Elf64_Shdr));
    const std::uint64_t names = add(section_names);
    sections += section_head("", SHT_STRTAB, 0, names, section_names.size(), 0);
    const std::uint64_t table = add(sections);
    return head(table, static_cast<Elf64_Half>(count + 1)) + load(code_at, code, code_.size(), PF_R | PF_X) +
           load(data_at, data, data_.size(), PF_R) + parts;
  }
  [[nodiscard]] std::vector<std::byte> bytes() const {
    const std::string all = text();
    const auto* const begin = reinterpret_cast<const std::byte*>(all.data());
    return {begin, begin + all.size()};
  }

 private:
  struct More {
    std::string name;
    std::uint32_t type;
    std::string content;
  };
  static constexpr std::uint64_t heads = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);

  static std::string padded(const std::string& text) {
    return text + std::string((4 - text.size() % 4) % 4, '\0');
  }
  static std::string section_head(const std::string& /*name*/, std::uint32_t type, std::uint64_t address,
                                  std::uint64_t offset, std::uint64_t size, std::uint32_t link,
                                  Elf64_Word name_at = 0) {
    Elf64_Shdr head{};
    head.sh_name = name_at;
    head.sh_type = type;
    head.sh_addr = address;
    head.sh_offset = offset;
    head.sh_size = size;
    head.sh_link = link;
    return bytes_of(head);
  }
  static std::string load(std::uint64_t address, std::uint64_t offset, std::uint64_t size,
                          std::uint32_t flags) {
    Elf64_Phdr head{};
    head.p_type = PT_LOAD;
    head.p_flags = flags;
    head.p_offset = offset;
    head.p_vaddr = address;
    head.p_filesz = size;
    head.p_memsz = size;
    return bytes_of(head);
  }
  static std::string head(std::uint64_t sections, Elf64_Half count) {
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_type = ET_DYN;
    head.e_machine = EM_X86_64;
    head.e_phoff = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 2;
    head.e_shoff = sections;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = count;
    head.e_shstrndx = static_cast<Elf64_Half>(count - 1);
    return bytes_of(head);
  }

  std::string code_, data_, symbols_, names_{std::string(1, '\0')}, notes_;
  std::vector<More> more_;
};

}  // namespace eventspace::testing_probing
