import { describe, expect, it, onTestFinished } from "vitest";
import { type Context, partsOf } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { findNamed } from "../../src/cli/find-record.ts";
import { connectionOptions, flagOf, type OptionRow } from "../../src/cli/options.ts";
import { printable } from "../../src/cli/output.ts";
import { helpText, runProgram } from "../../src/cli/program.ts";
import { changesOf, readFields } from "../../src/cli/records.ts";
import { flatFields, formatFields, formatTable, relativeTime, shortIds } from "../../src/cli/tables.ts";
import { readScript } from "../../src/cli/transfer.ts";
import { UsageError } from "../../src/cli/values.ts";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

it("lists by the word list what a command lists without it", async () => {
  const server = await startMockServer({ port: 0, clockMode: "frozen", faults: ["createCall header x-test=slow 503"] });
  onTestFinished(() => server.close());
  for (const name of ["fault", "requests", "api", "sandbox", "webhooks", "events", "clock", "coverage"]) {
    const [bare, listed] = [await runLine(server.url, name), await runLine(server.url, name, "list")];
    expect(listed.stdout, name).toEqual(bare.stdout);
  }
  const members = await runLine(server.url, "records", "members");
  expect((await runLine(server.url, "records", "list", "members")).stdout).toEqual(members.stdout);
  expect((await runLine(server.url, "fault")).stdout).toContain("createCall header x-test=slow");
});

describe("the options of commands", () => {
  /** A value that an option accepts. */
  const sampleOf = ({ read }: OptionRow): string => {
    const samples = ["1", "200", "5s", "2026-03-02T12:00:00Z", "a=1", "true"];
    const accepted = samples.find((text) => {
      try {
        read?.("", text);
        return true;
      } catch {
        return false;
      }
    });
    if (accepted === undefined) throw new Error("Add a sample for this option.");
    return accepted;
  };

  /** Runs a command line whose actions only tell which one ran with which values. */
  const ranWith = async (...args: string[]) => {
    let ran: { form: string; values: Readonly<Record<string, unknown>> } | undefined;
    const told = commands.map((command) => ({
      ...command,
      actions: command.actions.map((one) => ({
        ...one,
        run: async ({ values }: Pick<Context, "values">) => {
          ran = { form: one.form, values };
          return undefined;
        },
      })),
    }));
    const unused = () => Promise.reject(new Error("Only commands for a running server run here."));
    const { signal } = new AbortController();
    const print = () => {};
    const terminal = { width: undefined, hasColour: false, signal, print, warn: print };
    await runProgram(args, { commands: told, start: unused, attack: unused }, terminal);
    return ran;
  };

  const lines = commands.flatMap(({ name, actions }) =>
    actions.flatMap((one) => {
      const { word, operands } = partsOf(one);
      const required = operands.filter((operand) => operand.startsWith("<")).map(() => "x");
      const words = [name, word, ...required].filter((part) => part !== "");
      return Object.entries(one.options).map(([option, row]) => {
        const given = row.value === undefined ? [flagOf(option)] : [flagOf(option), sampleOf(row)];
        return { args: [...words, ...given], form: one.form, option };
      });
    }),
  );

  it("have their values, each in the action that takes it", async () => {
    for (const { args, form, option } of lines) {
      const ran = await ranWith(...args);
      expect([args, ran?.form, [undefined, false].includes(ran?.values[option] as never)]).toEqual([args, form, false]);
    }
  });

  it("are refused by the other actions of their command", async () => {
    await expect(ranWith("credentials", "rotate", "--expires-in", "1h")).rejects.toBeInstanceOf(UsageError);
    await expect(ranWith("clock", "--rate", "2")).rejects.toBeInstanceOf(UsageError);
  });

  it.each(commands)("$name: none has the flag of one that leads to the server", ({ actions }) => {
    const own = actions.flatMap(({ options }) => Object.keys(options));
    expect(own.filter((option) => Object.hasOwn(connectionOptions, option))).toEqual([]);
  });

  it.each(commands)("$name: the help lists each once, with one explanation", ({ name, actions }) => {
    const flags = [...helpText(name, commands).matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect(flags.filter((flag, index) => flags.indexOf(flag) !== index)).toEqual([]);
    const helps = new Map<string, Set<string>>();
    for (const [option, { help }] of actions.flatMap(({ options }) => Object.entries(options)))
      helps.set(option, (helps.get(option) ?? new Set()).add(help));
    expect([...helps].filter(([, texts]) => texts.size > 1)).toEqual([]);
  });

  it("says in the help which actions take an option that several take", () => {
    expect(helpText("transfer", commands)).toMatch(/^ {2}--as WHO +with answer and decline: the/m);
  });
});

describe("a table", () => {
  const rows = [
    { id: 1, text: "a rather long text" },
    { id: 22, text: "short" },
  ];
  const columns = [
    { title: "id", cell: ({ id }: (typeof rows)[number]) => id },
    { title: "text", cell: ({ text }: (typeof rows)[number]) => text, flexible: true },
    { title: "empty", cell: () => undefined },
  ];

  it("aligns its columns and leaves empty ones out", () => {
    expect(formatTable(rows, { width: undefined, hasColour: false }, columns)).toBe(
      "ID  TEXT\n1   a rather long text\n22  short",
    );
  });

  it("cuts flexible columns off to fit the terminal", () => {
    expect(formatTable(rows, { width: 14, hasColour: false }, columns)).toBe("ID  TEXT\n1   a rather …\n22  short");
  });

  it("breaks the values of fields between words to fit the terminal", () => {
    expect(formatFields({ id: 1, why: "a rather long text" }, 14)).toBe("id   1\nwhy  a rather\n     long text");
  });

  it("shows control characters as spaces", () => {
    const evil = [{ id: 1, text: "a\u001b[31m\nb" }];
    expect(formatTable(evil, { width: undefined, hasColour: false }, columns)).toBe("ID  TEXT\n1   a [31m b");
  });

  it("colours only where the terminal has colours", () => {
    const coloured = [{ ...columns[1], title: "text", cell: () => "x", colour: () => "red" as const }];
    expect(formatTable([rows[0]], { width: undefined, hasColour: false }, coloured)).not.toContain("\u001b");
    expect(formatTable([rows[0]], { width: undefined, hasColour: true }, coloured)).toContain("\u001b[31mx\u001b[39m");
  });
});

describe("what a command prints", () => {
  const [esc, c1, bidi] = [27, 155, 0x202e].map((code) => String.fromCharCode(code));

  it("keeps lines, tabs and colours, and replaces what could change the terminal", () => {
    const text = `a\n\tb ${esc}[31mred${esc}[39m ${esc}]0;title${c1}2J${bidi}\r[31m${esc}[2J`;
    expect(printable(text)).toBe(`a\n\tb ${esc}[31mred${esc}[39m ?]0;title?2J??[31m?[2J`);
  });

  it("is safe when a name of the data is not", async () => {
    const server = await startMockServer({ port: 0 });
    await runLine(server.url, "records", "update", "destinations", "Reception", `name=a${esc}]0;title`);
    const { stdout } = await runLine(server.url, "records", "destinations", "d0000000-0000-4000-8000-000000000001");
    await server.close();
    expect(stdout).toContain("a?]0;title");
  });
});

describe("ids and times", () => {
  const [one, other] = ["d0000000-0000-4000-8000-000000000001", "d0000000-0000-4000-8000-000000000002"];

  it("are short in a terminal only, and only if they stay different", () => {
    expect([one, other].map(shortIds([{ id: one }, { id: other }], { width: 80 }))).toEqual(["d000…0001", "d000…0002"]);
    expect(shortIds([{ id: one }, { id: other }], { width: undefined })(one)).toBe(one);
    const alike = one.replace("4000", "4001");
    expect(shortIds([{ id: one }, { id: alike }], { width: 80 })(one)).toBe(one);
  });

  it.each([
    ["2026-03-02T12:00:00.300Z", "now"],
    ["2026-03-02T11:59:57Z", "3 s ago"],
    ["2026-03-02T12:15:00Z", "in 15 min"],
    ["2026-03-02T06:00:00Z", "6 h ago"],
    ["2026-03-05T12:00:00Z", "in 3 d"],
    ["2034-03-02T12:00:00Z", "in 8 y"],
  ])("%s is %s", (time, text) => {
    expect(relativeTime(time, Date.parse("2026-03-02T12:00:00Z"))).toBe(text);
  });

  it("shows nested fields by their path", () => {
    expect(flatFields({ a: "x", b: { c: 1, d: {} }, e: [1] })).toEqual({ a: "x", "b.c": "1", "b.d": "{}", e: "[1]" });
  });
});

describe("a name on the command line", () => {
  const items = [
    { id: "d0000000-0000-4000-8000-000000000001", name: "Reception" },
    { id: "d0000000-0000-4000-8000-000000000002", name: "Old reception" },
    { id: "e0000000-0000-4000-8000-000000000003", name: "Room 1" },
    { id: "f0000000-0000-4000-8000-000000000004", name: "Room 12" },
  ];

  it.each([
    ["e0000000-0000-4000-8000-000000000003", 2],
    ["e000", 2],
    ["f000…0004", 3],
    ["reception", 0],
    ["OLD", 1],
    ["room 1", 2],
    ["last", 3],
  ])("%s finds one", (text, index) => {
    expect(findNamed(text, items, "destination")).toBe(items[index]);
  });

  it.each([
    ["room", '"room" could be Room 1 (e0000000-0000-4000-8000-000000000003) or Room 12 (f0000000'],
    ["d000", '"d000" could be Reception (d0000000-0000-4000-8000-000000000001) or Old reception'],
    ["recption", 'There is no destination "recption". Did you mean reception? Known: Reception (d0000000'],
  ])("%s is refused with the candidates", (text, message) => {
    expect(() => findNamed(text, items, "destination")).toThrow(message);
  });

  it("lists all of a few, and says when there is none", () => {
    expect(() => findNamed("x", items.slice(0, 1), "app")).toThrow('There is no app "x". Known: Reception (d0');
    expect(() => findNamed("x", [], "app")).toThrow('There is no app "x". There is none yet.');
  });
});

describe("the script of a transfer", () => {
  it("is a list of who answers or declines, and when", () => {
    expect(readScript(["Reception declines after 3s, Mia answers 1m", "Old reception answers"])).toEqual([
      { who: "Reception", declineAfterSecs: 3 },
      { who: "Mia", answerAfterSecs: 60 },
      { who: "Old reception", answerAfterSecs: 0 },
    ]);
  });

  it.each(["Reception", "answers after 3s", "Reception answers after lunch", "Reception answers in 3s", ""])(
    "rejects %j",
    (script) => {
      expect(() => readScript([script])).toThrow(`--script "${script}": must be WHO answers after TIME`);
    },
  );
});

describe("the fields of a record", () => {
  const record = {
    name: "Mia",
    number: "+1",
    availability: { status: "away", until: "x" },
    members: [{ a: 1 }, { a: 2 }],
  };
  const changes = (...settings: string[]) => changesOf(record, readFields(settings));

  it.each([
    [["name=Eva"], { name: "Eva" }],
    [["number=15550100001"], { number: "15550100001" }],
    [["busy=true"], { busy: true }],
    [["name="], { name: null }],
    [["availability.status=offline", "availability.until="], { availability: { status: "offline" } }],
    [["members.1.a=3"], { members: [{ a: 1 }, { a: 3 }] }],
    [["hours.monday=[]"], { hours: { monday: [] } }],
    [['config={"url":"http://a.test"}'], { config: { url: "http://a.test" } }],
  ])("%j becomes %j", (settings, expected) => {
    expect(changes(...settings)).toEqual(expected);
  });

  it.each([
    ["name", "name: must be FIELD=VALUE"],
    ["members.2.a=3", "2: must be an index from 0 to 1."],
  ])("%s is refused", (setting, message) => {
    expect(() => changes(setting)).toThrow(message);
  });
});
