import { Screen } from "../parts/screen.tsx";

/** The screen Clock. */
export function Clock() {
  return <Screen title="Clock">{null}</Screen>;
}
