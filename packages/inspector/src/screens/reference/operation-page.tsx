import { Code, Status, toneOfStatus } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Panel } from "../../parts/screen.tsx";
import type { DocumentedResponse, Operation, Reference } from "./document.ts";
import { limitsOf, type Resolve, typeName } from "./schema.ts";
import { SchemaTree } from "./schema-tree.tsx";
import { TryIt } from "./try-it.tsx";

/** One operation: what its document says, beside the form that sends it. */
export function OperationPage({
  operation,
  reference,
}: {
  readonly operation: Operation;
  readonly reference: Reference;
}) {
  const resolve: Resolve = (schema) => reference.resolve(operation, schema);
  const { parameters, body } = operation;
  return (
    <article class="operation" aria-label={operation.summary}>
      <header class="operation-head">
        <div class="operation-back">
          <Link to={["reference"]}>All operations</Link>
        </div>
        <h2>
          <Prose text={operation.summary} />
        </h2>
        <p class="operation-path">
          <span class={`reference-method method-${operation.method.toLowerCase()}`}>{operation.method}</span>
          <Code>{operation.path}</Code>
        </p>
        {operation.description !== "" && (
          <p class="operation-text">
            <Prose text={operation.description} />
          </p>
        )}
        <Access operation={operation} />
      </header>
      <div class="operation-columns">
        <div>
          {parameters.length > 0 && <Parameters parameters={parameters} resolve={resolve} />}
          {body !== undefined && (
            <Panel title={body.isRequired ? "Request body, required" : "Request body"}>
              <SchemaTree schema={body.schema} resolve={resolve} />
            </Panel>
          )}
          <Panel title="Responses">
            {operation.responses.map((response) => (
              <ResponseRow key={response.status} response={response} resolve={resolve} />
            ))}
          </Panel>
        </div>
        <TryIt operation={operation} resolve={resolve} />
      </div>
    </article>
  );
}

function Parameters({
  parameters,
  resolve,
}: {
  readonly parameters: Operation["parameters"];
  readonly resolve: Resolve;
}) {
  return (
    <Panel title="Parameters">
      <ul class="schema-fields schema-top">
        {parameters.map(({ name, in: place, required, description, schema }) => (
          <li key={`${place} ${name}`} class="schema-leaf">
            <code class="schema-name">{name}</code> {required && <span class="schema-required">required</span>}{" "}
            <span class="schema-type">
              {[place, typeName(schema, resolve), ...limitsOf(schema, resolve)].join(", ")}
            </span>
            <span class="schema-values">
              {(resolve(schema).enum ?? []).map((value) => (
                <code key={String(value)}>{String(value)}</code>
              ))}
            </span>
            <span class="schema-text">
              <Prose text={description} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Access({ operation: { roles, scope } }: { readonly operation: Operation }) {
  if (roles.length === 0 && scope === undefined) return null;
  return (
    <p class="operation-access">
      {roles.length > 0 && <>Roles: {roles.join(", ")}. </>}
      {scope !== undefined && (
        <>
          Scope of an API key: <code>{scope}</code>.
        </>
      )}
    </p>
  );
}

function ResponseRow({ response, resolve }: { readonly response: DocumentedResponse; readonly resolve: Resolve }) {
  const { status, description, schema, mediaType, examples } = response;
  const number = Number(status.replaceAll(/[Xx]/g, "0"));
  // The names of an error's examples are its codes.
  const codes = number >= 400 ? examples : [];
  return (
    <details class="operation-response">
      <summary>
        <Status tone={toneOfStatus(number)}>{status}</Status> <Prose text={description} />
      </summary>
      {codes.length > 0 && (
        <p class="schema-values">
          {codes.map((code) => (
            <code key={code}>{code}</code>
          ))}
        </p>
      )}
      {schema === undefined ? (
        <p class="schema-text">{mediaType === undefined ? "No body." : `A body of the type ${mediaType}.`}</p>
      ) : (
        <SchemaTree schema={schema} resolve={resolve} />
      )}
    </details>
  );
}
