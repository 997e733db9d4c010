import { messageOf, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Filter } from "../../parts/field.tsx";
import { LoadError } from "../../parts/screen.tsx";
import { policyTitle } from "./policy-title.ts";
import { PolicyValue, shownValue } from "./policy-value.tsx";

type Policy = Schema<"PolicyList">["policies"][number];

const assumptions = "https://github.com/call-transfer/call-transfer/blob/main/docs/assumptions.md";

/** The policies: each with the assumption that it stands for. */
export function PolicyTable() {
  const filter = useSignal("");
  const live = useLive<Schema<"PolicyList">>(
    (control) => control.GET("/_control/v1/policies"),
    ({ type }) => type === "policies.changed" || type === "scenario.applied",
  );
  const words = filter.value.toLowerCase();
  const policies = changedFirst(live.data?.policies ?? []).filter(({ name, description, assumption }) =>
    `${name} ${description} ${assumption}`.toLowerCase().includes(words),
  );
  return (
    <>
      <LoadError error={live.error} />
      <div class="intro policy-intro">
        <p>The specification leaves these decisions open. Set them to what your platform does.</p>
        <Filter value={filter.value} onChange={(value) => (filter.value = value)} placeholder="Filter policies" />
      </div>
      <table class="policies">
        <thead>
          <tr>
            <th scope="col">Policy</th>
            <th scope="col">Value</th>
            <th scope="col">Default</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {policies.map((policy) => (
            <PolicyRow key={policy.name} policy={policy} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function PolicyRow({ policy }: { readonly policy: Policy }) {
  const session = useSession();
  const error = useSignal<string | undefined>(undefined);
  const save = async (value: unknown) => {
    error.value = undefined;
    const result = await session.control.value
      .PATCH("/_control/v1/policies", { body: { [policy.name]: value } })
      .catch((reason: unknown) => ({ data: undefined, error: { detail: String(reason) } }));
    if (result.data === undefined) error.value = messageOf(result.error);
    return result.data !== undefined;
  };
  const changed = isChanged(policy);
  return (
    <tr class={changed ? "policy-changed" : undefined}>
      <td>
        <strong>{policyTitle(policy.name)}</strong> <code class="policy-name">{policy.name}</code>
        <p class="policy-text">{policy.description.replaceAll("`", "")}</p>
      </td>
      <td>
        <PolicyValue policy={policy} error={error.value} save={save} />
      </td>
      <td data-label="Default: ">
        <span class="policy-default">{shownValue(policy.default)}</span>
        {changed && (
          <Button label={`Reset ${policy.name} to its default`} onPress={() => save(policy.default)}>
            Reset
          </Button>
        )}
      </td>
      <td class="policy-why" data-label="Why: ">
        <a href={`${assumptions}#${policy.assumption.toLowerCase()}`} target="_blank" rel="noreferrer">
          Assumption {policy.assumption}
        </a>
      </td>
    </tr>
  );
}

function changedFirst(policies: readonly Policy[]): readonly Policy[] {
  return [...policies.filter(isChanged), ...policies.filter((policy) => !isChanged(policy))];
}

const isChanged = (policy: Policy): boolean => JSON.stringify(policy.value) !== JSON.stringify(policy.default);
