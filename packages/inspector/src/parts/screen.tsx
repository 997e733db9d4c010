import type { ComponentChildren } from "preact";
import { useKeys } from "./keys.tsx";

/** A screen: its title, its tools beside it, and its content below. */
export function Screen({
  title,
  tools,
  children,
}: {
  readonly title: string;
  /** Filters and buttons of the whole screen. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="screen" aria-label={title}>
      <header class="screen-head">
        <h1>{title}</h1>
        <div class="screen-tools">{tools}</div>
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
        <aside class="split-detail" aria-label="Details">
          {isSelected && (
            <button type="button" class="button button-quiet split-close" onClick={close}>
              Close
            </button>
          )}
          {detail}
        </aside>
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
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        <div class="panel-tools">{tools}</div>
      </header>
      {children}
    </section>
  );
}

/** Says that there is nothing yet, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
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
