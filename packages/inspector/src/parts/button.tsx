import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** A button. While its promise is open it is busy and does not act again. */
export function Button({
  onPress,
  kind = "plain",
  icon,
  label,
  disabled = false,
  children,
}: {
  readonly onPress: () => unknown;
  /** `primary`: what the user most likely wants; `danger`: what removes something; `quiet`: without a frame. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly icon?: IconName;
  /** For screen readers, and as a hint, where the text alone is not clear. */
  readonly label?: string;
  readonly disabled?: boolean;
  readonly children?: ComponentChildren;
}) {
  const isBusy = useSignal(false);
  const press = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await onPress();
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button
      type="button"
      class={`button button-${kind}`}
      onClick={press}
      disabled={disabled}
      aria-busy={isBusy.value}
      {...(label !== undefined && { "aria-label": label, title: label })}
    >
      {icon !== undefined && <Icon name={icon} />}
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
