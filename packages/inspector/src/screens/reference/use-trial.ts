import { dataAs } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import type { Caller } from "../../data/session/credentials.ts";
import type { Session } from "../../data/session/session.ts";
import { messageIn } from "../../data/values/format.ts";
import type { Answer } from "./answer-view.tsx";
import type { Operation, Parameter } from "./document.ts";
import { buildRequest } from "./request.ts";
import { type Resolve, sampleOf } from "./schema.ts";
import { type Collection, type Records, suggestedCollections, suggestionsFor, withSuggestions } from "./suggestions.ts";

/** An operation with what the user has written to try it. */
export type Trial = ReturnType<typeof useTrial>;

/** Keeps what the user writes to try an operation, sends it, and keeps the answer. */
export function useTrial(operation: Operation, resolve: Resolve) {
  const session = useSession();
  const records = useRecords(session);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const body = useSignal<string | undefined>(undefined);
  const caller = useSignal<Caller>("owner");
  const answer = useSignal<Answer | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  // The caller's headers carry the account.
  const parameters = operation.parameters.filter(({ in: place }) => place !== "header");
  const suggestions = (name: string) => (records === undefined ? [] : suggestionsFor(operation, name, records));
  const currentValue = ({ name, required, schema }: Parameter) =>
    values.value[name] ?? (required ? (suggestions(name)[0]?.value ?? String(resolve(schema).enum?.[0] ?? "")) : "");
  const bodyText = body.value ?? exampleBody(operation, resolve, records);
  const sentBody = operation.body === undefined || bodyText.trim() === "" ? undefined : bodyText;
  const request = () => {
    const current = Object.fromEntries(parameters.map((one) => [one.name, currentValue(one)]));
    return buildRequest(session.source.baseUrl, operation, current, sentBody);
  };
  const send = async () => {
    error.value = undefined;
    try {
      const built = request();
      const startedAt = performance.now();
      const response = await (operation.api === "api"
        ? session.credentials.send(caller.value, built.clone())
        : session.controlFetch(built.clone()));
      answer.value = await readAnswer(response, startedAt);
    } catch (reason) {
      answer.value = undefined;
      error.value = messageIn(reason);
    }
  };
  const described = async () => describe(session, operation, caller.value, request(), sentBody);
  return {
    operation,
    parameters,
    suggestions,
    currentValue,
    values,
    body,
    bodyText,
    caller,
    answer,
    error,
    send,
    described,
  };
}

/** The example of the document, with ids of the sandbox. */
function exampleBody({ body, ...operation }: Operation, resolve: Resolve, records: Records | undefined): string {
  if (body === undefined) return "";
  const value = body.example ?? sampleOf(body.schema, resolve);
  return JSON.stringify(
    records === undefined ? value : withSuggestions({ ...operation, body }, value, records),
    null,
    2,
  );
}

/** A request for copied code, which reads its credential from the environment. */
async function describe(session: Session, operation: Operation, caller: Caller, built: Request, body?: string) {
  const isApi = operation.api === "api";
  const own = isApi ? await session.credentials.headers(caller) : {};
  const headers = Object.fromEntries([...built.headers, ...new Headers(own)]);
  const sandbox = session.sandbox.value;
  const hasCredential = isApi ? headers.authorization !== undefined : session.token.value !== undefined;
  return {
    method: operation.method,
    url: built.url.replace(session.source.baseUrl, session.source.address),
    headers: {
      ...headers,
      ...(hasCredential && { authorization: "Bearer [redacted]" }),
      ...(sandbox !== "default" && { "x-sandbox": sandbox }),
    },
    ...(body !== undefined && { body: JSON.parse(body) as unknown }),
    ...(isApi && { operationId: operation.id }),
  };
}

/** Reads the records whose ids fields suggest, once for each operation. Undefined while they are read. */
function useRecords(session: Session): Records | undefined {
  const records = useSignal<Records | undefined>(undefined);
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    const read = async (collection: Collection) => {
      const result = await control.GET("/_control/v1/records/{collection}", { params: { path: { collection } } });
      return [collection, dataAs<"RecordList">(result).records] as const;
    };
    Promise.all(suggestedCollections.map(read)).then(
      (all) => {
        if (isCurrent) records.value = Object.fromEntries(all);
      },
      // Without suggestions the fields are empty.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [control]);
  return records.value;
}

async function readAnswer(response: Response, startedAt: number): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    body: text,
    durationMs: performance.now() - startedAt,
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
}
