import type { BackendEvent } from "@call-transfer/backend";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type ApiRequest, curlOf, pythonOf, typescriptOf } from "../data/code.ts";
import type { RequestDetail as Request } from "../data/control.ts";
import { type EventEntry, entryOfHappening, entryOfRequest, type NameOf } from "../data/events.ts";
import { changedFields, milliseconds } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { act, addressOf, type Session, useSession } from "../data/session.ts";
import { Button, CopyButton, Menu } from "../parts/controls.tsx";
import { Code, Facts, Json, Part, Prose, Relative, Status, Time, toneOfStatus, Values } from "../parts/data.tsx";
import { IdLink, Link, LoadError, PartHeading } from "../parts/screen.tsx";

/** The tabs of a request. */
const tabs = ["Response", "Request", "Why", "Changes"] as const;
type Tab = (typeof tabs)[number];

/** A request: its status and reason first, and the parts as tabs. */
export function RequestDetail({ id }: { readonly id: string }) {
  const tab = useSignal<Tab>("Response");
  const { data, error } = useLive((control) => control.request(id), undefined, id);
  if (data === undefined) return <LoadError error={error} />;
  const count = (data.changes?.length ?? 0) + (data.timers?.length ?? 0);
  return (
    <>
      <Head detail={data} />
      <Actions detail={data} />
      <div class="tabs" role="tablist" aria-label="Parts of the request">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            class="tab"
            role="tab"
            id={`tab-${name}`}
            aria-controls="tab-panel"
            aria-selected={tab.value === name}
            onClick={() => (tab.value = name)}
          >
            {name}
            {name === "Changes" && count > 0 && <span class="number muted"> {count}</span>}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        <Content tab={tab.value} detail={data} />
      </div>
    </>
  );
}

function Content({ tab, detail }: { readonly tab: Tab; readonly detail: Request }) {
  if (tab === "Why") return <Why detail={detail} />;
  if (tab === "Changes") return <Changes detail={detail} />;
  const { headers, query = {}, requestBody, responseBody, responseHeaders = {} } = detail;
  if (headers === undefined) return <p>Query, headers and bodies are kept for the latest 200 requests.</p>;
  if (tab === "Response")
    return (
      <Message body={responseBody} label="Body of the response" headers={responseHeaders}>
        {detail.status === 0 && <p>The fault withheld the response.</p>}
      </Message>
    );
  return (
    <Message body={requestBody} label="Body of the request" headers={headers}>
      {Object.keys(query).length > 0 && (
        <>
          <PartHeading>Query</PartHeading>
          <Values values={query} />
        </>
      )}
    </Message>
  );
}

function Message({
  body,
  label,
  headers,
  children,
}: {
  readonly body: unknown;
  readonly label: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      {children}
      {body === undefined ? <p class="muted">No body</p> : <Json value={body} label={label} />}
      <Part title={`Headers: ${Object.keys(headers).length}`}>
        <Values values={headers} />
      </Part>
    </>
  );
}

function Head({ detail }: { readonly detail: Request }) {
  const { status, code, reason } = entryOfRequest(detail);
  const { id, method, path, at, durationMs, requestId, replayOf, operationId, stub } = detail;
  return (
    <header class="detail-head">
      <h2 dir="auto">
        {method} {operationId ?? stub ?? "no operation"}
      </h2>
      <p class="outcome">
        <Status tone={status === 0 ? "bad" : toneOfStatus(status ?? 0)}>
          {status ? `${status} ` : ""}
          {code}
        </Status>
        {reason !== "" && <span dir="auto">{reason}</span>}
      </p>
      <p class="muted">
        <Code>{path}</Code>
      </p>
      <p class="muted">
        <Time at={at} withMilliseconds /> · {milliseconds(durationMs)} · request {id} · <Code>{requestId}</Code>
        {replayOf !== undefined && (
          <>
            {" "}
            · replay of <Link to={["events", String(replayOf)]}>request {replayOf}</Link>
          </>
        )}
      </p>
    </header>
  );
}

function Actions({ detail }: { readonly detail: Request }) {
  const session = useSession();
  const { id, headers, operationId, code } = detail;
  const replay = () =>
    act(session, async () => {
      const { id: next } = await session.control.value.replay(String(id));
      session.go("events", String(next));
    });
  const request = headers && requestOf(session, detail);
  return (
    <div class="actions" role="group" aria-label="Actions">
      <Button rank="primary" onPress={replay}>
        Replay
      </Button>
      {request !== undefined && (
        <Menu label="Copy" icon="copy" text="Copy">
          {() => (
            <div class="menu-list">
              <CopyButton text={() => curlOf(request)}>Copy as curl</CopyButton>
              {operationId !== undefined && (
                <>
                  <CopyButton text={() => typescriptOf(request) ?? ""}>Copy as TypeScript</CopyButton>
                  <CopyButton text={() => pythonOf(request) ?? ""}>Copy as Python</CopyButton>
                </>
              )}
              <p class="muted">Credentials are variables of the file that --write-env writes.</p>
            </div>
          )}
        </Menu>
      )}
      {operationId !== undefined && code !== undefined && (
        <Button
          onPress={() =>
            act(
              session,
              () => session.control.value.addFault(`${operationId} ${code} once`),
              `The next ${operationId} returns ${code}.`,
            )
          }
        >
          Return this error again
        </Button>
      )}
    </div>
  );
}

/** The request as code: test data whole, credentials as variables. */
function requestOf(session: Session, detail: Request): ApiRequest {
  const { method, path, query = {}, headers = {}, requestBody, operationId, caller } = detail;
  const search = new URLSearchParams(query).toString();
  // The header chooses the sandbox as well; a request with both is refused.
  const address = headers["x-sandbox"] === undefined ? addressOf(session, path) : session.source.address + path;
  const url = address + (search === "" ? "" : `?${search}`);
  return { method, url, headers, body: requestBody, operationId, role: caller?.role };
}

/** The steps that decide a response. */
const steps: Readonly<Record<Request["decidedBy"]["step"], string>> = {
  server: "The server, before the API",
  route: "Search for the operation",
  fault: "A fault",
  credentials: "Check of the credentials",
  api_key: "Check of the API key",
  account: "Check of account and role",
  rate_limit: "Rate limit",
  path: "Check of the path",
  query: "Check of the query",
  body: "Check of the body",
  operation: "The operation",
  stub: "A stub",
  fallback: "Another server, to which it was passed on",
};

function Why({ detail }: { readonly detail: Request }) {
  const { decidedBy, fault, error, caller, closestOperations = [], rule } = detail;
  return (
    <>
      <Facts
        facts={{
          Step: steps[decidedBy.step],
          Reason: decidedBy.detail,
          Exception: error,
          Fault: fault && <Link to={["errors", fault]}>{fault}</Link>,
          Credential: caller && (caller.kind === "key" ? `API key that ends in ${caller.key ?? ""}` : "access token"),
          Role: caller?.role,
          Account: caller?.accountId && <IdLink to={["records", "accounts", caller.accountId]} />,
        }}
      />
      {rule !== undefined && (
        <>
          <PartHeading>
            {rule.section} {rule.title}
          </PartHeading>
          <blockquote dir="auto">
            <Prose text={rule.text} />
          </blockquote>
        </>
      )}
      {closestOperations.length > 0 && (
        <>
          <PartHeading>Closest operations</PartHeading>
          <ul class="plain-list">
            {closestOperations.map(({ operationId, method, path }) => (
              <li key={operationId}>
                <strong>{operationId}</strong> <Code>{`${method} ${path}`}</Code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Changes({ detail: { changes = [], timers = [] } }: { readonly detail: Request }) {
  if (changes.length + timers.length === 0) return <p>It changed no record and set no timer.</p>;
  return (
    <>
      {changes.map((change, index) => (
        <Change key={index} change={change} />
      ))}
      {timers.length > 0 && <PartHeading>Timers</PartHeading>}
      <ul class="plain-list">
        {timers.map(({ at, kind, id }, index) => (
          <li key={index}>
            {kind} at <Time at={at} />, <Relative at={at} />{" "}
            {kind.startsWith("transfer.") && <IdLink to={["calls", id]} />}
          </li>
        ))}
      </ul>
    </>
  );
}

type RecordChange = NonNullable<Request["changes"]>[number];

function Change({ change: { collection, id, before, after } }: { readonly change: RecordChange }) {
  const kind = before === undefined ? "Added to" : after === undefined ? "Removed from" : "Changed in";
  return (
    <section>
      <PartHeading>
        {kind} {collection} <IdLink to={["records", collection, id]} />
      </PartHeading>
      <table class="diff">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before and after</th>
          </tr>
        </thead>
        <tbody>
          {changedFields(before, after).map((field) => (
            <tr key={field.field}>
              <td dir="auto">{field.field}</td>
              <td>
                {field.before !== undefined && <del dir="auto">{field.before}</del>}
                {field.after !== undefined && <ins dir="auto">{field.after}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The screen that shows the subject of an event. */
const screens: Readonly<Partial<Record<EventEntry["kind"], string>>> = { call: "calls", transfer: "calls" };

/** An event of a call, a transfer, a member or the clock. */
export function HappeningDetail({ event, nameOf }: { readonly event: BackendEvent; readonly nameOf: NameOf }) {
  const entry = entryOfHappening(event);
  const { type, at, eventId, id, ...details } = event;
  const screen = entry && screens[entry.kind];
  return (
    <>
      <header class="detail-head">
        <h2>{entry?.name ?? type}</h2>
        <p class="muted">
          <Time at={at} withMilliseconds /> · <Code>{type}</Code> · <Code>{eventId}</Code>
        </p>
      </header>
      {screen !== undefined && id !== undefined && (
        <div class="actions">
          <Link to={[screen, id]} class="button button-primary">
            Open in Calls
          </Link>
        </div>
      )}
      <Facts
        facts={Object.fromEntries(
          Object.entries(details).map(([name, value]) => [
            name,
            typeof value === "string" && name.endsWith("Id") ? (
              <>
                {nameOf(value)} <Code>{value}</Code>
              </>
            ) : typeof value === "object" ? (
              <Code>{JSON.stringify(value)}</Code>
            ) : (
              String(value)
            ),
          ]),
        )}
      />
    </>
  );
}
