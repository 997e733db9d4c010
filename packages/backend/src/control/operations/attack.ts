import type { DestinationRecord } from "../../model/records/records.ts";
import { messageOf } from "../../model/values/message-of.ts";
import { isWebAddress } from "../../model/values/web-address.ts";
import { shownAddress } from "../../platform/delivery.ts";
import { isInbox } from "../../platform/inbox.ts";
import { secretsAt } from "../../rules/secrets.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { AttackTarget, ControlHandlers, WebhookAttackReport } from "../parts/exchange.ts";
import { controlError } from "../parts/reply.ts";

/** The backends that attack now: an attack uses all of a receiver. */
const attacking = new WeakSet<BackendControls>();

export const attackHandlers = {
  async attackDestination({ backend, attack, body: { destinationId, previousSecret = false } }) {
    const destination = backend.state.destinations.get(destinationId);
    if (destination === undefined)
      return controlError("not_found", `There is no destination ${destinationId}.`, "destinationId");
    const target = targetOf(destination, previousSecret, backend.clock.now());
    if (typeof target === "string") return controlError("conflict", target, "destinationId");
    if (attack === undefined)
      return controlError("conflict", "This backend cannot attack. Start the mock server, which can.");
    if (attacking.has(backend))
      return controlError("conflict", "Another attack is running in this sandbox. Wait until it ends.");
    attacking.add(backend);
    try {
      return withoutQueries(await attack(target));
    } catch (error) {
      return controlError("conflict", messageOf(error), "destinationId");
    } finally {
      attacking.delete(backend);
    }
  },
} satisfies Partial<ControlHandlers>;

/** The report without the queries of addresses, which may hold a password. */
function withoutQueries(report: WebhookAttackReport): WebhookAttackReport {
  const { findings, urls } = report;
  const queries = urls.map((url) => new URL(url).search).filter((query) => query !== "");
  const cut = (text: string) => queries.reduce((rest, query) => rest.replaceAll(query, ""), text);
  return {
    ...report,
    urls: urls.map(shownAddress),
    findings: findings.map((finding) => ({
      ...finding,
      evidence: finding.evidence.map(({ sent, answer }) => ({ sent: cut(sent), answer: cut(answer) })),
    })),
  };
}

/** The receiver of a destination, or why it has none to attack. */
function targetOf(destination: DestinationRecord, withPrevious: boolean, now: number): AttackTarget | string {
  const { kind, config, signingSecret: secret } = destination;
  if (kind !== "app") return "Only a destination of kind app receives webhooks.";
  if (!isWebAddress(config.url)) return "The destination has no http or https address. Set config.url.";
  if (isInbox(config.url))
    return "The destination delivers to the built-in receiver. Set config.url to the address of your app's receiver.";
  if (secret === undefined) return "The destination has no signing secret. Rotate it, or set signingSecret.";
  if (!withPrevious) return { url: config.url, secret };
  const previousSecret = secretsAt(destination, now)[1];
  if (previousSecret === undefined) return "The destination has no previous secret now. Rotate its secret first.";
  return { url: config.url, secret, previousSecret };
}
