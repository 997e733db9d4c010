import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Relative, Status } from "../../parts/data.tsx";
import { LoadError } from "../../parts/screen.tsx";

/** The scenarios as cards. */
export function Scenarios() {
  const session = useSession();
  const { scenarios, error } = useScenarios();
  const applied = useApplied();
  return (
    <>
      <LoadError error={error} />
      <p class="intro">
        A scenario changes the records, policies, faults and the inbox of the sandbox. A reset of the sandbox ends it.
      </p>
      <ul class="cards">
        {scenarios.map((scenario) => (
          <li key={scenario.name} class="card">
            <header class="panel-head">
              <h2>{scenario.name}</h2>
              <Applied at={applied.get(scenario.name)} />
            </header>
            <p>{scenario.description}</p>
            <footer class="card-end">
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

interface ScenarioDocument {
  readonly components: {
    readonly schemas: {
      readonly ScenarioName: {
        readonly oneOf: readonly { readonly const: Schema<"ScenarioName">; readonly description: string }[];
      };
    };
  };
}

/** The scenarios of the server, as its document describes them. */
export function useScenarios() {
  const { data, error } = useLive<ScenarioDocument>((control) => control.GET("/_control/v1/openapi.json"));
  const described = data?.components.schemas.ScenarioName.oneOf ?? [];
  return { error, scenarios: described.map(({ const: name, description }) => ({ name, description })) };
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
        .GET("/_control/v1/events", { params: { query: { limit: 2000 } } })
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
