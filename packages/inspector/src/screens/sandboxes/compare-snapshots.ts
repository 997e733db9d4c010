/** A record or another part of a snapshot that differs. */
export interface Difference {
  /** The collection, or the part of the snapshot such as `policies`. */
  readonly place: string;
  /** The id of the record, or the name of the part's field. */
  readonly id: string;
  readonly kind: "added" | "removed" | "changed";
  /** The fields that changed, each with its values. Values of secrets are left out. */
  readonly fields: readonly string[];
}

type Parts = Readonly<Record<string, unknown>>;

/** Names of fields whose values are not shown. */
const secretName = /secret|token|key|password/i;
/** The parts of a snapshot beside its records that people set. */
const settings = ["policies", "mode", "rate"];
const longestValue = 60;

/** What is different in `after` from `before`; both are snapshots. */
export function compareSnapshots(before: unknown, after: unknown): readonly Difference[] {
  const [one, other] = [partsOf(before), partsOf(after)];
  const [seed, otherSeed] = [partsOf(one.seed), partsOf(other.seed)];
  const collections = [...new Set([...Object.keys(seed), ...Object.keys(otherSeed)])];
  return [
    ...collections.flatMap((name) => compareParts(name, recordsOf(seed[name]), recordsOf(otherSeed[name]))),
    ...settings.flatMap((name) => compareParts(name, settingOf(one, name), settingOf(other, name))),
    ...compareParts("faults", recordsOf(partsOf(one.faults).waiting), recordsOf(partsOf(other.faults).waiting)),
  ];
}

function compareParts(place: string, before: Parts, after: Parts): readonly Difference[] {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return ids.flatMap((id): readonly Difference[] => {
    if (!(id in before)) return [{ place, id, kind: "added", fields: [] }];
    if (!(id in after)) return [{ place, id, kind: "removed", fields: [] }];
    const fields = changedFields(id, before[id], after[id]);
    return fields.length === 0 ? [] : [{ place, id, kind: "changed", fields }];
  });
}

function changedFields(id: string, before: unknown, after: unknown): readonly string[] {
  if (!isParts(before) || !isParts(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [changeOf(id, before, after)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => changeOf(name, before[name], after[name]));
}

function changeOf(name: string, before: unknown, after: unknown): string {
  return secretName.test(name) ? name : `${name} ${shown(before)} → ${shown(after)}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? "none" : typeof value === "string" ? value : withoutSecrets(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function withoutSecrets(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) => (secretName.test(name) ? undefined : field)) ?? "none";
}

/** Records by id. Records without one, such as roles of accounts, by their place. */
function recordsOf(records: unknown): Parts {
  const list: readonly unknown[] = Array.isArray(records) ? records : [];
  return Object.fromEntries(list.map((record, index) => [String(partsOf(record).id ?? `#${index + 1}`), record]));
}

function settingOf(snapshot: Parts, name: string): Parts {
  const value = snapshot[name];
  return isParts(value) ? value : value === undefined ? {} : { [name]: value };
}

const partsOf = (value: unknown): Parts => (isParts(value) ? value : {});

function isParts(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
