#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/extend.h>
#include <eventspace/packet.h>
#include <eventspace/rank_set.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>

/// The processes of a network of streams: how they are started, commands for internal processes, and what
/// they report of themselves and of their clocks.
namespace eventspace::streams {

struct FilterInfo;  // <eventspace/stream_filter.h>

// --- launching

/// How the processes of a network are started.
struct LaunchOptions {
  using Command = std::vector<std::string>;

  /// Starts a command on another host: its words precede those of the command, with "{host}" replaced by the
  /// host's name. It must forward standard input and output, and end with the command. For a batch system for
  /// example {"srun", "--overlap", "-N1", "-n1", "-w", "{host}"}.
  Command launcher{"ssh", "-o", "BatchMode=yes", "{host}"};
  /// Launchers for certain hosts, instead of `launcher`. An empty command means that the host is this
  /// machine.
  std::map<std::string, Command, std::less<>> launchers{};
  /// An internal process: a program that calls serve_start_sheet(), such as a tool with filters of its own.
  Command internal{"eventspace", "serve", "--streams-on-input"};
  /// A back-end, which finds its attach point in its environment (AttachPoint::variable). Empty: back-ends
  /// are not launched, and attach at any time.
  Command back_end{};
  /// How long a back-end may take to end after the network, before the process that started it kills it.
  /// Internal processes get this time once more for each level below them.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  /// Whether processes listen at ports of all interfaces, with keys, even if all are on this machine.
  /// Otherwise local sockets are used if all are on this machine.
  bool over_network{false};
  /// Back-ends may attach to a session: its processes on the machines of the internal processes find the
  /// network by the session's name (Session::back_end). Empty: attaching needs an attach point.
  std::string session{};
  /// Which process adopts processes whose parent is lost.
  Adoption adoption{Adoption::ancestor};
};

/// A network that starts its internal processes, and its back-ends if a command for them is given: on this
/// machine or, by a launcher such as ssh, on the hosts of the topology. Each process starts its own children,
/// so starting takes as many steps as the tree has levels.
///
///     Topology topology = Topology::of_text("4x8");
///     topology.place("login", {}, parse_hosts("n[1-4]"));
///     LaunchedNetwork network(std::move(topology), {.back_end = {"my-daemon", "--verbose"}});
///     network.wait_until_ready(Deadline::after(30s));
///     const std::uint32_t stream = network.front_end().open({.up = {{"max", {}}}});
///
/// If all processes are on this machine they are connected by local sockets. Otherwise they listen at free
/// ports, and all connections are encrypted with keys that only the processes of the network have: they are
/// passed down the tree on standard input.
///
/// The network ends with this object: all processes end when they notice that their parent is gone. Not
/// thread-safe. Functions throw EnvironmentError or ConfigurationError.
class LaunchedNetwork {
 public:
  /// Starts the children of the front-end and returns. `name` is as in FrontEnd::Options.
  LaunchedNetwork(const Topology& topology, LaunchOptions options, std::string name = {});
  /// Ends the network, and kills the children of this process that have not ended in time
  /// (LaunchOptions::patience).
  ~LaunchedNetwork();
  LaunchedNetwork(const LaunchedNetwork&) = delete;
  LaunchedNetwork& operator=(const LaunchedNetwork&) = delete;

  /// Blocks until all internal processes are attached, and all back-ends if they are launched. Throws
  /// EnvironmentError with the host and command of each process that could not be started or has failed, or
  /// with the processes that are missing at the deadline. Later failures are events (EventKind::failed).
  void wait_until_ready(Deadline deadline);

  /// Its attach points are complete once the network is ready.
  [[nodiscard]] FrontEnd& front_end() noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// --- internal processes

/// An internal process of a network of streams: forwards packets and runs filters. One thread does all the
/// work: each hop of a packet is one receive and one send on that thread. When its parent is gone, a process
/// above adopts it. It ends with the network, or if no process adopts it. Not thread-safe, except has_ended()
/// and stop().
class InternalProcess {
 public:
  struct Config {
    AttachPoint parent;
    std::string endpoint;        ///< where children attach
    RankSet places{};            ///< ranks that back-ends attach with, here
    RankSet below{};             ///< all ranks below: those that lose their parents may attach here
    std::size_t children{1024};  ///< limit for attached children
    std::shared_ptr<const SessionSecurity> security{};
    /// Its number in the topology. With a number the process is also an end-point, see Command.
    std::optional<std::uint32_t> process{};
    std::string host{};       ///< name of the machine in reports; empty: its real name
    std::string announced{};  ///< where children connect, if that is not `endpoint`
    /// Called by the process's thread about ten times a second, with a function that sends a packet unasked
    /// (CommandCall::send). May be empty.
    std::function<void(const std::function<bool(std::uint32_t, const Packet&)>& send)> look{};
  };

  /// Listens at its endpoint. Throws EnvironmentError if that is not possible.
  explicit InternalProcess(Config config);
  ~InternalProcess();
  InternalProcess(const InternalProcess&) = delete;
  InternalProcess& operator=(const InternalProcess&) = delete;

  void run();    ///< serves in the calling thread until it ends
  void start();  ///< serves in a thread of its own
  void stop() noexcept;
  /// Whether it has ended by itself: with its network, or because it could not attach.
  [[nodiscard]] bool has_ended() const noexcept;
  /// Why run() has ended, if the parent was the cause: "cannot attach to ..." or the loss of the connection.
  /// To be called after run().
  [[nodiscard]] std::string fault() const;
  /// Whether it was ever attached to its parent. To be called after run().
  [[nodiscard]] bool was_attached() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Becomes the process of a network that a start sheet describes, which the parent in the tree has written to
/// `input`, and runs until the network ends. An internal process starts its own children, and reports to the
/// front-end children that could not be started. For a back-end on another machine it starts the back-end's
/// command. `eventspace serve --streams-on-input` calls this function; a tool with filters or commands of its
/// own sets itself as LaunchOptions::internal, and calls it.
///
/// Returns the exit status. Throws ConfigurationError if the input is not a valid start sheet, and
/// EnvironmentError if the process cannot listen or attach.
int serve_start_sheet(std::istream& input);

// --- commands

// Commands for internal processes, which are end-points, too: a stream whose members include them carries
// commands to them, and their answers join the waves of the stream at their place in the tree.
//
//     const std::uint32_t stream = front_end.open({.members = front_end.internals(), .up = {{"max", {}}}});
//     front_end.send(stream, Format<std::string_view>::make(0, "load"), deadline);
//     const auto greatest_load = front_end.receive(stream, deadline);

/// A packet that was addressed to an internal process and has reached it.
struct CommandCall {
  /// Its first value is the name of the command; the others are the command's arguments.
  const Packet& packet;
  std::uint32_t process{0};  ///< number of the internal process in the topology
  /// Sends a packet up in any stream that the process is a member of, in addition to the answer. May be
  /// stored, and called later by the thread of the internal process. Returns false if the stream is full, or
  /// does not exist. Not for streams that carry answers: the n-th packets of all end-points form a wave.
  std::function<bool(std::uint32_t stream, const Packet& packet)> send;
};

/// A command for internal processes. It is run by the thread that forwards packets, so it must be short and
/// must not wait.
struct Command {
  std::string name;
  std::string help;
  /// Returns the answer. An exception is answered by a packet with the tag `command_failed` and the reason as
  /// its only value. A filter that expects numbers refuses such a wave, which is an event of the front-end.
  std::function<Packet(const CommandCall& call)> run;
};

/// The name of the command that answers with a ProcessReport as text.
inline constexpr std::string_view report_command = "report";

/// The tag of an answer with the reason why a command failed; an unknown command is one.
inline constexpr std::int32_t command_failed = -1;

/// The commands of internal processes: the built-in ones, and commands that a program adds before it becomes
/// an internal process. See Registry about threads.
///
///     ping     answers with the same packet
///     report   answers with a ProcessReport as text
///     process  answers (u32 number, text host, i32 process id, u32 threads) of the process
class CommandRegistry {
 public:
  static Registry<Command>& instance();
};

// --- reports

/// One filter of one stream in one process.
struct FilterReport {
  std::string name{};
  bool down{false};
  FilterCounters counters{};
};

/// One stream in one process.
struct StreamReport {
  std::uint32_t stream{0};
  Synchronise synchronise{Synchronise::wait_for_all};
  WhenFull when_full{WhenFull::wait};  ///< the cause of StreamCounters::dropped
  StreamCounters counters{};
  Load waiting_up{};    ///< packets that are queued to go up or, in the front-end, for the user
  Load waiting_down{};  ///< packets that wait for the slowest child
  Load unfinished{};    ///< packets that wait for other packets of their waves
  std::vector<FilterReport> filters{};

  /// The time that its filters have taken together.
  [[nodiscard]] std::uint64_t filtering_ns() const noexcept;
};

/// The front-end or an internal process.
struct ProcessReport {
  std::uint32_t process{0};  ///< number in the topology; 0 is the front-end
  std::string host{};
  std::int32_t pid{0};
  std::string endpoint{};      ///< where its children attach
  std::uint64_t malformed{0};  ///< messages of its peers that were invalid
  std::vector<StreamReport> streams{};
};

/// A report as one text, and back. Returns nullopt for an invalid text: it comes from another process.
[[nodiscard]] std::string to_text(const ProcessReport& report);
[[nodiscard]] std::optional<ProcessReport> parse_process_report(std::string_view text);

struct NetworkReport {
  std::string network{};
  std::string topology{};                  ///< written out
  std::uint64_t back_ends{0};              ///< places for back-ends
  RankSet attached{};                      ///< the attached back-ends
  RankSet internals{};                     ///< numbers of the attached internal processes
  RankSet silent{};                        ///< numbers of internal processes that did not answer in time
  std::vector<ProcessReport> processes{};  ///< in order of their numbers
};
[[nodiscard]] std::string to_text(const NetworkReport& report);
[[nodiscard]] std::optional<NetworkReport> parse_network_report(std::string_view text);

// --- clocks

// Measures how far the clocks of back-ends are ahead of the front-end's, through the tree, so that the
// front-end asks only its own children (Roth, Arnold, Miller: MRNet, SC'03, section 3.1). In the first phase
// each process measures the clocks of its children, by questions that go down the tree and answers that come
// up. In the second phase the differences are summed on the way from each back-end to the front-end. The
// error of each sum is bounded by the sum of half the times of the fastest answers.
//
//     // the front-end
//     const auto skews = measure_clock_skew(front_end, {}, Deadline::after(10s));
//     const auto begin = sample.begin - skews.at(rank).ahead;        // by the front-end's clock
//
//     // a back-end
//     while (const auto received = back_end.receive(Deadline::never())) {
//       if (answer_clock_skew(back_end, *received)) continue;
//       ...

struct ClockSkew {
  std::chrono::nanoseconds ahead{0};  ///< the back-end's clock minus the front-end's
  std::chrono::nanoseconds bound{0};  ///< of the error, as long as no clock is set during the measurement
};
using ClockSkews = std::map<RankSet::Rank, ClockSkew>;

/// Reads a clock, in nanoseconds.
using ClockReading = std::function<std::int64_t()>;

struct ClockSkewOptions {
  std::uint32_t rounds{20};  ///< questions of the first phase; the fastest answer counts
  RankSet members{};         ///< the back-ends. Empty: all
  /// The name of a filter in the FilterRegistry of each process with children. A filter other than the
  /// built-in one reads another clock than the time of day (clock_skew_filter).
  std::string filter{"clock_skew"};
  /// A silent back-end delays each round by this time, and is left out if it is silent in all rounds.
  std::chrono::nanoseconds time_out{std::chrono::seconds(1)};
};

/// Blocks until all rounds are over. At the deadline, partial measurements are lost and the result is empty.
/// Leaves out back-ends that have not answered.
[[nodiscard]] ClockSkews measure_clock_skew(FrontEnd& front_end, const ClockSkewOptions& options,
                                            Deadline deadline);

/// Measures by asking one back-end after the other, without the help of the processes in between: for
/// comparison. The front-end takes half of the answer time as the time of one way. As in the paper (section
/// 4.2.1), the round with the smallest difference of the clocks counts.
[[nodiscard]] ClockSkews measure_clock_skew_directly(FrontEnd& front_end, const ClockSkewOptions& options,
                                                     Deadline deadline, const ClockReading& clock = {});

/// Answers a packet of one of the functions above; returns false, without effect, for other packets. `clock`
/// is the back-end's; empty: the time of day. To be called soon: a slow back-end makes the bound larger.
bool answer_clock_skew(BackEnd& back_end, const Received& received, const ClockReading& clock = {});

/// A filter that measures another clock than the time of day, to be added to the FilterRegistry of each
/// process: `clock` reads the clock of the process with this number in the topology.
[[nodiscard]] FilterInfo clock_skew_filter(std::string name,
                                           std::function<std::int64_t(std::uint32_t process)> clock);

}  // namespace eventspace::streams
