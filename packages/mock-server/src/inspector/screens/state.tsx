import { Screen } from "../parts/screen.tsx";

/** The screen State. */
export function State() {
  return <Screen title="State">{null}</Screen>;
}
