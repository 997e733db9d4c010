import { useSession } from "../data/session/context.ts";
import { Screen } from "../parts/screen.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Credentials } from "./sandboxes/credentials.tsx";
import { SandboxList } from "./sandboxes/sandbox-list.tsx";
import { Snapshots } from "./sandboxes/snapshots.tsx";

/** The screen Sandboxes: which there are, their snapshots, and credentials for them. */
export function Sandboxes() {
  const [tab] = useSession().route.value.rest;
  const isOfCredentials = tab === "credentials";
  return (
    <Screen
      title="Sandboxes"
      tools={
        <Tabs
          label="Parts of the screen"
          tabs={[
            { to: ["sandboxes"], title: "Sandboxes", isCurrent: !isOfCredentials },
            { to: ["sandboxes", "credentials"], title: "Credentials", isCurrent: isOfCredentials },
          ]}
        />
      }
    >
      {isOfCredentials ? (
        <Credentials />
      ) : (
        <>
          <SandboxList />
          <Snapshots />
        </>
      )}
    </Screen>
  );
}
