import type { Schema } from "@call-transfer/backend/control-client";
import type { ComponentChildren } from "preact";
import type { Directory } from "../../data/records/directory.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Code, Relative, Status, Time } from "../../parts/data.tsx";
import { createActions } from "./actions.ts";
import { answererOf, plannedSecs, spanOf, statusOf, type Transfer, targetName } from "./layout.ts";
import { People } from "./people.tsx";
import { Rings } from "./rings.tsx";

interface Shown {
  readonly transfer: Transfer;
  readonly directory: Directory;
}

/** One transfer: what rings on a time line, and what to do about it. */
export function TransferDetail({ transfer, directory }: Shown) {
  const session = useSession();
  const { nameOf } = directory;
  const policies = useLive<Schema<"PolicyList">>(
    (control) => control.GET("/_control/v1/policies"),
    ({ type }) => type === "policies.changed",
  );
  const missedCallLimit = Number(policies.data?.policies.find(({ name }) => name === "missedCallLimit")?.value ?? 0);
  const actions = createActions(session, transfer, nameOf);
  const timers = session.clock.clock.value?.upcomingTimers ?? [];
  const total = directory.groups.find(({ id }) => id === transfer.groupId)?.totalTimeoutSecs;
  const span = spanOf(transfer, plannedSecs(total, transfer), timers);
  const callEnd = timers.find(({ id, kind }) => id === transfer.id && kind === "transfer.call_ends")?.at;
  const { tone, text } = statusOf(transfer);
  const ringing = transfer.rings.filter(({ outcome }) => outcome === "ringing");
  const last = ringing
    .map(({ endsAt }) => endsAt)
    .sort()
    .at(-1);
  return (
    <article class="transfer" aria-label={`Transfer to ${targetName(transfer, nameOf)}`}>
      <header class="transfer-head">
        <div class="transfer-title">
          <h2 dir="auto">{targetName(transfer, nameOf)}</h2>
          <Status tone={tone}>{text}</Status>
        </div>
        <div class="actions">
          {last !== undefined && (
            <Button icon="next" onPress={() => actions.letRing(last)}>
              Let it ring
            </Button>
          )}
          {transfer.status === "connected" && callEnd !== undefined && (
            <Button icon="next" onPress={() => actions.letRing(callEnd)}>
              Let the call end
            </Button>
          )}
        </div>
      </header>
      <TransferFacts transfer={transfer} directory={directory} />
      <div class="transfer-waterfall">
        <Rings
          transfer={transfer}
          span={span}
          timers={timers}
          nameOf={nameOf}
          actions={actions}
          missedCallLimit={missedCallLimit}
        />
      </div>
      <People accountId={transfer.accountId} limit={missedCallLimit} />
    </article>
  );
}

function TransferFacts({ transfer, directory: { nameOf } }: Shown) {
  return (
    <dl class="transfer-facts">
      <Fact name="Started">
        <Time at={transfer.startedAt} />{" "}
        <span class="muted">
          (<Relative at={transfer.startedAt} />)
        </span>
      </Fact>
      {transfer.answeredAt !== undefined && (
        <Fact name="Answered">
          <Time at={transfer.answeredAt} /> by <strong dir="auto">{answererOf(transfer, nameOf)}</strong>
        </Fact>
      )}
      {transfer.endedAt !== undefined && (
        <Fact name="Ended">
          <Time at={transfer.endedAt} />
        </Fact>
      )}
      {transfer.callId !== undefined && (
        <Fact name="Call">
          <Code>{transfer.callId.slice(0, 8)}</Code>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
