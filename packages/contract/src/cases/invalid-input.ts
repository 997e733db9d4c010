import type { OperationId } from "@call-transfer/spec";
import { operationIds } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import {
  absent,
  fieldName,
  fieldPath,
  fieldsOf,
  type Probe,
  probesOf,
  type Rule,
  rulesOf,
} from "../document/fields.ts";
import { valueAt } from "../document/json.ts";
import { type ContractCase, casesFor, covering } from "../suite/case.ts";
import { type Check, fieldsNamed } from "../suite/check.ts";
import { connect, homeUser, type Input, identityOf, invoke, sendRaw, validInput } from "../suite/client.ts";
import { exampleValue, inputWith, itemsFrom } from "../suite/field-values.ts";
import type { Target } from "../suite/target.ts";

const test = casesFor("invalid input", ["validation"]);

/** Checks that an absent or null field means its default, by the field in the response or by equal responses. */
async function takesDefault(target: Target, check: Check, { field }: Rule, input: Input, data: unknown): Promise<void> {
  const { operation, schema, steps } = field;
  const mirrored = valueAt(data, steps);
  if (mirrored !== undefined) return check.equal(mirrored, schema.default, `${fieldPath(field)} in the response`);
  const client = await connect(target);
  const other = schema.minimum === schema.default ? Number(schema.default) + 1 : schema.minimum;
  check.equal(
    data,
    await invoke(client, operation, inputWith(input, field, schema.default)),
    "the response for the default",
  );
  const differing = await invoke(client, operation, inputWith(input, field, other));
  check.isTrue(JSON.stringify(differing) !== JSON.stringify(data), "another value gives another response");
}

async function accepts(target: Target, check: Check, rule: Rule, probe: Probe): Promise<void> {
  const { field } = rule;
  const input = validInput(field.operation);
  const client = await connect(target);
  const { data } = await invoke(client, field.operation, inputWith(input, field, probe.value)).withResponse();
  const isEmpty = probe.value === absent || probe.value === null;
  if (isEmpty && "default" in field.schema) await takesDefault(target, check, rule, input, data);
}

/** Sends a request without a body, which the SDK refuses to do. */
async function withoutBody(target: Target, check: Check, operation: OperationId, input: Input): Promise<void> {
  const headers = await identityOf(target, homeUser("owner"));
  const { status } = await sendRaw(target, operation, { headers }, input);
  check.equal(status, statusOf("validation_failed"), "the status of a request without a body");
}

async function rejects(target: Target, check: Check, { field }: Rule, { value, code }: Probe): Promise<void> {
  const input = inputWith(validInput(field.operation), field, value);
  if (field.steps.length === 0 && value === absent) return withoutBody(target, check, field.operation, input);
  const client = await connect(target);
  const call = invoke(client, field.operation, input);
  if (field.where === "path") return void (await check.rejected(call, "invalid_id_format"));
  if (field.steps.length === 0)
    return void (await check.rejectedWithStatus(
      call,
      "validation_failed",
      "A-20",
      value === null ? "a value is missing, or is null where null is not allowed" : "wrong type, format or value",
    ));
  check.equal(await fieldsNamed(check, call), [`${fieldPath(field)} ${code}`], "the fields named");
}

function* casesOf(operation: OperationId): Generator<ContractCase> {
  const input = validInput(operation);
  for (const field of fieldsOf(operation)) {
    const base = exampleValue(input, field);
    for (const rule of rulesOf(field)) {
      for (const probe of probesOf(rule, base, itemsFrom(base))) {
        const side = probe.code ? "invalid" : "valid";
        yield covering(
          [{ kind: "field", operation, field: fieldName(field), keyword: rule.keyword, side }],
          test(`${operation} ${side === "valid" ? "accepts" : "rejects"} ${fieldName(field)}: ${rule.keyword}, ${probe.what}`, (target, check) =>
            probe.code ? rejects(target, check, rule, probe) : accepts(target, check, rule, probe)),
        );
      }
    }
  }
}

/** The last valid and the first invalid value for every rule of every field, derived from the specification and the OpenAPI document. */
export const invalidInputCases: readonly ContractCase[] = operationIds.flatMap((id) => [...casesOf(id)]);
