import { messageOf } from "@call-transfer/backend/control-client";
import apiDocument from "@call-transfer/spec/openapi.json" with { type: "json" };
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import type { Session } from "../../data/session/session.ts";
import { messageIn } from "../../data/values/format.ts";
import { Filter } from "../../parts/field.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Link } from "../../parts/link.tsx";
import { Prose, plainText } from "../../parts/prose.tsx";
import { Empty, LoadError, Screen } from "../../parts/screen.tsx";
import { type Operation, type Reference, readReference, type Tag } from "./document.ts";
import { OperationPage } from "./operation-page.tsx";

const controlDocument = "/_control/v1/openapi.json";

/** The operations of the API and of the control plane, from their documents. */
export function ReferenceScreen() {
  const session = useSession();
  const { reference, error } = useReference(session);
  const filter = useSignal("");
  const shown = useMemo(
    () => (reference === undefined ? [] : matching(reference.tags, filter.value)),
    [reference, filter.value],
  );
  const [id] = session.route.value.rest;
  const selected = reference?.operations.find((operation) => operation.id === id);
  const list = shown.flatMap(({ operations }) => operations);
  const step = (by: number) => {
    const position = selected === undefined ? -1 : list.indexOf(selected);
    const next = list[Math.max(0, Math.min(position + by, list.length - 1))];
    if (next !== undefined) session.go("reference", next.id);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ...(selected !== undefined && { Escape: () => session.go("reference") }),
  });
  return (
    <Screen
      title="Reference"
      tools={
        <Filter value={filter.value} onChange={(text) => (filter.value = text)} placeholder="Operation, path or tag" />
      }
    >
      <LoadError error={error} />
      <div class={selected === undefined ? "reference" : "reference reference-open"}>
        <nav class="reference-list" aria-label="Operations">
          {shown.map((tag) => (
            <OperationGroup key={`${tag.api} ${tag.name}`} tag={tag} selected={selected} />
          ))}
          {reference !== undefined && list.length === 0 && (
            <p class="reference-none">No operation matches the filter.</p>
          )}
        </nav>
        <div class="reference-detail">
          {reference !== undefined && selected !== undefined && (
            <OperationPage key={selected.id} operation={selected} reference={reference} />
          )}
          {reference !== undefined && selected === undefined && (
            <Empty title={id === undefined ? "Choose an operation" : `There is no operation ${id}`}>
              <p>
                Each one shows its parameters and responses, and sends requests to this sandbox. <kbd>j</kbd> and{" "}
                <kbd>k</kbd> step through the list.
              </p>
            </Empty>
          )}
        </div>
      </div>
    </Screen>
  );
}

function OperationGroup({ tag, selected }: { readonly tag: Tag; readonly selected: Operation | undefined }) {
  return (
    <section class="reference-tag">
      <h2 title={plainText(tag.description)}>
        {tag.name} {tag.api === "control" && <span class="reference-plane">control plane</span>}
      </h2>
      <ul>
        {tag.operations.map((operation) => (
          <li key={operation.id}>
            <Link class="reference-link" to={["reference", operation.id]} current={operation === selected}>
              <span class={`reference-method method-${operation.method.toLowerCase()}`}>{operation.method}</span>
              <span class="reference-summary">
                <Prose text={operation.summary} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Reads the document of the control plane. The API's is a part of the page. */
function useReference(session: Session) {
  const state = useSignal<{ readonly reference?: Reference; readonly error?: string }>({});
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    readDocument(session, controlDocument).then(
      (plane) => {
        if (isCurrent) state.value = { reference: readReference({ api: apiDocument, control: plane }) };
      },
      (reason: unknown) => {
        const error = messageIn(reason);
        if (isCurrent) state.value = { reference: readReference({ api: apiDocument, control: undefined }), error };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [control]);
  return { reference: state.value.reference, error: state.value.error };
}

async function readDocument(session: Session, path: string): Promise<unknown> {
  const response = await session.controlFetch(new Request(session.source.baseUrl + path));
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`The document ${path} could not be read. ${messageOf(body)}`);
  return body;
}

/** The groups with the operations that a filter leaves. */
function matching(tags: readonly Tag[], filter: string): readonly Tag[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (operation: Operation) => {
    const text = [operation.id, operation.method, operation.path, operation.summary, operation.tag]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter(matches) }))
    .filter(({ operations }) => operations.length > 0);
}
