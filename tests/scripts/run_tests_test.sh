#!/usr/bin/env bash
# run_tests_test.sh RUN_TESTS: checks how scripts/run_tests judges tests that pass, fail, fail once, hang, are skipped,
# are disabled or have no program. The tests are made up: lines as CMake writes them for CTest, so that nothing is built.
set -euo pipefail
run_tests=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
status=0

# tests_are LINE...: the tests of the build directory $place/build from here on.
tests_are() {
  rm -rf "$place"/build* && mkdir "$place/build"
  printf '%s\n' "$@" >"$place/build/CTestTestfile.cmake"
}

judge() {
  local exit_status=0
  "$run_tests" "$place/build" -j 4 "$@" >"$place/output" 2>&1 || exit_status=$?
  printf 'exit %d: %s' "$exit_status" "$(cat "$place/build.tests.totals")"
}

# expect WHAT EXPECTED FOUND
expect() {
  if [ "$2" = "$3" ]; then return; fi
  printf '%s: expected "%s", found "%s"\n' "$1" "$2" "$3"
  cat "$place/output" "$place/build.tests.txt"
  status=1
}

headings() { grep -- '^-- ' "$place/build.tests.txt" | sort | paste -sd'|'; }

# The names hold what is special in regular expressions, in XML and for the shell.
fails_once="sh -c \"test -e once || { touch once; echo 'seen <&> once'; exit 1; }\""
always_fails='sh -c "echo run >>runs; exit 1"'
passes_second='sh -c "echo run >>tries; grep -c run tries | grep -qx 2"'

tests_are 'add_test([=[Passes/0.<a|b>]=] true)' 'add_test(PassesToo true)'
expect 'all pass' 'exit 0: 2 0 0 0' "$(judge)"
expect 'nothing to tell' '' "$(cat "$place/build.tests.txt")"

tests_are 'add_test(Passes true)' "add_test([=[Fails/(x+)*]=] $always_fails)" \
  "add_test([=[FailsOnce/\"2\" & more]=] $fails_once)" 'add_test(NoProgram /no/such/program)' \
  'add_test(Skipped sh -c "exit 77")' 'set_tests_properties(Skipped PROPERTIES SKIP_RETURN_CODE 77)' \
  'add_test(Disabled false)' 'set_tests_properties(Disabled PROPERTIES DISABLED ON)'
expect 'one of each' 'exit 1: 1 2 1 2' "$(judge)"
expect 'told by name' '-- failed in build: Fails/(x+)*|-- failed in build: NoProgram|-- unsteady in build, passed 2 of 2 times when repeated: FailsOnce/"2" & more' \
  "$(headings)"
expect 'with the output of the failed run' 1 "$(grep -c 'seen <&> once' "$place/build.tests.txt")"
expect 'repeated twice' 3 "$(wc -l <"$place/build/runs")"
expect 'the logs are those of the first run' 3 "$(wc -l <"$place/build/Testing/Temporary/LastTestsFailed.log")"

tests_are "add_test(FailsOnce $fails_once)"
expect 'unsteady tests let the run pass' 'exit 0: 0 0 1 0' "$(judge)"
expect 'an earlier failure is not remembered' 'exit 0: 1 0 0 0' "$(judge)"

tests_are "add_test(PassesSecond $passes_second)"
expect 'one repetition that passes is enough' 'exit 0: 0 0 1 0' "$(judge)"
expect 'how often it passed' '-- unsteady in build, passed 1 of 2 times when repeated: PassesSecond' "$(headings)"

tests_are 'add_test(Hangs sleep 60)' 'set_tests_properties(Hangs PROPERTIES TIMEOUT 0.2)' \
  'add_test(HangsOnce sh -c "test -e hung || { touch hung; sleep 60; }")' \
  'set_tests_properties(HangsOnce PROPERTIES TIMEOUT 0.2)'
expect 'tests that hang' 'exit 1: 0 1 1 0' "$(judge)"

tests_are 'add_test(SkippedThen sh -c "test -e ran && exit 77; touch ran; exit 1")' \
  'set_tests_properties(SkippedThen PROPERTIES SKIP_RETURN_CODE 77)'
expect 'skipped is not passed' 'exit 1: 0 1 0 0' "$(judge)"

many=()
for number in $(seq 21); do many+=("add_test(Fails$number $always_fails)"); done
tests_are 'add_test(Passes true)' "${many[@]}"
expect 'too many to be repeated' 'exit 1: 1 21 0 0' "$(judge)"
expect 'each ran once' 21 "$(wc -l <"$place/build/runs")"

tests_are 'add_test(Passes true)' 'add_test(Fails false)'
expect 'arguments choose tests' 'exit 0: 1 0 0 0' "$(judge -R '^Passes$')"
expect 'none chosen' 'exit 0: 0 0 0 0' "$(judge -R '^Nothing$')"

tests_are 'this is not CMake'
expect 'tests that cannot be read' 'exit 1: 0 1 0 0' "$(judge)"

exit "$status"
