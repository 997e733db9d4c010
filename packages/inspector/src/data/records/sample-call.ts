import { type ControlClient, dataAs } from "@call-transfer/backend/control-client";

type StateRecord = Readonly<Record<string, unknown>>;

/** The body of a placement. */
export interface SampleCall {
  readonly flowId: string;
  readonly fromNumber: string;
  readonly toNumber: string;
}

/** A number that the demo data lets everyone call. */
const toNumber = "+15550200001";

/** A call that the first account of a sandbox can place: a published flow, and a number that works. Undefined without them. */
export async function readSampleCall(control: ControlClient): Promise<SampleCall | undefined> {
  const [accounts, flows, numbers] = await Promise.all(
    (["accounts", "flows", "numbers"] as const).map(async (collection) => {
      const result = await control.GET("/_control/v1/records/{collection}", { params: { path: { collection } } });
      return dataAs<"RecordList">(result).records;
    }),
  );
  return sampleCallOf(accounts ?? [], flows ?? [], numbers ?? []);
}

/** {@link readSampleCall} from the records. */
export function sampleCallOf(
  [account]: readonly StateRecord[],
  flows: readonly StateRecord[],
  numbers: readonly StateRecord[],
): SampleCall | undefined {
  const works = (flags: readonly string[]) => (record: StateRecord) =>
    record.accountId === account?.id && flags.every((flag) => record[flag] !== false);
  const flow = flows.find(works(["published"]));
  const number = numbers.find(works(["active", "verified", "canInitiateCalls"]));
  if (flow === undefined || number === undefined) return undefined;
  return { flowId: String(flow.id), fromNumber: String(number.number), toNumber };
}
