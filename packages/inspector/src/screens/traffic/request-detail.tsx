import type { Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { entryOfRequest } from "../../data/records/traffic-entry.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { milliseconds } from "../../data/values/format.ts";
import { Code, Facts, Json, Relative, Time } from "../../parts/data.tsx";
import { IdLink, Link } from "../../parts/link.tsx";
import { Prose } from "../../parts/prose.tsx";
import { LoadError, Panel } from "../../parts/screen.tsx";
import { Changes } from "./changes.tsx";
import { RequestActions } from "./request-actions.tsx";
import { steps } from "./steps.ts";
import { TrafficStatus } from "./traffic-row.tsx";

type Detail = Schema<"RequestDetail"> & { readonly rule?: { readonly section: string; readonly text: string } };

/** A request taken apart. */
export function RequestDetail({ id }: { readonly id: string }) {
  const isRevealed = useSignal(false);
  const reveal = isRevealed.value;
  const live = useLive<Detail>(
    (control) =>
      control.GET("/_control/v1/requests/{id}", { params: { path: { id }, query: reveal ? { redact: false } : {} } }),
    undefined,
    `${id} ${reveal}`,
  );
  const { data } = live;
  if (data === undefined) return <LoadError error={live.error} />;
  return (
    <div class="traffic-detail">
      <Head detail={data} />
      <RequestActions detail={data} isRevealed={reveal} toggle={() => (isRevealed.value = !reveal)} />
      <Decision detail={data} />
      <Closest detail={data} />
      <Caller detail={data} />
      <Changes changes={data.changes ?? []} />
      <Timers detail={data} />
      <Exchange detail={data} />
    </div>
  );
}

function Head({ detail }: { readonly detail: Detail }) {
  const { status, code } = entryOfRequest(detail);
  const { id, method, path, at, durationMs, requestId, replayOf } = detail;
  return (
    <header class="detail-head">
      <h2 dir="auto">
        {method} <Answerer detail={detail} />
      </h2>
      <TrafficStatus status={status} code={code} />
      <Code>{path}</Code>
      <p class="detail-line">
        <Time at={at} withMilliseconds /> · {milliseconds(durationMs)} · request {id}
        {replayOf !== undefined && (
          <>
            {" "}
            · sends request <Link to={["traffic", String(replayOf)]}>{replayOf}</Link> again
          </>
        )}
      </p>
      <p class="detail-line">
        <span class="visually-hidden">Request id </span>
        <Code>{requestId}</Code>
      </p>
    </header>
  );
}

/** What answers such requests. */
function Answerer({ detail: { operationId, stub } }: { readonly detail: Detail }) {
  if (operationId !== undefined) return <Link to={["reference", operationId]}>{operationId}</Link>;
  return stub === undefined ? "no operation" : <Link to={["faults", "stubs"]}>{stub}</Link>;
}

function Decision({ detail: { decidedBy, rule, fault, error, status } }: { readonly detail: Detail }) {
  const section = rule?.section ?? decidedBy.section;
  return (
    <Panel title="What decided">
      <Facts
        facts={{
          Step: steps[decidedBy.step],
          Reason: decidedBy.detail,
          Exception: error,
          Fault: fault === undefined ? undefined : <Link to={["faults", fault]}>{fault}</Link>,
          Response: status === 0 ? "The fault withheld it" : undefined,
          Section: section,
        }}
      />
      {rule !== undefined && (
        <blockquote class="rule" dir="auto">
          <Prose text={rule.text} />
        </blockquote>
      )}
    </Panel>
  );
}

function Closest({ detail: { closestOperations = [] } }: { readonly detail: Detail }) {
  if (closestOperations.length === 0) return null;
  return (
    <Panel title="Closest operations">
      <ul class="plain-list">
        {closestOperations.map(({ operationId, method, path, fix }) => (
          <li key={operationId}>
            <Link to={["reference", operationId]}>{operationId}</Link>{" "}
            <Code>
              {method} {path}
            </Code>
            <p class="detail-line">To match it: {fix}.</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Caller({ detail: { caller } }: { readonly detail: Detail }) {
  if (caller === undefined) return null;
  const { kind, key, userId, role, accountId } = caller;
  return (
    <Panel title="Caller">
      <Facts
        facts={{
          Credential: kind === "key" ? `API key that ends in ${key ?? ""}` : "access token",
          User: userId && <Record collection="users" id={userId} />,
          Role: role,
          Account: accountId && <Record collection="accounts" id={accountId} />,
        }}
      />
    </Panel>
  );
}

function Record({ collection, id }: { readonly collection: string; readonly id: string }) {
  return <IdLink to={["state", collection, id]} />;
}

function Timers({ detail: { timers = [] } }: { readonly detail: Detail }) {
  if (timers.length === 0) return null;
  return (
    <Panel title="Timers that it set">
      <ul class="plain-list">
        {timers.map(({ at, kind, id }, index) => (
          <li key={index}>
            <Link to={["clock"]}>{kind}</Link> at <Time at={at} />, <Relative at={at} />
            <p class="detail-line">
              {kind.startsWith("transfer.") ? <IdLink to={["transfers", id]} /> : <Code>{id}</Code>}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Exchange({ detail }: { readonly detail: Detail }) {
  const session = useSession();
  const { query = {}, headers, requestBody, responseHeaders, responseBody } = detail;
  if (headers === undefined)
    return (
      <Panel title="Request and response">
        <p>Query, headers and bodies are kept for the latest 200 requests of {session.sandbox.value}.</p>
      </Panel>
    );
  return (
    <>
      <Panel title="Request">
        {Object.keys(query).length > 0 && (
          <Part title="Query" isOpen>
            <Values values={query} />
          </Part>
        )}
        {requestBody !== undefined && (
          <Part title="Body" isOpen>
            <Json value={requestBody} label="Body of the request" />
          </Part>
        )}
        <Part title="Headers">
          <Values values={headers} />
        </Part>
      </Panel>
      <Panel title="Response">
        {responseBody !== undefined && (
          <Part title="Body" isOpen>
            <Json value={responseBody} label="Body of the response" />
          </Part>
        )}
        <Part title="Headers">
          <Values values={responseHeaders ?? {}} />
        </Part>
      </Panel>
    </>
  );
}

/** A part that can be closed. */
export function Part({
  title,
  isOpen = false,
  children,
}: {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="part" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Headers or a query: names and values as they were sent. */
export function Values({ values }: { readonly values: Readonly<Record<string, string>> }) {
  const facts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, <Code key={name}>{value}</Code>]),
  );
  return <Facts facts={facts} />;
}
