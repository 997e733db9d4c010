import { batch, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { StreamState } from "./data/connection/source.ts";
import { type Session, SessionContext, useSession } from "./data/session.ts";
import { Button, Dialog, Form, Menu, SubmitButton, TextField } from "./parts/controls.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { Empty, Link, useKeys } from "./parts/screen.tsx";
import { writeOutControls } from "./parts/visible-text.ts";
import { Calls } from "./screens/calls.tsx";
import { ClockBar } from "./screens/clock-menu.tsx";
import { Errors } from "./screens/errors.tsx";
import { Events } from "./screens/events.tsx";
import { NewRequest } from "./screens/new-request.tsx";
import { Records } from "./screens/records.tsx";
import { SandboxMenu } from "./screens/sandbox-menu.tsx";
import { CredentialsMenu, Policies } from "./screens/settings.tsx";
import { Webhooks } from "./screens/webhooks.tsx";

writeOutControls();

/** A screen of the inspector. */
interface ScreenEntry {
  /** Its part of the address. */
  readonly id: string;
  readonly title: string;
  /** The key that shows it after `g`. */
  readonly key: string;
  readonly icon: IconName;
  readonly component: ComponentType;
}

/** All screens, in the order of their tabs. The first one is shown at the start. */
const screens: readonly [ScreenEntry, ...ScreenEntry[]] = [
  { id: "events", title: "Events", key: "e", icon: "events", component: Events },
  { id: "calls", title: "Calls", key: "c", icon: "calls", component: Calls },
  { id: "webhooks", title: "Webhooks", key: "w", icon: "webhooks", component: Webhooks },
  { id: "errors", title: "Errors", key: "r", icon: "errors", component: Errors },
  { id: "records", title: "Records", key: "d", icon: "records", component: Records },
];

/** The whole inspector. */
export function App({ session }: { readonly session: Session }) {
  return (
    <SessionContext.Provider value={session}>
      <Frame />
    </SessionContext.Provider>
  );
}

type DialogName = "request" | "policies" | "keys";

function Frame() {
  const session = useSession();
  const { route, stream } = session;
  const dialog = useSignal<DialogName | undefined>(undefined);
  const close = () => (dialog.value = undefined);
  const current = screens.find(({ id }) => id === route.value.screen) ?? screens[0];
  const Content = current.component;
  const root = useSignal<HTMLElement | null>(null);
  useKeys({
    n: () => (dialog.value = "request"),
    "?": () => (dialog.value = "keys"),
    "/": () => root.value?.querySelector<HTMLElement>("[data-filter]")?.focus(),
    ...Object.fromEntries(screens.map(({ id, key }) => [`g ${key}`, () => session.go(id)])),
  });
  return (
    <div
      class="frame"
      ref={(element) => {
        root.value = element;
      }}
    >
      <button type="button" class="skip" onClick={() => root.value?.querySelector<HTMLElement>("#main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <span class="product">
          <Icon name="product" /> <span>Call transfer mock</span>
        </span>
        <SandboxMenu />
        <StreamStatus />
        <ClockBar />
      </header>
      <div class="bar">
        <nav class="tabs" aria-label="Screens">
          {screens.map(({ id, title, icon }) => (
            <Link key={id} class="tab" to={[id]} current={id === current.id}>
              <Icon name={icon} />
              <span>{title}</span>
            </Link>
          ))}
        </nav>
        <div class="actions">
          <Button icon="plus" label="New request" onPress={() => (dialog.value = "request")}>
            <span class="wide-only">New request</span>
          </Button>
          <CredentialsMenu />
          <PageMenu show={(name) => (dialog.value = name)} />
        </div>
      </div>
      <main id="main" class="main" tabIndex={-1}>
        {stream.value.state === "lost" && (
          <p class="lost" role="status">
            <strong>Connection lost.</strong> The page shows what it received last, and tries to connect again.
          </p>
        )}
        {stream.value.state === "refused" ? <Refusal stream={stream.value} /> : <Content key={route.value.sandbox} />}
      </main>
      <Notices />
      {dialog.value === "request" && <NewRequest close={close} />}
      {dialog.value === "policies" && <Policies close={close} />}
      {dialog.value === "keys" && <KeyHelp close={close} />}
    </div>
  );
}

function StreamStatus() {
  const { state } = useSession().stream.value;
  if (state === "live") return <span class="status tone-ok">Live</span>;
  if (state === "connecting") return <span class="status tone-idle">Connecting</span>;
  return <span class="status tone-bad">{state === "lost" ? "Connection lost" : "Not connected"}</span>;
}

/** Policies, colors and keys. */
function PageMenu({ show }: { readonly show: (dialog: DialogName) => void }) {
  const { theme } = useSession().place;
  const isDark = (theme.value ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  return (
    <Menu label="Settings" icon="policies">
      {(close) => {
        const open = (dialog: DialogName) => () => {
          close();
          show(dialog);
        };
        return (
          <div class="menu-list">
            <Button rank="plain" icon="policies" onPress={open("policies")}>
              Policies: where the specification does not say
            </Button>
            <Button rank="plain" icon="theme" onPress={() => (theme.value = isDark ? "light" : "dark")}>
              {isDark ? "Light colors" : "Dark colors"}
            </Button>
            <Button rank="plain" icon="keys" onPress={open("keys")}>
              Keys
            </Button>
          </div>
        );
      }}
    </Menu>
  );
}

function KeyHelp({ close }: { readonly close: () => void }) {
  const keys: readonly (readonly [string, string])[] = [
    ["/", "Filter"],
    ["j, k", "Next, previous"],
    ["n", "New request"],
    ["a, d", "Answer, decline the first ring on Calls"],
    ["Esc", "Close the details or the dialog"],
    ...screens.map(({ key, title }) => [`g ${key}`, title] as const),
    ["?", "These keys"],
  ];
  return (
    <Dialog title="Keys" close={close}>
      <dl class="facts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The latest messages. Screen readers say them as they come. */
function Notices() {
  const session = useSession();
  return (
    <div class="notices" role="status" aria-live="polite">
      {session.notices.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice tone-${tone}`}>
          <p dir="auto">{text}</p>
          <Button icon="close" label="Close the message" onPress={() => session.dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

/** Says why the server sends no events, and what to do, in place of a screen. */
function Refusal({ stream }: { readonly stream: Extract<StreamState, { readonly state: "refused" }> }) {
  const session = useSession();
  if (stream.status === 403) return <TokenPrompt />;
  const name = session.sandbox.value;
  const isGone = stream.status === 404 && name !== "default";
  return (
    <Empty title={isGone ? `The sandbox ${name} does not exist` : "The server sends no events"}>
      <p dir="auto">{isGone ? "It was deleted, or it was never created." : stream.reason}</p>
      <div class="actions">
        {isGone && (
          <Button rank="primary" onPress={() => session.switchTo("default")}>
            Show the sandbox default
          </Button>
        )}
        <Button onPress={() => session.reconnect()}>Try again</Button>
      </div>
    </Empty>
  );
}

/** Asks for the control token, in place of a screen. The token is kept in memory and sent as a header. */
function TokenPrompt() {
  const session = useSession();
  const text = useSignal("");
  const submit = () =>
    batch(() => {
      session.token.value = text.value.trim();
      session.reconnect();
    });
  return (
    <div class="empty">
      <h1 class="empty-title">Control token</h1>
      <p>Other machines can reach this server, so it asks for its control token.</p>
      <Form onSubmit={submit}>
        <TextField
          label="Control token"
          type="password"
          autocomplete="off"
          value={text.value}
          onChange={(value) => (text.value = value)}
          error={
            session.token.value === undefined
              ? undefined
              : "The server does not accept this token. Copy the one that it printed at its last start."
          }
          hint="The server prints it when it starts. The page keeps it in memory, until its last tab is closed."
        />
        <SubmitButton>Connect</SubmitButton>
      </Form>
    </div>
  );
}
