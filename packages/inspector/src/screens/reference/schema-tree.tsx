import { useSignal } from "@preact/signals";
import { Prose } from "../../parts/prose.tsx";
import type { Schema } from "./document.ts";
import { alternativesOf, fieldsOf, limitsOf, type Resolve, typeName } from "./schema.ts";

/** A schema as a list of its fields. What lies inside a field is shown when the field is opened. */
export function SchemaTree({ schema, resolve }: { readonly schema: Schema; readonly resolve: Resolve }) {
  const whole = resolve(schema);
  const content = contentOf(whole, resolve);
  return (
    <div class="schema">
      {!hasFields(content, resolve) && <Line schema={whole} resolve={resolve} />}
      {hasFields(content, resolve) && whole.description !== undefined && (
        <p class="schema-text">
          <Prose text={whole.description} />
        </p>
      )}
      <Inside schema={content} resolve={resolve} />
    </div>
  );
}

/** The fields or the alternatives of a schema. */
function Inside({ schema, resolve }: { readonly schema: Schema; readonly resolve: Resolve }) {
  const alternatives = alternativesOf(schema, resolve);
  return (
    <ul class="schema-fields">
      {fieldsOf(schema, resolve).map(({ name, schema: field, required }) => (
        <FieldRow key={name} name={name} schema={field} required={required} resolve={resolve} />
      ))}
      {alternatives.map((alternative, index) => (
        <FieldRow
          key={`alternative ${index}`}
          name={index === 0 ? "either" : "or"}
          isField={false}
          schema={alternative}
          required={false}
          resolve={resolve}
        />
      ))}
    </ul>
  );
}

function FieldRow({
  name,
  schema,
  required,
  resolve,
  isField = true,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly resolve: Resolve;
  /** False for an alternative, which has no name of its own. */
  readonly isField?: boolean;
}) {
  const isOpen = useSignal(false);
  const content = contentOf(resolve(schema), resolve);
  const title = (
    <>
      {isField ? <code class="schema-name">{name}</code> : <span class="schema-type">{name}</span>}{" "}
      {required && <span class="schema-required">required</span>}
    </>
  );
  return (
    <li>
      {hasFields(content, resolve) ? (
        <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary>
            {title} <Line schema={schema} resolve={resolve} />
          </summary>
          {isOpen.value && <Inside schema={content} resolve={resolve} />}
        </details>
      ) : (
        <div class="schema-leaf">
          {title} <Line schema={schema} resolve={resolve} />
        </div>
      )}
    </li>
  );
}

/** The type of a schema, its limits, its values and its description. */
function Line({ schema, resolve }: { readonly schema: Schema; readonly resolve: Resolve }) {
  const whole = resolve(schema);
  const described = resolve(whole.items ?? {});
  const values = whole.enum ?? described.enum ?? [];
  return (
    <>
      <span class="schema-type">
        {[typeName(whole, resolve), ...limitsOf(whole, resolve), ...limitsOf(whole.items ?? {}, resolve)].join(", ")}
      </span>
      {values.length > 0 && (
        <span class="schema-values">
          {values.map((value) => (
            <code key={String(value)}>{typeof value === "string" ? value : JSON.stringify(value)}</code>
          ))}
        </span>
      )}
      {whole.description !== undefined && (
        <span class="schema-text">
          <Prose text={whole.description} />
        </span>
      )}
    </>
  );
}

/** What lies inside: of an array its items, of a map its values. */
function contentOf(schema: Schema, resolve: Resolve): Schema {
  if (schema.items !== undefined) return contentOf(resolve(schema.items), resolve);
  const { additionalProperties } = schema;
  const isMap = schema.properties === undefined && typeof additionalProperties === "object";
  return isMap ? contentOf(resolve(additionalProperties), resolve) : schema;
}

function hasFields(schema: Schema, resolve: Resolve): boolean {
  return fieldsOf(schema, resolve).length > 0 || alternativesOf(schema, resolve).length > 0;
}
