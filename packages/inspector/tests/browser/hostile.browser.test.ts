import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demo, type Seed } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { visibleText } from "../../src/parts/visible-text.ts";
import { type Inspector, inspectorTests } from "./page.ts";

// attacker.test leads to this machine, as a name that its owner rebinds does.
const open = inspectorTests(["--host-resolver-rules=MAP attacker.test 127.0.0.1"]);

/** A site of an attacker, on a port of its own. */
const site = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Attacker</title>");
});
beforeAll(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
});
afterAll(() => site.close());

const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

/** Opens the attacker's page beside an inspector, under a host name. Its own errors are right. */
async function attacker(inspector: Inspector, host: string): Promise<Page> {
  const page = await inspector.page.context().newPage();
  await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
  return page;
}

describe.each(["127.0.0.1", "attacker.test"])("a page of another origin, at %s", (host) => {
  it("reads nothing", async () => {
    await using inspector = await open({ server: frozen });
    const page = await attacker(inspector, host);
    const readable = await page.evaluate(async (url) => {
      const found: string[] = [];
      const paths = [
        "/_inspector/",
        "/_control/v1/sandboxes",
        "/_control/v1/records/destinations",
        "/_control/v1/snapshot",
      ];
      for (const path of paths)
        for (const mode of ["cors", "no-cors"] as const) {
          const answer = await fetch(url + path, { mode, credentials: "include" }).catch(() => undefined);
          const text = await answer?.text().catch(() => "");
          if (text) found.push(`${mode} ${path}`);
        }
      return found;
    }, inspector.server.url);
    expect(readable).toEqual([]);
  });

  it("changes nothing, by fetch without preflight, with preflight, by beacon and by form", async () => {
    await using inspector = await open({ server: frozen });
    const { server } = inspector;
    const { url } = server;
    const state = async () => {
      // Each answer takes an id from the random generator, also a refusal.
      const { random: _, ...others } = Object(await server.snapshot());
      return others;
    };
    const before = await state();
    const page = await attacker(inspector, host);
    await page.evaluate(async (control) => {
      const requests: [path: string, method: string, body?: string][] = [
        ["/clock/advance", "POST", '{"by":"1h"}'],
        ["/faults", "POST", '{"do":{"status":503}}'],
        ["/policies", "PATCH", "{}"],
        ["/reset", "POST"],
        ["/sandboxes", "POST", '{"name":"theirs"}'],
      ];
      for (const [path, method, body = null] of requests)
        for (const headers of [{ "content-type": "application/json" }, { "content-type": "text/plain" }])
          for (const mode of ["cors", "no-cors"] as const)
            await fetch(control + path, { method, body, headers, mode }).catch(() => {});
      navigator.sendBeacon(`${control}/clock/advance`, '{"by":"1h"}');
    }, `${url}/_control/v1`);
    await page.evaluate((action) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action });
      const field = document.createElement("input");
      Object.assign(field, { name: '{"by":"1h","x":"', value: '"}' });
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${url}/_control/v1/clock/advance`);
    await page.waitForURL(`${url}/**`);
    expect(await page.textContent("body")).toContain("does not accept requests from pages of other sites");
    expect(await state()).toEqual(before);
    expect(await server.faults()).toEqual([]);
    expect(await inspector.server.sandboxes()).toEqual(["default"]);
  });

  it("embeds nothing: no frame, no script, no shared worker, no event stream", async () => {
    await using inspector = await open({ server: frozen });
    const { url } = inspector.server;
    const page = await attacker(inspector, host);
    const script = await inspector.page
      .locator("script[src]")
      .first()
      .evaluate((element) => element.getAttribute("src"));
    const embedded = await page.evaluate(
      async ({ url, script }) => {
        const outcome = (target: EventTarget, good: string) =>
          new Promise<boolean>((resolve) => {
            target.addEventListener(good, () => resolve(true));
            target.addEventListener("error", () => resolve(false));
          });
        const tag = document.createElement("script");
        Object.assign(tag, { type: "text/javascript", src: script });
        const ran = outcome(tag, "load");
        document.head.append(tag);
        const stream = outcome(new EventSource(`${url}/_control/v1/events/stream`), "open");
        let worker = true;
        try {
          new SharedWorker(script);
        } catch {
          worker = false;
        }
        return { script: await ran, stream: await stream, worker };
      },
      { url, script: new URL(script ?? "", `${url}/_inspector/`).href },
    );
    expect(embedded).toEqual({ script: false, stream: false, worker: false });

    await page.evaluate((src) => {
      const frame = document.createElement("iframe");
      const shown = new Promise((resolve) => frame.addEventListener("load", resolve));
      frame.src = src;
      document.body.append(frame);
      return shown;
    }, `${url}/_inspector/`);
    const framed = () => page.frames().filter((frame) => frame !== page.mainFrame());
    await expect.poll(() => framed().map((frame) => frame.url())).toEqual(["chrome-error://chromewebdata/"]);
  });

  it("gets no hold of a window that it opens", async () => {
    await using inspector = await open({ server: frozen });
    const page = await attacker(inspector, host);
    const opening = page.context().waitForEvent("page");
    await page.evaluate(
      (address) => Object.assign(globalThis, { opened: window.open(address) }),
      `${inspector.server.url}/_inspector/`,
    );
    const opened = await opening;
    await opened.getByRole("main").waitFor();
    expect(await opened.evaluate(() => window.opener)).toBe(null);
    await page.waitForFunction(() => Reflect.get(globalThis, "opened").closed);
  });
});

it("refuses the inspector, the control plane and the API under a name that an attacker rebinds", async () => {
  await using inspector = await open({ server: frozen });
  const page = await inspector.page.context().newPage();
  for (const path of ["/", "/_inspector/", "/_control/v1/sandboxes", "/api/v1/roles"]) {
    const answer = await page.goto(`http://attacker.test:${inspector.server.port}${path}`);
    expect([path, answer?.status()]).toEqual([path, 403]);
    expect(await answer?.text()).toContain("--allow-host attacker.test");
  }
});

it("runs no script and no markup that gets into the page", async () => {
  await using inspector = await open({ server: frozen, allow: /Content Security Policy|TrustedHTML|TrustedScript/ });
  const { page } = inspector;
  const policy = (await page.request.get(`${inspector.server.url}/_inspector/`)).headers()["content-security-policy"];
  expect(policy).toContain("script-src 'self'; style-src 'self'");
  expect(policy).not.toContain("unsafe");
  const ran = await page.evaluate(() => {
    const attempts = [
      () => {
        document.body.innerHTML = "<img src=x onerror='hacked = 1'>";
      },
      () => {
        const script = document.createElement("script");
        script.textContent = "hacked = 1";
        document.body.append(script);
      },
      () => document.body.setAttribute("onclick", "hacked = 1"),
      () => {
        document.body.click();
        return setTimeout("hacked = 1");
      },
    ];
    for (const attempt of attempts)
      try {
        attempt();
      } catch {}
    return new Promise((resolve) => setTimeout(() => resolve(Reflect.get(globalThis, "hacked")), 100));
  });
  expect(ran).toBeUndefined();
});

describe("hostile texts", () => {
  const markup = `<img src="x" onerror="hacked = 1" data-hostile><script data-hostile>hacked = 1</script>`;
  const texts = {
    markup,
    "an address that is a script": `javascript:hacked=1//"'><b data-hostile>`,
    "right-to-left text with an override": "\u202Eמשמרת לילה\u202C مناوبة الليل",
    "a very long word": "W".repeat(2000),
  };

  it.each(Object.entries(texts))("are shown as text on every screen: %s", async (_, text) => {
    await using inspector = await open({ server: { ...frozen, seed: named(text) } });
    const { page, server } = inspector;
    await use(inspector, text);
    // Otherwise the screens had nothing to show, and this test would prove nothing.
    const shownOn = ["calls", "webhooks", "records"];
    const screens = await inspector.screens();
    expect(screens).toEqual(expect.arrayContaining(shownOn));
    for (const screen of screens) {
      await inspector.go(screen);
      if (shownOn.includes(screen))
        await expect.poll(() => page.innerText("main")).toContain(visibleText(text).slice(0, 25));
      await expectHarmless(page, screen);
      // The first row of a list, with its details.
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await inspector.settled();
      await expectHarmless(page, `${screen}, the first row`);
      await inspector.resize("phone");
      await expectHarmless(page, `${screen}, narrow`);
      await inspector.resize("laptop");
    }
    for (const { id } of await server.requests()) {
      await inspector.go("events", String(id));
      for (const tab of await page.getByRole("tab").all()) await tab.click();
      await expectHarmless(page, `request ${id}`);
    }
  });

  async function expectHarmless(page: Page, place: string): Promise<void> {
    const found = await page.evaluate(() => ({
      hacked: Reflect.get(globalThis, "hacked"),
      elements: document.querySelectorAll("[data-hostile]").length,
      overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      links: [...document.querySelectorAll("a")].filter(({ href }) => /^javascript:/i.test(href)).length,
    }));
    expect({ place, ...found }).toEqual({ place, hacked: undefined, elements: 0, overflow: 0, links: 0 });
  }

  /** Sends the text wherever a client can put one, and lets webhooks and transfers carry it. */
  async function use({ server }: Inspector, text: string): Promise<void> {
    const header = encodeURIComponent(text).slice(0, 4000);
    const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json", "x-hostile": header };
    const post = (path: string, body: unknown) =>
      fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    await post(`/api/v1/${encodeURIComponent(text.slice(0, 200))}?q=${encodeURIComponent(text.slice(0, 500))}`, {
      text,
    });
    await post("/api/v1/calls", { flowId: text, fromNumber: text, toNumber: text });
    await post("/api/v1/transfers/destination-groups", { name: text.slice(0, 80), members: [{ destinationId: text }] });
    await post("/_control/v1/transfers", { destinationId: demo.destinations.app });
    await post("/_control/v1/transfers", { groupId: demo.groups.existing });
    await post("/_control/v1/faults", {
      name: text.slice(0, 100),
      match: { path: text.slice(0, 100) },
      do: { status: 503 },
    });
    await post("/_control/v1/webhooks/trigger", { destinationId: demo.destinations.app });
  }

  /** The demo's seed with the text as the name of everything that has one. */
  function named(text: string): Seed {
    const { accounts = [], users = [], destinations = [], groups = [], ...others } = demoSeed;
    const name = (index: number) => `${text} ${index}`;
    return {
      ...others,
      accounts: accounts.map((account, index) => ({ ...account, name: name(index) })),
      users: users.map((user, index) => ({ ...user, name: name(index) })),
      destinations: destinations.map((destination, index) => ({ ...destination, name: name(index) })),
      // The contract limits a group's name.
      groups: groups.map((group, index) => ({ ...group, name: `${text.slice(0, 70)} ${index}` })),
    };
  }
});
