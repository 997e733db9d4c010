import { type ReadonlySignal, useSignal } from "@preact/signals";

/** Runs an action when a form is submitted, in place of the browser. */
export const onSubmit = (action: () => unknown) => (event: Event) => {
  event.preventDefault();
  void action();
};

/**
 * An action of a form that takes time. Each click and each Enter submits the form: while the action is under way, the form is
 * busy, and nothing is done again.
 */
export function useSubmit(action: () => Promise<unknown>): {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly submit: (event: Event) => void;
} {
  const isBusy = useSignal(false);
  const submit = onSubmit(async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await action();
    } finally {
      isBusy.value = false;
    }
  });
  return { isBusy, submit };
}
