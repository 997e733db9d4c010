import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";
import { useSession } from "../data/session.ts";
import { Button, CopyButton } from "./controls.tsx";
import { Json } from "./data.tsx";

/** The level of the next headings: 1 is the screen's, 2 the title of details, and so on. */
const HeadingLevel = createContext<2 | 3 | 4>(2);

/** A heading inside a panel or details, one level below theirs. */
export function PartHeading({ children }: { readonly children: ComponentChildren }) {
  const Element = `h${useContext(HeadingLevel)}` as const;
  return <Element class="part-title">{children}</Element>;
}

/** A screen: its tools and actions in one line, and its content below. */
export function Screen({
  title,
  tools,
  actions,
  children,
}: {
  /** The name of the screen, which its tab shows. */
  readonly title: string;
  /** Filters. */
  readonly tools?: ComponentChildren;
  /** Buttons of the whole screen, the main one last. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="screen" aria-label={title}>
      <h1 class="visually-hidden">{title}</h1>
      {(tools || actions) && (
        <header class="screen-head">
          {tools && <div class="screen-tools">{tools}</div>}
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      <div class="screen-body">{children}</div>
    </section>
  );
}

/** A list beside the details of what is selected in it. On a narrow page the details cover the list. */
export function Split({
  list,
  detail,
  close,
  isWide = false,
  isSelected = detail !== undefined,
}: {
  readonly list: ComponentChildren;
  /** Undefined while there is nothing to show. */
  readonly detail: ComponentChildren | undefined;
  /** Returns to the list. */
  readonly close: () => void;
  /** Whether the details need more room than the list. */
  readonly isWide?: boolean;
  /** Whether the user selected what the details show. If not, they stand beside the list only. */
  readonly isSelected?: boolean;
}) {
  useKeys(isSelected ? { Escape: close } : {});
  const classes = [
    "split",
    detail !== undefined && "split-open",
    isWide && "split-wide",
    detail !== undefined && !isSelected && "split-preview",
  ];
  return (
    <div class={classes.filter(Boolean).join(" ")}>
      <div class="split-list">{list}</div>
      {detail !== undefined && (
        <section class="split-detail" aria-label="Details">
          {isSelected && (
            <div class="split-close">
              <Button icon="close" label="Close the details" onPress={close} />
            </div>
          )}
          <HeadingLevel.Provider value={3}>{detail}</HeadingLevel.Provider>
        </section>
      )}
    </div>
  );
}

/** A part of a screen with a heading. */
export function Panel({
  title,
  tools,
  children,
}: {
  readonly title: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const level = useContext(HeadingLevel);
  const Title = `h${level}` as const;
  return (
    <section class="panel">
      <header class="panel-head">
        <Title>{title}</Title>
        {tools && <div class="actions">{tools}</div>}
      </header>
      <HeadingLevel.Provider value={level === 2 ? 3 : 4}>{children}</HeadingLevel.Provider>
    </section>
  );
}

/** Says that there is nothing yet: what appears here, one action that changes that, and a command that does the same. */
export function Empty({
  title,
  action,
  command,
  children,
}: {
  readonly title: string;
  readonly action?: ComponentChildren;
  /** A command for a shell. */
  readonly command?: string | undefined;
  /** What appears here. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
      {action && <div class="actions">{action}</div>}
      {command !== undefined && (
        <div class="empty-command">
          <p>Or from a shell:</p>
          <Json value={command} label="Command" />
          <CopyButton text={() => command}>Copy the command</CopyButton>
        </div>
      )}
    </div>
  );
}

/** Shows why data could not be read; nothing without an error. */
export function LoadError({ error }: { readonly error: string | undefined }) {
  return error === undefined ? null : (
    <p class="load-error" role="alert" dir="auto">
      {error}
    </p>
  );
}

/** A link to a screen of this sandbox. */
export function Link({
  to,
  class: className = "",
  current = false,
  children,
}: {
  /** The id of the screen, and the selection there. */
  readonly to: readonly [screen: string, ...rest: readonly string[]];
  readonly class?: string;
  /** Whether it leads to the screen that is shown. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}) {
  const session = useSession();
  return (
    <a
      class={className}
      href={session.href(...to)}
      {...(current && { "aria-current": "page" })}
      onClick={(event) => {
        // Other clicks open a tab, which the browser does.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        session.go(...to);
      }}
    >
      {children}
    </a>
  );
}

/** A link that shows the id of its record. */
export function IdLink({ to }: { readonly to: readonly [screen: string, ...rest: readonly string[]] }) {
  return (
    <Link to={to}>
      <code class="code" dir="auto">
        {to.at(-1)}
      </code>
    </Link>
  );
}

/** A key, or two keys one after the other such as `g e`, and its action. */
export type Keys = Readonly<Record<string, () => void>>;

/** Runs functions for keys while the component is shown, unless the user types a text or a dialog is open. */
export function useKeys(keys: Keys): void {
  const { place } = useSession();
  // Before the page is painted: keys that follow each other quickly must not act on what was shown before.
  useLayoutEffect(() =>
    place.onKey((event, first) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const run = first === "g" ? keys[`g ${event.key}`] : keys[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    }),
  );
}

function isTyping(event: KeyboardEvent): boolean {
  // The target within a shadow root, too.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.matches("input, textarea, select, [contenteditable]") || target.closest("dialog[open], [popover]") !== null
  );
}
