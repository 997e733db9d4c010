import { Screen } from "../parts/screen.tsx";

/** The screen Transfers. */
export function Transfers() {
  return <Screen title="Transfers">{null}</Screen>;
}
