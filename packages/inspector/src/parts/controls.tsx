import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

/** An action that takes time. While it runs it is busy, and another run does nothing. */
export function useBusy(action: () => unknown): {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly run: () => Promise<void>;
} {
  const isBusy = useSignal(false);
  const run = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await action();
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, run };
}

/**
 * The rank of a button. `primary`: what most users want next, at most one in a view. `secondary`: everything else. `danger`:
 * what removes something. `plain`: one of many in a row.
 */
export type ButtonRank = "primary" | "secondary" | "danger" | "plain";

/** A button. While its promise is open it is busy and does not act again. */
export function Button({
  onPress,
  rank = "secondary",
  icon,
  label,
  hint,
  disabled = false,
  pressed,
  children,
}: {
  readonly onPress: () => unknown;
  readonly rank?: ButtonRank;
  readonly icon?: IconName;
  /** For screen readers, and as a hint, where the text alone is not clear. */
  readonly label?: string;
  /** More than its name, for those who rest on it. */
  readonly hint?: string;
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
      {...(hint !== undefined && { title: hint })}
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
  label,
  children,
}: {
  /** The text, which may have to be read first. */
  readonly text: () => string | Promise<string>;
  readonly label?: string;
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
    <Button onPress={copy} icon="copy" {...(label !== undefined && { label })}>
      <span aria-live="polite">{done.value === "" ? children : done.value}</span>
    </Button>
  );
}

/** A button that opens a panel below it. Escape and a click outside close the panel. */
export function Menu({
  label,
  icon,
  text,
  rank = "secondary",
  isWide = false,
  children,
}: {
  /** The name of the button and of the panel. */
  readonly label: string;
  readonly icon?: IconName;
  /** The text of the button; without one it shows its icon alone. */
  readonly text?: ComponentChildren;
  readonly rank?: ButtonRank;
  readonly isWide?: boolean;
  /** The panel, which is drawn while it is open. */
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const id = useId();
  const isOpen = useSignal(false);
  const panel = useRef<HTMLDivElement>(null);
  const place = (button: HTMLElement) => {
    const { left, right, bottom } = button.getBoundingClientRect();
    const { style } = panel.current ?? {};
    if (style === undefined) return;
    style.setProperty("--menu-top", `${bottom + 4}px`);
    // A narrow page gives the panel its whole width.
    const isStart = innerWidth < 600 || left < innerWidth / 2;
    style.setProperty("--menu-left", isStart ? `${innerWidth < 600 ? 8 : left}px` : "auto");
    style.setProperty("--menu-right", isStart ? "auto" : `${innerWidth - right}px`);
  };
  return (
    <>
      <button
        type="button"
        class={`button button-${rank}${text === undefined ? " square" : ""}`}
        popovertarget={id}
        aria-haspopup="dialog"
        onClick={(event) => place(event.currentTarget)}
        {...(text === undefined ? { "aria-label": label, title: label } : { title: label })}
      >
        {icon !== undefined && <Icon name={icon} />}
        {text}
        {text !== undefined && <Icon name="open" />}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        class={isWide ? "menu menu-wide" : "menu"}
        role="dialog"
        aria-label={label}
        onToggle={(event) => (isOpen.value = event.newState === "open")}
      >
        {isOpen.value && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}

/** A dialog over the page. Escape closes it. */
export function Dialog({
  title,
  close,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly close: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const root = dialog.current?.getRootNode();
    const opener = root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
    dialog.current?.showModal();
    // A button that closes the dialog removes it, and the focus would be lost.
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class={isWide ? "dialog dialog-wide" : "dialog"} aria-labelledby={id} onClose={close}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        <Button icon="close" label="Close" onPress={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

/** A button that asks before something is lost. */
export function ConfirmButton({
  label,
  action,
  question,
  run,
  children,
}: {
  /** The name of the button, where its text alone is not clear. */
  readonly label?: string;
  /** The text of the button, and of the one that does it. */
  readonly action: string;
  readonly question: string;
  readonly run: () => unknown;
  /** What is lost, and what stays. */
  readonly children: ComponentChildren;
}) {
  const isAsking = useSignal(false);
  const close = () => (isAsking.value = false);
  return (
    <>
      <Button rank="danger" onPress={() => (isAsking.value = true)} {...(label !== undefined && { label })}>
        {action}
      </Button>
      {isAsking.value && (
        <Dialog title={question} close={close}>
          <p>{children}</p>
          <div class="actions actions-end">
            <Button onPress={close}>Cancel</Button>
            <Button
              rank="danger"
              onPress={async () => {
                await run();
                close();
              }}
            >
              {action}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** A form that runs an action once at a time, by its button or by Enter. */
export function Form({
  onSubmit,
  class: className = "form",
  children,
}: {
  readonly onSubmit: () => unknown;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const { run } = useBusy(onSubmit);
  return (
    <form
      class={className}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {children}
    </form>
  );
}

/** The button that submits its form. */
export function SubmitButton({
  rank = "primary",
  children,
}: {
  readonly rank?: ButtonRank;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="submit" class={`button button-${rank}`}>
      {children}
    </button>
  );
}

/** A labeled input with a hint and its error. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** The input; it receives the id that connects it with the label and the error. */
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": error !== undefined })}
      <p id={`${id}-hint`} class={error === undefined ? "field-hint" : "field-error"} dir="auto">
        {error ?? hint}
      </p>
    </div>
  );
}

/** A text field. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  type = "text",
  ...input
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly type?: "text" | "password";
  readonly placeholder?: string;
  readonly autocomplete?: "off" | "on";
  readonly "data-filter"?: string;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...input}
          {...ids}
          // The types of Preact know the kinds of inputs one by one only.
          type={type as "text"}
          dir="auto"
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of a few values. */
export function SelectField({
  label,
  value,
  onChange,
  options,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values and their names. */
  readonly options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A text of several lines in a monospaced font. */
export function CodeField({
  label,
  value,
  onChange,
  rows = 8,
  hint,
  error,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          dir="auto"
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** The filter of a screen: the key `/` moves the focus to it. */
export function Filter({
  value,
  onChange,
  placeholder,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
}) {
  return (
    <input
      class="filter"
      type="search"
      data-filter=""
      dir="auto"
      spellcheck={false}
      aria-label="Filter"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
