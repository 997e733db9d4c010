import { type ReadonlySignal, signal } from "@preact/signals";
import type { Fault } from "./fault.ts";

/** A fault that is being written, as a text or in the builder. */
export interface Draft {
  readonly text: ReadonlySignal<string>;
  readonly fault: ReadonlySignal<Fault>;
  /** Which of the two was edited last. */
  readonly form: ReadonlySignal<"text" | "builder">;
  setText(text: string): void;
  setFault(fault: Fault): void;
  /** What to send to add it. */
  body(): Fault | { readonly text: string };
}

/** Creates a {@link Draft} that begins with a text. */
export function createDraft(start: { readonly text: string; readonly fault: Fault }): Draft {
  const text = signal(start.text);
  const fault = signal(start.fault);
  const form = signal<"text" | "builder">("text");
  return {
    text,
    fault,
    form,
    setText(next) {
      text.value = next;
      form.value = "text";
    },
    setFault(next) {
      fault.value = next;
      form.value = "builder";
    },
    body: () => (form.value === "text" ? { text: text.value } : fault.value),
  };
}
