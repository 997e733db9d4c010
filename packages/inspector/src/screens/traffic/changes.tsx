import type { Schema } from "@call-transfer/backend/control-client";
import { changedFields } from "../../data/values/record-fields.ts";
import { IdLink } from "../../parts/link.tsx";
import { Panel, PartHeading } from "../../parts/screen.tsx";

/** What a request changed, by record and field. */
export function Changes({ changes }: { readonly changes: readonly Schema<"RecordChange">[] }) {
  if (changes.length === 0) return null;
  return (
    <Panel title="What it changed">
      {changes.map((change, index) => (
        <Change key={index} change={change} />
      ))}
    </Panel>
  );
}

function Change({ change: { collection, id, before, after } }: { readonly change: Schema<"RecordChange"> }) {
  const kind = before === undefined ? "Added to" : after === undefined ? "Removed from" : "Changed in";
  return (
    <section class="change">
      <PartHeading>
        {kind} {collection} <IdLink to={["state", collection, id]} />
      </PartHeading>
      <table class="diff">
        <thead class="visually-hidden">
          <tr>
            <th>Field</th>
            <th>Before and after</th>
          </tr>
        </thead>
        <tbody>
          {changedFields(before, after).map((field) => (
            <tr key={field.field}>
              <td dir="auto">{field.field}</td>
              <td>
                {field.before !== undefined && <del dir="auto">{field.before}</del>}
                {field.after !== undefined && <ins dir="auto">{field.after}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
