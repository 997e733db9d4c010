import type { Schema } from "@call-transfer/backend/control-client";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Empty, LoadError, Panel } from "../../parts/screen.tsx";
import { timesInWords } from "./fault-in-words.ts";

type ListedStub = Schema<"StubList">["stubs"][number];

/** The stubs of the sandbox: the user's own responses to requests that no operation matches. */
export function StubList() {
  const live = useLive<Schema<"StubList">>(
    (control) => control.GET("/_control/v1/stubs"),
    // A request may have been answered by one.
    ({ type }) => type === "request.completed" || type.startsWith("stub."),
  );
  const stubs = live.data?.stubs ?? [];
  return (
    <Panel title="Stubs">
      <LoadError error={live.error} />
      {live.data !== undefined && stubs.length === 0 && (
        <Empty title="No stubs">
          <p>
            A stub answers requests that the mock has no operation for. Start the server with <Code>--stubs FILE</Code>,
            or send one to <Code>POST /_control/v1/stubs</Code>.
          </p>
        </Empty>
      )}
      <ul class="faults">
        {stubs.map((stub) => (
          <StubItem key={stub.id} stub={stub} />
        ))}
      </ul>
    </Panel>
  );
}

function StubItem({ stub }: { readonly stub: ListedStub }) {
  const { id, name, method, path, hits } = stub;
  const session = useSession();
  const remove = () =>
    act(
      session,
      session.control.value.DELETE("/_control/v1/stubs", { params: { query: { id } } }),
      `${id} is removed.`,
    );
  return (
    <li class="fault">
      <div class="fault-words" dir="auto">
        <strong>{name ?? `${method} ${path}`}</strong> <span class="fault-id">{id}</span>
        {name !== undefined && (
          <span class="fault-criterion">
            {method} {path}
          </span>
        )}
        {stub.match !== undefined && <Code>{JSON.stringify(stub.match)}</Code>}
      </div>
      <Button icon="close" label={`Remove ${id}`} onPress={remove} />
      <p class="fault-remains">{answerInWords(stub)}</p>
      <p class="fault-hits">
        {hits === 0 ? "No request yet" : `Answered ${timesInWords(hits)}`}
        {hits > 0 && <Link to={["traffic", "matching", `op:${id}`]}>Show the requests</Link>}
      </p>
    </li>
  );
}

/** What a stub answers. */
function answerInWords({ response, responses = [], collection, public: isPublic }: ListedStub): string {
  const statuses = (response === undefined ? responses : [response]).map(({ status = 200 }) => status);
  const answer = collection === undefined ? `Answers ${statuses.join(", then ")}` : `Uses the collection ${collection}`;
  return isPublic ? `${answer}, also without a credential` : answer;
}
