import { type OperationId, operations } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type ApiRequest, operationIds } from "../data/code.ts";
import type { Control } from "../data/control.ts";
import { type Caller, callers } from "../data/credentials.ts";
import { readSampleCall, type SampleCall } from "../data/events.ts";
import { messageIn } from "../data/format.ts";
import { addressOf, type Session, useSession } from "../data/session.ts";
import { CodeField, Dialog, Form, SelectField, SubmitButton, TextField } from "../parts/controls.tsx";
import { Code } from "../parts/data.tsx";

/** The request of the first call, or a list of the calls where the sandbox can place none. */
export function sampleRequest(session: Session, call: SampleCall | undefined): ApiRequest {
  const { id, method, path } = call === undefined ? operations.listCalls : operations.createCall;
  return {
    method,
    url: addressOf(session, path),
    headers: { authorization: "Bearer [redacted]", ...(call && { "content-type": "application/json" }) },
    body: call,
    operationId: id,
  };
}

/** How many of the latest requests are searched for the one that was sent. */
const searched = 50;

/** Sends a request as a caller, and shows its event. */
export async function sendAndShow(session: Session, caller: Caller, request: ApiRequest): Promise<void> {
  const { method, url, body } = request;
  const { pathname, search } = new URL(url);
  const path = pathname.replace(/^.*?(?=\/api\/)/, "");
  const response = await session.credentials.send(
    caller,
    new Request(session.source.baseUrl + path + search, {
      method,
      ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: textOf(body) }),
    }),
  );
  // A body that is not read keeps its connection.
  await response.text();
  const requestId = response.headers.get("X-Request-Id");
  const requests = await session.control.value.requests(searched);
  const sent = requests.findLast((one) => one.requestId === requestId) ?? requests.at(-1);
  session.go("events", ...(sent === undefined ? [] : [String(sent.id)]));
}

/** A body that was typed is sent as it is, so that the API says what is wrong with it. */
const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));

/** A dialog that sends a request to the API: the operation, the caller, its parameters and its body. */
export function NewRequest({ close }: { readonly close: () => void }) {
  const session = useSession();
  const operationId = useSignal<OperationId>("createCall");
  const caller = useSignal<Caller>("key");
  const values = useSignal<Readonly<Record<string, string>>>({});
  const body = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const samples = useSamples(session.control.value);
  const { method, path, tag, pathParameters, queryParameters, hasBody, summary } = operations[operationId.value];
  const textOfField = (name: string) => values.value[name] ?? "";
  const idOf = (name: string) => values.value[name] ?? samples.value?.path[tag] ?? "";
  const bodyText = body.value ?? JSON.stringify(samples.value?.body[tag] ?? {}, null, 2);
  const set = (name: string) => (value: string) => {
    values.value = { ...values.value, [name]: value };
  };
  const send = async () => {
    const missing = pathParameters.find((name) => idOf(name) === "");
    if (missing !== undefined) {
      error.value = `${missing} is empty. The path requires it.`;
      return;
    }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idOf(name)));
    const query = Object.keys(queryParameters).flatMap((name) =>
      textOfField(name) === "" ? [] : [[name, textOfField(name)]],
    );
    const search = query.length === 0 ? "" : `?${new URLSearchParams(query)}`;
    const url = addressOf(session, filled) + search;
    try {
      await sendAndShow(session, caller.value, { method, url, headers: {}, ...(hasBody && { body: bodyText }) });
      close();
    } catch (reason) {
      error.value = messageIn(reason);
    }
  };
  return (
    <Dialog title="New request" close={close} isWide>
      <Form onSubmit={send}>
        <div class="fields">
          <SelectField
            label="Operation"
            value={operationId.value}
            options={operationIds.map((id) => [id, id])}
            onChange={(value) => {
              operationId.value = operationIds.find((id) => id === value) ?? "createCall";
              values.value = {};
              body.value = undefined;
              error.value = undefined;
            }}
          />
          <SelectField
            label="As"
            value={caller.value}
            options={callers}
            onChange={(value) => (caller.value = callers.find(([id]) => id === value)?.[0] ?? "key")}
          />
        </div>
        <p class="muted">
          {summary}: <Code>{`${method} ${path}`}</Code>
        </p>
        {pathParameters.map((name) => (
          <TextField key={name} label={name} value={idOf(name)} onChange={set(name)} />
        ))}
        {Object.keys(queryParameters).length > 0 && (
          <div class="fields">
            {Object.keys(queryParameters).map((name) => (
              <TextField key={name} label={name} value={textOfField(name)} onChange={set(name)} />
            ))}
          </div>
        )}
        {hasBody && <CodeField label="Body" value={bodyText} onChange={(text) => (body.value = text)} />}
        {error.value !== undefined && (
          <p class="field-error" role="alert" dir="auto">
            {error.value}
          </p>
        )}
        <div class="actions actions-end">
          <SubmitButton>Send</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

/** Ids for paths and bodies that work in the sandbox, by the tag of the operation. */
interface Samples {
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

async function readSamples(control: Control): Promise<Samples> {
  const [call, members, destinations] = await Promise.all([
    readSampleCall(control),
    control.records("members"),
    control.records("destinations"),
  ]);
  const [member] = members;
  const app = destinations.find(({ kind }) => kind === "app");
  const rung = destinations.filter(({ accountId }) => accountId === member?.accountId).slice(0, 2);
  const memberId = member === undefined ? "" : String(member.id);
  return {
    path: { destinations: app === undefined ? "" : String(app.id), members: memberId },
    body: {
      calls: call ?? {},
      "destination-groups": { name: "Front desk", members: rung.map(({ id }) => ({ destinationId: id })) },
    },
  };
}

function useSamples(control: Control) {
  const samples = useSignal<Samples | undefined>(undefined);
  useEffect(() => {
    // Without samples the fields are empty.
    readSamples(control).then(
      (read) => (samples.value = read),
      () => undefined,
    );
  }, [control]);
  return samples;
}
