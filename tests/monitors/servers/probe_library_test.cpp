// Programs with probes that are not linked with EventSpace: they find libeventspace-probes.so at run time.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "tests/monitors/workplace.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;

class ProbeLibrary : public testing_commands::Workplace {
 protected:
  ~ProbeLibrary() override {
    for (const char* variable : {"EVENTSPACE_PROBE_LIBRARY", "EVENTSPACE_VERBOSE", "LD_PRELOAD"})
      ::unsetenv(variable);
  }
  Call run(const std::string& word) { return start({"run", pathmap_, "--", PROBING_APP, word}); }
  /// The output of the program when it is started without `eventspace run`.
  std::string alone(const std::string& environment) {
    const std::filesystem::path said = file("said");
    const std::string command = environment + " " + PROBING_APP + " probe >" + said.string() + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
    return testing_commands::read_text(said);
  }
  std::string events() {
    Call call = this->call({"events", pathmap_, "--scope", "steps", "--count", "10", "--for", "30s"});
    return call.out() + call.err();
  }

  std::filesystem::path pathmap_ =
      tiny(testing_commands::free_port(), testing_commands::free_port(),
           "  steps:\n    threads: '*'\n    at: [thread]\n    read: next\n    probes: true\n    timeout: 5s\n"
           "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n");
};

TEST_F(ProbeLibrary, ACProgramThatIsLinkedWithNothingIsSeen) {
  start_servers_of(pathmap_);
  auto application = start_application_of(pathmap_, {PROBING_APP, "probe"});
  EXPECT_THAT(application.out(), AllOf(HasSubstr("loaded"), Not(HasSubstr("alone"))));
  const std::string seen = events();
  for (const char* event : {"tick *(int*)number=0", "tick *(int*)number=3", "solve argc=2"})
    EXPECT_THAT(seen, HasSubstr(event));
  EXPECT_THAT(seen, AllOf(HasSubstr("p0:"), HasSubstr("p1:")));
}

TEST_F(ProbeLibrary, SegmentsAreRemovedWhenTheProgramHasEnded) {
  Call application = run("end");
  EXPECT_EQ(application.status(), 0) << application.err();
  EXPECT_THAT(application.out(), HasSubstr("loaded"));
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(ProbeLibrary, APreloadedLibraryIsUsedToo) {
  start_servers_of(pathmap_);
  ::setenv("EVENTSPACE_PROBE_LIBRARY", "/nonexistent.so", 1);
  auto application = start_application_of(pathmap_, {"env", "LD_PRELOAD=" + std::string(PROBE_LIBRARY), "sh",
                                                     "-c", "exec \"$0\" preloaded", PROBING_APP});
  EXPECT_THAT(events(), AllOf(HasSubstr("solve argc=2"), HasSubstr("p0:"), HasSubstr("p1:")));
}

TEST_F(ProbeLibrary, AForkedChildIsLeftAlone) {
  start_servers_of(pathmap_);
  auto application = start_application_of(pathmap_, {PROBING_APP, "fork"});
  EXPECT_THAT(application.out(), HasSubstr("child ended with 0"));
  EXPECT_THAT(events(), AllOf(HasSubstr("solve"), Not(HasSubstr("in the child"))));  // it has the parent's
}

TEST_F(ProbeLibrary, WithoutASessionNothingIsLoaded) {
  const std::string library = "EVENTSPACE_VERBOSE=1 EVENTSPACE_PROBE_LIBRARY=" PROBE_LIBRARY;
  EXPECT_EQ(alone(library), "alone\nready alone\n");
  EXPECT_THAT(alone(library + " EVENTSPACE_SESSION=s"), HasSubstr("loaded\n"));
}

TEST_F(ProbeLibrary, AProgramThatPassesNoProbeLoadsNothing) {
  Call application = run("none");
  EXPECT_TRUE(application.says("ready p1"));
  EXPECT_THAT(application.out(), Not(HasSubstr("loaded")));
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(ProbeLibrary, TheReasonWhyProbesDoNothingIsPrintedOnRequest) {
  const std::string session = "EVENTSPACE_PATHMAP=/nonexistent.yaml EVENTSPACE_PROBE_LIBRARY=";
  for (const auto& [library, reason] :
       {std::pair(std::string("libeventspace-probes.so"), "is no absolute path: libeventspace-probes.so"),
        std::pair(std::string("/nonexistent/x.so"), "/nonexistent/x.so: cannot open shared object file"),
        std::pair(std::string("/dev/null"), "eventspace: probes do nothing: /dev/null"),
        std::pair(std::string(PROBE_LIBRARY), "/nonexistent.yaml")}) {
    EXPECT_THAT(alone("EVENTSPACE_VERBOSE=1 " + session + library), HasSubstr(reason));
    EXPECT_THAT(alone(session + library), Not(HasSubstr("eventspace:")));
  }
}

TEST_F(ProbeLibrary, TheUsersChoiceIsPassedOn) {
  ::setenv("EVENTSPACE_PROBE_LIBRARY", "/nonexistent.so", 1);
  Call application = run("end");
  EXPECT_EQ(application.status(), 0);
  EXPECT_THAT(application.out(), Not(HasSubstr("loaded")));
}

TEST_F(ProbeLibrary, OnlyTheFunctionOfTheHeaderIsVisible) {
  void* const library = ::dlopen(PROBE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  EXPECT_NE(::dlsym(library, "eventspace_probes_v1"), nullptr);
  EXPECT_EQ(::dlsym(library, "_ZN10eventspace19forget_probe_threadEv"), nullptr);
  EXPECT_NE(::dlsym(RTLD_DEFAULT, "eventspace_probes_v1"), ::dlsym(library, "eventspace_probes_v1"));
}

}  // namespace
}  // namespace eventspace
