import type { JournalEntry } from "../generated/models.gen.ts";
import { InputError } from "../utils/input-error.ts";
import type { AnswerRequest } from "./answer.ts";
import type { WritableJournal } from "./journal/journal.ts";
import type { JournalDetail, RecordedExchange } from "./journal/journal-detail.ts";
import type { Recorder } from "./journal/recorder.ts";

/** Creates the function that sends the request of a journal entry again. `answerWith` responds to requests and records them so. */
export function createReplay(
  journal: WritableJournal,
  record: Recorder,
  answerWith: (recorder: Recorder) => AnswerRequest,
): (id: number) => Promise<JournalDetail> {
  return async (id) => {
    const original = journal.get(id);
    if (original === undefined) throw new InputError("id", `there is no request ${id} in the journal`);
    const exchange = replayable(original, journal.exchangeOf(id));
    let added: JournalEntry = original;
    const answer = answerWith((entry, recorded) => {
      added = record({ ...entry, replayOf: id }, recorded);
      return added;
    });
    const { url, headers, peerAddress } = exchange;
    const bodyBytes = bodyOf(exchange);
    const request = { method: original.method, url: url.href, headers, body: null, ...(bodyBytes && { bodyBytes }) };
    await answer(request, new URL(url), peerAddress);
    return journal.get(added.id) ?? added;
  };
}

/** The request of an entry, if it can be sent again. Throws InputError that says why it cannot. */
function replayable({ id, decidedBy }: JournalEntry, exchange: RecordedExchange | undefined): RecordedExchange {
  const { step } = decidedBy;
  if (step === "gate")
    throw new InputError("id", `request ${id} did not reach the backend, so it cannot be sent to it again. ${sendIt}`);
  if (exchange === undefined)
    throw new InputError("id", `the headers and body of request ${id} are no longer kept. ${sendIt}`);
  if (exchange.hasBody && bodyOf(exchange) === undefined)
    throw new InputError("id", `the body of request ${id} is not kept: it is too long, or was not read. ${sendIt}`);
  return exchange;
}

const sendIt = "Send it from the client";

function bodyOf({ requestBody, requestBytes }: RecordedExchange): Uint8Array | undefined {
  return requestBody === undefined ? requestBytes : new TextEncoder().encode(JSON.stringify(requestBody));
}
