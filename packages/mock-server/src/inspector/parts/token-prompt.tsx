import { useSignal } from "@preact/signals";
import { useSession } from "../data/context.ts";
import { TextField } from "./field.tsx";

/** Asks for the control token, in place of a screen. The token is kept in memory and sent as a header. */
export function TokenPrompt({ reason }: { readonly reason: string }) {
  const session = useSession();
  const text = useSignal("");
  const submit = (event: Event) => {
    event.preventDefault();
    session.token.value = text.value.trim();
  };
  return (
    <form class="token-prompt" onSubmit={submit}>
      <h1>Control token</h1>
      <p dir="auto">{reason}</p>
      <TextField
        label="Control token"
        type="password"
        autocomplete="off"
        value={text.value}
        onChange={(value) => {
          text.value = value;
        }}
        hint="The server prints it when it starts. This page keeps it until it is closed."
      />
      <button type="submit" class="button button-primary">
        Connect
      </button>
    </form>
  );
}
