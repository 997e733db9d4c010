import { messageOf, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import type { Session } from "../../data/session/session.ts";
import { day, timeOfDay } from "../../data/values/format.ts";
import { saveFile } from "../../data/values/save-file.ts";
import { Button } from "../../parts/button.tsx";
import { Status, type Tone } from "../../parts/data.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/screen.tsx";
import { compareSnapshots, type Difference } from "./compare-snapshots.ts";
import { type KeptSnapshot, keptSnapshots } from "./kept-snapshots.ts";
import { readJsonFile } from "./read-json-file.ts";

/** What a restore takes the state from. */
interface Restorable {
  readonly snapshot: unknown;
  /** What it is called, such as `snapshot 1` or the name of a file. */
  readonly what: string;
}

/** Snapshots of the sandbox: take, keep, compare, restore, and files of them. */
export function Snapshots() {
  const session = useSession();
  const kept = keptSnapshots(session);
  const compared = useSignal<{ readonly number: number; readonly differences: readonly Difference[] } | undefined>(
    undefined,
  );
  const name = session.sandbox.value;
  const take = async () => {
    const at = session.clock.read();
    const snapshot = await readSnapshot(session);
    if (snapshot === undefined) return;
    const number = (kept.value[0]?.number ?? 0) + 1;
    kept.value = [{ number, sandbox: name, at, text: JSON.stringify(snapshot) }, ...kept.value];
  };
  const compare = async ({ number, text }: KeptSnapshot) => {
    const now = await readSnapshot(session);
    if (now !== undefined) compared.value = { number, differences: compareSnapshots(JSON.parse(text), now) };
  };
  const forget = (number: number) => {
    kept.value = kept.value.filter((one) => one.number !== number);
    if (compared.value?.number === number) compared.value = undefined;
  };
  const asked = useSignal<Restorable | undefined>(undefined);
  return (
    <Panel
      title={`Snapshots of ${name}`}
      tools={
        <Button rank="primary" onPress={take}>
          Take a snapshot
        </Button>
      }
    >
      <p class="panel-text">
        A snapshot holds the records, clock, policies and faults, with their secrets. The page keeps it until it is
        closed; a file lasts longer.
      </p>
      {kept.value.length > 0 && (
        <ul class="snapshots">
          {kept.value.map((snapshot) => (
            <SnapshotRow
              key={snapshot.number}
              snapshot={snapshot}
              differences={compared.value?.number === snapshot.number ? compared.value.differences : undefined}
              restore={() =>
                (asked.value = { snapshot: JSON.parse(snapshot.text), what: `snapshot ${snapshot.number}` })
              }
              compare={() => compare(snapshot)}
              forget={() => forget(snapshot.number)}
            />
          ))}
        </ul>
      )}
      <Import restore={(restorable) => (asked.value = restorable)} />
      {asked.value && <Restore of={asked.value} close={() => (asked.value = undefined)} />}
    </Panel>
  );
}

/** Asks before the state is replaced. */
function Restore({ of: { snapshot, what }, close }: { readonly of: Restorable; readonly close: () => void }) {
  const session = useSession();
  const name = session.sandbox.value;
  const restore = async () => {
    // The control plane checks it.
    const task = session.control.value.PUT("/_control/v1/snapshot", { body: snapshot as Schema<"Snapshot"> });
    await act(session, task, `${name} is as in ${what}.`);
    close();
  };
  return (
    <Confirm title={`Restore ${what}?`} action="Restore" run={restore} close={close}>
      The records, clock, policies and faults of {name} become those of {what}. Its traffic is emptied.
    </Confirm>
  );
}

async function readSnapshot(session: Session): Promise<unknown> {
  const { data, error } = await session.control.value.GET("/_control/v1/snapshot");
  if (data === undefined) session.notify("bad", messageOf(error));
  return data;
}

function SnapshotRow({
  snapshot: { number, sandbox, at, text },
  differences,
  restore,
  compare,
  forget,
}: {
  readonly snapshot: KeptSnapshot;
  /** From now; undefined unless it was compared. */
  readonly differences: readonly Difference[] | undefined;
  readonly restore: () => unknown;
  readonly compare: () => unknown;
  readonly forget: () => void;
}) {
  return (
    <li class="snapshot">
      <span class="snapshot-name">
        <strong>Snapshot {number}</strong>{" "}
        <span dir="auto">
          {sandbox}, {day(at)} {timeOfDay(at)}, {Math.ceil(text.length / 1024)} KiB
        </span>
      </span>
      <span class="actions">
        <Button label={`Restore snapshot ${number}`} onPress={restore}>
          Restore
        </Button>
        <Button label={`Compare snapshot ${number} with now`} onPress={compare}>
          Compare
        </Button>
        <Button
          label={`Download snapshot ${number}`}
          onPress={() => saveFile(`${sandbox}-snapshot-${number}.json`, text)}
        >
          Download
        </Button>
        <Button icon="close" label={`Forget snapshot ${number}`} onPress={forget} />
      </span>
      {differences !== undefined && <Differences differences={differences} />}
    </li>
  );
}

const tones: Readonly<Record<Difference["kind"], Tone>> = { added: "ok", removed: "bad", changed: "warn" };

function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  if (differences.length === 0) return <p class="differences">Nothing is different now.</p>;
  return (
    <ul class="differences" aria-label="What is different now">
      {differences.slice(0, 100).map(({ place, id, kind, fields }) => (
        <li key={`${place} ${id}`}>
          <Status tone={tones[kind]}>{kind}</Status> {place} <code dir="auto">{id}</code>
          {fields.map((field) => (
            <span key={field} class="difference-field" dir="auto">
              {field}
            </span>
          ))}
        </li>
      ))}
      {differences.length > 100 && <li>{differences.length - 100} more</li>}
    </ul>
  );
}

/** Takes a file: a snapshot replaces the state, a seed adds records. */
function Import({ restore }: { readonly restore: (restorable: Restorable) => void }) {
  const session = useSession();
  const error = useSignal<string | undefined>(undefined);
  const take = async (file: File | undefined) => {
    const read = await readJsonFile(file);
    error.value = read.error;
    if (file === undefined || read.error !== undefined) return;
    if ("version" in Object(read.value)) {
      restore({ snapshot: read.value, what: file.name });
      return;
    }
    const result = await session.control.value
      .POST("/_control/v1/seed", { body: read.value as Schema<"Seed"> })
      .catch((reason: unknown) => ({ error: { detail: String(reason) }, response: undefined }));
    if (result.response?.ok === true) session.notify("ok", `The records of ${file.name} are added.`);
    else error.value = messageOf(result.error);
  };
  return (
    <Field
      label="From a file"
      hint="A snapshot replaces the state of this sandbox and empties its traffic. A seed adds its records."
      error={error.value}
    >
      {(ids) => (
        <input
          {...ids}
          type="file"
          accept=".json,application/json"
          onChange={async (event) => {
            const input = event.currentTarget;
            await take(input.files?.[0]);
            // The same file can be chosen again.
            input.value = "";
          }}
        />
      )}
    </Field>
  );
}
