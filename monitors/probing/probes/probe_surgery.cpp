#include "monitors/probing/probes/probe_surgery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "monitors/probing/tracing/traced_process.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t page_bytes = 4096;
constexpr int most_attempts = 500;
constexpr std::chrono::milliseconds pause{2};  // between attempts: threads run on for at least this long

/// Runs `work` while all threads stand still, and notes for how long they did.
template <class Work>
void while_stopped(std::int32_t pid, nanoseconds& longest, Work work) {
  const auto begun = steady_clock::now();
  {
    const StoppedProcess stopped(pid);
    work(stopped);
  }
  longest = std::max<nanoseconds>(longest, steady_clock::now() - begun);
}

/// Makes a stopped process call the system.
class Calls {
 public:
  Calls(const StoppedProcess& stopped, std::uint64_t instruction)
      : thread_(&stopped.first()), at_(instruction) {}

  std::int64_t operator()(std::int64_t number, std::array<std::uint64_t, 6> arguments) const {
    return thread_->call(at_, number, arguments);
  }
  /// Throws EnvironmentError if the call fails.
  std::uint64_t must(const char* name, std::int64_t number, std::array<std::uint64_t, 6> arguments) const {
    const std::int64_t result = (*this)(number, arguments);
    constexpr std::int64_t highest_error = 4095;
    if (result < 0 && result >= -highest_error)
      throw EnvironmentError::from_errno(
          fmt::format("the process cannot have probes: its call of {} failed", name),
          static_cast<int>(-result));
    return static_cast<std::uint64_t>(result);
  }

 private:
  TracedThread* thread_;
  std::uint64_t at_;
};

/// A text on the stack of the thread that calls the system, below all that it uses. What was there comes
/// back.
class TextOnStack {
 public:
  TextOnStack(const ProcessMemory& memory, const StoppedProcess& stopped, std::string_view text)
      : memory_(&memory),
        at_((stopped.first().registers().rsp - 1024) & ~std::uint64_t{15}),
        before_(text.size() + 1) {
    memory.read(at_, before_);
    std::vector<std::byte> bytes(text.size() + 1);
    std::memcpy(bytes.data(), text.data(), text.size());
    memory.write(at_, bytes);
  }
  ~TextOnStack() {
    try {
      memory_->write(at_, before_);
    } catch (const EnvironmentError&) {
      // The process was killed.
    }
  }
  TextOnStack(const TextOnStack&) = delete;
  TextOnStack& operator=(const TextOnStack&) = delete;
  [[nodiscard]] std::uint64_t address() const noexcept { return at_; }

 private:
  const ProcessMemory* memory_;
  std::uint64_t at_;
  std::vector<std::byte> before_;
};

// --- placing ----------------------------------------------------------------------------------------------

class Placing {
 public:
  Placing(std::int32_t pid, const std::vector<PlannedProbe>& plan, std::int32_t owner,
          std::uint64_t owner_start)
      : pid_(pid), plan_(plan), memory_(pid), owner_(owner), owner_start_(owner_start) {
    done_.probes.resize(plan.size());
  }

  Placement place() {
    syscall_ = syscall_instruction(memory_, mapped_ranges(pid_));
    for (std::size_t i = 0; i < plan_.size(); ++i) prepare(i);
    for (int attempt = 0; attempt < most_attempts && has_waiting(); ++attempt) {
      if (attempt > 0) std::this_thread::sleep_for(pause);
      while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) { write_jumps(stopped); });
    }
    for (const Prepared& probe : prepared_)
      if (!probe.is_written) refuse(probe.place, "a thread stays in its first bytes");
    return std::move(done_);
  }

 private:
  struct Area {
    AddressRange module;
    ProbeArea::Header header;
  };
  struct Prepared {
    std::size_t place;  // in the plan
    Trampoline trampoline;
    std::array<std::byte, probe_jump_bytes> jump;
    bool is_written{false};
  };

  void refuse(std::size_t place, std::string why) { done_.probes[place] = {0, std::move(why)}; }
  [[nodiscard]] bool has_waiting() const {
    return std::ranges::any_of(prepared_, [](const Prepared& probe) { return !probe.is_written; });
  }

  Area& area_for(const AddressRange& module) {
    for (Area& area : areas_)
      if (area.module.begin == module.begin && area.header.count < ProbeArea::most_probes) return area;
    areas_.push_back({module, map_area(module)});
    return areas_.back();
  }

  ProbeArea::Header map_area(const AddressRange& module) {
    const auto place = free_place(mapped_ranges(pid_), module, ProbeArea::code_bytes + ProbeArea::data_bytes);
    if (!place)
      throw EnvironmentError(
          fmt::format("process {} cannot have probes: no room within 2 GiB of its code", pid_));
    ProbeArea::Header header;
    header.magic = ProbeArea::magic;
    header.version = ProbeArea::version;
    header.owner_pid = owner_;
    header.owner_start_ticks = owner_start_;
    header.code = *place;
    header.data = *place + ProbeArea::code_bytes;
    while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) {
      if (!stopped.has_thread_data())
        throw EnvironmentError(
            fmt::format("process {} cannot have probes: a thread of it has no data of its own (%fs is 0), as "
                        "C libraries set it up",
                        pid_));
      map(header, stopped);
    });
    memory_.write(header.data, std::as_bytes(std::span(&header, 1)));
    return header;
  }

  void map(const ProbeArea::Header& header, const StoppedProcess& stopped) {
    const Calls call(stopped, syscall_);
    const TextOnStack name(memory_, stopped, ProbeArea::file_name);
    const std::uint64_t file = call.must("memfd_create", SYS_memfd_create, {name.address(), MFD_CLOEXEC});
    try {
      constexpr std::uint64_t fixed = MAP_FIXED_NOREPLACE;
      call.must("ftruncate", SYS_ftruncate, {file, ProbeArea::code_bytes + ProbeArea::data_bytes});
      call.must("mmap", SYS_mmap,
                {header.code, ProbeArea::code_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | fixed, file, 0});
      call.must("mmap", SYS_mmap,
                {header.data, ProbeArea::data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file,
                 ProbeArea::code_bytes});
    } catch (const EnvironmentError&) {
      call(SYS_close, {file});
      throw;
    }
    call(SYS_close, {file});
  }

  // Everything but the jump: no thread comes here before that is written.
  void prepare(std::size_t place) {
    const PlannedProbe& planned = plan_[place];
    Area& area = area_for(planned.module);
    const std::uint32_t number = area.header.count;
    const std::uint64_t at = area.header.code + number * Trampoline::most_bytes;
    const std::uint64_t counters = area.header.data + ProbeArea::counters_at + number * ProbeCounters::bytes;
    const auto trampoline = counting_trampoline(planned.code, planned.place, at, counters);
    const auto jump = jump_code(planned.place, at);
    if (!trampoline || !jump) return refuse(place, "its first instructions cannot run elsewhere");
    std::vector<std::byte> now(trampoline->replaced);
    memory_.read(planned.place, now);
    if (!std::equal(now.begin(), now.end(), planned.code.begin()))
      return refuse(place, "its code is not that of its file: another tool has changed it");
    memory_.write(at, trampoline->code);
    ProbeArea::Entry entry{planned.place, at, {}, {}};
    std::memcpy(entry.original, now.data(), probe_jump_bytes);
    memory_.write(area.header.data + ProbeArea::header_bytes + number * ProbeArea::entry_bytes,
                  std::as_bytes(std::span(&entry, 1)));
    ++area.header.count;  // behind the entry: the journal never has an entry that is not whole
    memory_.write(area.header.data, std::as_bytes(std::span(&area.header, 1)));
    done_.probes[place] = {counters, {}};
    prepared_.push_back({place, *trampoline, *jump, false});
  }

  void write_jumps(const StoppedProcess& stopped) {
    const auto mapped = mapped_ranges(pid_);
    constexpr std::size_t most_at_a_time = 64;  // so that the threads stand still for a short time only
    std::vector<Prepared*> waiting;
    std::vector<AddressRange> insides;
    for (Prepared& probe : prepared_) {
      if (probe.is_written || waiting.size() == most_at_a_time) continue;
      waiting.push_back(&probe);
      insides.push_back(inside(probe));
    }
    const bool is_any_in = stopped.is_in(insides, memory_, mapped);
    for (Prepared* const probe : waiting) {
      if (is_any_in && stopped.is_in({inside(*probe)}, memory_, mapped)) continue;
      memory_.write(plan_[probe->place].place, probe->jump);
      probe->is_written = true;
    }
  }

  // Where no thread may be when the jump is written: between the instructions that it replaces. At the first
  // one it may.
  [[nodiscard]] AddressRange inside(const Prepared& probe) const {
    const std::uint64_t place = plan_[probe.place].place;
    return {place + 1, place + probe.trampoline.replaced};
  }

  std::int32_t pid_;
  const std::vector<PlannedProbe>& plan_;
  ProcessMemory memory_;
  std::int32_t owner_;
  std::uint64_t owner_start_;
  std::uint64_t syscall_{0};
  std::vector<Area> areas_;
  std::vector<Prepared> prepared_;
  Placement done_;
};

// --- removing ---------------------------------------------------------------------------------------------

class Removing {
 public:
  Removing(std::int32_t pid, Removal& done) : pid_(pid), memory_(pid), done_(done) {}

  void remove() {
    areas_ = areas_in(memory_, mapped_ranges(pid_));
    if (areas_.empty()) return;
    ++done_.processes;
    syscall_ = syscall_instruction(memory_, mapped_ranges(pid_));
    while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess&) { restore(); });
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      bool is_free = false;
      while_stopped(pid_, done_.longest_stop,
                    [&](const StoppedProcess& stopped) { is_free = unmap(stopped); });
      if (is_free) return forget_pages();
      std::this_thread::sleep_for(pause);
    }
    done_.is_whole = false;
  }

 private:
  void restore() {
    for (const ProbeArea& area : areas_) {
      for (const ProbeArea::Entry& entry : area.entries) restore(entry);
    }
  }

  void restore(const ProbeArea::Entry& entry) {
    const auto jump = jump_code(entry.address, entry.trampoline);
    std::array<std::byte, probe_jump_bytes> now{};
    memory_.read(entry.address, now);
    const auto original = std::as_bytes(std::span(entry.original)).first(probe_jump_bytes);
    if (std::equal(now.begin(), now.end(), original.begin()))
      return;  // the tool was killed before it wrote the jump
    if (!jump || now != *jump) {
      ++done_.foreign;
      return;
    }
    memory_.write(entry.address, original);
    ++done_.removed;
    for (const std::uint64_t address : {entry.address, entry.address + probe_jump_bytes - 1})
      pages_.insert(address & ~(page_bytes - 1));
  }

  // Returns false if a thread is in the memory of the probes, or may come back there.
  bool unmap(const StoppedProcess& stopped) {
    std::vector<AddressRange> ranges;
    for (const ProbeArea& area : areas_)
      for (const AddressRange& range : area.ranges()) ranges.push_back(range);
    if (done_.foreign > 0 || stopped.is_in(ranges, memory_, mapped_ranges(pid_))) return false;
    const Calls call(stopped, syscall_);
    for (const AddressRange& range : ranges)
      call.must("munmap", SYS_munmap, {range.begin, range.end - range.begin});
    return true;
  }

  // Lets go of the process's own copies of pages that are again as in the file.
  void forget_pages() {
    std::vector<std::uint64_t> same;
    const auto mapped = mapped_ranges(pid_);
    for (const std::uint64_t page : pages_)
      if (is_as_in_file(page, mapped)) same.push_back(page);
    constexpr std::size_t most_at_a_time = 8;
    for (std::size_t i = 0; i < same.size(); i += most_at_a_time) {
      while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) {
        const Calls call(stopped, syscall_);
        for (std::size_t j = i; j < std::min(same.size(), i + most_at_a_time); ++j)
          call(SYS_madvise, {same[j], page_bytes, MADV_DONTNEED});
      });
    }
  }

  [[nodiscard]] bool is_as_in_file(std::uint64_t page, const std::vector<MappedRange>& mapped) const try {
    for (const ProcessModule& module : modules_of(mapped)) {
      for (const MappedRange& range : module.ranges) {
        if (page < range.begin || page >= range.end) continue;
        const FileHandle file(::open(file_of(pid_, module).c_str(), O_RDONLY | O_CLOEXEC));
        std::array<std::byte, page_bytes> in_file{};  // what is behind the end of a file is mapped as zeros
        std::array<std::byte, page_bytes> in_memory{};
        const auto at = static_cast<::off_t>(range.offset + (page - range.begin));
        if (!file.valid() || ::pread(file.get(), in_file.data(), in_file.size(), at) <= 0) return false;
        memory_.read(page, in_memory);
        return in_file == in_memory;
      }
    }
    return false;
  } catch (const EnvironmentError&) {
    return false;  // the file was removed: the page stays, with the right bytes
  }

  std::int32_t pid_;
  ProcessMemory memory_;
  Removal& done_;
  std::uint64_t syscall_{0};
  std::vector<ProbeArea> areas_;
  std::set<std::uint64_t> pages_;
};

/// The inodes of the areas that the process has mapped.
std::set<std::uint64_t> area_inodes(std::int32_t pid) {
  std::set<std::uint64_t> inodes;
  for (const MappedRange& range : mapped_ranges(pid))
    if (range.path == std::string("/memfd:") + ProbeArea::file_name) inodes.insert(range.inode);
  return inodes;
}

/// Forked children have the same probes in their copies of the code.
std::vector<std::int32_t> processes_with(const std::set<std::uint64_t>& inodes) {
  std::vector<std::int32_t> found;
  for (const ProcessName& process : processes_here()) {
    try {
      for (const std::uint64_t inode : area_inodes(process.pid)) {
        if (!inodes.contains(inode)) continue;
        found.push_back(process.pid);
        break;
      }
    } catch (const EnvironmentError&) {
      // Another user's, or it has ended.
    }
  }
  return found;
}

void require_no_other_owner(std::int32_t pid, std::int32_t owner) {
  for (const ProbeArea& area : areas_in(ProcessMemory(pid), mapped_ranges(pid))) {
    if (!area.header || area.header->owner_pid == owner) continue;
    if (is_alive(area.header->owner_pid, area.header->owner_start_ticks))
      throw EnvironmentError(
          fmt::format("process {} has probes of another eventspace, which runs (process {})", pid,
                      area.header->owner_pid));
  }
}

}  // namespace

Placement place_here(std::int32_t pid, const std::vector<PlannedProbe>& plan, std::int32_t owner,
                     std::uint64_t owner_start_ticks) {
  require_patchable(pid, owner);
  require_no_other_owner(pid, owner);
  remove_here(pid);  // what was left by one that was killed
  try {
    return Placing(pid, plan, owner, owner_start_ticks).place();
  } catch (const EnvironmentError&) {
    remove_here(pid);
    throw;
  }
}

Removal remove_here(std::int32_t pid) {
  Removal done;
  if (!read_process_stat(pid)) return done;
  const auto inodes = area_inodes(pid);
  if (inodes.empty()) return done;
  for (const std::int32_t process : processes_with(inodes)) {
    try {
      Removing(process, done).remove();
    } catch (const EnvironmentError&) {
      // A child that has ended meanwhile has nothing to be removed; the process that was asked for does not
      // go unseen.
      if (process == pid && read_process_stat(pid)) throw;
    }
  }
  return done;
}

}  // namespace eventspace
