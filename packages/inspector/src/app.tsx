import { useSignal } from "@preact/signals";
import { trafficWords } from "./data/records/traffic-filter.ts";
import { SessionContext, useSession } from "./data/session/context.ts";
import { useLive } from "./data/session/live.ts";
import type { Session } from "./data/session/session.ts";
import { Button } from "./parts/button.tsx";
import { ClockBar } from "./parts/clock-bar.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import { useKeys } from "./parts/keys.tsx";
import { Link } from "./parts/link.tsx";
import { Notices } from "./parts/notices.tsx";
import { LostConnection, Refusal } from "./parts/refusal.tsx";
import { writeOutControls } from "./parts/visible-text.ts";
import { type Screen, screens } from "./screens.ts";

writeOutControls();

/** The whole inspector. */
export function App({ session }: { readonly session: Session }) {
  return (
    <SessionContext.Provider value={session}>
      <Frame />
    </SessionContext.Provider>
  );
}

/** Screens that stand in the bar at the bottom of a narrow page; the others are behind "More". */
const firstScreens = 4;

function Frame() {
  const session = useSession();
  const { route, stream } = session;
  const areKeysShown = useSignal(false);
  const current = screens.find(({ id }) => id === route.value.screen) ?? screens[0];
  const Content = current.component;
  const root = useSignal<HTMLElement | null>(null);
  useKeys({
    "?": () => {
      areKeysShown.value = true;
    },
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
          <Icon name="transfers" /> Call transfer
        </span>
        <SandboxChoice />
        <StreamStatus />
        <ClockBar />
      </header>
      <Navigation current={current} showKeys={() => (areKeysShown.value = true)} />
      <main id="main" class="main" tabIndex={-1}>
        {stream.value.state === "lost" && <LostConnection />}
        {stream.value.state === "refused" ? <Refusal stream={stream.value} /> : <Content key={route.value.sandbox} />}
      </main>
      <Notices />
      {areKeysShown.value && <KeyHelp close={() => (areKeysShown.value = false)} />}
    </div>
  );
}

function ScreenLink({
  screen,
  isCurrent,
  isFirst,
  follow,
}: {
  readonly screen: Screen;
  readonly isCurrent: boolean;
  readonly isFirst: boolean;
  /** Called when the link is followed. */
  readonly follow: () => void;
}) {
  return (
    <Link class={isFirst ? "side-link" : "side-link side-later"} to={[screen.id]} current={isCurrent} follow={follow}>
      <Icon name={screen.icon} />
      <span>{screen.title}</span>
      <span class="side-key" aria-hidden="true">
        <kbd>g {screen.key}</kbd>
      </span>
    </Link>
  );
}

/** The screens, and what stands at the end of their list. On a narrow page "More" opens what does not fit the bar. */
function Navigation({ current, showKeys }: { readonly current: Screen; readonly showKeys: () => void }) {
  const isOpen = useSignal(false);
  const isLater = screens.indexOf(current) >= firstScreens;
  const close = () => (isOpen.value = false);
  useKeys(isOpen.value ? { Escape: close } : {});
  return (
    <nav class={isOpen.value ? "side side-open" : "side"} aria-label="Screens">
      {screens.map((screen, index) => (
        <ScreenLink
          key={screen.id}
          screen={screen}
          isCurrent={screen === current}
          isFirst={index < firstScreens}
          follow={close}
        />
      ))}
      <button
        type="button"
        class={`side-more ${isLater ? "side-more-current" : ""}`}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="more" />
        <span>{isLater ? current.title : "More"}</span>
        {isLater && <span class="visually-hidden">: more screens</span>}
      </button>
      <div class="side-end">
        <ThemeButton />
        <Button icon="keys" label="Show the keys" onPress={showKeys} />
      </div>
    </nav>
  );
}

function SandboxChoice() {
  const session = useSession();
  const live = useLive<{ sandboxes: readonly { name: string }[] }>(
    (control) => control.GET("/_control/v1/sandboxes"),
    ({ type }) => type.startsWith("sandbox."),
  );
  const current = session.sandbox.value;
  // A backend without sandboxes lists itself without a name.
  const names = live.data?.sandboxes.map(({ name }) => name).filter((name) => name !== "") ?? [];
  return (
    <span class="sandbox-choice">
      <Icon name="sandboxes" />
      {/* Events about other sandboxes come in the default one alone. */}
      <select
        aria-label="Sandbox"
        title="Sandbox"
        value={current}
        onFocus={() => live.reload()}
        onPointerDown={() => live.reload()}
        onChange={(event) => session.switchTo(event.currentTarget.value)}
      >
        {[...new Set([current, ...names])].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

function StreamStatus() {
  const { state } = useSession().stream.value;
  if (state === "live") return <span class="status tone-ok">Live</span>;
  if (state === "connecting") return <span class="status tone-idle">Connecting</span>;
  return <span class="status tone-bad">{state === "lost" ? "Connection lost" : "Not connected"}</span>;
}

/** Switches between light and dark. Without a choice the page follows the system. */
function ThemeButton() {
  const { colours } = useSession().place;
  const isDark = (colours.value ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  return (
    <Button
      icon={isDark ? "sun" : "moon"}
      label={isDark ? "Light colours" : "Dark colours"}
      onPress={() => (colours.value = isDark ? "light" : "dark")}
    />
  );
}

function KeyHelp({ close }: { readonly close: () => void }) {
  const keys: readonly (readonly [string, string])[] = [
    ["/", "Filter"],
    ["j, k", "Next, previous"],
    ["Esc", "Close the details or the dialog"],
    ...screens.map(({ key, title }) => [`g ${key}`, title] as const),
    ["?", "These keys"],
  ];
  return (
    <Dialog title="Keys" close={close}>
      <dl class="key-list">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <h3>Filter of Traffic</h3>
      <dl class="key-list">
        {trafficWords.map(([word, meaning]) => (
          <div key={word}>
            <dt>
              <code>{word}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
