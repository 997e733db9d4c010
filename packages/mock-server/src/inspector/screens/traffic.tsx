import { Screen } from "../parts/screen.tsx";

/** The screen Traffic. */
export function Traffic() {
  return <Screen title="Traffic">{null}</Screen>;
}
