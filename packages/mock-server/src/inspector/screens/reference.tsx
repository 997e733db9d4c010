import { Screen } from "../parts/screen.tsx";

/** The screen Reference. */
export function Reference() {
  return <Screen title="Reference">{null}</Screen>;
}
