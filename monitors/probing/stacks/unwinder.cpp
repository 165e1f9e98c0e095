#include "monitors/probing/stacks/unwinder.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <eventspace/error.h>
#include "monitors/text/demangled.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

constexpr const char* vdso_name = "[vdso]";

const MappedRange* vdso_in(const std::vector<MappedRange>& ranges) {
  const auto found = std::ranges::find(ranges, vdso_name, &MappedRange::path);
  return found == ranges.end() ? nullptr : &*found;
}

/// A memory file with the kernel's code for all processes (vdso), which is the same in all of them.
FileHandle own_vdso(std::size_t bytes) {
  const std::uint64_t begin = ::getauxval(AT_SYSINFO_EHDR);
  FileHandle file(::memfd_create("vdso", MFD_CLOEXEC));
  if (begin == 0 || !file.valid()) return {};
  const auto* const from = reinterpret_cast<const void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  const ::ssize_t written = ::write(file.get(), from, bytes);
  return written == static_cast<::ssize_t>(bytes) ? std::move(file) : FileHandle();
}

}  // namespace

struct Unwinder::Session {
  // Debugging information in separate files is not searched in other folders or on servers.
  ::Dwfl_Callbacks callbacks{::dwfl_build_id_find_elf, ::dwfl_standard_find_debuginfo,
                             ::dwfl_offline_section_address, nullptr};
  ::Dwfl* dwfl{::dwfl_begin(&callbacks)};
  std::int32_t pid{0};
  const ThreadCopy* copy{nullptr};
  ThreadStack stack;
  bool has_missed_memory{false};  ///< a word was needed that is not in the copy

  Session() = default;
  ~Session() {
    if (dwfl != nullptr) ::dwfl_end(dwfl);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // libdwfl closes `file` if it accepts it.
  void report(const std::string& name, const std::string& path, FileHandle file, std::uint64_t begin) const {
    const int own = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
    if (own < 0) return;
    constexpr bool adds_address_in_file = false;  // `begin` is the address of the first part of the file
    if (::dwfl_report_elf(dwfl, name.c_str(), path.c_str(), own, begin, adds_address_in_file) == nullptr)
      ::close(own);
  }

  void report(const ProcessModule& module) const try {
    const MappedRange& first = module.ranges.front();
    if (first.offset != 0) return;
    const auto path = file_of(pid, module);
    FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.valid()) report(module.path, path, std::move(file), first.begin);
  } catch (const EnvironmentError&) {
    // The file was removed since it was mapped, so its functions do not have names.
  }

  void add_frame(std::uint64_t address, bool is_exact) {
    // For a caller, the address of the call is looked up: the next instruction may be of another line, or
    // another function.
    const ::Dwarf_Addr at = is_exact ? address : address - 1;
    StackFrame frame{address, {}, {}, {}};
    if (::Dwfl_Module* const module = ::dwfl_addrmodule(dwfl, at); module != nullptr) {
      frame.module =
          ::dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      if (const char* const function = ::dwfl_module_addrname(module, at))
        frame.function = demangled(function);
      frame.source = source_at(module, at);
    }
    stack.frames.push_back(std::move(frame));
  }

  static std::string source_at(::Dwfl_Module* module, ::Dwarf_Addr address) {
    int line = 0;
    ::Dwfl_Line* const found = ::dwfl_module_getsrc(module, address);
    const char* const file =
        found == nullptr ? nullptr : ::dwfl_lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
    if (file == nullptr) return {};
    return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
  }

  // Callbacks with which libdwfl reads the thread; `argument` is the session.
  static ::pid_t next_thread(::Dwfl* /*dwfl*/, void* argument, void** thread) {
    if (*thread != nullptr) return 0;
    *thread = argument;
    return static_cast<const Session*>(argument)->pid;
  }
  static bool get_thread(::Dwfl* /*dwfl*/, ::pid_t /*tid*/, void* argument, void** thread) {
    *thread = argument;
    return true;
  }
  static bool read_memory(::Dwfl* /*dwfl*/, ::Dwarf_Addr address, ::Dwarf_Word* result, void* argument) {
    auto* const session = static_cast<Session*>(argument);
    const auto word = session->copy->word_at(address);
    if (word) *result = *word;
    // libdwfl takes an unreadable return address for the end of the stack.
    session->has_missed_memory |= !word;
    return word.has_value();
  }
  static bool set_registers(::Dwfl_Thread* thread, void* argument) {
    const auto& registers = static_cast<const Session*>(argument)->copy->registers;
    std::array<::Dwarf_Word, 17> words{};
    std::ranges::copy(registers, words.begin());
    return ::dwfl_thread_state_registers(thread, 0, words.size(), words.data());
  }
  static int see_frame(::Dwfl_Frame* frame, void* argument) {
    auto* const session = static_cast<Session*>(argument);
    ::Dwarf_Addr address = 0;
    bool is_exact = false;
    if (!::dwfl_frame_pc(frame, &address, &is_exact)) return DWARF_CB_ABORT;
    session->add_frame(address, is_exact);
    return session->stack.frames.size() < max_frames ? DWARF_CB_OK : DWARF_CB_ABORT;
  }
};

Unwinder::Unwinder(std::int32_t pid, const std::vector<MappedRange>& ranges)
    : session_(std::make_unique<Session>()) {
  Session& session = *session_;
  session.pid = pid;
  if (session.dwfl == nullptr)
    throw EnvironmentError(fmt::format("elfutils cannot be used: {}", ::dwfl_errmsg(-1)));
  ::dwfl_report_begin(session.dwfl);
  for (const ProcessModule& module : modules_of(ranges)) session.report(module);
  if (const MappedRange* const vdso = vdso_in(ranges)) {
    FileHandle file = own_vdso(vdso->end - vdso->begin);
    if (file.valid()) session.report(vdso_name, vdso_name, std::move(file), vdso->begin);
  }
  ::dwfl_report_end(session.dwfl, nullptr, nullptr);
}

Unwinder::~Unwinder() = default;

ThreadStack Unwinder::unwind(const ThreadCopy& copy) {
  static constexpr ::Dwfl_Thread_Callbacks thread_callbacks{Session::next_thread,
                                                            Session::get_thread,
                                                            Session::read_memory,
                                                            Session::set_registers,
                                                            nullptr,
                                                            nullptr};
  Session& session = *session_;
  session.copy = &copy;
  session.stack.stopped = copy.stopped;
  if (::dwfl_attach_state(session.dwfl, nullptr, session.pid, &thread_callbacks, &session))
    session.stack.is_whole =
        ::dwfl_getthread_frames(session.dwfl, session.pid, Session::see_frame, &session) == 0 &&
        !session.has_missed_memory;
  // Without tables, at least the thread's own address is known.
  if (session.stack.frames.empty()) session.add_frame(copy.registers[ThreadCopy::instruction_pointer], true);
  return std::move(session.stack);
}

}  // namespace eventspace
