import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import type { ControlResult } from "../../data/session/live.ts";
import type { CollectionName } from "./fields.ts";
import { fieldsOf } from "./fields.ts";
import { changesBetween, draftOf, errorOf, type FormError, FormProblem, parseJson, recordOf } from "./form.ts";
import { identifies, recordId, type StateRecord } from "./records.ts";

/** What a form edits. */
export interface Edited {
  readonly collection: CollectionName;
  /** The record before the changes, or what a new one starts with. */
  readonly record: StateRecord;
  readonly isNew: boolean;
  /** The only field to edit; all by default. */
  readonly only: string | undefined;
  /** Values that the form begins with in place of the record's. They are changes, which Save sends. */
  readonly proposed?: StateRecord;
  /** Runs after success with the id of the record. */
  readonly done: (id: string) => void;
}

/** Keeps what the user writes, as fields or as JSON, and saves it. Only fields that differ are sent, so that changes from elsewhere stay. */
export function useRecordForm({ collection, record, isNew, only, proposed, done }: Edited) {
  const session = useSession();
  const first = useRef(record).current;
  const fields = fieldsOf(collection)
    .filter(({ name }) => only === undefined || name === only)
    .filter(({ name }) => isNew || !identifies(collection, first, name));
  const draft = useSignal({ ...draftOf(fields, first), ...proposed });
  const json = useSignal<string | undefined>(undefined);
  const error = useSignal<FormError | undefined>(undefined);

  const send = async (): Promise<ControlResult | undefined> => {
    const control = session.control.value;
    const before = recordOf(fields, draftOf(fields, first));
    const after = json.value === undefined ? recordOf(fields, draft.value) : (parseJson(json.value, "") as StateRecord);
    if (isNew)
      return control.POST("/_control/v1/records/{collection}", { params: { path: { collection } }, body: after });
    const changes = changesBetween(before, after);
    if (Object.keys(changes).length === 0) return undefined;
    return control.PATCH("/_control/v1/records/{collection}/{id}", {
      params: { path: { collection, id: recordId(collection, first) } },
      body: changes,
    });
  };
  const save = async () => {
    try {
      const result = await send();
      if (result !== undefined && !result.response.ok) {
        error.value = errorOf(result.error);
        return;
      }
      error.value = undefined;
      if (result !== undefined) session.notify("ok", isNew ? "Created." : "Saved.");
      done(recordId(collection, result === undefined ? first : (Object(result.data) as StateRecord)));
    } catch (reason) {
      const isOwn = reason instanceof FormProblem;
      error.value = isOwn ? reason : { path: "", message: `The server could not be reached. ${String(reason)}` };
    }
  };
  const toggleJson = () => {
    try {
      const text = json.value;
      if (text !== undefined) draft.value = draftOf(fields, parseJson(text, "") as StateRecord);
      json.value = text === undefined ? JSON.stringify(recordOf(fields, draft.value), null, 2) : undefined;
      error.value = undefined;
    } catch (reason) {
      if (!(reason instanceof FormProblem)) throw reason;
      error.value = reason;
    }
  };
  return { first, fields, draft, json, error, save, toggleJson };
}
