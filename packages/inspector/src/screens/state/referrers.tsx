import { useMemo } from "preact/hooks";
import { Link } from "../../parts/link.tsx";
import { PartHeading } from "../../parts/screen.tsx";
import { collectionLabel } from "./record-list.tsx";
import { type RecordPlace, referrersOf, titleOf } from "./records.ts";

const mostShown = 20;

/** The records that refer to a record, as links. Nothing if there are none. */
export function Referrers({ records, collection, id, lookup }: RecordPlace) {
  const all = useMemo(() => referrersOf(records, collection, id), [records, collection, id]);
  if (all.length === 0) return null;
  return (
    <section class="referrers">
      <PartHeading>Used by</PartHeading>
      <ul class="plain-list">
        {all.slice(0, mostShown).map((one) => (
          <li key={`${one.collection}/${one.id}`}>
            <Link to={["state", one.collection, one.id]}>{titleOf(one.collection, one.record, lookup)}</Link>
            <span class="muted"> in {collectionLabel(one.collection)}</span>
          </li>
        ))}
      </ul>
      {all.length > mostShown && <p class="muted">and {all.length - mostShown} more</p>}
    </section>
  );
}
