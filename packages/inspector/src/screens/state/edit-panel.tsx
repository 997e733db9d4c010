import type { ComponentChildren } from "preact";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/screen.tsx";

/** A panel with a button that edits what it shows. */
export function EditPanel({
  title,
  edit,
  isEmpty = false,
  children,
}: {
  readonly title: string;
  readonly edit: () => void;
  /** Whether there is nothing to edit yet, so that the button sets it. */
  readonly isEmpty?: boolean;
  readonly children: ComponentChildren;
}) {
  const subject = title.toLowerCase();
  const button = isEmpty ? (
    <Button onPress={edit}>Set {subject}</Button>
  ) : (
    <Button onPress={edit} label={`Edit ${subject}`}>
      Edit
    </Button>
  );
  return (
    <Panel title={title} tools={button}>
      {children}
    </Panel>
  );
}
