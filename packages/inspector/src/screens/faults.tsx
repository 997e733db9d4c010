import { useSession } from "../data/session/context.ts";
import { Screen } from "../parts/screen.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { ActiveFaults } from "./faults/active-faults.tsx";
import { AddFault } from "./faults/add-fault.tsx";
import { PolicyTable } from "./faults/policies.tsx";
import { Scenarios } from "./faults/scenarios.tsx";
import { StubList } from "./faults/stub-list.tsx";

/** The screen Faults: what fails, what stubs answer, which situation the sandbox is in, and the decisions that the specification leaves open. */
export function Faults() {
  const [tab = ""] = useSession().route.value.rest;
  return (
    <Screen
      title="Faults"
      tools={
        <Tabs
          label="Parts of the screen"
          tabs={[
            { to: ["faults"], title: "Faults", isCurrent: !["scenarios", "stubs", "policies"].includes(tab) },
            { to: ["faults", "scenarios"], title: "Scenarios", isCurrent: tab === "scenarios" },
            { to: ["faults", "stubs"], title: "Stubs", isCurrent: tab === "stubs" },
            { to: ["faults", "policies"], title: "Policies", isCurrent: tab === "policies" },
          ]}
        />
      }
    >
      {tab === "scenarios" ? (
        <Scenarios />
      ) : tab === "stubs" ? (
        <StubList />
      ) : tab === "policies" ? (
        <PolicyTable />
      ) : (
        <div class="fault-columns">
          <AddFault />
          <ActiveFaults />
        </div>
      )}
    </Screen>
  );
}
