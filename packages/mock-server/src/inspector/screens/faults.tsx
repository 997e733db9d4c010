import { Screen } from "../parts/screen.tsx";

/** The screen Faults. */
export function Faults() {
  return <Screen title="Faults">{null}</Screen>;
}
