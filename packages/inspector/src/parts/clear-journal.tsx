import { useSignal } from "@preact/signals";
import { act } from "../data/session/act.ts";
import { useSession } from "../data/session/context.ts";
import { Button } from "./button.tsx";
import { Confirm } from "./dialog.tsx";

/** A button that clears the request log after a question: the requests on Traffic and the counts of Coverage. */
export function ClearJournal({
  done,
}: {
  /** Called when it is cleared. */
  readonly done: () => void;
}) {
  const session = useSession();
  const isAsking = useSignal(false);
  const close = () => (isAsking.value = false);
  const clear = async () => {
    const task = session.control.value.DELETE("/_control/v1/requests");
    const isCleared = await act(session, task, "The request log is cleared.");
    close();
    if (isCleared) done();
  };
  return (
    <>
      <Button rank="danger" onPress={() => (isAsking.value = true)}>
        Clear the request log
      </Button>
      {isAsking.value && (
        <Confirm title="Clear the request log?" action="Clear" run={clear} close={close}>
          The requests on Traffic are removed, and the counts on Coverage begin again. Records and the clock stay.
        </Confirm>
      )}
    </>
  );
}
