import { dataAs } from "@call-transfer/backend/control-client";
import { shellCommand } from "../../data/code/shell-command.ts";
import type { Delivery } from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import type { Session } from "../../data/session/session.ts";
import { newUuid } from "../../data/values/uuid.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/screen.tsx";

/** What to do while there is no delivery. */
export function FirstWebhook() {
  const session = useSession();
  return (
    <Empty
      title="No webhook was sent yet"
      action={
        <Button rank="primary" onPress={() => sendToInbox(session)}>
          Send a signed webhook to the inbox
        </Button>
      }
      command={shellCommand(session, "webhooks trigger")}
    >
      <p>
        A destination of the kind app receives a signed offer for each transfer, and each delivery appears here. The
        built-in inbox is such a receiver, so that no server is needed.
      </p>
    </Empty>
  );
}

/** Sends an offer to the built-in inbox, and shows it. Adds a destination for the inbox if there is none. */
export async function sendToInbox(session: Session): Promise<void> {
  const control = session.control.value;
  const sending = (async () => {
    const destinationId = await inboxDestination(session);
    const result = await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } });
    if (result.response.ok) session.go("webhooks", (result.data as Delivery).id);
    return result;
  })();
  await act(session, sending, "The inbox received a signed offer.");
}

/** The id of a destination whose address is the inbox. */
async function inboxDestination(session: Session): Promise<string> {
  const control = session.control.value;
  const { url } = dataAs<"Inbox">(await control.GET("/_control/v1/webhooks/inbox"));
  const records = async (collection: "destinations" | "accounts") =>
    dataAs<"RecordList">(await control.GET("/_control/v1/records/{collection}", { params: { path: { collection } } }))
      .records;
  const existing = (await records("destinations")).find(
    ({ kind, enabled, config }) => kind === "app" && enabled === true && Object(config).url === url,
  );
  if (existing !== undefined) return String(existing.id);
  const [account] = await records("accounts");
  if (account === undefined) throw new Error("There is no account. Add one on the screen State.");
  const created = await control.POST("/_control/v1/records/{collection}", {
    params: { path: { collection: "destinations" } },
    body: { id: newUuid(), accountId: account.id, name: "Built-in inbox", kind: "app", enabled: true, config: { url } },
  });
  return String(dataAs<"StateRecord">(created).id);
}
