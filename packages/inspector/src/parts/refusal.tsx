import type { StreamState } from "../data/connection/source.ts";
import { useSession } from "../data/session/context.ts";
import { Button } from "./button.tsx";
import { Empty } from "./screen.tsx";
import { TokenPrompt } from "./token-prompt.tsx";

/** Says why the server sends no events, and what to do, in place of a screen. */
export function Refusal({ stream }: { readonly stream: Extract<StreamState, { readonly state: "refused" }> }) {
  const session = useSession();
  if (stream.status === 403) return <TokenPrompt />;
  const name = session.sandbox.value;
  const isGone = stream.status === 404 && name !== "default";
  return (
    <Empty title={isGone ? `The sandbox ${name} does not exist` : "The server sends no events"}>
      <p dir="auto">{isGone ? "It was deleted, or it was never created." : stream.reason}</p>
      <div class="actions">
        {isGone && (
          <Button rank="primary" onPress={() => session.switchTo("default")}>
            Show the sandbox default
          </Button>
        )}
        <Button onPress={() => session.reconnect()}>Try again</Button>
      </div>
    </Empty>
  );
}

/** Says that the connection is lost, above what the page still shows. */
export function LostConnection() {
  return (
    <p class="lost" role="status">
      <strong>Connection lost.</strong> The page shows what it received last, and tries to connect again.
    </p>
  );
}
