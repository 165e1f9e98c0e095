#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/extend.h>
#include <eventspace/packet.h>
#include <eventspace/rank_set.h>
#include <eventspace/topology.h>

/// Networks of streams: a front-end, which a user works with, sends packets down a tree of processes to many
/// back-ends, and their answers are combined on the way up. docs/streams.md explains them.
namespace eventspace {

struct SessionSecurity;  // the keys of a network

namespace streams {

struct NetworkReport;  // <eventspace/stream_network.h>

// --- options and counts of a stream

/// A filter as a stream names it.
struct FilterUse {
  std::string name;
  Parameters parameters{};
  /// The shared object with the filter (<eventspace/stream_filter.h>): an absolute path, from which each
  /// process of the network loads it. Empty: the filter is in the FilterRegistry of each process.
  std::filesystem::path library{};
  /// The processes that run the filter, by their ranks as end-points (rank_of_internal in
  /// <eventspace/topology.h>; the front-end is rank_of_internal(0)). Empty: all, and on the way down also
  /// back-ends. A process that runs no filters of a stream forwards packets unchanged.
  RankSet processes{};
  /// Replaces FilterInfo::limit. Zero: FilterInfo::limit, or `library_limit` for a filter in a shared object
  /// without one.
  std::chrono::nanoseconds limit{0};

  static constexpr std::chrono::milliseconds library_limit{100};
  static constexpr std::chrono::seconds max_limit{60};
  static constexpr std::size_t longest_library = 4096;  ///< bytes of the path
};

/// When the packets of a stream that go up are passed on.
enum class Synchronise : std::uint8_t {
  wait_for_all,  ///< when each child has sent one
  time_out,      ///< like wait_for_all, but no later than some time after the first packet of the wave
  do_not_wait,   ///< at once
  rule           ///< decided by a WaveRule
};

/// The reaction of a process to a packet for a link that is full, because the process at the other end is
/// slower.
enum class WhenFull : std::uint8_t {
  wait,         ///< the packet waits, and so does the sender; nothing is lost
  drop_oldest,  ///< the oldest queued packet is dropped and counted
  drop_newest,  ///< this packet is dropped and counted
  disconnect    ///< the child is notified that it is too slow, and is removed from the network with the
                ///< processes below it. On the way up, where a child cannot be disconnected, like drop_newest
};
[[nodiscard]] std::string_view to_string(WhenFull when_full) noexcept;
[[nodiscard]] std::string_view to_string(Synchronise synchronise) noexcept;

/// Which process adopts processes whose parent is lost.
enum class Adoption : std::uint8_t {
  ancestor,  ///< the nearest living process above
  sibling    ///< a sibling of the lost parent, so that no process above gets many children; else as
             ///< `ancestor`
};

/// The options of a stream, with which the front-end opens it.
struct StreamOptions {
  /// The end-points. Empty: all back-ends of the network, also those that join later.
  RankSet members{};
  Synchronise synchronise{Synchronise::wait_for_all};
  /// For Synchronise::time_out: the time-out in the front-end. Each level below waits for three quarters of
  /// the time of the level above it, so that an incomplete wave comes up in time.
  std::chrono::nanoseconds time_out{std::chrono::seconds(1)};
  /// With Synchronise::rule: the rule (WaveRule in <eventspace/stream_filter.h>).
  FilterUse rule{};
  /// Filters that combine packets on the way up and down, in this order. Without filters, packets are
  /// forwarded unchanged.
  std::vector<FilterUse> up{};
  std::vector<FilterUse> down{};
  WhenFull when_full{WhenFull::wait};
  /// Limits for the number and the bytes of packets that are queued for one link. Each process holds up to
  /// this number for each of its links, and up to one packet more than this number of bytes.
  std::uint32_t window{256};
  std::uint64_t window_bytes{8u << 20};

  static constexpr std::uint32_t max_window = 65536;
  static constexpr std::uint64_t max_window_bytes = 1u << 30;
  static constexpr std::size_t max_filters = 16;  ///< in each direction
};

/// Counts of one process for one stream.
struct StreamCounters {
  std::uint64_t received{0};        ///< packets from children and parent
  std::uint64_t sent{0};            ///< packets to children and parent, or to the user
  std::uint64_t received_bytes{0};  ///< bodies of those packets
  std::uint64_t sent_bytes{0};
  std::uint64_t dropped{0};           ///< by WhenFull
  std::uint64_t late{0};              ///< dropped because their wave had been passed on
  std::uint64_t refused{0};           ///< from peers that exceeded their credit
  std::uint64_t waves{0};             ///< waves passed on
  std::uint64_t partial_waves{0};     ///< waves with missing end-points
  std::uint64_t faults{0};            ///< waves lost because a filter refused them
  std::uint64_t synchronising_ns{0};  ///< total waiting time of waves, each from its first packet on

  void count_received(std::uint64_t bytes) noexcept {
    ++received;
    received_bytes += bytes;
  }
  void count_sent(std::uint64_t bytes) noexcept {
    ++sent;
    sent_bytes += bytes;
  }
};

/// Counts of one filter of one process for one stream.
struct FilterCounters {
  std::uint64_t applied{0};  ///< waves
  std::uint64_t taken{0};    ///< packets of these waves
  std::uint64_t made{0};     ///< packets
  std::uint64_t faults{0};   ///< waves that it has refused
  std::uint64_t ns{0};       ///< total time
};

// --- the ends of a network

/// A packet, as delivered to its receiver.
struct Received {
  std::uint32_t stream{0};
  Packet packet;
};

enum class EventKind : std::uint8_t {
  joined,   ///< back-ends or internal processes have attached
  left,     ///< back-ends or internal processes are gone; the text has the reason
  fault,    ///< a stream has lost a wave; the text has the wave and the reason
  ended,    ///< in a back-end: the network is gone
  failed,   ///< a process of the network could not be started; the text has its host and command
  no_room,  ///< a stream's window is full, and its sender waits; the text has the stream
  dropped   ///< a stream has dropped packets since the last such event (WhenFull); the text has the number
};
[[nodiscard]] std::string_view to_string(EventKind kind) noexcept;

/// An event of a network.
struct Event {
  EventKind kind{EventKind::joined};
  RankSet ranks{};  ///< the back-ends concerned
  std::string text{};
  RankSet internals{};  ///< the internal processes concerned: their numbers in the topology
};

/// Where a process attaches to a network of streams. An attach point is valid as long as the network.
///
/// Front-ends pass it to back-ends as text, in an argument, a file or the variable EVENTSPACE_STREAM. The
/// text has a line for each process at which back-ends attach, with the ranks for which it has places and,
/// for a network with keys, the file with the keys:
///
///     tools ipc:///run/user/1000/eventspace/1a2b.socket 0-7
///     tools tcp://n2.site:40123 8-15 /run/user/1000/eventspace/tools.4711.keys
///
/// The text is not secret; the file with the keys is (mode 0600).
struct AttachPoint {
  std::string network;   ///< the network's name
  std::string endpoint;  ///< of the process that becomes the parent: "ipc://PATH" or "tcp://HOST:PORT"
  /// The rank to attach as; nullopt: the parent assigns a free one.
  std::optional<RankSet::Rank> rank{};
  std::filesystem::path keys{};  ///< a file with the network's keys; empty: no keys

  static constexpr const char* variable = "EVENTSPACE_STREAM";

  /// The point as a line of the text, without a line break.
  [[nodiscard]] std::string to_text() const;
  /// Finds the place of `rank` in a text. Without a rank, the text's only rank is used, or else the process
  /// of the first line assigns one. Throws ConfigurationError, which names `source`, for an invalid text or a
  /// rank without a place.
  [[nodiscard]] static AttachPoint of_text(std::string_view text, std::optional<RankSet::Rank> rank = {},
                                           std::string_view source = "attach point");
  /// Reads the text from the environment. Also throws ConfigurationError if it is not set.
  [[nodiscard]] static AttachPoint from_environment(std::optional<RankSet::Rank> rank = {});
};

/// The front-end of a network of streams. It starts the internal processes of its topology as threads of this
/// process and listens; back-ends attach.
///
///     FrontEnd front_end(Topology::of_text("8x8"));
///     // ... start 64 back-ends, each with front_end.attach_point(rank) ...
///     front_end.wait_for(64, Deadline::after(10s));
///     const std::uint32_t stream = front_end.open({.up = {{"max", {}}}});
///     front_end.send(stream, Format<std::int32_t>::make(tag, 0), Deadline::never());
///     const auto greatest = front_end.receive(stream, Deadline::after(1s));
///
/// A front-end works in the caller's thread: it serves the network only while one of its functions runs.
/// Otherwise back-ends wait as soon as their streams are full.
///
/// Guarantees, for each stream: packets arrive in the order sent. While all processes live, packets are lost
/// only by WhenFull and time-outs, and are then counted. Each packet that the user receives names the
/// end-points that are missing in it.
///
/// Not thread-safe. Functions throw EnvironmentError or ConfigurationError.
class FrontEnd {
 public:
  /// Where the internal processes of the topology run.
  enum class Internals : std::uint8_t {
    threads,   ///< as threads of this process, which starts them
    elsewhere  ///< in other processes: they attach, and announce() tells where their children attach
  };
  struct Options {
    std::string name{};      ///< of the network; empty: a new one
    std::string endpoint{};  ///< where children of the front-end attach; empty: a local socket
    std::shared_ptr<const SessionSecurity> security{};
    Internals internals{Internals::threads};
    std::filesystem::path keys{};  ///< the file of the keys in attach points, if the network has keys
    std::string host{};            ///< name of this machine in reports; empty: its real name
    std::string announced{};       ///< where children connect, if that is not `endpoint`
    Adoption adoption{Adoption::ancestor};  ///< for processes whose parent is lost
    /// Processes of this session on this machine may attach by its name (Session::back_end). Empty: attaching
    /// needs an attach point.
    std::string session{};
    /// Called several times a second while the front-end waits: returns new failures. For callers that start
    /// processes of the network. May be empty.
    std::function<std::vector<std::string>()> find_failures{};
  };
  /// With Internals::elsewhere, the stream in which internal processes report failures unasked, as texts. It
  /// is open from the beginning.
  static constexpr std::uint32_t news_stream = 1;

  explicit FrontEnd(Topology topology, Options options);
  explicit FrontEnd(Topology topology);
  ~FrontEnd();  ///< ends the network
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Topology& topology() const noexcept;
  [[nodiscard]] const std::string& endpoint() const noexcept;  ///< where its children attach
  /// Where the back-end of this rank attaches: at its parent in the topology or, if that is lost, at the
  /// nearest living process above it. Throws std::out_of_range for a rank that the topology lacks.
  [[nodiscard]] AttachPoint attach_point(RankSet::Rank rank) const;

  /// Blocks until this many back-ends are attached; returns whether they are.
  bool wait_for(std::size_t back_ends, Deadline deadline);
  [[nodiscard]] RankSet ranks() const;  ///< the attached back-ends
  /// wait_for() for internal processes.
  bool wait_for_internals(std::size_t internals, Deadline deadline);
  /// The failures so far, with Internals::elsewhere: texts with host and command, the first 100.
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept;
  /// The ranks of the attached internal processes: members for a stream of commands.
  [[nodiscard]] RankSet internals() const;

  /// Tells where the children of an internal process attach; `process`: its number in the topology. Only for
  /// Internals::elsewhere.
  void announce(std::uint32_t process, std::string endpoint);
  /// The attach points of all back-ends as one text, see AttachPoint. Leaves out back-ends whose internal
  /// process was not announced.
  [[nodiscard]] std::string attach_text() const;

  /// Opens a stream and returns its number. Without members it has all back-ends, and no internal processes.
  /// Its end-points receive the opening before its first packet.
  std::uint32_t open(const StreamOptions& options);
  /// Changes the members of a stream while it is in use: back-ends and internal processes by their ranks, see
  /// EndPoints. Later packets go to the new members, and later waves are formed by
  /// them. Empty: all back-ends. Returns false if the stream does not exist.
  bool set_members(std::uint32_t stream, const RankSet& members);
  /// Replaces the filters of a stream while it is in use, in all processes of the network or in none. Each
  /// process makes the new filters. When all have them, all use them from the same wave on. Every wave is
  /// made by either the old or the new filters, none is lost or made twice, and the packets that old filters
  /// have kept are sent up before. Returns the number of that wave, as counted by BackEnd::send and answer():
  /// the first one that no process had begun to process. During the change waves are held, for one message
  /// down and one up through the internal processes; back-ends are not asked. Packets that are sent down
  /// afterwards pass the new filters.
  ///
  /// Blocks until the processes have answered. Returns nullopt, and keeps the old filters, if a process has
  /// not answered until the deadline, or the stream does not exist. Throws ConfigurationError, and keeps the
  /// old filters, if a process cannot make the new ones.
  std::optional<std::uint64_t> set_filters(std::uint32_t stream, const std::vector<FilterUse>& up,
                                           const std::vector<FilterUse>& down, Deadline deadline);
  /// Replaces parameters of one filter, in the same way: `parameters` replace those of the same names, in
  /// both directions. Also throws ConfigurationError if the stream does not have such a filter.
  std::optional<std::uint64_t> set_parameters(std::uint32_t stream, const std::string& filter,
                                              const Parameters& parameters, Deadline deadline);
  /// Ends a stream. Packets on their way are dropped.
  void close(std::uint32_t stream);

  /// Sends a packet down, to `packet.ranks` or to all end-points of the stream. Blocks while there is no room
  /// (WhenFull::wait). Returns false, without sending, if there is no room until the deadline, or the stream
  /// does not exist. The packet leaves at once, except in one case: the caller has just received a packet,
  /// and more are queued for it or several waves of the stream are on the way. Then it may leave with the
  /// next packets, when a function that receives or serves is called.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// The next packet of a stream; nullopt at the deadline.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// The next packet of any stream; the streams take turns.
  std::optional<Received> receive(Deadline deadline);
  /// Passes packets of a stream, or of all streams without a function of their own, to `handle` instead. It
  /// is called in turns by functions of this object that wait. `handle` may call functions of this object,
  /// but those that wait only see later packets. An exception becomes an event (EventKind::fault), and the
  /// network continues. Null: packets are queued again.
  void on_packet(std::function<void(const Received& received)> handle);
  void on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle);
  /// A descriptor for the event loop of the program (poll(2), epoll(7)), valid as long as this object. It is
  /// readable when serve() or receive() with Deadline::now() has work to do: call one of them until there are
  /// no more packets, and wait again. It may be readable without need. Must not be read from. Throws
  /// EnvironmentError if the process has run out of descriptors.
  [[nodiscard]] int descriptor();
  /// The next event; nullopt if there is none. Up to 4096 events are queued; further ones are dropped.
  std::optional<Event> next_event();
  /// Passes events to `handle` instead; it is called by functions of this object before they return. `handle`
  /// may call functions of this object, but those that wait only see later events. Null: events are queued
  /// again.
  void on_event(std::function<void(const Event& event)> handle);
  /// Serves the network until the deadline.
  void serve(Deadline deadline);

  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;
  /// Gathers the counts and queues of all processes of the network through the tree. Blocks until all have
  /// answered, for about a second if one is silent, and not longer than until the deadline; the report names
  /// the processes that have not answered. `eventspace streams` requests the same from outside, and is
  /// answered while a function of this object runs.
  NetworkReport gather_report(Deadline deadline);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// A back-end of a network of streams: an end-point, which receives packets from the front-end and sends
/// packets up.
///
///     BackEnd back_end(point, Deadline::after(10s));
///     while (const auto received = back_end.receive(Deadline::never())) {
///       back_end.send(received->stream, answer_to(received->packet), Deadline::never());
///     }
///
/// It works in the caller's thread. A process can have several back-ends, also of several networks; each is
/// used by one thread at a time.
class BackEnd {
 public:
  /// Attaches. Without `security`, the keys are read from the attach point's file, if it has one. Throws
  /// EnvironmentError with the reason if attaching is not possible until the deadline, and as
  /// AttachPoint::of_text does for a file without keys.
  BackEnd(const AttachPoint& point, Deadline deadline,
          std::shared_ptr<const SessionSecurity> security = nullptr);
  ~BackEnd();
  BackEnd(const BackEnd&) = delete;
  BackEnd& operator=(const BackEnd&) = delete;

  [[nodiscard]] RankSet::Rank rank() const;
  /// The next packet of any stream. Returns nullopt at the deadline, or when the network has ended.
  std::optional<Received> receive(Deadline deadline);
  /// The next packet of one stream.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// Passes packets of a stream, or of all streams without a function of their own, to `handle` instead. It
  /// is called in turns by functions of this object that wait. `handle` may call functions of this object,
  /// but those that wait only see later packets. An exception is reported to the front-end as an event
  /// (EventKind::fault); the network continues. Null: packets are queued again.
  void on_packet(std::function<void(const Received& received)> handle);
  void on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle);
  /// A descriptor for the event loop of the program (poll(2), epoll(7)), valid as long as this object. It is
  /// readable when serve() or receive() with Deadline::now() has work to do: call one of them until there are
  /// no more packets, and wait again. It may be readable without need. Must not be read from. Throws
  /// EnvironmentError if the process has run out of descriptors.
  [[nodiscard]] int descriptor();
  /// Sends a packet up: the n-th packets of all back-ends form a wave. Blocks while there is no room
  /// (WhenFull::wait). Returns false, without sending, if there is no room until the deadline, the stream
  /// does not exist, or the network has ended.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// Sends the answer to a packet, as send() does. The answers of all back-ends to one packet of the
  /// front-end form one wave, even after a back-end has missed packets or has joined late. To be called once
  /// for each packet, and only in streams in which no back-end sends unasked. The answer leaves at once. Only
  /// if the caller answers without pause and more packets are queued, it leaves with the next answers.
  bool answer(const Received& received, const Packet& packet, Deadline deadline);
  /// Blocks until the stream is open here; returns whether it is. Only needed by back-ends that send before
  /// they have received a packet.
  bool wait_for(std::uint32_t stream, Deadline deadline);
  /// Serves the network until the deadline or its end.
  void serve(Deadline deadline);

  [[nodiscard]] bool has_ended() const noexcept;
  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace streams

}  // namespace eventspace
