import type { Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { headerOf } from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Code, Json, Time } from "../../parts/data.tsx";
import { TextField } from "../../parts/field.tsx";
import { Empty, LoadError, Panel, Screen } from "../../parts/screen.tsx";
import { sendToInbox } from "./first-webhook.tsx";
import { Views } from "./views.tsx";

/** Events that are drawn; the server keeps a thousand. */
const mostShown = 50;

/** The built-in inbox: its address, its answer and what it received. */
export function InboxView() {
  const session = useSession();
  const live = useLive<Schema<"Inbox">>(
    (control) => control.GET("/_control/v1/webhooks/inbox", { params: { query: { redact: true } } }),
    ({ type }) => type.startsWith("inbox.") || type === "delivery.completed" || type === "scenario.applied",
  );
  const { url, response: answer, received = [] } = live.data ?? {};
  return (
    <Screen
      title="Webhooks"
      tools={<Views current="inbox" />}
      actions={
        <Button rank="primary" onPress={() => sendToInbox(session)}>
          Send an offer to it
        </Button>
      }
    >
      <LoadError error={live.error} />
      <Panel title="The built-in inbox" tools={<CopyButton text={() => url ?? ""}>Copy the address</CopyButton>}>
        <p>
          Its address is <Code>{url}</Code>. A destination of the kind app with this address needs no server: the
          sandbox receives its offers here.
        </p>
        {answer !== undefined && <Answer key={JSON.stringify(answer)} answer={answer} />}
      </Panel>
      <Panel
        title={`Received: ${received.length}`}
        tools={
          <Button
            rank="danger"
            disabled={received.length === 0}
            onPress={() =>
              act(
                session,
                session.control.value.PATCH("/_control/v1/webhooks/inbox", { body: { response: {}, received: [] } }),
                "The inbox is empty.",
              ).then(live.reload)
            }
          >
            Clear the inbox
          </Button>
        }
      >
        <Received received={received} />
      </Panel>
    </Screen>
  );
}

function Received({ received }: { readonly received: NonNullable<Schema<"Inbox">["received"]> }) {
  if (received.length === 0)
    return (
      <Empty title="Nothing was received yet">
        <p>Offers to this address appear here. “Send an offer to it” sends one.</p>
      </Empty>
    );
  const shown = received.slice(-mostShown).toReversed();
  return (
    <ul class="received">
      {shown.map(({ at, headers, body }, index) => (
        <li key={received.length - index}>
          <details>
            <summary>
              <Time at={at} /> <span dir="auto">{body.slice(0, 120)}</span>
            </summary>
            {headerOf(headers) === undefined && <p>It had no signature.</p>}
            <Json value={body} label="Body" />
          </details>
        </li>
      ))}
    </ul>
  );
}

function Answer({ answer }: { readonly answer: Schema<"InboxResponse"> }) {
  const session = useSession();
  const status = useSignal(String(answer.status ?? 204));
  const delay = useSignal(String(answer.delaySecs ?? 0));
  const save = () =>
    act(
      session,
      session.control.value.PATCH("/_control/v1/webhooks/inbox", {
        body: { answer: { status: Number(status.value), delaySecs: Number(delay.value) } },
      }),
      `The inbox answers ${status.value}${Number(delay.value) > 0 ? ` after ${delay.value} s` : ""}.`,
    );
  return (
    <div class="inbox-answer">
      <TextField
        label="Answers with status"
        type="number"
        value={status.value}
        hint="2xx takes the call."
        onChange={(value) => (status.value = value)}
      />
      <TextField
        label="After seconds"
        type="number"
        value={delay.value}
        hint="On the sandbox's clock. 10 or more is no answer."
        onChange={(value) => (delay.value = value)}
      />
      <Button onPress={save}>Set the answer</Button>
    </div>
  );
}
