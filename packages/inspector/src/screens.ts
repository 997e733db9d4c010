import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import { Clock } from "./screens/clock.tsx";
import { Coverage } from "./screens/coverage.tsx";
import { Faults } from "./screens/faults.tsx";
import { Reference } from "./screens/reference.tsx";
import { Sandboxes } from "./screens/sandboxes.tsx";
import { State } from "./screens/state.tsx";
import { Traffic } from "./screens/traffic.tsx";
import { Transfers } from "./screens/transfers.tsx";
import { Webhooks } from "./screens/webhooks.tsx";

/** A screen of the inspector. */
export interface Screen {
  /** Its part of the address. */
  readonly id: string;
  readonly title: string;
  /** The key that shows it after `g`. */
  readonly key: string;
  readonly icon: IconName;
  readonly component: ComponentType;
}

/** All screens, in the order of the navigation. The first one is shown at the start. */
export const screens: readonly [Screen, ...Screen[]] = [
  { id: "traffic", title: "Traffic", key: "t", icon: "traffic", component: Traffic },
  { id: "transfers", title: "Transfers", key: "r", icon: "transfers", component: Transfers },
  { id: "clock", title: "Clock", key: "c", icon: "clock", component: Clock },
  { id: "webhooks", title: "Webhooks", key: "w", icon: "webhooks", component: Webhooks },
  { id: "state", title: "State", key: "s", icon: "state", component: State },
  { id: "faults", title: "Faults", key: "f", icon: "faults", component: Faults },
  { id: "sandboxes", title: "Sandboxes", key: "b", icon: "sandboxes", component: Sandboxes },
  { id: "coverage", title: "Coverage", key: "o", icon: "coverage", component: Coverage },
  { id: "reference", title: "Reference", key: "d", icon: "reference", component: Reference },
];
