import { headersOf, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { day, timeOfDay } from "../../data/values/format.ts";
import { Button } from "../../parts/button.tsx";
import { Code, Status } from "../../parts/data.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { LoadError, Panel } from "../../parts/screen.tsx";
import { NewSandbox } from "./new-sandbox.tsx";

type Sandbox = Schema<"SandboxSummary">;

/** The events of other sandboxes do not reach the page, so it asks for their clocks and counts, in milliseconds. */
const reloadMs = 3000;

/** The sandboxes of the server, to switch, create, reset and delete. */
export function SandboxList() {
  const session = useSession();
  const dialog = useSignal<"new" | { readonly verb: "delete" | "reset"; readonly name: string } | undefined>(undefined);
  const live = useLive<{ readonly sandboxes: readonly Sandbox[] }>(
    (control) => control.GET("/_control/v1/sandboxes"),
    ({ type }) => type.startsWith("sandbox.") || type === "request.completed",
  );
  useEffect(() => {
    const timer = setInterval(live.reload, reloadMs);
    return () => clearInterval(timer);
  });
  const close = () => (dialog.value = undefined);
  const question = typeof dialog.value === "object" ? dialog.value : undefined;
  return (
    <Panel
      title="Sandboxes"
      tools={
        <Button rank="primary" onPress={() => (dialog.value = "new")}>
          New sandbox
        </Button>
      }
    >
      <LoadError error={live.error} />
      <p class="panel-text">
        Each sandbox has its own records, clock, faults and requests. A request chooses one by its path or by the header{" "}
        <Code>X-Sandbox</Code>.
      </p>
      <table class="sandboxes">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Path</th>
            <th scope="col">Clock</th>
            <th scope="col">Requests</th>
            <th scope="col">
              <span class="visually-hidden">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {live.data?.sandboxes.map((sandbox) => (
            <SandboxRow
              key={sandbox.name}
              sandbox={sandbox}
              ask={(verb) => (dialog.value = { verb, name: sandbox.name })}
            />
          ))}
        </tbody>
      </table>
      {dialog.value === "new" && <NewSandbox close={close} created={live.reload} />}
      {question !== undefined && (
        <Question {...question} close={close} done={live.reload} key={`${question.verb} ${question.name}`} />
      )}
      <p class="visually-hidden" role="status">
        {session.sandbox.value} is shown.
      </p>
    </Panel>
  );
}

function SandboxRow({ sandbox, ask }: { readonly sandbox: Sandbox; readonly ask: (verb: "delete" | "reset") => void }) {
  const session = useSession();
  const { name, path } = sandbox;
  const isShown = name === session.sandbox.value;
  return (
    <tr {...(isShown && { "aria-current": "true" })}>
      <th scope="row">
        <span dir="auto">{name}</span>
      </th>
      <td>
        <Code>{path === "" ? "/" : path}</Code>
      </td>
      <td>
        <SandboxClock sandbox={sandbox} />
      </td>
      <td class="number" data-label="Requests">
        {sandbox.requestCount}
      </td>
      <td>
        <span class="actions">
          {isShown ? (
            <Status tone="info">shown</Status>
          ) : (
            <Button label={`Switch to ${name}`} onPress={() => session.switchTo(name)}>
              Switch
            </Button>
          )}
          <Button label={`Reset ${name}`} onPress={() => ask("reset")}>
            Reset
          </Button>
          {name !== "default" && (
            <Button rank="danger" label={`Delete ${name}`} onPress={() => ask("delete")}>
              Delete
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function SandboxClock({ sandbox }: { readonly sandbox: Sandbox }) {
  const session = useSession();
  const isShown = sandbox.name === session.sandbox.value;
  // The clock of the sandbox that is shown moves with the page.
  const mode = (isShown ? session.clock.clock.value?.mode : undefined) ?? sandbox.mode;
  const now = isShown ? session.clock.now.value : sandbox.now;
  return (
    <>
      <span class="number">
        {day(now)} {timeOfDay(now)}
      </span>{" "}
      <Status tone={mode === "running" ? "ok" : "info"}>{mode}</Status>
    </>
  );
}

const questions = {
  reset: {
    text: "Its records, clock, policies and faults become those of its start. Its requests and deliveries are emptied.",
    button: "Reset",
    done: "is reset.",
  },
  delete: {
    text: "Its records, requests and snapshots on the server are gone. Requests to it get an error.",
    button: "Delete",
    done: "is deleted.",
  },
} as const;

function Question({
  verb,
  name,
  close,
  done,
}: {
  readonly verb: "delete" | "reset";
  readonly name: string;
  readonly close: () => void;
  readonly done: () => void;
}) {
  const session = useSession();
  const question = questions[verb];
  const run = async () => {
    const control = session.control.value;
    const task =
      verb === "delete"
        ? control.DELETE("/_control/v1/sandboxes/{name}", { params: { path: { name } }, headers: headersOf(name) })
        : control.POST("/_control/v1/reset", { headers: { "X-Sandbox": name } });
    const isDone = await act(session, task, `${name} ${question.done}`);
    if (!isDone) return;
    if (verb === "delete" && name === session.sandbox.value) session.switchTo("default");
    done();
    close();
  };
  return (
    <Confirm title={`${question.button} ${name}?`} action={`${question.button} ${name}`} run={run} close={close}>
      {question.text}
    </Confirm>
  );
}
