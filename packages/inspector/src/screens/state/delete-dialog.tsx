import { useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { LoadError } from "../../parts/screen.tsx";
import { errorOf } from "./form.ts";
import type { RecordPlace } from "./records.ts";
import { Referrers } from "./referrers.tsx";

/** Asks before a record is deleted. If the server refuses, it shows why and what uses the record. */
export function DeleteDialog({
  title,
  close,
  ...place
}: RecordPlace & { readonly title: string; readonly close: () => void }) {
  const { collection, id } = place;
  const session = useSession();
  const refusal = useSignal<string | undefined>(undefined);
  const remove = async () => {
    const { response, error } = await session.control.value.DELETE("/_control/v1/records/{collection}/{id}", {
      params: { path: { collection, id } },
    });
    if (!response.ok) {
      const { path, message } = errorOf(error);
      refusal.value = path === "" ? message : `${title} ${message}.`;
      return;
    }
    close();
    session.notify("ok", "Deleted.");
    session.go("state", collection);
  };
  return (
    <Dialog title="Delete this record?" close={close}>
      <p dir="auto">
        <b>{title}</b>
        {collection === "calls" && " Its transfer is deleted with it."}
      </p>
      {refusal.value === undefined ? (
        <DialogEnd close={close}>
          <Button rank="danger" onPress={remove}>
            Delete
          </Button>
        </DialogEnd>
      ) : (
        <>
          <LoadError error={refusal.value} />
          {/* A link closes the dialog that it stands in. */}
          <div onClickCapture={(event) => event.target instanceof HTMLAnchorElement && close()}>
            <Referrers {...place} />
          </div>
        </>
      )}
    </Dialog>
  );
}
