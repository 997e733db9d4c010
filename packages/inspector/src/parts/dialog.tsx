import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/** A dialog over the page. Escape closes it. */
export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string;
  readonly close: () => void;
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
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={close}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        <Button icon="close" label="Close" onPress={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

/** The end of a dialog or a form: the way back first, and what it is for last. */
export function DialogEnd({ close, children }: { readonly close: () => void; readonly children: ComponentChildren }) {
  return (
    <div class="actions actions-end">
      <Button onPress={close}>Cancel</Button>
      {children}
    </div>
  );
}

/** Asks before something is lost. */
export function Confirm({
  title,
  action,
  run,
  close,
  children,
}: {
  /** The question. */
  readonly title: string;
  /** The text of the button that does it. */
  readonly action: string;
  readonly run: () => unknown;
  readonly close: () => void;
  /** What is lost, and what stays. */
  readonly children: ComponentChildren;
}) {
  return (
    <Dialog title={title} close={close}>
      <p class="panel-text">{children}</p>
      <DialogEnd close={close}>
        <Button rank="danger" onPress={run}>
          {action}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
