import { Screen } from "../parts/screen.tsx";

/** The screen Sandboxes. */
export function Sandboxes() {
  return <Screen title="Sandboxes">{null}</Screen>;
}
