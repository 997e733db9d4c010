import { type Signal, signal, useSignal } from "@preact/signals";
import { messageIn, saveFile, timeOfDay } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { act, type Session, useSession } from "../data/session.ts";
import { Button, ConfirmButton, Form, Menu, SubmitButton, TextField } from "../parts/controls.tsx";
import { LoadError } from "../parts/screen.tsx";

/** The sandbox that is shown: others to show, new ones, reset and snapshots. */
export function SandboxMenu() {
  const session = useSession();
  return (
    <Menu label="Sandbox" icon="sandbox" text={<span class="sandbox-name">{session.sandbox.value}</span>}>
      {(close) => <SandboxPanel close={close} />}
    </Menu>
  );
}

function SandboxPanel({ close }: { readonly close: () => void }) {
  const session = useSession();
  const { control } = session;
  const current = session.sandbox.value;
  const live = useLive(
    (loader) => loader.sandboxes(),
    ({ type }) => type.startsWith("sandbox."),
  );
  // A backend without sandboxes lists itself without a name.
  const names = live.data?.map(({ name }) => name).filter((name) => name !== "") ?? [];
  const show = (name: string) => {
    close();
    session.switchTo(name);
  };
  return (
    <>
      <LoadError error={live.error} />
      <h2>Sandboxes</h2>
      <div class="menu-list">
        {[...new Set([...names, current])].map((name) => (
          <Button key={name} rank="plain" pressed={name === current} label={`Show ${name}`} onPress={() => show(name)}>
            {name}
          </Button>
        ))}
      </div>
      <NewSandbox created={show} />
      <h2>{current}</h2>
      <Snapshots />
      <div class="actions">
        <ConfirmButton
          action="Reset"
          question={`Reset ${current}?`}
          run={() => act(session, () => control.value.reset(), `${current} is reset.`)}
        >
          Its records, clock, policies and faults become those of its start. Its events are removed.
        </ConfirmButton>
        {current !== "default" && (
          <ConfirmButton
            action="Delete"
            question={`Delete ${current}?`}
            run={async () => {
              if (await act(session, () => control.value.deleteSandbox(current), `${current} is deleted.`))
                show("default");
            }}
          >
            Its records and events are gone. Requests to it get an error.
          </ConfirmButton>
        )}
      </div>
    </>
  );
}

function NewSandbox({ created }: { readonly created: (name: string) => void }) {
  const session = useSession();
  const name = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const create = async () => {
    try {
      await session.control.value.createSandbox(name.value);
      created(name.value);
    } catch (reason) {
      error.value = messageIn(reason);
    }
  };
  return (
    <Form onSubmit={create} class="fault-line">
      <TextField
        label="New sandbox"
        value={name.value}
        placeholder="checkout"
        error={error.value}
        onChange={(value) => {
          name.value = value;
          error.value = undefined;
        }}
      />
      <SubmitButton rank="secondary">Create</SubmitButton>
    </Form>
  );
}

/** A snapshot that the page keeps in memory. It holds secrets, so it is not shown. */
interface KeptSnapshot {
  readonly name: string;
  readonly sandbox: string;
  readonly content: unknown;
}

const kept = new WeakMap<Session, Signal<readonly KeptSnapshot[]>>();

/** The snapshots that the page of a session keeps until it is closed, latest first. */
function keptSnapshots(session: Session): Signal<readonly KeptSnapshot[]> {
  const found = kept.get(session) ?? signal<readonly KeptSnapshot[]>([]);
  kept.set(session, found);
  return found;
}

/** Takes and restores snapshots. Before a restore it takes one, so that nothing is lost. */
function Snapshots() {
  const session = useSession();
  const { control } = session;
  const snapshots = keptSnapshots(session);
  const sandbox = session.sandbox.value;
  const take = async (name: string) => {
    const content = await control.value.snapshot();
    snapshots.value = [{ name, sandbox, content }, ...snapshots.value];
  };
  const nextName = () => `Snapshot ${snapshots.value.length + 1} at ${timeOfDay(session.clock.read())}`;
  const restore = (name: string, content: unknown) =>
    act(
      session,
      async () => {
        await take(`Before ${name}`);
        await control.value.restore(content);
      },
      `${sandbox} is as in ${name}. The state before is in the list of snapshots.`,
    );
  return (
    <>
      <div class="actions">
        <Button onPress={() => act(session, () => take(nextName()))}>Take a snapshot</Button>
        <FileButton restore={restore} />
      </div>
      <ul class="plain-list">
        {snapshots.value.map(({ name, sandbox: from, content }, index) => (
          <li key={snapshots.value.length - index} class="snapshot">
            <span dir="auto">
              {name}
              {from !== sandbox && ` of ${from}`}
            </span>
            <Button label={`Restore ${name}`} onPress={() => restore(name, content)}>
              Restore
            </Button>
            <Button
              label={`Download ${name}`}
              onPress={() => saveFile(`${from}-snapshot.json`, JSON.stringify(content, null, 2))}
            >
              Download
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Reads a file: a snapshot replaces the state, a seed adds records. */
function FileButton({ restore }: { readonly restore: (name: string, content: unknown) => Promise<boolean> }) {
  const session = useSession();
  const take = async (file: File) => {
    const content: unknown = JSON.parse(await file.text());
    if ("version" in Object(content)) await restore(file.name, content);
    else await session.control.value.seed(content);
  };
  return (
    <label class="button button-secondary file-button">
      Restore a file
      <input
        type="file"
        class="visually-hidden"
        accept=".json,application/json"
        onChange={async (event) => {
          const input = event.currentTarget;
          const file = input.files?.[0];
          if (file !== undefined) await act(session, () => take(file));
          // The same file can be chosen again.
          input.value = "";
        }}
      />
    </label>
  );
}
