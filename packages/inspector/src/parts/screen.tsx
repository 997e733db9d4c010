import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { Button, CopyButton } from "./button.tsx";
import { Json } from "./data.tsx";
import { useKeys } from "./keys.tsx";

/** The level of the next headings: 1 is the screen's, 2 a panel's or the title of details, and so on. */
const HeadingLevel = createContext<2 | 3 | 4>(2);

/** A heading inside a panel or details, one level below theirs. */
export function PartHeading({ children }: { readonly children: ComponentChildren }) {
  const Element = `h${useContext(HeadingLevel)}` as const;
  return <Element class="part-title">{children}</Element>;
}

/** A screen: its title, its tools beside it, its actions at the end of the line, and its content below. */
export function Screen({
  title,
  tools,
  actions,
  children,
}: {
  readonly title: string;
  /** Tabs and filters. */
  readonly tools?: ComponentChildren;
  /** Buttons of the whole screen, the main one last. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="screen" aria-label={title}>
      <header class="screen-head">
        <h1>{title}</h1>
        <div class="screen-tools">{tools}</div>
        {actions && <div class="actions">{actions}</div>}
      </header>
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
  /** Whether the details are what needs the room. */
  readonly isWide?: boolean;
  /** Whether the user selected what the details show. If not, they stand beside the list only. */
  readonly isSelected?: boolean;
}) {
  useKeys(isSelected ? { Escape: close } : {});
  const classes = [
    "split",
    detail !== undefined && "split-open",
    isWide && "split-wide",
    !isSelected && "split-preview",
  ];
  return (
    <div class={classes.filter(Boolean).join(" ")}>
      <div class="split-list">{list}</div>
      {detail !== undefined && (
        <section class="split-detail" aria-label="Details">
          {isSelected && (
            <div class="split-close">
              <Button icon="close" onPress={close}>
                Close
              </Button>
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
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const level = useContext(HeadingLevel);
  const Title = `h${level}` as const;
  return (
    <section class="panel">
      <header class="panel-head">
        <Title>{title}</Title>
        <div class="actions">{tools}</div>
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
