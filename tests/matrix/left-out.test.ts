import { expect, it } from "vitest";
import { differences, listedFor, readTap } from "./left-out.ts";

const text = "# about\nnode-20 | unit tests | no Vitest\nnode-22 | a file | no disk\n";

it("reads the lines of one row", () => {
  expect(listedFor("node-20", text)).toEqual(["unit tests | no Vitest"]);
});

it("accepts what the list has", () => {
  const found = [{ what: "unit tests", why: "no Vitest" }];
  expect(differences("node-20", found, listedFor("node-20", text))).toEqual([]);
});

it("reports what the list lacks, and what it has too much", () => {
  const found = [{ what: "stores", why: "no disk" }];
  expect(differences("node-20", found, listedFor("node-20", text))).toEqual([
    "node-20 left out more than it may: stores | no disk. Run it, or add the line to tests/matrix/left-out.txt.",
    "node-20 no longer leaves out: unit tests | no Vitest. Remove the line from tests/matrix/left-out.txt.",
  ]);
});

it("reads tests and suites that are skipped without a reason", () => {
  expect(readTap("# Subtest: one\nok 1 - one # SKIP\n# Subtest: two\nok 2 - two # SKIP \n").leftOut).toEqual([
    { what: "one", why: "without a reason" },
    { what: "two", why: "without a reason" },
  ]);
});

it("reads counts and skipped tests, also of nested suites", () => {
  const tap = `TAP version 13
# Subtest: stores
    # Subtest: keeps a change
    ok 1 - keeps a change # SKIP no disk
    # Subtest: loads
    not ok 2 - loads
    1..2
not ok 1 - stores
1..1
# tests 2
# pass 0
# fail 1
# cancelled 1
`;
  expect(readTap(tap)).toEqual({
    passed: 0,
    failed: 2,
    leftOut: [{ what: "stores > keeps a change", why: "no disk" }],
  });
});
