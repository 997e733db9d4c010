import { type Signal, useSignal } from "@preact/signals";
import {
  type Coverage as CoverageData,
  markdownOf,
  percentOf,
  type Share,
  type Show,
  sharesOf,
  shows,
} from "../data/records/coverage.ts";
import { useSession } from "../data/session/context.ts";
import { useLive } from "../data/session/live.ts";
import { CopyButton } from "../parts/button.tsx";
import { ClearJournal } from "../parts/clear-journal.tsx";
import { Filter } from "../parts/field.tsx";
import { LoadError, Screen, Split } from "../parts/screen.tsx";
import { Matrix } from "./coverage/matrix.tsx";
import { OperationDetail } from "./coverage/operation.tsx";

/** The screen Coverage: what of the API the app under test has met, and what it never has. */
export function Coverage() {
  const session = useSession();
  const filter = useSignal("");
  const show = useSignal<Show>("all");
  const [selected] = session.route.value.rest;
  const live = useLive<CoverageData>(
    (control) => control.GET("/_control/v1/coverage"),
    ({ type }) => type === "request.completed" || type === "requests.cleared",
  );
  const { data } = live;
  const chosen = data?.operations.find(({ operationId }) => operationId === selected);
  return (
    <Screen
      title="Coverage"
      tools={
        <>
          <Filter
            value={filter.value}
            placeholder="Operation, status or code"
            onChange={(value) => (filter.value = value)}
          />
          <ShowChoice show={show} />
        </>
      }
      actions={
        data !== undefined && (
          <>
            <CopyButton text={() => markdownOf(data)}>Copy as Markdown</CopyButton>
            <CopyButton text={() => JSON.stringify(data, null, 2)}>Copy as JSON</CopyButton>
            <ClearJournal done={live.reload} />
          </>
        )
      }
    >
      <LoadError error={live.error} />
      {data !== undefined && (
        <Split
          close={() => session.go("coverage")}
          list={
            <>
              <Summary coverage={data} />
              <Matrix coverage={data} filter={filter.value} show={show.value} selected={selected} />
            </>
          }
          detail={
            chosen && (
              <OperationDetail key={chosen.operationId} operation={chosen} codes={data.codes} show={show.value} />
            )
          }
        />
      )}
    </Screen>
  );
}

function ShowChoice({ show }: { readonly show: Signal<Show> }) {
  return (
    <select
      aria-label="What to show"
      value={show.value}
      onChange={(event) => (show.value = shows.find(([id]) => id === event.currentTarget.value)?.[0] ?? "all")}
    >
      {shows.map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  );
}

function Summary({ coverage }: { readonly coverage: CoverageData }) {
  const { operations, statuses, codes } = sharesOf(coverage);
  const { unmatched, rejected } = coverage;
  const isUndocumented = coverage.operations.some((one) => one.statuses.some(({ documented }) => !documented));
  const rest = [
    unmatched > 0 && `${unmatched} ${unmatched === 1 ? "request matches" : "requests match"} no operation`,
    rejected > 0 && `${rejected} rejected before the API`,
  ].filter(Boolean);
  return (
    <>
      <dl class="shares">
        <ShareOf name="Operations called" share={operations} />
        <ShareOf name="Statuses seen" share={statuses} />
        <ShareOf name="Error codes seen" share={codes} />
      </dl>
      <p class="coverage-note">
        {operations.seen === 0
          ? "Run the app, or its tests, against this server: each response counts here, also those to requests of this page. "
          : "Each response counts, also those to requests of this page. "}
        Select an operation to see its error codes, and to provoke them.
        {isUndocumented && " A star marks a status that the operation does not document."}
        {rest.length > 0 && ` ${rest.join(", ")}.`}
      </p>
    </>
  );
}

function ShareOf({ name, share }: { readonly name: string; readonly share: Share }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong class="number">{percentOf(share)} %</strong>{" "}
        <span class="number muted">
          {share.seen} of {share.of}
        </span>
        <meter aria-label={name} min={0} max={share.of} value={share.seen} />
      </dd>
    </div>
  );
}
