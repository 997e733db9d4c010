import { type ReadonlySignal, useSignal } from "@preact/signals";

/** Runs an action when a form is submitted, in place of the browser. */
export const onSubmit = (action: () => unknown) => (event: Event) => {
  event.preventDefault();
  void action();
};

/** An action that takes time. While it is under way, it is busy, and another run does nothing. */
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

/** An action of a form that takes time. Each click and each Enter submits the form, which runs the action once at a time. */
export function useSubmit(action: () => Promise<unknown>): {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly submit: (event: Event) => void;
} {
  const { isBusy, run } = useBusy(action);
  return { isBusy, submit: onSubmit(run) };
}
