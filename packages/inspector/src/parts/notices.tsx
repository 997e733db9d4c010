import { useSession } from "../data/session/context.ts";
import { Button } from "./button.tsx";

/** The latest messages. Screen readers say them as they come. */
export function Notices() {
  const session = useSession();
  return (
    <div class="notices" role="status" aria-live="polite">
      {session.notices.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice tone-${tone}`}>
          <p dir="auto">{text}</p>
          <Button icon="close" label="Close the message" onPress={() => session.dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
