import type { ComponentChildren } from "preact";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/screen.tsx";

/** A panel with a button that edits what it shows. */
export function EditPanel({
  title,
  edit,
  children,
}: {
  readonly title: string;
  readonly edit: () => void;
  readonly children: ComponentChildren;
}) {
  const button = (
    <Button onPress={edit} label={`Edit ${title.toLowerCase()}`}>
      Edit
    </Button>
  );
  return (
    <Panel title={title} tools={button}>
      {children}
    </Panel>
  );
}
