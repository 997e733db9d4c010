// Creates the SDK clients of a world, with its clock and its network.
import { demo } from "@call-transfer/backend";
import { CallTransfer, type ClientOptions, type Middleware } from "@call-transfer/sdk";
import { baseUrl, currentCall } from "./caller.ts";
import type { Network } from "./network.ts";
import { accountOf, type ClientPlan } from "./plan.ts";
import type { BudgetRecord, CallRecord, ClientRecord, World } from "./records.ts";
import { createRandom, type Timer } from "./scheduler.ts";

/** The longest delay of a timer in Node and browsers, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The clock of a client. It may be ahead or behind, and counts the timers that the SDK leaves. */
const clockOf = ({ scheduler, violate }: World, record: () => ClientRecord) => ({
  now: () => scheduler.now + record().skewMs,
  monotonicNow: () => scheduler.now,
  setTimeout(callback: () => void, delayMs: number): Timer {
    const client = record();
    if (!(delayMs >= 0 && delayMs <= longestTimer))
      violate("6 waits", `${client.plan.name} set a timer of ${delayMs} ms`);
    client.timers += 1;
    return scheduler.after(delayMs, () => {
      client.timers -= 1;
      callback();
    });
  },
  clearTimeout(timer: unknown): void {
    const { task } = timer as Timer;
    if (task) record().timers -= 1;
    scheduler.cancel(timer as Timer);
  },
});

/** Middleware that reads the bodies of errors: it may log them. */
const readingErrors =
  (report: (body: string) => void): Middleware =>
  async (_request, next) => {
    const response = await next();
    if (!response.ok) report(await response.text());
    return response;
  };

const isUnderWay = (call: CallRecord | undefined): boolean =>
  call?.settledAt === undefined && call?.abortedAt === undefined;

/** Creates the clients of a plan. */
export async function createClients(world: World, network: Network): Promise<readonly ClientRecord[]> {
  const { plan, scheduler, backend, produced, secrets, violate } = world;
  const random = createRandom(plan.seed, "tokens");
  let shared: { sdk: CallTransfer; budget: BudgetRecord } | undefined;

  const issue = async (lifetimeSecs: number): Promise<string> => {
    backend.clock.set({ now: scheduler.now });
    const token = await backend.credentials.createAccessToken({
      userId: demo.users.owner,
      expiresInSecs: lifetimeSecs,
    });
    secrets.add(token);
    return token;
  };

  const tokenFor = async (credential: ClientPlan["credential"], lifetimeSecs: number): Promise<string> =>
    plan.clients.some((client) => client.credential === credential) ? issue(lifetimeSecs) : "";
  const firstToken = await tokenFor("renewedToken", 100);
  const fixedToken = await tokenFor("fixedToken", 150);
  const renewing = (record: () => ClientRecord) => {
    let token = firstToken;
    return async ({ forceRefresh }: { forceRefresh: boolean }): Promise<string> => {
      if (!forceRefresh) return !network.isHealed() && random.chance(0.02) ? `${token.slice(0, -4)}AAAA` : token;
      const client = record();
      const starter = currentCall.getStore();
      // Nobody shares a renewal any longer once the call that started it has ended.
      if ([...client.renewing].some(isUnderWay))
        violate("4 attempts", `${client.plan.name} renews its token while a renewal is in flight`);
      client.renewing.add(starter);
      await new Promise<void>((resolve) => scheduler.after(network.isHealed() ? 1 : random.between(1, 3000), resolve));
      const issued = issue(300);
      scheduler.hold(issued);
      token = await issued;
      client.renewing.delete(starter);
      return token;
    };
  };

  const credentialOf = (client: ClientPlan, record: () => ClientRecord): Partial<ClientOptions> => {
    if (client.credential === "apiKey") return { apiKey: demo.apiKey };
    if (client.credential === "foreignApiKey") return { apiKey: demo.foreignApiKey };
    const accessToken = client.credential === "fixedToken" ? fixedToken : renewing(record);
    return { accessToken, accountId: demo.accountId };
  };

  const make = (client: ClientPlan): ClientRecord => {
    const record = (): ClientRecord => made;
    const sdkRandom = createRandom(plan.seed, client.name);
    const note = (message: string) => void produced.push(message);
    const budget = client.name === "neighbour" && shared ? shared.budget : { reportedRetries: 0 };
    const options: Partial<ClientOptions> = {
      ...credentialOf(client, record),
      fetch: (input, init) => network.fetchOf(made)(input, init),
      clock: clockOf(world, record),
      random: sdkRandom.next,
      timeoutMs: client.timeoutMs,
      maxRetries: client.maxRetries,
      retry: { onUnknownOutcome: client.onUnknownOutcome, trust503Codes: client.trust503Codes },
      onRetry(event) {
        budget.reportedRetries += 1;
        note(JSON.stringify(event));
      },
      middleware: client.readsErrors ? [readingErrors(note)] : [],
      ...(client.name === "checking"
        ? { logger: { debug: note, info: note, warn: note, error: note } }
        : { logLevel: "off" }),
    };
    const sdk =
      client.name === "neighbour" && shared
        ? shared.sdk.withOptions(options)
        : new CallTransfer({ baseUrl, ...options });
    if (client.name === "usual") shared = { sdk, budget };
    const made: ClientRecord = {
      plan: client,
      sdk,
      budget,
      accountId: accountOf(client),
      skewMs: client.skewMs,
      jumped: false,
      timers: 0,
      renewing: new Set(),
    };
    return made;
  };

  return plan.clients.map(make);
}
