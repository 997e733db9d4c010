import { expect, it } from "vitest";
import { KeptAnswers } from "../src/webhooks/kept-answers.ts";

/** Pseudorandom integers below a limit. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

it("keeps and forgets what a plain list would, in every order of new and repeated events", () => {
  const next = random(1);
  const maxEvents = 200;
  const answers = new KeptAnswers(maxEvents);
  let list: { key: string; answer: string; until: number }[] = [];
  let forgottenEarly = 0;
  for (let time = 0; time < 5_000; time += 1) {
    const key = `evt_${next(4) === 0 ? next(400) : time}`;
    const kept = { key, answer: `${time}`, until: time + 150 + next(2) * 150 };
    answers.set(key, kept.answer, kept.until);
    list = [...list.filter((one) => one.key !== key), kept];
    answers.forgetOld(time);
    while (list[0] !== undefined && (list[0].until <= time || list.length > maxEvents)) {
      if (list[0].until > time) forgottenEarly += 1;
      list.shift();
    }
    const asked = `evt_${next(time + 1)}`;
    const expected = list.find((one) => one.key === asked && one.until > time)?.answer;
    expect(answers.get(asked, time)).toBe(expected);
    expect(answers.forgottenEarly).toBe(forgottenEarly);
  }
});

it("forgets one of 10,000 answers at about the cost of one of 10", () => {
  /** Microseconds of processor time for new events at a limit that is reached. */
  const costAt = (maxEvents: number): number => {
    const answers = new KeptAnswers(maxEvents);
    const add = (index: number): void => {
      answers.set(`evt_${index}`, "answer", 2 + index);
      answers.forgetOld(1);
    };
    for (let index = 0; index < maxEvents; index += 1) add(index);
    const before = process.cpuUsage();
    for (let index = maxEvents; index < maxEvents + 20_000; index += 1) add(index);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // A walk from the start of the map for each event takes over ten times as much.
  const ratios = Array.from({ length: 5 }, () => costAt(10_000) / costAt(10));
  expect(Math.min(...ratios)).toBeLessThan(5);
});
