import { Screen } from "../parts/screen.tsx";

/** The screen Webhooks. */
export function Webhooks() {
  return <Screen title="Webhooks">{null}</Screen>;
}
