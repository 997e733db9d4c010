// Builds and starts the Next.js recipe, and drives its form without JavaScript.
import assert from "node:assert/strict";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { drive, faults, longWaitSecs, placements } from "./drive.ts";
import { type Running, runProgram, startServer } from "./processes.ts";
import type { Stage } from "./stage.ts";

const next = (folder: string) => [process.execPath, join(folder, "node_modules/next/dist/bin/next")];

let build: Promise<string> | undefined;

/** Builds once, without the environment of the server, as in a container's build. Starts the server with it. */
export async function startNext(folder: string, environment: Readonly<Record<string, string>>): Promise<Running> {
  build ??= runProgram(folder, [...next(folder), "build"]);
  await build;
  return startServer(folder, [...next(folder), "start", "--hostname", "127.0.0.1"], environment);
}

/** Submits the form as a browser without JavaScript does. Returns the message on the page. */
async function submit(page: string, toNumber: string): Promise<string> {
  const shown = await (await fetch(page)).text();
  const body = new FormData();
  for (const [input] of shown.matchAll(/<input [^>]*type="hidden"[^>]*>/g)) {
    const attribute = (name: string) =>
      new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]?.replaceAll("&quot;", '"') ?? "";
    body.append(attribute("name"), attribute("value"));
  }
  body.append("toNumber", toNumber);
  const response = await fetch(page, { method: "POST", body });
  const [, message] = /<output>(.*?)<\/output>/s.exec(await response.text()) ?? [];
  return message ?? `no message, status ${response.status}`;
}

/** Checks the route handlers, then the server action behind the form. */
export async function driveNext(running: Running, stage: Stage): Promise<string[]> {
  const shown = await drive(running, stage, { path: "/api/calls" });
  const { faults: injected, state } = stage.backend;
  const before = state.calls.size;
  assert.equal(await submit(running.url, demo.recipients.anyone), "Calling.");
  assert.equal(state.calls.size, before + 1);

  assert.equal(await submit(running.url, "not a number"), "toNumber: phone_not_e164");

  injected.add(faults.rateLimit);
  assert.equal(await submit(running.url, demo.recipients.anyone), `Try again in ${longWaitSecs} seconds.`);

  const placementsBefore = placements(stage);
  injected.add(faults.lostResponse);
  assert.match(await submit(running.url, demo.recipients.anyone), /^The call may have been placed/);
  assert.deepEqual([placements(stage), state.calls.size], [placementsBefore + 1, before + 2]);
  return [...shown, "form: placed, validation, wait, lost response"];
}
