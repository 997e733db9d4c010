// Requests of samples.ts as calls of the Python client.
import { type OperationId, operations } from "@call-transfer/spec";
import { pythonName } from "../scripts/generate/text/python.ts";
import { nameIn, type Sample } from "./samples.ts";

/** Columns of the formatter of Python. */
const columns = 79;

/** A value as Python. An object or list that does not fit has a line for each part. */
function source(value: unknown, indent: string, room: number): string {
  const name = nameIn(value);
  if (name !== undefined) return name.split(".").map(pythonName).join(".");
  if (typeof value !== "object" || value === null)
    return value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = (roomOf: (label: string) => number) =>
    Object.entries(value).map(([key, part]) => {
      const label = Array.isArray(value) ? "" : `"${pythonName(key)}": `;
      return `${label}${source(part, inner, roomOf(label))}`;
    });
  const line = `${open}${parts(() => Number.POSITIVE_INFINITY).join(", ")}${close}`;
  if (line.length <= room) return line;
  const lines = parts((label) => columns - inner.length - label.length - 1).map((part) => `${inner}${part},\n`);
  return `${open}\n${lines.join("")}${indent}${close}`;
}

/** The call of the Python client's method, below an indentation. */
function pythonCall(operation: OperationId, { path = {}, query, body }: Sample, indent: string): string {
  const { resource, sdkMethod } = operations[operation];
  // The method of an item's part has the part's name in TypeScript and in Python.
  const method = `client.${pythonName(resource)}.${pythonName(sdkMethod)}`;
  const named = Object.entries({ ...body, ...query });
  const line = [
    ...Object.values(path).map((value) => source(value, indent, Number.POSITIVE_INFINITY)),
    ...named.map(([key, value]) => `${pythonName(key)}=${source(value, indent, Number.POSITIVE_INFINITY)}`),
  ].join(", ");
  if (`${indent}result = ${method}(${line})`.length <= columns) return `${method}(${line})`;
  const inner = `${indent}    `;
  const lines = [
    ...Object.values(path).map((value) => source(value, inner, columns - inner.length - 1)),
    ...named.map(([key, value]) => {
      const label = `${pythonName(key)}=`;
      return `${label}${source(value, inner, columns - inner.length - label.length - 1)}`;
    }),
  ];
  return `${method}(\n${lines.map((one) => `${inner}${one},\n`).join("")}${indent})`;
}

/** The program of an operation in Python. An operation without a result prints nothing. */
export function pythonProgram(id: OperationId, sample: Sample, hasResult: boolean): string {
  const call = pythonCall(id, sample, "    ");
  return `from call_transfer.testing import ${call.includes("demo.") ? "demo, " : ""}open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
${hasResult ? `    result = ${call}\n    print(result)` : `    ${call}`}
`;
}
