import type { Snapshot } from "./contents/snapshot.ts";
import type { BackendControls, RehearsedResponse } from "./control/parts/controls.ts";
import type { JournalDetail } from "./http/journal/journal-detail.ts";
import type { HandledResponse, IncomingRequest } from "./http/transport/transport.ts";
import { InputError } from "./model/errors/input-error.ts";

/** A backend that takes over another one's state. */
interface Copy extends Pick<BackendControls, "faults" | "journal" | "restore"> {
  handle(request: IncomingRequest): Promise<HandledResponse>;
  close(): void;
}

/** Any other position, for other ids and secrets. */
const otherIds = 1 << 20;

/**
 * Sends a request of the journal as the SDK would, to two copies of the backend as the request found it. The second copy is a
 * millisecond late and makes other ids, so that what differs was made by the backend. Throws InputError for a request that
 * cannot be sent so.
 */
export async function rehearse(
  backend: Pick<BackendControls, "journal" | "snapshot">,
  id: number,
  create: () => Copy,
): Promise<readonly [RehearsedResponse, RehearsedResponse]> {
  const detail = backend.journal.get(id, { reveal: true });
  if (detail?.headers === undefined) throw new InputError("id", `the headers and body of request ${id} are not kept`);
  const snapshot = backend.snapshot({ before: id });
  // Without transfers, whose apps would get their offers again.
  const timers = snapshot.timers.filter(({ kind }) => !kind.startsWith("transfer."));
  const start: Snapshot = { ...snapshot, mode: "frozen", transfers: [], timers };
  const random = { ...start.random, main: (start.random.main ?? 0) + otherIds };
  return [
    await responseOf(create(), start, detail),
    await responseOf(create(), { ...start, now: start.now + 1, random }, detail),
  ];
}

async function responseOf(copy: Copy, start: Snapshot, detail: JournalDetail): Promise<RehearsedResponse> {
  const { method, path, query, headers = {}, requestBody, operationId, faultAction } = detail;
  try {
    copy.restore(start);
    if (faultAction !== undefined)
      copy.faults.add({ match: { ...(operationId !== undefined && { operationId }) }, do: faultAction });
    const sent = ["authorization", "x-account-id"].flatMap((name): [string, string][] =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    );
    const hasBody = requestBody !== undefined;
    const url = new URL(path, "http://localhost");
    url.search = new URLSearchParams(query).toString();
    const { plain, response } = await copy.handle({
      method,
      url: url.href,
      headers: new Headers([...sent, ...(hasBody ? [["content-type", "application/json"] as [string, string]] : [])]),
      body: null,
      ...(hasBody && { bodyBytes: new TextEncoder().encode(JSON.stringify(requestBody)) }),
    });
    // The body has no reader. A slow one would wait for a reader.
    if (plain === undefined) await response.body?.cancel();
    const { status = 0, code, responseBody } = copy.journal.get(copy.journal.count, { reveal: true }) ?? {};
    return { status, ...(code !== undefined && { code }), ...(responseBody !== undefined && { body: responseBody }) };
  } finally {
    copy.close();
  }
}
