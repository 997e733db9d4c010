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
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={close}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onPress={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}
