import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";
import { useBusy } from "./submit.ts";

/**
 * The rank of a button. `primary`: what most users want next, at most one in a view. `secondary`: everything else. `danger`: what
 * removes something. Each has a frame, so that nothing that acts looks like a text.
 */
export type ButtonRank = "primary" | "secondary" | "danger";

/** A button. While its promise is open it is busy and does not act again. */
export function Button({
  onPress,
  rank = "secondary",
  icon,
  label,
  disabled = false,
  pressed,
  children,
}: {
  readonly onPress: () => unknown;
  readonly rank?: ButtonRank;
  readonly icon?: IconName;
  /** For screen readers, and as a hint, where the text alone is not clear. */
  readonly label?: string;
  readonly disabled?: boolean;
  /** Of a button that switches something on: whether it is on. */
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { isBusy, run } = useBusy(onPress);
  return (
    <button
      type="button"
      class={`button button-${rank}${children === undefined ? " square" : ""}`}
      onClick={run}
      disabled={disabled}
      aria-busy={isBusy.value}
      {...(pressed !== undefined && { "aria-pressed": pressed })}
      {...(label !== undefined && { "aria-label": label, title: label })}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** The button that submits its form. */
export function SubmitButton({
  disabled = false,
  isBusy = false,
  children,
}: {
  readonly disabled?: boolean;
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="submit" class="button button-primary" disabled={disabled} aria-busy={isBusy}>
      {children}
    </button>
  );
}

/** Copies a text. The button says for a moment that it did. */
export function CopyButton({
  text,
  children,
}: {
  /** The text, which may have to be read first. */
  readonly text: () => string | Promise<string>;
  readonly children: ComponentChildren;
}) {
  const done = useSignal<"" | "Copied" | "Not copied">("");
  const copy = async () => {
    // The clipboard needs HTTPS or this machine, and may be forbidden.
    done.value = await Promise.resolve()
      .then(text)
      .then((ready) => navigator.clipboard.writeText(ready))
      .then(
        () => "Copied" as const,
        () => "Not copied" as const,
      );
    setTimeout(() => {
      done.value = "";
    }, 1500);
  };
  return (
    <Button onPress={copy} icon="copy">
      <span aria-live="polite">{done.value === "" ? children : done.value}</span>
    </Button>
  );
}
