// Shows a call placement whose response is lost, with the reference backend in this process.
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";

/** Places a call and says what to do next. It never dials twice: if in doubt, it asks you to look. */
export async function placeCall(client, call) {
  const { data, error } = await client.calls.create(call).result();
  if (data) return `placed: ${data.type}`;
  if (!(error instanceof OutcomeUnknownError))
    return `not placed (${error.outcome}): fix the cause, then place it again`;
  const { candidates, complete, explanation } = await error.reconcile();
  if (candidates.length > 0) return `probably placed, do not dial again. ${explanation}`;
  return complete ? `probably not placed, look again before dialling. ${explanation}` : `look again. ${explanation}`;
}

const backend = createBackend();
const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };

/** Creates a client whose network loses a placement's response or the request itself. The client cannot tell which. */
function clientThatLoses(lost) {
  return new CallTransfer({
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    // The backend's clock is frozen, and the client uses the same clock.
    clock: { now: () => backend.clock.now(), setTimeout, clearTimeout },
    async fetch(url, init) {
      const answer = init.method === "POST" && lost === "request" ? undefined : await backend.fetch(url, init);
      if (init.method === "POST") throw new TypeError("connection lost");
      return answer;
    },
  });
}

const callsBefore = backend.state.calls.size;
console.log(await placeCall(clientThatLoses("request"), call));
console.log(`calls placed: ${backend.state.calls.size - callsBefore}`);
console.log(await placeCall(clientThatLoses("answer"), call));
console.log(`calls placed: ${backend.state.calls.size - callsBefore}`);
