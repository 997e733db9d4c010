import { dataAs, messageOf } from "@call-transfer/backend/control-client";
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Session } from "../../data/session/session.ts";
import type { Fault } from "./fault.ts";

/** Why the draft is no fault. */
export interface DraftProblem {
  /** Which of the two forms was edited last. */
  readonly form: "text" | "builder";
  readonly message: string;
  /** Whether it is about what was edited before, because the last edit is not checked yet. */
  readonly isOld?: true;
}

/** A fault that is being written, as a text and in the builder: the control plane turns one into the other. */
export interface Draft {
  readonly text: ReadonlySignal<string>;
  readonly fault: ReadonlySignal<Fault>;
  readonly problem: ReadonlySignal<DraftProblem | undefined>;
  /** Whether only JSON can say it. */
  readonly hasNoText: ReadonlySignal<boolean>;
  setText(text: string): void;
  setFault(fault: Fault): void;
  /** What to send to add it. */
  body(): Fault | { readonly text: string };
}

/** How long the user's last change must be ago before it is checked, in milliseconds. */
const quietMs = 120;

/** Creates a {@link Draft} that begins with a text. */
export function createDraft(session: Session, start: { readonly text: string; readonly fault: Fault }): Draft {
  const text = signal(start.text);
  const fault = signal(start.fault);
  const problem = signal<DraftProblem | undefined>(undefined);
  const hasNoText = signal(false);
  let form: DraftProblem["form"] = "text";
  let edits = 0;
  const body = () => (form === "text" ? { text: text.value } : fault.value);
  const check = async () => {
    const edit = edits;
    const result = await session.control.value.POST("/_control/v1/faults/check", { body: body() });
    if (edit !== edits) return;
    if (result.data === undefined) {
      problem.value = { form, message: withoutPlace(messageOf(result.error)) };
      return;
    }
    const checked = dataAs<"CheckedFault">(result);
    problem.value = undefined;
    hasNoText.value = checked.text === undefined;
    if (form === "text") fault.value = checked.fault;
    else text.value = checked.text ?? "";
  };
  const edited = (next: DraftProblem["form"]) => {
    form = next;
    edits += 1;
    const edit = edits;
    // It stays in sight until the check, but keeps nothing from being added.
    if (problem.value !== undefined) problem.value = { ...problem.value, isOld: true };
    setTimeout(() => {
      // The next edit is checked instead. A server that is gone is shown by the page.
      if (edit === edits) void check().catch(() => undefined);
    }, quietMs);
  };
  return {
    text,
    fault,
    problem,
    hasNoText,
    setText(next) {
      text.value = next;
      edited("text");
    },
    setFault(next) {
      fault.value = next;
      edited("builder");
    },
    body,
  };
}

/** A message without the name of the field that holds the whole text. */
const withoutPlace = (message: string): string => message.replace(/^text: /, "");
