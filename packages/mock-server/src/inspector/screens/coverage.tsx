import { Screen } from "../parts/screen.tsx";

/** The screen Coverage. */
export function Coverage() {
  return <Screen title="Coverage">{null}</Screen>;
}
