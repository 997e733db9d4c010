import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../scripts/packed.ts";
import { makeOnce } from "../../scripts/turn.ts";

it("says what it waits for, and goes on when the folder of a killed process is removed", () => {
  using folder = temporaryFolder("turn");
  const turn = join(folder.path, "turn");
  mkdirSync(turn);
  const said: string[] = [];
  let isMade = false;
  const make = () => {
    isMade = true;
  };
  const say = (text: string) => {
    said.push(text);
    rmSync(turn, { recursive: true });
  };
  makeOnce(turn, () => isMade, make, { say, sayAfterMs: 0 });
  expect(said).toEqual([`Waiting for the process that made ${turn}. If that was killed, remove the folder.`]);
  expect(isMade).toBe(true);
  expect(existsSync(turn)).toBe(false);
});

it("says nothing if it does not wait", () => {
  using folder = temporaryFolder("turn");
  const said: string[] = [];
  let isMade = false;
  const make = () => {
    isMade = true;
  };
  makeOnce(join(folder.path, "turn"), () => isMade, make, { say: (text) => said.push(text), sayAfterMs: 0 });
  expect(said).toEqual([]);
});
