import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../scripts/packed.ts";
import { makeOnce, removeLeftBehind, runWithinMs } from "../../scripts/turn.ts";

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

it("ends well if another process has removed its folder", () => {
  using folder = temporaryFolder("turn");
  const turn = join(folder.path, "turn");
  makeOnce(
    turn,
    () => false,
    () => rmSync(turn, { recursive: true }),
  );
  expect(readdirSync(folder.path)).toEqual([]);
});

describe("the folder of a killed process", () => {
  const long = new Date(Date.now() - 2 * runWithinMs);
  const left = (path: string): string => {
    mkdirSync(path);
    utimesSync(path, long, long);
    return path;
  };

  it("is removed when it is old", () => {
    using folder = temporaryFolder("turn");
    removeLeftBehind(left(join(folder.path, "turn")));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("stays while it may still be of a process that runs", () => {
    using folder = temporaryFolder("turn");
    mkdirSync(join(folder.path, "turn"));
    removeLeftBehind(join(folder.path, "turn"));
    expect(readdirSync(folder.path)).toEqual(["turn"]);
  });

  it("is left to the process that removes it already", () => {
    using folder = temporaryFolder("turn");
    const turn = left(join(folder.path, "turn"));
    mkdirSync(`${turn}.removing`);
    removeLeftBehind(turn);
    expect(readdirSync(folder.path)).toEqual(["turn", "turn.removing"]);
  });

  it("is removed by the next but one if the process that removed it was killed too", () => {
    using folder = temporaryFolder("turn");
    const turn = left(join(folder.path, "turn"));
    left(`${turn}.removing`);
    removeLeftBehind(turn);
    removeLeftBehind(turn);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
