import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Code, Relative, Status } from "../../parts/data.tsx";
import { LoadError } from "../../parts/screen.tsx";

/** The scenarios as cards. */
export function Scenarios() {
  const session = useSession();
  const live = useLive<Schema<"ScenarioList">>((control) => control.GET("/_control/v1/scenarios"));
  const applied = useApplied();
  return (
    <>
      <LoadError error={live.error} />
      <p class="intro">
        A scenario changes the records, policies, faults and the inbox of the sandbox. A reset of the sandbox ends it.
      </p>
      <ul class="cards">
        {live.data?.scenarios.map((scenario) => (
          <li key={scenario.name} class="card">
            <header class="panel-head">
              <h2>{scenario.name}</h2>
              <Applied at={applied.get(scenario.name)} />
            </header>
            <p>{scenario.description}</p>
            <p class="card-parts">{partsOf(scenario)}</p>
            <footer class="card-end">
              <span>{scenario.section}</span>
              <Button
                label={`${applied.has(scenario.name) ? "Apply again" : "Apply"} ${scenario.name}`}
                onPress={() =>
                  act(
                    session,
                    session.control.value.POST("/_control/v1/scenarios/{name}", {
                      params: { path: { name: scenario.name } },
                    }),
                    `${scenario.name} is applied. A reset of the sandbox ends it.`,
                  )
                }
              >
                {applied.has(scenario.name) ? "Apply again" : "Apply"}
              </Button>
            </footer>
          </li>
        ))}
      </ul>
    </>
  );
}

function Applied({ at }: { readonly at: string | undefined }) {
  return at === undefined ? null : (
    <Status tone="ok">
      Applied <Relative at={at} />
    </Status>
  );
}

/** What a scenario sets, besides records. */
function partsOf({ faults = [], policies = {}, inbox }: Schema<"Scenario">) {
  return [
    ...faults.map((text) => `fault ${text}`),
    ...Object.entries(policies).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...(inbox?.delaySecs === undefined ? [] : [`inbox delay ${inbox.delaySecs} s`]),
  ].map((part) => <Code key={part}>{part}</Code>);
}

/** When each scenario was applied since the last reset, as far as the server's events reach. */
function useApplied(): ReadonlyMap<string, string> {
  const session = useSession();
  const applied = useSignal<ReadonlyMap<string, string>>(new Map());
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    const take = (events: readonly { readonly type: string; readonly at: string; readonly name?: unknown }[]) => {
      const next = new Map(applied.value);
      for (const { type, at, name } of events) {
        if (/^(?:stream[.]gap|sandbox[.](?:reset|restored))$/.test(type)) next.clear();
        if (type === "scenario.applied") next.set(String(name), at);
      }
      applied.value = next;
    };
    const load = async () => {
      const result = await control
        .GET("/_control/v1/events/latest", { params: { query: { limit: 2000 } } })
        .catch(() => undefined);
      if (isCurrent && result?.data !== undefined) take(dataAs<"EventList">(result).events);
    };
    void load();
    const stop = session.onEvents((events) => {
      take(events);
      // Events are missing, or another server sends them.
      if (events.some(({ type }) => type.startsWith("stream."))) void load();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [control]);
  return applied.value;
}
