import { type Signal, useSignal } from "@preact/signals";
import type { Delivery, DestinationFacts } from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { jsonOrText } from "../../data/values/json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { Field, SelectField } from "../../parts/field.tsx";

/** A form that sends a signed offer to a destination. */
export function SendOffer({
  destinations,
  first,
  close,
}: {
  readonly destinations: readonly DestinationFacts[];
  /** The id of the destination that is selected at first. */
  readonly first?: string;
  readonly close: () => void;
}) {
  const session = useSession();
  const destinationId = useSignal(first ?? destinations[0]?.id ?? "");
  const fields = useSignal("{}");
  const error = useSignal<string | undefined>(undefined);
  const send = async () => {
    const payload = objectIn(fields.value);
    error.value = payload === undefined ? "Write a JSON object, such as {}." : undefined;
    if (payload === undefined) return;
    const body = { ...payload, destinationId: destinationId.value };
    let id: string | undefined;
    const sending = session.control.value.POST("/_control/v1/webhooks/trigger", { body }).then((result) => {
      if (result.response.ok) id = (result.data as Delivery).id;
      return result;
    });
    if (!(await act(session, sending)) || id === undefined) return;
    close();
    session.go("webhooks", id);
  };
  return (
    <Dialog title="Send an offer" close={close}>
      {destinations.length === 0 ? (
        <p>No destination is of the kind app. Add one on the screen State, or send to the built-in inbox.</p>
      ) : (
        <>
          <SelectField
            label="Destination"
            value={destinationId.value}
            options={destinations.map(({ id, name, config }) => [id, `${name} · ${config.url ?? "no address"}`])}
            hint="It receives a signed transfer.offer. No transfer begins: start one on the screen Transfers."
            onChange={(value) => (destinationId.value = value)}
          />
          <OtherFields fields={fields} error={error.value} />
          <DialogEnd close={close}>
            <Button rank="primary" onPress={send}>
              Sign and send
            </Button>
          </DialogEnd>
        </>
      )}
    </Dialog>
  );
}

function OtherFields({ fields, error }: { readonly fields: Signal<string>; readonly error: string | undefined }) {
  return (
    <Field
      label="Other fields of the event"
      hint="A JSON object, such as {&quot;transferId&quot;: &quot;t1&quot;}. The id and the type are set."
      error={error}
    >
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          dir="auto"
          spellcheck={false}
          value={fields.value}
          onInput={(event) => (fields.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonOrText(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : undefined;
}
