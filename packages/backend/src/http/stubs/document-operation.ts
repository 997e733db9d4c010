import type { OperationDescription } from "@call-transfer/spec";
import type { Stub } from "../../generated/models.gen.ts";
import { type Problem, problem } from "../../model/errors/problem.ts";
import { type RequestSchema, readBody, readQuery } from "../checks/validate.ts";
import type { IncomingRequest } from "../transport/transport.ts";

/** An operation of a document of the user's, which is asked after the stubs. Its response has no templates. */
export interface DocumentOperation {
  /** Its name in the journal. */
  readonly id: string;
  /** Its method, path and response, and whether it needs no credential. */
  readonly stub: Pick<Stub, "method" | "path" | "public" | "response">;
  /** What path parameters, query and body must be. */
  readonly schemas: RequestSchema;
  /** The types of the path parameters by name. Only `integer`, `number` and `boolean` are read from their text. */
  readonly pathTypes: OperationDescription["queryParameters"];
  /** The types of the query parameters by name, in the same way. */
  readonly queryTypes: OperationDescription["queryParameters"];
  /** Whether a request must have a body; undefined if the document describes none in JSON. */
  readonly isBodyRequired?: boolean | undefined;
  /** Whether the document has other forms of the body, which are not checked. */
  readonly hasOtherForms: boolean;
}

/** What is checked of a request. */
interface CheckedRequest {
  readonly request: IncomingRequest;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly recordBody: (value: unknown, bytes: number) => void;
}

/** A problem of a request, and the check that found it. */
interface Refusal {
  readonly step: "path" | "query" | "body";
  readonly answer: Problem;
}

/** Checks path, query and body, in this order, as the platform does for its own operations. */
export async function checkAgainst(
  { schemas, pathTypes, queryTypes, isBodyRequired, hasOtherForms }: DocumentOperation,
  { request, url, params, recordBody }: CheckedRequest,
): Promise<Refusal | undefined> {
  const path = readQuery(new URLSearchParams(params), { queryParameters: pathTypes }, schemas.path);
  if (path.problem) return { step: "path", answer: path };
  const query = readQuery(url.searchParams, { queryParameters: queryTypes }, schemas.query);
  if (query.problem) return { step: "query", answer: query };
  if (isBodyRequired === undefined) return undefined;
  const type = request.headers.get("content-type");
  const isJson = /^application\/json\s*(;|$)/i.test(type ?? "");
  if (hasOtherForms && type !== null && !isJson) return undefined;
  const isEmpty = request.bodyBytes === undefined ? request.body === null : request.bodyBytes.byteLength === 0;
  if (isEmpty && !isBodyRequired) return undefined;
  if (isEmpty) {
    const errors = [{ field: "body", code: "required", message: "is required" }] as const;
    return { step: "body", answer: problem("validation_failed", { errors }) };
  }
  const body = await readBody(request, schemas.body, recordBody);
  return body.problem && { step: "body", answer: body };
}
