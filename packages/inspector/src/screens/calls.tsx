import type { BackendEvent } from "@call-transfer/backend";
import { useComputed, useSignalEffect } from "@preact/signals";
import { shellCommand, shellText } from "../data/code.ts";
import type { Availability, Policy, Timer } from "../data/control.ts";
import { duration } from "../data/format.ts";
import { type Live, useLive } from "../data/live.ts";
import { act, useSession } from "../data/session.ts";
import {
  answererOf,
  availabilityWords,
  type CallRow,
  callRows,
  type Directory,
  emptyDirectory,
  left,
  plannedSecs,
  resultOf,
  spanOf,
  statusOf,
  targetName,
  useDirectory,
} from "../data/transfers.ts";
import { Button, Menu } from "../parts/controls.tsx";
import { Code, Facts, Status, Time } from "../parts/data.tsx";
import { Empty, IdLink, Link, LoadError, PartHeading, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { MissedCalls, Rings } from "./rings.tsx";

/** The screen Calls: calls and transfers, the time line of one, and the team. */
export function Calls() {
  const session = useSession();
  const [selected] = session.route.value.rest;
  const directory = useDirectory();
  const known = directory.data ?? emptyDirectory;
  const transfers = useLive(
    (control) => control.transfers(),
    ({ type }) => type.startsWith("transfer."),
  );
  const calls = useLive(
    (control) => control.records("calls"),
    ({ type, operationId }) =>
      type.startsWith("call.") || (type === "request.completed" && operationId === "createCall"),
  );
  const policies = useLive(
    (control) => control.policies(),
    ({ type }) => type === "policies.changed",
  );
  const limit = limitOf(policies.data);
  const timers = session.clock.clock.value?.upcomingTimers ?? [];
  const isRead = transfers.data !== undefined && calls.data !== undefined && directory.data !== undefined;
  const rows = isRead ? callRows(calls.data ?? [], transfers.data ?? [], timers, known.nameOf) : [];
  // Without a selection the latest one is shown beside the list, where there is room.
  const chosen =
    selected === undefined ? rows[0] : rows.find(({ id, transfer }) => id === selected || transfer?.id === selected);
  return (
    <Screen title="Calls">
      <LoadError error={transfers.error ?? calls.error ?? directory.error} />
      <Split
        isWide
        list={
          <div class="call-list">
            <header class="panel-head list-head">
              <span class="muted">Calls and transfers: {rows.length}</span>
              <RingMenu directory={known} />
            </header>
            {rows.length > 0 && <Rows rows={rows} selected={chosen?.id} />}
          </div>
        }
        isSelected={selected !== undefined}
        detail={
          !isRead ? undefined : (
            <div class="call-columns">
              <div>
                {chosen !== undefined ? (
                  <CallDetail key={chosen.id} row={chosen} directory={known} timers={timers} limit={limit} />
                ) : selected !== undefined ? (
                  <Empty title="This call is not kept">
                    <p>The sandbox was reset, or it is a call of another sandbox. Select another one.</p>
                  </Empty>
                ) : null}
                {chosen?.transfer === undefined && (
                  <FirstTransfer
                    directory={known}
                    title={chosen === undefined ? "No transfer yet" : "This call has no transfer"}
                  />
                )}
              </div>
              <Team limit={limit} />
            </div>
          )
        }
        close={() => session.go("calls")}
      />
    </Screen>
  );
}

const limitOf = (policies: readonly Policy[] | undefined): number =>
  Number(policies?.find(({ name }) => name === "missedCallLimit")?.value ?? 0);

/** Starts a transfer to a group or a destination, and shows it. */
function useRing() {
  const session = useSession();
  return (directory: Directory, id: string) =>
    act(session, async () => {
      const isGroup = directory.groups.some((group) => group.id === id);
      const transfer = await session.control.value.startTransfer(isGroup ? { groupId: id } : { destinationId: id });
      session.go("calls", transfer.id);
    });
}

function RingMenu({ directory }: { readonly directory: Directory }) {
  const ring = useRing();
  const targets = [...directory.groups, ...directory.destinations.filter(({ enabled = true }) => enabled)];
  return (
    <Menu label="Ring a group or destination" icon="calls" text="Ring">
      {(close) => (
        <div class="menu-list">
          {targets.map(({ id, name, accountId }) => (
            <Button
              key={id}
              rank="plain"
              onPress={async () => {
                close();
                await ring(directory, id);
              }}
            >
              <span dir="auto">{name}</span> <span class="muted">{directory.nameOf(accountId)}</span>
            </Button>
          ))}
          {targets.length === 0 && <p>Add a group or a destination on the screen Records first.</p>}
        </div>
      )}
    </Menu>
  );
}

/** Rings the first group, or the first destination, with one press. */
function FirstTransfer({ directory, title }: { readonly directory: Directory; readonly title: string }) {
  const session = useSession();
  const ring = useRing();
  const target = directory.groups[0] ?? directory.destinations.find(({ enabled = true }) => enabled);
  if (target === undefined)
    return (
      <Empty title={title}>
        <p>
          A transfer rings a destination or a group, and this sandbox has neither.{" "}
          <Link to={["records", "destinations", "new"]}>Add a destination</Link>
        </p>
      </Empty>
    );
  return (
    <Empty
      title={title}
      action={
        <Button rank="primary" icon="play" onPress={() => ring(directory, target.id)}>
          Ring {target.name}
        </Button>
      }
      command={shellCommand(session, `transfer ${shellText(target.name)}`)}
    >
      <p>A transfer rings phones, members and apps on the sandbox's clock, and you answer.</p>
    </Empty>
  );
}

function Rows({ rows, selected }: { readonly rows: readonly CallRow[]; readonly selected: string | undefined }) {
  const session = useSession();
  return (
    <VirtualList
      label="Calls, newest first"
      items={rows}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={(id) => session.go("calls", id)}
      row={(row) => <Row row={row} />}
    />
  );
}

function Row({ row: { to, from, at, words, endsAt, transfer, call } }: { readonly row: CallRow }) {
  const notes = [
    endsAt !== undefined && <Left until={endsAt} />,
    from !== "" && `from ${from}`,
    transfer !== undefined && call !== undefined && `transfer ${statusOf(transfer).text.toLowerCase()}`,
  ].filter((note) => note !== false);
  return (
    <div class="call-row">
      <span>
        <strong dir="auto">{to}</strong>
        <Time at={at} />
      </span>
      <span>
        <Status tone={words.tone}>{words.text}</Status>
        <span class="muted" dir="auto">
          {notes.map((note, index) => (
            <span key={index}>
              {index > 0 && " · "}
              {note}
            </span>
          ))}
        </span>
      </span>
    </div>
  );
}

/** The time that is left, on the sandbox's clock. It moves. */
function Left({ until }: { readonly until: number }) {
  return <span class="number">{left(until, useSession().clock.now.value)}</span>;
}

function CallDetail({
  row,
  directory,
  timers,
  limit,
}: {
  readonly row: CallRow;
  readonly directory: Directory;
  readonly timers: readonly Timer[];
  readonly limit: number;
}) {
  const session = useSession();
  const { nameOf } = directory;
  const { transfer, call, to, words, endsAt } = row;
  const total = directory.groups.find(({ id }) => id === transfer?.groupId)?.totalTimeoutSecs;
  const who = transfer && answererOf(transfer, nameOf);
  const ending = endsAt !== undefined && transfer?.status !== "ringing";
  return (
    <article aria-label={`Call to ${to}`}>
      <header class="detail-head">
        <h2 dir="auto">{to}</h2>
        <p class="outcome">
          <Status tone={words.tone}>{words.text}</Status>
          {endsAt !== undefined && <Left until={endsAt} />}
          {ending && (
            <Button
              icon="next"
              onPress={() => act(session, () => session.control.value.advance({ to: new Date(endsAt).toISOString() }))}
            >
              Skip to its end
            </Button>
          )}
        </p>
      </header>
      <Facts
        facts={{
          From: row.from || undefined,
          Created: call && <Time at={row.at} />,
          Reason: call?.reason === undefined ? undefined : String(call.reason),
          Call: call ? (
            <IdLink to={["records", "calls", row.id]} />
          ) : (
            transfer?.callId && <Code>{transfer.callId}</Code>
          ),
        }}
      />
      {transfer !== undefined && (
        <>
          {call !== undefined && (
            <PartHeading>
              Transfer to {targetName(transfer, nameOf)}: {statusOf(transfer).text.toLowerCase()}
            </PartHeading>
          )}
          <p class="muted">
            Started <Time at={transfer.startedAt} />
            {transfer.answeredAt !== undefined && (
              <>
                , answered <Time at={transfer.answeredAt} /> by {who}
              </>
            )}
            . <TransferResult row={row} directory={directory} />
          </p>
          <div class="rings">
            <Rings
              transfer={transfer}
              span={spanOf(transfer, plannedSecs(total, transfer), timers)}
              timers={timers}
              nameOf={nameOf}
              missedCallLimit={limit}
            />
          </div>
        </>
      )}
    </article>
  );
}

/** The result of the transfer; it follows the clock while the transfer runs. */
function TransferResult({ row: { transfer }, directory }: { readonly row: CallRow; readonly directory: Directory }) {
  const { clock } = useSession();
  if (transfer === undefined) return null;
  return <>{resultOf(transfer, directory.nameOf, transfer.endedAt === undefined ? clock.now.value : 0)}.</>;
}

const changesTeam = ({ type, method }: BackendEvent): boolean =>
  /^(?:transfer|member|availability|record|clock|timer|policies)\./.test(type) ||
  (type === "request.completed" && method !== "GET");

/** Reads the availability of all members, also with each minute of the clock. */
export function useAvailability(): Live<readonly Availability[]> {
  const session = useSession();
  const live = useLive((control) => control.availability(), changesTeam);
  const minute = useComputed(() => Math.floor(session.clock.now.value / 60_000));
  useSignalEffect(() => {
    if (minute.value > 0) live.reload();
  });
  return live;
}

/** The members of the first account: whom a transfer would ring now, and buttons to change that. */
function Team({ limit }: { readonly limit: number }) {
  const { data = [], error } = useAvailability();
  const account = data[0]?.accountId;
  return (
    <section aria-label="Team">
      <h2>Team</h2>
      <LoadError error={error} />
      <ul class="plain-list">
        {data
          .filter(({ accountId }) => accountId === account)
          .map((member) => (
            <li key={member.memberId} class="person">
              <Link to={["records", "members", member.memberId]}>
                <span dir="auto">{member.name}</span>
              </Link>
              <AvailabilityLine member={member} limit={limit} />
              <AvailabilityButtons member={member} />
            </li>
          ))}
      </ul>
    </section>
  );
}

/** The status of a member, and why a transfer would not ring the member now. */
export function AvailabilityLine({ member, limit = 0 }: { readonly member: Availability; readonly limit?: number }) {
  const { clock } = useSession();
  const { tone, text, detail } = availabilityWords(member);
  const until = member.until === null ? 0 : Date.parse(member.until) - clock.now.value;
  const notes = [detail, until > 0 ? `${duration(until)} left` : ""].filter((note) => note !== "");
  return (
    <span class="person-status">
      <Status tone={tone}>{text}</Status>
      {notes.length > 0 && <span class="muted">{notes.join(", ")}</span>}
      {notes.length === 0 && member.missedCalls > 0 && <MissedCalls count={member.missedCalls} limit={limit} />}
    </span>
  );
}

const choices = [
  ["available", "Available"],
  ["away", "Away"],
  ["offline", "Offline"],
] as const;

/** Buttons that set the status of a member. */
export function AvailabilityButtons({ member }: { readonly member: Availability }) {
  const session = useSession();
  const set = (status: string) =>
    act(session, () => session.control.value.updateRecord("members", member.memberId, { availability: { status } }));
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">Status of {member.name}</legend>
      {choices.map(([status, text]) => (
        <Button
          key={status}
          rank="plain"
          pressed={member.status === status}
          label={`${text}: ${member.name}`}
          onPress={() => set(status)}
        >
          {text}
        </Button>
      ))}
    </fieldset>
  );
}
