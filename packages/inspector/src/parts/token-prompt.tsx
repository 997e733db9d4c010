import { batch, useSignal } from "@preact/signals";
import { useSession } from "../data/session/context.ts";
import { SubmitButton } from "./button.tsx";
import { TextField } from "./field.tsx";

/** Asks for the control token, in place of a screen. The token is kept in memory and sent as a header. */
export function TokenPrompt() {
  const session = useSession();
  const text = useSignal("");
  const submit = (event: Event) => {
    event.preventDefault();
    batch(() => {
      session.token.value = text.value.trim();
      session.reconnect();
    });
  };
  return (
    <form class="token-prompt" onSubmit={submit}>
      <h1>Control token</h1>
      <p>Other machines can reach this server, so it asks for its control token.</p>
      <TextField
        label="Control token"
        type="password"
        autocomplete="off"
        value={text.value}
        onChange={(value) => (text.value = value)}
        error={
          session.token.value === undefined
            ? undefined
            : "The server does not accept this token. Copy the one that it printed at its last start."
        }
        hint="The server prints it when it starts. The page keeps it in memory, until its last tab is closed."
      />
      <SubmitButton>Connect</SubmitButton>
    </form>
  );
}
